// Positions are those of the source as written (columns in UTF-16): types and wide characters before the error, nesting.
interface Row<T> { name: T }
function outer<T extends string>(this: void, row?: Row<T>): void {
  const inner = (at?: number): never => {
    const text: string = "𝒳é"; return (missing as () => never)();
  };
  inner();
}
declare const missing: unknown;
if (typeof outer === ("function" as string)) outer();
