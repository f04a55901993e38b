// A module without a default export runs and gives no result.
export const unused = 1;
console.log("ran");
unused;
