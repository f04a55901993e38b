// What the prelude keeps of the language, taken before any program runs.
//
// Methods come uncurried: `ArrayPrototypeJoin(list, ",")` instead of `list.join(",")`.
//
// Invariant: nothing here looks at `globalThis` or at a prototype again after this function has returned, so a program that
// replaces `Array.prototype.push`, `Symbol.iterator` or `JSON` harms only itself.
// Rules for code that uses this:
// - no `for…of`, no spread, no array destructuring: all three go through patchable iterators
// - no template literals with values in them: QuickJS makes them into calls of `String.prototype.concat`
// - lists come from `newList()`: they have no prototype, so a setter on `Array.prototype` sees nothing
// - objects written as option bags or descriptors have `__proto__: null`; descriptors are read with `descriptorOf`
(function (natives) {
  "use strict";
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const { defineProperty, getOwnPropertyDescriptor, setPrototypeOf } = Object;
  const { classOf } = natives;
  const primordials = { __proto__: null };
  const global = globalThis;

  function keep(prefix, owner, names, prototype) {
    const list = names.split(" ");
    for (let index = 0; index < list.length; index++) {
      const name = list[index];
      primordials[prefix + name[0].toUpperCase() + name.slice(1)] = prototype ? uncurry(owner[name]) : owner[name];
    }
  }
  function statics(name, names) {
    keep(name, global[name], names, false);
  }
  function methods(name, names) {
    keep(name + "Prototype", global[name].prototype, names, true);
  }
  function getter(name, owner, key) {
    primordials[name] = uncurry(getOwnPropertyDescriptor(owner, key).get);
  }

  const kept =
    "ArrayBuffer DataView Date DOMException Error Map Number Object Proxy RangeError RegExp Set TypeError Uint8Array";
  keep("", global, kept, false);
  statics("Array", "isArray");
  statics("ArrayBuffer", "isView");
  statics("JSON", "stringify");
  statics("Math", "floor max min round sqrt");
  statics("Number", "isNaN parseFloat parseInt");
  statics("Object", "create defineProperty getOwnPropertyNames getOwnPropertySymbols getPrototypeOf keys setPrototypeOf");
  statics("Reflect", "apply ownKeys");
  statics("Symbol", "iterator toPrimitive toStringTag");
  methods("Array", "indexOf join sort splice");
  methods("ArrayBuffer", "transfer");
  methods("BigInt", "valueOf");
  methods("Boolean", "valueOf");
  methods("Date", "getTime toISOString");
  methods("Function", "toString");
  methods("Map", "delete entries forEach get set");
  methods("Number", "toFixed toString valueOf");
  methods("Object", "hasOwnProperty propertyIsEnumerable");
  methods("Promise", "then");
  methods("RegExp", "exec");
  methods("Set", "add forEach has values");
  methods(
    "String",
    "charCodeAt codePointAt endsWith includes indexOf " +
      "padEnd padStart repeat slice startsWith toLowerCase toWellFormed trim valueOf",
  );
  methods("Symbol", "toString valueOf");
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  keep("TypedArrayPrototype", TypedArray.prototype, "set", true);
  getter("TypedArrayPrototypeGetBuffer", TypedArray.prototype, "buffer");
  getter("TypedArrayPrototypeGetByteLength", TypedArray.prototype, "byteLength");
  getter("TypedArrayPrototypeGetByteOffset", TypedArray.prototype, "byteOffset");
  getter("TypedArrayPrototypeGetLength", TypedArray.prototype, "length");
  getter("TypedArrayPrototypeGetTag", TypedArray.prototype, Symbol.toStringTag);
  getter("DataViewPrototypeGetBuffer", DataView.prototype, "buffer");
  getter("DataViewPrototypeGetByteLength", DataView.prototype, "byteLength");
  getter("DataViewPrototypeGetByteOffset", DataView.prototype, "byteOffset");
  getter("ArrayBufferPrototypeGetByteLength", ArrayBuffer.prototype, "byteLength");
  getter("ArrayBufferPrototypeGetDetached", ArrayBuffer.prototype, "detached");
  getter("ArrayBufferPrototypeGetMaxByteLength", ArrayBuffer.prototype, "maxByteLength");
  getter("ArrayBufferPrototypeGetResizable", ArrayBuffer.prototype, "resizable");
  getter("DOMExceptionPrototypeGetMessage", DOMException.prototype, "message");
  getter("DOMExceptionPrototypeGetName", DOMException.prototype, "name");
  getter("ErrorPrototypeGetStack", Error.prototype, "stack");
  getter("MapPrototypeGetSize", Map.prototype, "size");
  getter("SetPrototypeGetSize", Set.prototype, "size");
  getter("RegExpPrototypeGetSource", RegExp.prototype, "source");
  primordials.MapIteratorPrototypeNext = uncurry(Object.getPrototypeOf(new Map().entries()).next);
  primordials.SetIteratorPrototypeNext = uncurry(Object.getPrototypeOf(new Set().values()).next);
  primordials.ArrayPrototype = Array.prototype;
  primordials.IteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([].values()));
  primordials.ObjectPrototype = Object.prototype;
  primordials.FunctionPrototype = Function.prototype;

  // By name: typed arrays for their tag, errors for the names that keep their class when cloned.
  const byName = (names) => {
    const table = { __proto__: null };
    const list = names.split(" ");
    for (let index = 0; index < list.length; index++) if (global[list[index]] !== undefined) table[list[index]] = global[list[index]];
    return table;
  };
  primordials.typedArrays = byName(
    "Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array " +
      "Float16Array Float32Array Float64Array",
  );
  primordials.errorTypes = byName("Error EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError");

  // The engine's own mark on each object, which no program can forge. Read from samples, since the numbers are QuickJS's.
  const map = new Map();
  const set = new Set();
  const samples = {
    __proto__: null,
    Object: {}, Array: [], Error: new Error(), Number: Object(1), String: Object(""), Boolean: Object(true),
    Symbol: Object(Symbol.iterator), BigInt: Object(1n), Arguments: (function () { return arguments; })(),
    MappedArguments: natives.sloppyArguments, Date: new Date(0), RegExp: /a/, ArrayBuffer: new ArrayBuffer(0),
    DataView: new DataView(new ArrayBuffer(0)), Map: map, Set: set, WeakMap: new WeakMap(), WeakSet: new WeakSet(),
    MapIterator: map.keys(), SetIterator: set.keys(), Generator: (function* () {})(), Promise: Promise.resolve(),
    Proxy: new Proxy({}, {}), DOMException: new DOMException(), Function: function () {},
    GeneratorFunction: function* () {}, AsyncFunction: async function () {}, AsyncGeneratorFunction: async function* () {},
  };
  const classes = { __proto__: null };
  for (const name in samples) classes[name] = classOf(samples[name]);
  primordials.classes = classes;
  primordials.classOf = classOf;
  primordials.proxyTarget = natives.proxyTarget;
  primordials.promiseState = natives.promiseState;
  primordials.copyIterator = natives.copyIterator;

  // `RegExp.prototype.flags` reads eight properties that a program may have replaced; these are the getters behind them.
  const flagGetters = setPrototypeOf([], null);
  const flagNames = "hasIndices global ignoreCase multiline dotAll unicode unicodeSets sticky".split(" ");
  for (let index = 0; index < flagNames.length; index++)
    flagGetters[index] = uncurry(getOwnPropertyDescriptor(RegExp.prototype, flagNames[index]).get);
  const FLAGS = "dgimsuvy";
  primordials.regExpFlags = (regExp) => {
    let flags = "";
    for (let index = 0; index < flagGetters.length; index++) if (flagGetters[index](regExp)) flags += FLAGS[index];
    return flags;
  };

  // What a template literal would make of a value the program gave.
  const { String, TypeError } = global;
  primordials.toText = (value) => {
    if (typeof value === "string") return value;
    if (typeof value === "symbol") throw new TypeError("cannot convert a symbol to a string");
    return String(value);
  };

  primordials.newList = () => setPrototypeOf([], null);

  // Makes a list into an ordinary array, for the program.
  const ArrayPrototype = Array.prototype;
  primordials.toArray = (list) => setPrototypeOf(list, ArrayPrototype);

  // An own property's descriptor that inherits nothing, or undefined.
  primordials.descriptorOf = (object, key) => {
    const descriptor = getOwnPropertyDescriptor(object, key);
    return descriptor === undefined ? undefined : setPrototypeOf(descriptor, null);
  };

  primordials.defineHidden = (object, key, value) =>
    defineProperty(object, key, { __proto__: null, value, writable: true, configurable: true, enumerable: false });

  primordials.defineGlobal = (name, value) => primordials.defineHidden(global, name, value);

  // Gives a class the tag that `Object.prototype.toString` shows.
  primordials.defineTag = (constructor, tag) =>
    defineProperty(constructor.prototype, Symbol.toStringTag, { __proto__: null, value: tag, configurable: true });

  // The platform's classes list their members, as WebIDL has it: makes the named ones enumerable.
  primordials.defineEnumerable = (object, names) => {
    const list = names.split(" ");
    for (let index = 0; index < list.length; index++)
      defineProperty(object, list[index], { __proto__: null, enumerable: true });
  };

  // How `console` shows our own classes, whose fields are private: `describe(value)` gives undefined or
  // `{ name, keys, values, arrow, isWhole, tooDeep }`. `isWhole`: entries are shown wherever the object is; `tooDeep`: what is
  // shown where the object lies too deep.
  primordials.describers = primordials.newList();

  return primordials;
})
