// All of TypeScript that can be erased: what is left runs as it stands.
import type { Later } from "./types.ts";
import { type AlsoLater, value } from "./types.ts";
export type { Later };

interface Shape<in out T = unknown> extends Partial<Record<string, T>> { readonly kind: string; optional?: T; method?(this: Shape<T>, a: T): void; new (x: number): T; (y: string): T; [key: string]: any }
type Union = "a" | `b${string}` | 1 | -1n | null | undefined | unique_;
type unique_ = { readonly [K in keyof Point as `get${Capitalize<K>}`]-?: Point[K] };
type Conditional<T> = T extends (infer U extends string)[] ? U : T extends abstract new (...args: infer A) => any ? A : never;
type Tuple = readonly [first: string, second?: number, ...rest: boolean[]];
type Guard = (x: unknown) => asserts x is string;
type Imported = import("./types.ts").Later | typeof import("./types.ts");
type Accessors = { get a(): number; set a(value: number) };
type Point = { x: number; y: number };
declare const ambient: number;
declare let untouched: string, other: number;
declare function nowhere(x: number): void;
declare class Ghost { private field: string }
declare module "nothing" { export const a: number; }
declare global { interface Window { x: 1 } }
declare enum Erased { A }
declare namespace Nowhere { const x: number }
namespace OnlyTypes { export type T = 1; export interface I { a: 1 } }

function overloaded(a: string): string;
function overloaded(a: number): number;
function overloaded(a: any): any { return a; }
function generic<const T extends readonly unknown[], U = T[number]>(this: void, first: T, second?: U, ...rest: Array<U>): asserts first is T & { length: 3 } { void second; void rest; }
const arrow = async <T,>(x: T, y?: number): Promise<T> => x;
const guard = (x: unknown): x is string => typeof x === "string";
const curried = (a: number) => (b: number): number => a + b;
const object = { method<T>(x: T): T { return x; }, get size(): number { return 1; }, async *stream<T>(): AsyncGenerator<T> {} };

abstract class Base<T> { abstract area(): number; protected abstract name: string; static readonly made: number = 1; declare ghost: string; accessor_?: T; definite!: number; [index: string]: any; constructor(first: T, second?: string); constructor(first: any) { this.first = first; } private first: T; public override?(): void; }
class Derived<T = {}> extends Base<T> implements Shape<any>, Iterable<number> {
  public readonly kind: string = "derived";
  protected override name = "n";
  private static async *helper<T>(this: any): AsyncGenerator<T> {}
  static #secret?: number = 5;
  area(this: Derived<T>): number { return Derived.#secret! * 2; }
  *[Symbol.iterator](): Generator<number> { yield 1; }
}

generic<[1, 2]>([1, 2], 1);
const instance = new Derived<{ a: 1 }>({ a: 1 }) as unknown as Derived<any>;
const angle = <number>(<unknown>value);
const satisfied = { x: 1, y: 2 } satisfies Point as Point;
const constant = ["a", "b"] as const;
let definite!: number;
definite = instance!.area()!;
const instantiated = Array<number>;
const nested = new Map<string, Array<Map<number, string[]>>>([["k", []]]);
const shifted = (definite as number) >> 1 < 3 ? 8 >>> 1 : 0;
for (const item of constant as readonly string[]) if (guard(item)) console.log(item satisfies string);
try { throw new Error("x"); } catch (error: unknown) { console.log((error as Error).message!); }
label: for (let i: number = 0; ; i++) { if ((i as number) > 2) break label; }
let type: number = 1, as = 2, of = 3, declare = 4, namespace = 5, abstract = 6, readonly = 7, satisfies = 8;
type = 10;
declare;
namespace
;[1].forEach((n) => console.log(n));
console.log(type + as + of + declare + namespace + abstract + readonly + satisfies);
console.log(await arrow<number>(3), curried(1)(2), object.method<string>("m"), angle, satisfied, definite, instantiated.name, nested.size, shifted);
console.log(Object.keys(instance), overloaded("o"), [...instance], ((a?: number, b: number = 2): number => (a ?? 1) + b)());
const later: Later & AlsoLater = { later: true };
console.log(later, `template ${value as number} ${((x: number): string => `${x}`)(1)}`);
