// `return` at the top gives the result, whatever JSON holds.
interface Row { id: number; at: Date; gone?: undefined }
const rows: Row[] = [{ id: 1, at: new Date(0), gone: undefined }];
return { rows, text: "é💚\n", none: null, huge: 1e21, notNumber: NaN, map: Object.fromEntries(new Map([["k", [1]]])) };
