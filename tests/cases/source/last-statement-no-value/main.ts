// Only an expression statement at the end gives a result: a declaration, a block or a loop gives none.
let sum = 0;
for (const n of [1, 2, 3]) sum += n;
if (sum > 5) {
  sum;
}
