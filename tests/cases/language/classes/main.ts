// Classes: fields, private members, static blocks, accessors, inheritance, new.target.
class Counter {
  static #made = 0;
  static names: string[] = [];
  static {
    this.names.push("set up");
  }
  static get made(): number {
    return Counter.#made;
  }
  static is(value: object): boolean {
    return #count in value;
  }

  #count = 0;
  public readonly label: string;
  ["com" + "puted"] = true;
  bound = () => this.#count;

  constructor(label = "none") {
    this.label = label;
    Counter.#made++;
  }
  get count() {
    return this.#count;
  }
  set count(value: number) {
    if (value < 0) throw new RangeError(`negative: ${value}`);
    this.#count = value;
  }
  #double() {
    return this.#count * 2;
  }
  doubled() {
    return this.#double();
  }
  toString() {
    return `${this.label}=${this.#count}`;
  }
}

class Loud extends Counter {
  override toString() {
    return super.toString().toUpperCase() + "!";
  }
  static override get made() {
    return super.made * 100;
  }
}

const counter = new Counter("apples");
counter.count = 21;
const { bound } = counter;
console.log(`${counter}`, counter.doubled(), bound(), Counter.made, Counter.names);
const loud = new Loud("pears");
loud.count++;
console.log(`${loud}`, Loud.made, loud instanceof Counter, Counter.is(loud), Counter.is({}));
console.log(Object.keys(counter), JSON.stringify(counter));
try {
  counter.count = -1;
} catch (error) {
  console.log(String(error));
}
try {
  Reflect.get(Counter.prototype, "count", {});
} catch (error) {
  console.log((error as Error).name);
}
try {
  (Counter as any)();
} catch (error) {
  console.log((error as Error).name);
}

abstract class Shape {
  constructor() {
    console.log("made by", new.target.name);
  }
  abstract area(): number;
}
const Square = class Named extends Shape {
  side = 3;
  area() {
    return this.side ** 2;
  }
};
console.log(new Square().area(), Square.name);

class Stack extends Array<number> {
  get top() {
    return this.at(-1);
  }
}
const stack = Stack.from([1, 2, 3]) as Stack;
console.log(stack.top, stack.map((n) => n * 2) instanceof Stack, stack.length);

const Mixed = (<T extends new (...a: any[]) => object>(Base: T) => class extends Base { mixed = 1; })(Counter);
console.log(new Mixed("m").mixed, Object.getPrototypeOf(Mixed) === Counter);
