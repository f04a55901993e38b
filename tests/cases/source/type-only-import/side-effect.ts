console.log("a side effect stays");
export type B = number;
