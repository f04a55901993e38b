// Any value as text, the way node's `util.inspect` writes it. After node's `lib/internal/util/inspect.js` (MIT).
//
// Invariant: runs no code of the program but a getter of `Symbol.toStringTag`, ends (depth, length and total size are
// bounded), and never throws.
(function (natives, primordials) {
  "use strict";
  const {
    ArrayPrototypeJoin, ArrayPrototypeSort, BigIntPrototypeValueOf, BooleanPrototypeValueOf, DatePrototypeGetTime,
    DatePrototypeToISOString, Map, MapPrototypeGet, MapPrototypeGetSize, MapPrototypeSet, MathMin, NumberIsNaN,
    NumberPrototypeValueOf, ObjectGetPrototypeOf, RegExpPrototypeExec, RegExpPrototypeGetSource,
    StringPrototypeRepeat, StringPrototypeSlice, StringPrototypeValueOf, SymbolPrototypeToString,
    SymbolPrototypeValueOf, SymbolToStringTag, TypedArrayPrototypeGetTag, classOf, classes, describers, descriptorOf,
    newList, regExpFlags,
  } = primordials;
  const { escapeName, lines, quote } = natives.strings;
  const {
    behindProxies, constructorName, describeFunction, extraKeysOf, fallbackName, keysOf, plainName, prefix, tagOf,
  } = natives.objects;
  const { join } = natives.layout;
  const PLAIN_KEY = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
  const SHORTEST_SPLIT = 16;
  // Characters of one value after which only its outline is shown.
  const MOST_TEXT = 64 << 10;

  function primitive(value, context) {
    switch (typeof value) {
      case "string": return string(value, context);
      case "number": return value === 0 && 1 / value < 0 ? "-0" : "" + value;
      case "bigint": return value + "n";
      case "symbol": return SymbolPrototypeToString(value);
      default: return "" + value;
    }
  }

  function string(value, context) {
    let trailer = "";
    if (value.length > context.maxStringLength) {
      const rest = value.length - context.maxStringLength;
      value = StringPrototypeSlice(value, 0, context.maxStringLength);
      trailer = "... " + rest + " more character" + (rest > 1 ? "s" : "");
    }
    if (context.compact === true || value.length <= SHORTEST_SPLIT || value.length <= context.breakLength - context.indentation - 4)
      return quote(value) + trailer;
    const parts = lines(value, true);
    for (let index = 0; index < parts.length; index++) parts[index] = quote(parts[index]);
    return ArrayPrototypeJoin(parts, " +\n" + StringPrototypeRepeat(" ", context.indentation + 2)) + trailer;
  }

  // `depth` is how deep `value` lies. The text counts against the total only where it is new, at the leaves.
  function format(context, value, depth) {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) {
      const text = primitive(value, context);
      context.total += text.length;
      return text;
    }
    const object = behindProxies(value);
    if (object === null) return "<Revoked Proxy>";
    for (let index = 0; index < context.seen.length; index++) if (context.seen[index] === object) return circular(context, object);
    return formatObject(context, object, depth);
  }

  function circular(context, object) {
    context.circular ??= new Map();
    let index = MapPrototypeGet(context.circular, object);
    if (index === undefined) {
      index = MapPrototypeGetSize(context.circular) + 1;
      MapPrototypeSet(context.circular, object, index);
    }
    return "[Circular *" + index + "]";
  }

  function isBox(kind) {
    const { BigInt, Boolean, Number, String, Symbol } = classes;
    return kind === Number || kind === String || kind === Boolean || kind === BigInt || kind === Symbol;
  }

  function boxed(value, kind, constructor, tag, context) {
    let type = "Symbol";
    let unbox = SymbolPrototypeValueOf;
    if (kind === classes.Number) (type = "Number"), (unbox = NumberPrototypeValueOf);
    else if (kind === classes.String) (type = "String"), (unbox = StringPrototypeValueOf);
    else if (kind === classes.Boolean) (type = "Boolean"), (unbox = BooleanPrototypeValueOf);
    else if (kind === classes.BigInt) (type = "BigInt"), (unbox = BigIntPrototypeValueOf);
    let base = "[" + type;
    if (type !== constructor) base += constructor === null ? " (null prototype)" : " (" + constructor + ")";
    base += ": " + primitive(unbox(value), context) + "]";
    if (tag !== "" && tag !== constructor) base += " [" + tag + "]";
    return base;
  }

  // What kind of thing an object is, as far as its text is concerned: `{ base, open, close, keys, entries, list }`.
  // `done` is the whole text where nothing more can follow.
  function outline(context, value, depth) {
    const kind = classOf(value);
    const plain = plainName(value, ObjectGetPrototypeOf(value));
    const constructor = plain ?? constructorName(value, context.depth - depth);
    const tag = plain === undefined ? tagOf(value) : "";
    const shape = {
      __proto__: null, base: "", open: "{", close: "}", keys: undefined, entries: undefined, list: undefined, constructor, tag,
    };
    if (typeof value === "function") {
      shape.base = describeFunction(value, constructor, tag);
    } else if (kind === classes.Object) {
      if (constructor !== "Object" || tag !== "") outlinePlain(shape, value, constructor, tag);
    } else if (kind === classes.Array) {
      const { length } = value;
      if (constructor !== "Array" || tag !== "") shape.open = prefix(constructor, tag, "Array", "(" + length + ")") + "[";
      else shape.open = "[";
      shape.close = "]";
      shape.keys = extraKeysOf(value, length, context.showHidden);
      shape.entries = natives.collections.array;
      shape.empty = length === 0;
      shape.list = { __proto__: null, numbers: false, more: false };
    } else if (kind === classes.Map || kind === classes.Set) {
      natives.collections.outline(shape, value, kind, constructor, tag);
    } else if (kind === classes.RegExp) {
      shape.base = "/" + RegExpPrototypeGetSource(value) + "/" + regExpFlags(value);
      const before = prefix(constructor, tag, "RegExp", "");
      if (before !== "RegExp ") shape.base = before + shape.base;
      shape.atAnyDepth = true;
    } else if (kind === classes.Date) {
      shape.base = NumberIsNaN(DatePrototypeGetTime(value)) ? "Invalid Date" : DatePrototypeToISOString(value);
      const before = prefix(constructor, tag, "Date", "");
      if (before !== "Date ") shape.base = before + shape.base;
    } else if (kind === classes.Error || kind === classes.DOMException) {
      shape.keys = keysOf(value, context.showHidden);
      shape.base = natives.errors.describe(context, value, constructor, kind === classes.DOMException ? "" : tag, shape.keys);
      context.total += shape.base.length;
    } else if (isBox(kind)) {
      shape.keys = kind === classes.String ? extraKeysOf(value, 0, context.showHidden) : keysOf(value, context.showHidden);
      shape.base = boxed(value, kind, constructor, tag, context);
    } else if (kind === classes.Arguments || kind === classes.MappedArguments) {
      shape.open = "[Arguments] {";
    } else {
      const typed = TypedArrayPrototypeGetTag(value);
      if (typed !== undefined || !natives.collections.outline(shape, value, kind, constructor, tag)) {
        if (typed !== undefined) natives.collections.outlineTyped(shape, value, typed, constructor, tag, context);
        else outlinePlain(shape, value, constructor, tag);
      }
    }
    shape.keys ??= keysOf(value, context.showHidden);
    return shape;
  }

  function outlinePlain(shape, value, constructor, tag) {
    for (let index = 0; index < describers.length; index++) {
      const described = describers[index](value);
      if (described === undefined) continue;
      shape.open = prefix(constructor, tag === described.name ? "" : tag, described.name, "") + "{";
      shape.entries = described;
      shape.empty = described.keys.length === 0;
      return;
    }
    // A module's namespace has no constructor, and a tag that nothing else can have in this way.
    if (constructor === null && tag === "Module" && descriptorOf(value, SymbolToStringTag) !== undefined)
      shape.open = "[Module: null prototype] {";
    else {
      const fallback = constructor === null ? fallbackName(value) : "";
      shape.open = prefix(constructor, tag, fallback === tag ? "Object" : fallback, "") + "{";
    }
  }

  function formatObject(context, value, depth) {
    const shape = outline(context, value, depth);
    const { keys, entries } = shape;
    if (depth > context.depth && typeof entries === "object" && entries.tooDeep !== undefined) return entries.tooDeep;
    if (keys.length === 0 && (entries === undefined || shape.empty === true)) {
      if (shape.base !== "") return shape.base;
      return shape.open + shape.close;
    }
    if (depth > context.depth) {
      if (shape.atAnyDepth === true) return shape.base;
      const fallback = shape.constructor === null ? fallbackName(value) : "";
      const name = prefix(shape.constructor, shape.tag, fallback === shape.tag ? "Object" : fallback, "");
      const text = StringPrototypeSlice(name, 0, name.length - 1);
      return shape.constructor === null ? text : "[" + text + "]";
    }
    const { indentation, seen } = context;
    const output = newList();
    const place = seen.length;
    seen[place] = value;
    context.currentDepth = depth + 1;
    try {
      if (typeof entries === "function") entries(context, value, depth + 1, output, shape);
      else if (entries !== undefined) describedEntries(context, entries, depth + 1, output);
      formatKeys(context, value, depth + 1, keys, output);
    } catch {
      // Only running out of stack comes here; the program's own catch would see a half-written line otherwise.
      seen.length = place;
      context.indentation = indentation;
      return "[" + (shape.constructor ?? "Object") + ": Inspection interrupted prematurely. Maximum call stack size exceeded.]";
    }
    if (context.circular !== undefined) {
      const index = MapPrototypeGet(context.circular, value);
      if (index !== undefined) shape.base = shape.base === "" ? "<ref *" + index + ">" : "<ref *" + index + "> " + shape.base;
    }
    seen.length = place;
    if (context.sorted && shape.list === undefined) ArrayPrototypeSort(output);
    return join(context, output, shape.base, shape.open, shape.close, shape.list, depth + 1);
  }

  function formatKeys(context, value, depth, keys, output) {
    for (let index = 0; index < keys.length; index++) {
      if (context.total > MOST_TEXT) {
        output[output.length] = "... " + (keys.length - index) + " more propert" + (keys.length - index > 1 ? "ies" : "y");
        return;
      }
      output[output.length] = property(context, value, depth, keys[index]);
    }
  }

  function describedEntries(context, described, depth, output) {
    context.indentation += 2;
    if (described.isWhole === true) depth = MathMin(depth, context.depth);
    for (let index = 0; index < described.keys.length; index++) {
      const text = format(context, described.values[index], depth);
      output[output.length] = described.arrow === true
        ? format(context, described.keys[index], depth) + " => " + text
        : described.keys[index] + ": " + text;
    }
    context.indentation -= 2;
  }

  // The value of a property, or what stands for it.
  function propertyValue(context, descriptor, depth) {
    if (descriptor.get === undefined && descriptor.set === undefined) {
      context.indentation += 2;
      const text = format(context, descriptor.value, depth);
      context.indentation -= 2;
      return text;
    }
    return descriptor.get === undefined ? "[Setter]" : descriptor.set === undefined ? "[Getter]" : "[Getter/Setter]";
  }

  function property(context, value, depth, key) {
    let descriptor;
    try {
      descriptor = descriptorOf(value, key);
    } catch {
      // A binding of a module that has not run yet.
      return key + ": <uninitialized>";
    }
    if (descriptor === undefined) descriptor = { __proto__: null, value: undefined, enumerable: true };
    const text = propertyValue(context, descriptor, depth);
    let name;
    if (typeof key === "symbol") name = "[" + escapeName(SymbolPrototypeToString(key)) + "]";
    else if (key === "__proto__") name = "['__proto__']";
    else if (descriptor.enumerable === false) name = "[" + escapeName(key) + "]";
    else if (RegExpPrototypeExec(PLAIN_KEY, key) !== null) name = key;
    else name = quote(key);
    context.total += name.length;
    return name + ": " + text;
  }

  // Writes a value. `options` is undefined or has any of the fields below, already safe to read.
  function inspect(value, options) {
    const context = {
      __proto__: null,
      depth: 2, showHidden: false, breakLength: 80, compact: 3, maxArrayLength: 100, maxStringLength: 10_000, sorted: false,
      indentation: 0, currentDepth: 0, seen: newList(), circular: undefined, total: 0,
    };
    if (options !== undefined) for (const name in options) context[name] = options[name];
    try {
      return format(context, value, 0);
    } catch {
      return "[Object: Inspection interrupted prematurely. Maximum call stack size exceeded.]";
    }
  }

  natives.format = format;
  natives.propertyValue = propertyValue;
  return { __proto__: null, inspect, primitive, MOST_TEXT };
})
