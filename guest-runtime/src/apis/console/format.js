// A call's arguments as one line, with `%s` and its kind. After node's `lib/internal/util/inspect.js` (MIT).
//
// Unlike node, `%s`, `%d`, `%i` and `%f` never call `toString` or `valueOf` of the program. `%j` asks for JSON by name, so it
// does call `toJSON`, and an error from there becomes text.
(function (natives, primordials) {
  "use strict";
  const {
    DatePrototypeGetTime, FunctionPrototypeToString, JSONStringify, Number, NumberParseFloat, NumberParseInt, StringPrototypeCharCodeAt,
    StringPrototypeIncludes, StringPrototypeSlice, SymbolPrototypeToString, classOf, classes,
    descriptorOf,
  } = primordials;
  const { inspect, MOST_TEXT } = natives.inspector;
  const SHALLOW = { __proto__: null, depth: 0 };
  const HIDDEN = { __proto__: null, showHidden: true, depth: 4 };

  function number(value) {
    return value === 0 && 1 / value < 0 ? "-0" : "" + value;
  }

  function isObject(value) {
    return (typeof value === "object" && value !== null) || typeof value === "function";
  }

  function asNumber(value, convert) {
    if (typeof value === "bigint") return value + "n";
    if (typeof value === "symbol") return "NaN";
    if (isObject(value)) return convert === Number && classOf(value) === classes.Date ? number(DatePrototypeGetTime(value)) : "NaN";
    return number(convert(value));
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
      case 115: return asString(value);
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
