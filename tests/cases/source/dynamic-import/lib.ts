console.log("evaluated once");
export default { object: true };
export const named: string = "named";
