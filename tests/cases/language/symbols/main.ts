// Symbols: registry, well-known hooks, and that they hide from ordinary keys.
const secret = Symbol("secret");
const object = { [secret]: 1, open: 2 };
console.log(Object.keys(object), Object.getOwnPropertySymbols(object), object);
console.log(Symbol.for("k") === Symbol.for("k"), Symbol.keyFor(Symbol.for("k")), Symbol("d").description, secret.toString());
class Money {
  amount: number;
  constructor(amount: number) { this.amount = amount; }
  [Symbol.toPrimitive](hint: string) { return hint === "number" ? this.amount : `${this.amount} EUR (${hint})`; }
  get [Symbol.toStringTag]() { return "Money"; }
  static [Symbol.hasInstance](value: any) { return "amount" in Object(value); }
}
const money = new Money(5) as any;
console.log(+money, `${money}`, money + "", Object.prototype.toString.call(money), ({ amount: 1 }) instanceof Money);
const spreadable = { length: 2, 0: "x", 1: "y", [Symbol.isConcatSpreadable]: true };
console.log(["w"].concat(spreadable as any), "a-b".split({ [Symbol.split]: (text: string) => [text, "split by me"] } as any));
class Plain extends Array { static get [Symbol.species]() { return Array; } }
console.log(new Plain(1, 2, 3).map((x) => x) instanceof Plain, "x".replace({ [Symbol.replace]: () => "replaced" } as any, ""));
console.log(typeof Symbol.asyncIterator, Object(secret) == secret, Symbol.iterator in Array.prototype);
try {
  `${secret as any}`;
} catch (error) {
  console.log((error as Error).name);
}
