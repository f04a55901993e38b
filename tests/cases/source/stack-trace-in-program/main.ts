// `error.stack` has the positions of the source as written, innermost first.
class Account {
  balance: number = 0;
  withdraw(): void {
    if (this.balance as number < 5) notThere();
  }
}
declare function notThere(): void;
async function pay(account: Account): Promise<void> {
  await null;
  account.withdraw();
}
try {
  await pay(new Account());
} catch (error) {
  console.log((error as Error).stack!.match(/\w+ \(.*main\.ts:\d+:\d+/g)!.map((line) => line.replace(/\(.*\//, "(")));
}
