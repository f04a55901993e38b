// `error.stack` has the positions of the source as written.
class Account {
  balance: number = 0;
  withdraw(amount: number): void {
    if (amount > this.balance) throw new Error(`short of ${amount - this.balance}`);
  }
}
async function pay(account: Account): Promise<void> {
  await null;
  account.withdraw(5);
}
try {
  await pay(new Account());
} catch (error) {
  console.log((error as Error).stack);
}
[1].map(function callback(this: void, n: number): void {
  console.log(new Error(`in a callback ${n}`).stack!.split("\n").map((line) => line.trim()));
});
