// A call's arguments as one line, with `%s` and its kind. After node's `lib/internal/util/inspect.js` (MIT).
//
// As in node, `%s` calls a `toString` of the program's own, `%d`, `%i` and `%f` convert to a number, and `%j` calls `toJSON`.
// Unlike node, an error from there is passed over: the value is then shown as it would be without.
(function (natives, primordials) {
  "use strict";
  const {
    FunctionPrototypeToString, JSONStringify, Number, NumberParseFloat, NumberParseInt, ObjectGetPrototypeOf,
    StringPrototypeCharCodeAt, StringPrototypeIncludes, StringPrototypeSlice, SymbolPrototypeToString, SymbolToPrimitive,
    classOf, classes, descriptorOf, newList, toText,
  } = primordials;
  const { behindProxies, hasOwn, read } = natives.objects;
  // Constructors of the language and the platform: what their prototypes make of a value says less than `inspect` does.
  const BUILT_IN =
    " AbortController AbortSignal AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date " +
    "DOMException Error EvalError Event EventTarget Float16Array Float32Array Float64Array Function Int8Array Int16Array Int32Array Iterator Map " +
    "Number Object Promise Proxy RangeError ReferenceError RegExp Set String SuppressedError Symbol SyntaxError TextDecoder TextEncoder TypeError " +
    "Uint8Array Uint8ClampedArray Uint16Array Uint32Array URIError URL URLSearchParams WeakMap WeakSet ";
  const { inspect, MOST_TEXT } = natives.inspector;
  const SHALLOW = { __proto__: null, depth: 0 };
  const HIDDEN = { __proto__: null, showHidden: true, depth: 4 };

  function number(value) {
    return value === 0 && 1 / value < 0 ? "-0" : "" + value;
  }

  function asNumber(value, convert) {
    if (typeof value === "bigint") return value + "n";
    if (typeof value === "symbol") return "NaN";
    try {
      return number(convert(value));
    } catch {
      return "NaN";
    }
  }

  // Whether the text that an object makes of itself comes from the language, not from the program.
  function hasBuiltInText(object) {
    const hasMethod = (key) => typeof read(object, key) === "function";
    const keys = newList();
    if (hasMethod("toString")) keys[0] = "toString";
    if (hasMethod(SymbolToPrimitive)) keys[keys.length] = SymbolToPrimitive;
    if (keys.length === 0) return true;
    const owns = (holder) => hasOwn(holder, keys[0]) || (keys.length > 1 && hasOwn(holder, keys[1]));
    if (owns(object)) return false;
    let holder = object;
    do {
      holder = ObjectGetPrototypeOf(holder);
      if (holder !== null) holder = behindProxies(holder);
      if (holder === null) return true;
    } while (!owns(holder));
    const constructor = descriptorOf(holder, "constructor")?.value;
    if (typeof constructor !== "function") return false;
    const name = read(constructor, "name");
    return typeof name === "string" && StringPrototypeIncludes(BUILT_IN, " " + name + " ");
  }

  // What `%s` shows.
  function asOwnString(value) {
    if (typeof value !== "object" || value === null) return asString(value);
    const object = behindProxies(value);
    if (object === null || hasBuiltInText(object)) return asString(value);
    try {
      return toText(value);
    } catch {
      return asString(value);
    }
  }

  function asString(value) {
    switch (typeof value) {
      case "string": return value;
      case "number": return number(value);
      case "bigint": return value + "n";
      case "symbol": return SymbolPrototypeToString(value);
      case "object": return inspect(value, SHALLOW);
      case "function": return source(value);
      default: return "" + value;
    }
  }

  // The engine reads `name` where it has no source text to show, so only plain names get there.
  function source(value) {
    const name = classOf(value) === classes.Proxy ? undefined : descriptorOf(value, "name");
    return name !== undefined && typeof name.value === "string" ? FunctionPrototypeToString(value) : inspect(value, SHALLOW);
  }

  function asJson(value) {
    try {
      return "" + JSONStringify(value);
    } catch (error) {
      return isCircular(error) ? "[Circular]" : "[not JSON]";
    }
  }

  function isCircular(error) {
    if (classOf(error) !== classes.Error) return false;
    const message = natives.objects.read(error, "message");
    return typeof message === "string" && StringPrototypeIncludes(message, "circular");
  }

  // The text of the placeholder `code`, or undefined if there is no such placeholder.
  function fill(code, value) {
    switch (code) {
      case 115: return asOwnString(value);
      case 100: return asNumber(value, Number);
      case 105: return asNumber(value, NumberParseInt);
      case 102: return typeof value === "bigint" ? "" + value : asNumber(value, NumberParseFloat);
      case 106: return asJson(value);
      case 79: return inspect(value);
      case 111: return inspect(value, HIDDEN);
      case 99: return "";
      default: return undefined;
    }
  }

  // Fills the placeholders of the first argument, and appends the others.
  function fillAll(args) {
    const first = args[0];
    let used = 0;
    let text = "";
    let last = 0;
    for (let index = 0; index < first.length - 1; index++) {
      if (StringPrototypeCharCodeAt(first, index) !== 37) continue;
      const code = StringPrototypeCharCodeAt(first, ++index);
      if (code === 37) {
        text += StringPrototypeSlice(first, last, index);
        last = index + 1;
        continue;
      }
      if (used + 1 === args.length) continue;
      const filled = fill(code, args[used + 1]);
      if (filled === undefined) continue;
      used++;
      text += StringPrototypeSlice(first, last, index - 1) + filled;
      last = index + 1;
    }
    return rest(args, used + 1, text + StringPrototypeSlice(first, last));
  }

  function rest(args, start, text) {
    for (let index = start; index < args.length; index++) {
      const value = args[index];
      if (index > 0) text += " ";
      switch (typeof value) {
        case "string": text += value; break;
        case "number": text += number(value); break;
        case "boolean":
        case "undefined": text += value; break;
        default: text += inspect(value);
      }
      if (text.length > MOST_TEXT) break;
    }
    return text;
  }

  function format(args) {
    const first = args[0];
    if (typeof first === "string") {
      if (args.length === 1) return first;
      if (StringPrototypeIncludes(first, "%")) return fillAll(args);
      // What loops mostly write: a label and a text or number. (0 goes the long way, for the sake of -0.)
      const second = args[1];
      if (args.length === 2 && (typeof second === "string" || (typeof second === "number" && second !== 0))) return first + " " + second;
    }
    return rest(args, 0, "");
  }

  return { __proto__: null, asString, format };
})
