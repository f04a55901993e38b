// `TextEncoder` and `TextDecoder`. The bytes are made and read by `natives`; what is here is the interface.
(function (natives, primordials) {
  "use strict";
  const {
    ArrayBufferIsView, ArrayBufferPrototypeGetByteLength, DataViewPrototypeGetBuffer, DataViewPrototypeGetByteLength,
    DataViewPrototypeGetByteOffset, RangeError, StringPrototypeCharCodeAt, StringPrototypeSlice, StringPrototypeToLowerCase,
    StringPrototypeToWellFormed, StringPrototypeTrim, TypeError, TypedArrayPrototypeGetBuffer,
    TypedArrayPrototypeGetByteLength, TypedArrayPrototypeGetByteOffset, TypedArrayPrototypeGetTag, TypedArrayPrototypeSet,
    Uint8Array, classOf, classes, defineEnumerable, defineGlobal, defineTag, toText,
  } = primordials;
  const { decode, encode, incompleteTail } = natives;
  const WINDOWS_1252 = 2;
  const NAMES = ["utf-8", "utf-16le", "windows-1252"];
  // The labels of the encoding standard for these three.
  const LABELS = {
    __proto__: null,
    "unicode-1-1-utf-8": 0, unicode11utf8: 0, unicode20utf8: 0, "utf-8": 0, utf8: 0, "x-unicode20utf8": 0,
    csunicode: 1, "iso-10646-ucs-2": 1, "ucs-2": 1, unicode: 1, unicodefeff: 1, "utf-16": 1, "utf-16le": 1,
    "ansi_x3.4-1968": 2, ascii: 2, cp1252: 2, cp819: 2, csisolatin1: 2, ibm819: 2, "iso-8859-1": 2, "iso-ir-100": 2, "iso8859-1": 2,
    iso88591: 2, "iso_8859-1": 2, "iso_8859-1:1987": 2, l1: 2, latin1: 2, "us-ascii": 2, "windows-1252": 2, "x-cp1252": 2,
  };

  // Where the bytes of a view or buffer lie: fills `place` and returns its buffer.
  const place = { __proto__: null, offset: 0, length: 0 };
  function locate(input) {
    if (ArrayBufferIsView(input)) {
      if (TypedArrayPrototypeGetTag(input) !== undefined) {
        place.offset = TypedArrayPrototypeGetByteOffset(input);
        place.length = TypedArrayPrototypeGetByteLength(input);
        return TypedArrayPrototypeGetBuffer(input);
      }
      place.offset = DataViewPrototypeGetByteOffset(input);
      place.length = DataViewPrototypeGetByteLength(input);
      return DataViewPrototypeGetBuffer(input);
    }
    if (classOf(input) !== classes.ArrayBuffer) throw new TypeError("the input must be an ArrayBuffer or a view of one");
    place.offset = 0;
    place.length = ArrayBufferPrototypeGetByteLength(input);
    return input;
  }

  class TextEncoder {
    #brand = true;
    get encoding() {
      this.#brand;
      return "utf-8";
    }
    encode(input = "") {
      this.#brand;
      return new Uint8Array(encode(StringPrototypeToWellFormed(toText(input))));
    }
    encodeInto(source, destination) {
      this.#brand;
      source = StringPrototypeToWellFormed(toText(source));
      if (TypedArrayPrototypeGetTag(destination) !== "Uint8Array") throw new TypeError("the destination must be a Uint8Array");
      const room = TypedArrayPrototypeGetByteLength(destination);
      // A code unit takes at most three bytes: no need to encode more of the source than could fit.
      const bytes = new Uint8Array(encode(StringPrototypeToWellFormed(StringPrototypeSlice(source, 0, room))));
      let length = TypedArrayPrototypeGetByteLength(bytes);
      if (length > room) {
        length = room;
        while (length > 0 && (bytes[length] & 0xc0) === 0x80) length--;
      }
      const used = new Uint8Array(TypedArrayPrototypeGetBuffer(bytes), 0, length);
      TypedArrayPrototypeSet(destination, used);
      // Every code point starts with one byte that is no continuation, and takes two units if it needs four bytes.
      let read = 0;
      for (let index = 0; index < length; index++) if ((used[index] & 0xc0) !== 0x80) read += used[index] >= 0xf0 ? 2 : 1;
      return { read, written: length };
    }
  }

  class TextDecoder {
    #encoding;
    #fatal;
    #ignoreBOM;
    // Bytes of a character that the next chunk must complete, and whether a byte order mark may still come.
    #pending = undefined;
    #atStart = true;
    constructor(label = "utf-8", options = undefined) {
      label = toText(label);
      const encoding = LABELS[StringPrototypeToLowerCase(StringPrototypeTrim(label))];
      if (encoding === undefined)
        throw new RangeError("the encoding `" + label + "` is not supported: utf-8, utf-16le and windows-1252 are");
      this.#encoding = encoding;
      this.#fatal = options !== undefined && options !== null && !!options.fatal;
      this.#ignoreBOM = options !== undefined && options !== null && !!options.ignoreBOM;
    }
    get encoding() { return NAMES[this.#encoding]; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(input = undefined, options = undefined) {
      const encoding = this.#encoding;
      const stream = options !== undefined && options !== null && !!options.stream;
      let buffer = input === undefined ? new Uint8Array(0) : input;
      buffer = locate(buffer);
      let { offset, length } = place;
      if (this.#pending !== undefined) {
        const all = new Uint8Array(this.#pending.length + length);
        TypedArrayPrototypeSet(all, this.#pending);
        TypedArrayPrototypeSet(all, new Uint8Array(buffer, offset, length), this.#pending.length);
        buffer = TypedArrayPrototypeGetBuffer(all);
        offset = 0;
        length = TypedArrayPrototypeGetByteLength(all);
        this.#pending = undefined;
      }
      const tail = stream ? incompleteTail(encoding, buffer, offset, length) : 0;
      let text = decode(encoding, buffer, offset, length - tail, this.#fatal);
      if (text === undefined) {
        this.#atStart = true;
        throw new TypeError("the data is not valid " + NAMES[encoding]);
      }
      if (tail > 0) {
        this.#pending = new Uint8Array(tail);
        TypedArrayPrototypeSet(this.#pending, new Uint8Array(buffer, offset + length - tail, tail));
      }
      if (this.#atStart && text.length > 0) {
        const marked = encoding !== WINDOWS_1252 && StringPrototypeCharCodeAt(text, 0) === 0xfeff;
        if (marked && !this.#ignoreBOM) text = StringPrototypeSlice(text, 1);
        this.#atStart = false;
      }
      if (!stream) this.#atStart = true;
      return text;
    }
  }

  defineTag(TextEncoder, "TextEncoder");
  defineTag(TextDecoder, "TextDecoder");
  defineEnumerable(TextEncoder.prototype, "encoding encode encodeInto");
  defineEnumerable(TextDecoder.prototype, "encoding fatal ignoreBOM decode");
  defineGlobal("TextEncoder", TextEncoder);
  defineGlobal("TextDecoder", TextDecoder);
})
