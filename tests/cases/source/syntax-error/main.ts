// The first mistake is shown where it is.
const fine = 1;
function broken(a: number {
  return a;
}
