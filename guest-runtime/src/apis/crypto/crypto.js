// `crypto` and `Math.random`, on the run's own generator: `natives.random(n)` gives an ArrayBuffer of n bytes,
// `natives.randomFloat()` a number in [0, 1).
(function (natives, primordials) {
  "use strict";
  const {
    DOMException, ObjectDefineProperty, TypeError, TypedArrayPrototypeGetBuffer, TypedArrayPrototypeGetByteLength,
    TypedArrayPrototypeGetByteOffset, TypedArrayPrototypeGetTag, TypedArrayPrototypeSet, Uint8Array, defineEnumerable,
    defineGlobal, defineHidden, defineTag,
  } = primordials;
  const { random, randomFloat } = natives;
  const KEY = { __proto__: null };
  const MOST_BYTES = 65536;
  const HEX = "0123456789abcdef";

  class Crypto {
    #brand = true;
    constructor(key) {
      if (key !== KEY) throw new TypeError("Illegal constructor");
    }
    getRandomValues(array) {
      this.#brand;
      const tag = TypedArrayPrototypeGetTag(array);
      if (tag === undefined || tag === "Float16Array" || tag === "Float32Array" || tag === "Float64Array")
        throw new DOMException("the array must be a typed array of integers", "TypeMismatchError");
      const length = TypedArrayPrototypeGetByteLength(array);
      if (length > MOST_BYTES)
        throw new DOMException(length + " bytes are more than the " + MOST_BYTES + " of one call", "QuotaExceededError");
      const bytes = new Uint8Array(TypedArrayPrototypeGetBuffer(array), TypedArrayPrototypeGetByteOffset(array), length);
      TypedArrayPrototypeSet(bytes, new Uint8Array(random(length)));
      return array;
    }
    randomUUID() {
      this.#brand;
      const bytes = new Uint8Array(random(16));
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      let text = "";
      for (let index = 0; index < 16; index++) {
        if (index === 4 || index === 6 || index === 8 || index === 10) text += "-";
        text += HEX[bytes[index] >> 4] + HEX[bytes[index] & 15];
      }
      return text;
    }
  }

  defineTag(Crypto, "Crypto");
  defineEnumerable(Crypto.prototype, "getRandomValues randomUUID");
  defineGlobal("Crypto", Crypto);
  defineGlobal("crypto", new Crypto(KEY));
  // The native itself: `Math.random` is called in loops, and a wrapper would double its cost.
  ObjectDefineProperty(randomFloat, "name", { __proto__: null, value: "random", configurable: true });
  defineHidden(Math, "random", randomFloat);
})
