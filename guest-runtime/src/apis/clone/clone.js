// `structuredClone`.
//
// As the standard has it, getters of plain objects run. New objects have no prototype until they are filled, so that no
// setter on `Object.prototype` sees a value, and `__proto__` is a key like any other.
(function (natives, primordials) {
  "use strict";
  const {
    ArrayBuffer, ArrayBufferPrototypeGetByteLength, ArrayBufferPrototypeGetDetached, ArrayBufferPrototypeGetMaxByteLength,
    ArrayBufferPrototypeGetResizable, ArrayBufferPrototypeTransfer, ArrayPrototype,
    BigIntPrototypeValueOf, BooleanPrototypeValueOf, DataView, DataViewPrototypeGetBuffer, DatePrototypeGetTime, DOMException, DOMExceptionPrototypeGetMessage,
    DOMExceptionPrototypeGetName, Date, ErrorPrototypeGetStack, Map, MapPrototypeForEach, MapPrototypeGet,
    MapPrototypeSet, NumberPrototypeValueOf, Object, ObjectKeys, ObjectPrototype, ObjectSetPrototypeOf, RegExp,
    RegExpPrototypeGetSource, Set, SetPrototypeAdd, SetPrototypeForEach, SetPrototypeHas, StringPrototypeValueOf,
    SymbolIterator, SymbolPrototypeToString, TypeError, TypedArrayPrototypeGetBuffer,
    TypedArrayPrototypeGetLength, TypedArrayPrototypeGetTag, TypedArrayPrototypeSet, Uint8Array, classOf, classes,
    defineGlobal, defineHidden, describers, descriptorOf, errorTypes, newList, regExpFlags, toText, typedArrays,
  } = primordials;
  const { extentOf } = natives;

  function refuse(what) {
    return new DOMException(what + " could not be cloned", "DataCloneError");
  }

  // What a property read gives for plain data along the prototype chain of an error.
  function text(value, otherwise) {
    return typeof value === "string" ? value : otherwise;
  }

  function copyBuffer(buffer) {
    if (ArrayBufferPrototypeGetDetached(buffer)) throw refuse("a detached ArrayBuffer");
    // Not `slice`, which would ask the program which constructor to use.
    const length = ArrayBufferPrototypeGetByteLength(buffer);
    const copy = ArrayBufferPrototypeGetResizable(buffer)
      ? new ArrayBuffer(length, { __proto__: null, maxByteLength: ArrayBufferPrototypeGetMaxByteLength(buffer) })
      : new ArrayBuffer(length);
    TypedArrayPrototypeSet(new Uint8Array(copy), new Uint8Array(buffer));
    return copy;
  }

  function copyError(error, known) {
    const name = toText(error.name);
    const Type = errorTypes[name] ?? errorTypes.Error;
    const copy = Type === errorTypes.AggregateError ? new Type([]) : new Type();
    MapPrototypeSet(known, error, copy);
    const message = descriptorOf(error, "message");
    if (message !== undefined && "value" in message) defineHidden(copy, "message", toText(message.value));
    const stack = descriptorOf(error, "stack");
    defineHidden(copy, "stack", text(stack === undefined ? ErrorPrototypeGetStack(error) : stack.value, ""));
    const cause = descriptorOf(error, "cause");
    if (cause !== undefined && "value" in cause) defineHidden(copy, "cause", clone(cause.value, known));
    const errors = descriptorOf(error, "errors");
    if (Type === errorTypes.AggregateError && errors !== undefined && "value" in errors)
      defineHidden(copy, "errors", clone(errors.value, known));
    return copy;
  }

  function copyProperties(value, copy, prototype, known) {
    MapPrototypeSet(known, value, copy);
    const keys = ObjectKeys(value);
    // A getter may have removed a key that comes later.
    for (let index = 0; index < keys.length; index++)
      if (descriptorOf(value, keys[index]) !== undefined) copy[keys[index]] = clone(value[keys[index]], known);
    return ObjectSetPrototypeOf(copy, prototype);
  }

  function copyMap(map, known) {
    const copy = new Map();
    MapPrototypeSet(known, map, copy);
    const entries = newList();
    MapPrototypeForEach(map, (value, key) => {
      entries[entries.length] = key;
      entries[entries.length] = value;
    });
    for (let index = 0; index < entries.length; index += 2)
      MapPrototypeSet(copy, clone(entries[index], known), clone(entries[index + 1], known));
    return copy;
  }

  function copySet(set, known) {
    const copy = new Set();
    MapPrototypeSet(known, set, copy);
    const entries = newList();
    SetPrototypeForEach(set, (value) => {
      entries[entries.length] = value;
    });
    for (let index = 0; index < entries.length; index++) SetPrototypeAdd(copy, clone(entries[index], known));
    return copy;
  }

  // A copy of an object that refers to no other, or undefined.
  function copySimple(value, kind) {
    switch (kind) {
      case classes.Date: return new Date(DatePrototypeGetTime(value));
      case classes.RegExp: return new RegExp(RegExpPrototypeGetSource(value), regExpFlags(value));
      case classes.Number: return Object(NumberPrototypeValueOf(value));
      case classes.String: return Object(StringPrototypeValueOf(value));
      case classes.Boolean: return Object(BooleanPrototypeValueOf(value));
      case classes.BigInt: return Object(BigIntPrototypeValueOf(value));
      case classes.ArrayBuffer: return copyBuffer(value);
      case classes.DOMException:
        return new DOMException(DOMExceptionPrototypeGetMessage(value), DOMExceptionPrototypeGetName(value));
      default: return undefined;
    }
  }

  function copyView(value, known) {
    const tag = TypedArrayPrototypeGetTag(value);
    const buffer = clone(tag === undefined ? DataViewPrototypeGetBuffer(value) : TypedArrayPrototypeGetBuffer(value), known);
    const extent = extentOf(value);
    const tracksLength = extent[0] !== 0;
    const offset = extent[1];
    const length = extent[2];
    // A buffer may have been resized to less than its view needs.
    const end = tracksLength ? offset : offset + length;
    if (end > ArrayBufferPrototypeGetByteLength(buffer)) throw refuse("a view out of its buffer's bounds");
    const View = tag === undefined ? DataView : typedArrays[tag];
    const count = tag === undefined ? length : TypedArrayPrototypeGetLength(value);
    // A view that was made without a length follows its buffer, and so does its copy.
    const copy = tracksLength ? new View(buffer, offset) : new View(buffer, offset, count);
    MapPrototypeSet(known, value, copy);
    return copy;
  }

  function isOurs(value) {
    for (let index = 0; index < describers.length; index++) if (describers[index](value) !== undefined) return true;
    return false;
  }

  function clone(value, known) {
    if (typeof value === "symbol") throw refuse(SymbolPrototypeToString(value));
    if (typeof value === "function") throw refuse("a function");
    if (typeof value !== "object" || value === null) return value;
    const copied = MapPrototypeGet(known, value);
    if (copied !== undefined) return copied;
    const kind = classOf(value);
    if (kind === classes.Object || kind === classes.Arguments || kind === classes.MappedArguments) {
      if (isOurs(value)) throw refuse("an object of the platform");
      return copyProperties(value, { __proto__: null }, ObjectPrototype, known);
    }
    if (kind === classes.Array) {
      const copy = newList();
      copy.length = value.length;
      return copyProperties(value, copy, ArrayPrototype, known);
    }
    if (kind === classes.Map) return copyMap(value, known);
    if (kind === classes.Set) return copySet(value, known);
    if (kind === classes.Error) return copyError(value, known);
    if (kind === classes.DataView || TypedArrayPrototypeGetTag(value) !== undefined) return copyView(value, known);
    const copy = copySimple(value, kind);
    if (copy === undefined) throw refuse(kind === classes.Proxy ? "a proxy" : kind === classes.Promise ? "a promise" : "this object");
    MapPrototypeSet(known, value, copy);
    return copy;
  }

  // The buffers to hand over, checked. The program's own iterator is what counts here.
  function transferList(options) {
    const list = newList();
    const given = options === undefined || options === null ? undefined : options.transfer;
    if (given === undefined) return list;
    if (given === null || typeof given[SymbolIterator] !== "function") throw new TypeError("`transfer` must be a list");
    const seen = new Set();
    for (const buffer of given) {
      if (classOf(buffer) !== classes.ArrayBuffer) throw new DOMException("only an ArrayBuffer can be transferred", "DataCloneError");
      if (SetPrototypeHas(seen, buffer)) throw new DOMException("an ArrayBuffer is twice in the transfer list", "DataCloneError");
      if (ArrayBufferPrototypeGetDetached(buffer)) throw refuse("a detached ArrayBuffer");
      SetPrototypeAdd(seen, buffer);
      list[list.length] = buffer;
    }
    return list;
  }

  const { structuredClone } = {
    structuredClone(value, options = undefined) {
      if (arguments.length === 0) throw new TypeError("the value to clone is missing");
      const transfer = transferList(options);
      const result = clone(value, new Map());
      // The clone already holds a copy; what remains of a transfer is that the original is gone.
      for (let index = 0; index < transfer.length; index++) ArrayBufferPrototypeTransfer(transfer[index]);
      return result;
    },
  };
  defineGlobal("structuredClone", structuredClone);
})
