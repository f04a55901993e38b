// Errors as `console` shows them: name, message and stack. After node's `lib/internal/util/inspect.js` (MIT).
//
// QuickJS keeps the frames alone in `stack`; the line above them is made here from the error's present name and message.
(function (natives, primordials) {
  "use strict";
  const {
    ArrayIsArray, ArrayPrototypeIndexOf, ArrayPrototypeJoin, ArrayPrototypeSplice, DOMExceptionPrototypeGetMessage,
    DOMExceptionPrototypeGetName, ErrorPrototypeGetStack, StringPrototypeEndsWith, StringPrototypeIncludes,
    StringPrototypeIndexOf, StringPrototypeRepeat, StringPrototypeSlice, StringPrototypeStartsWith, SymbolPrototypeToString,
    classOf, classes, descriptorOf, newList,
  } = primordials;
  const { indent, lines } = natives.strings;
  const { hasOwn, prefix, read } = natives.objects;
  const SHOWN_IN_HEADER = ["name", "message", "stack"];
  // Frames of the prelude say nothing to the reader.
  const OWN_FRAME = "pml:";

  function text(value, otherwise) {
    switch (typeof value) {
      case "string": return value;
      case "undefined": return otherwise;
      case "symbol": return SymbolPrototypeToString(value);
      case "object": return value === null ? "null" : otherwise;
      case "function": return otherwise;
      default: return "" + value;
    }
  }

  function nameOf(error) {
    if (classOf(error) === classes.DOMException) return DOMExceptionPrototypeGetName(error);
    return text(read(error, "name"), "Error");
  }

  function messageOf(error) {
    if (classOf(error) === classes.DOMException) return DOMExceptionPrototypeGetMessage(error);
    return text(read(error, "message"), "");
  }

  function framesOf(stack) {
    const kept = newList();
    const all = lines(stack, false);
    for (let index = 0; index < all.length; index++)
      if (all[index] !== "" && !StringPrototypeIncludes(all[index], OWN_FRAME)) kept[kept.length] = all[index];
    return kept;
  }

  // Header and frames; a `stack` that the program wrote itself is taken as it is.
  function stackOf(error, name, message) {
    const own = descriptorOf(error, "stack");
    let stack = own === undefined ? undefined : own.value;
    if (own === undefined) stack = ErrorPrototypeGetStack(error);
    const header = name === "" ? message : message === "" ? name : name + ": " + message;
    if (typeof stack !== "string") return header;
    if (stack !== "" && !StringPrototypeStartsWith(stack, "    at ")) return stack;
    const frames = framesOf(stack);
    return frames.length === 0 ? header : header + "\n" + ArrayPrototypeJoin(frames, "\n");
  }

  // Shows the class where the name alone does not tell it.
  function improve(stack, constructor, name, tag) {
    const length = name.length;
    const regular =
      StringPrototypeEndsWith(name, "Error") && StringPrototypeStartsWith(stack, name) &&
      (stack.length === length || stack[length] === ":" || stack[length] === "\n");
    if (constructor !== null && !regular) return stack;
    const padded = prefix(constructor, tag, name === "" ? "Error" : name, "");
    const shown = StringPrototypeSlice(padded, 0, padded.length - 1);
    if (name === shown) return stack;
    const rest = StringPrototypeStartsWith(stack, name) ? StringPrototypeSlice(stack, length) : ": " + stack;
    return StringPrototypeIncludes(shown, name) ? shown + rest : shown + " [" + name + "]" + rest;
  }

  // The text of the error itself. Removes from `keys` what it shows, and adds `cause` and `errors`.
  function describe(context, error, constructor, tag, keys) {
    const name = nameOf(error);
    const message = messageOf(error);
    let stack = stackOf(error, name, message);
    for (let index = 0; !context.showHidden && index < SHOWN_IN_HEADER.length; index++) {
      const position = ArrayPrototypeIndexOf(keys, SHOWN_IN_HEADER[index]);
      if (position === -1) continue;
      const value = read(error, SHOWN_IN_HEADER[index]);
      if (typeof value === "string" && (SHOWN_IN_HEADER[index] === "stack" || StringPrototypeIncludes(stack, value)))
        ArrayPrototypeSplice(keys, position, 1);
    }
    if (hasOwn(error, "cause") && ArrayPrototypeIndexOf(keys, "cause") === -1) keys[keys.length] = "cause";
    const errors = descriptorOf(error, "errors");
    if (errors !== undefined && ArrayIsArray(errors.value) && ArrayPrototypeIndexOf(keys, "errors") === -1)
      keys[keys.length] = "errors";
    stack = improve(stack, constructor, name, tag);
    const after = message === "" ? 0 : StringPrototypeIndexOf(stack, message) + message.length;
    if (StringPrototypeIndexOf(stack, "\n    at", after) === -1) stack = "[" + stack + "]";
    return indent(stack, StringPrototypeRepeat(" ", context.indentation));
  }

  return { __proto__: null, describe, framesOf };
})
