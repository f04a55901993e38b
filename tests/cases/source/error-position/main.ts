// Positions count characters of the source as written: types before the error, wide characters, nesting.
interface Row<T> { name: T }
function outer<T extends string>(rows: Array<Row<T>>): void {
  const inner = (row: Row<T>, at: number): never => {
    const text: string = "💚é"; throw new RangeError(`${text} ${row.name} at ${at}`);
  };
  for (const [at, row] of (rows as Row<T>[]).entries()) inner(row, at as number);
}
outer<"x">([{ name: "x" }]);
