// The entries of arrays, maps, sets, buffers, promises and iterators, for `inspect.js`.
// After node's `lib/internal/util/inspect.js` (MIT).
(function (natives, primordials) {
  "use strict";
  const {
    ArrayBufferPrototypeGetByteLength, ArrayBufferPrototypeGetDetached, DataViewPrototypeGetBuffer,
    DataViewPrototypeGetByteLength, DataViewPrototypeGetByteOffset, MapIteratorPrototypeNext, MapPrototypeEntries,
    MapPrototypeGetSize, MathMin, NumberPrototypeToString, ObjectKeys, SetIteratorPrototypeNext, SetPrototypeGetSize,
    SetPrototypeValues, StringPrototypePadStart, TypedArrayPrototypeGetLength, Uint8Array, classOf, classes, copyIterator,
    descriptorOf, newList, promiseState,
  } = primordials;
  const { extraKeysOf, isIndex, prefix } = natives.objects;
  const { MOST_TEXT, primitive } = natives.inspector;
  const { format, propertyValue } = natives;
  const { join } = natives.layout;

  function remaining(count) {
    return "... " + count + " more item" + (count > 1 ? "s" : "");
  }

  // How many of `length` entries to show; fewer once the text is long.
  function room(context, length) {
    return context.total > MOST_TEXT ? MathMin(length, 1) : MathMin(length, context.maxArrayLength);
  }

  function isNumeric(value) {
    return typeof value === "number" || typeof value === "bigint";
  }

  function array(context, value, depth, output, shape) {
    const { value: length } = descriptorOf(value, "length");
    const shown = room(context, length);
    let numbers = true;
    for (let index = 0; index < shown; index++) {
      const descriptor = descriptorOf(value, index);
      if (descriptor === undefined) {
        shape.list.more = sparse(context, value, depth, output, shown, index, length);
        return;
      }
      if (numbers && !isNumeric(descriptor.value)) numbers = false;
      output[output.length] = propertyValue(context, descriptor, depth);
    }
    if (length > shown) output[output.length] = remaining(length - shown);
    shape.list.more = length > shown;
    // With more to come, node looks one entry past the shown ones for its choice; so does this.
    shape.list.numbers = numbers && shape.keys.length === 0 && (length <= shown || isNumeric(descriptorOf(value, shown)?.value));
  }

  // An array with holes. Returns whether the last entry only counts what was left out.
  function sparse(context, value, depth, output, most, start, length) {
    const keys = ObjectKeys(value);
    let index = start;
    for (let position = start; position < keys.length && output.length < most; position++) {
      const key = keys[position];
      if (!isIndex(key)) break;
      const place = +key;
      if (place !== index) {
        output[output.length] = "<" + (place - index) + " empty item" + (place - index > 1 ? "s" : "") + ">";
        index = place;
        if (output.length === most) break;
      }
      output[output.length] = propertyValue(context, descriptorOf(value, key), depth);
      index++;
    }
    const rest = length - index;
    if (rest <= 0) return false;
    const full = output.length === most;
    output[output.length] = full ? remaining(rest) : "<" + rest + " empty item" + (rest > 1 ? "s" : "") + ">";
    return full;
  }

  function typed(context, value, depth, output, shape) {
    const length = TypedArrayPrototypeGetLength(value);
    const shown = room(context, length);
    for (let index = 0; index < shown; index++) {
      output[index] = primitive(value[index], context);
      context.total += output[index].length;
    }
    shape.list.numbers = true;
    shape.list.more = length > shown;
    if (length > shown) output[shown] = remaining(length - shown);
    if (!context.showHidden) return;
    shape.list.numbers = false;
    output[output.length] = "[length]: " + length;
  }

  function map(context, value, depth, output) {
    const size = MapPrototypeGetSize(value);
    const shown = room(context, size);
    const iterator = MapPrototypeEntries(value);
    context.indentation += 2;
    for (let index = 0; index < shown; index++) {
      const entry = MapIteratorPrototypeNext(iterator).value;
      output[index] = format(context, entry[0], depth) + " => " + format(context, entry[1], depth);
    }
    if (size > shown) output[shown] = remaining(size - shown);
    context.indentation -= 2;
  }

  function set(context, value, depth, output) {
    const size = SetPrototypeGetSize(value);
    const shown = room(context, size);
    const iterator = SetPrototypeValues(value);
    context.indentation += 2;
    for (let index = 0; index < shown; index++)
      output[index] = format(context, SetIteratorPrototypeNext(iterator).value, depth);
    if (size > shown) output[shown] = remaining(size - shown);
    context.indentation -= 2;
  }

  function buffer(context, value, depth, output) {
    if (ArrayBufferPrototypeGetDetached(value)) {
      output[0] = "(detached)";
      output[1] = "byteLength: 0";
      return;
    }
    const bytes = new Uint8Array(value);
    const length = ArrayBufferPrototypeGetByteLength(value);
    const shown = room(context, length);
    let text = "";
    for (let index = 0; index < shown; index++)
      text += (index === 0 ? "" : " ") + StringPrototypePadStart(NumberPrototypeToString(bytes[index], 16), 2, "0");
    if (length > shown) text += " ... " + (length - shown) + " more byte" + (length - shown > 1 ? "s" : "");
    output[0] = "[Uint8Contents]: <" + text + ">";
    output[1] = "byteLength: " + length;
  }

  function view(context, value, depth, output) {
    try {
      output[0] = "byteLength: " + DataViewPrototypeGetByteLength(value);
      output[1] = "byteOffset: " + DataViewPrototypeGetByteOffset(value);
    } catch {
      output[0] = "(detached)";
      return;
    }
    context.indentation += 2;
    output[2] = "buffer: " + format(context, DataViewPrototypeGetBuffer(value), depth);
    context.indentation -= 2;
  }

  function promise(context, value, depth, output) {
    const state = promiseState(value);
    if (state === undefined) {
      output[0] = "<pending>";
      return;
    }
    context.indentation += 2;
    const text = format(context, state[1], depth);
    context.indentation -= 2;
    output[0] = state[0] ? text : "<rejected> " + text;
  }

  // What an iterator of a map or set has left, without moving it: `{ entries, pairs }`. With `pairs`, each entry has two.
  function entriesLeft(value) {
    const isMap = classOf(value) === classes.MapIterator;
    const copied = copyIterator(value, isMap ? MapPrototypeEntries : SetPrototypeValues);
    const next = isMap ? MapIteratorPrototypeNext : SetIteratorPrototypeNext;
    const entries = newList();
    if (copied[0] !== undefined)
      for (let step = next(copied[0]); !step.done; step = next(copied[0])) entries[entries.length] = step.value;
    return { __proto__: null, entries, pairs: copied[1] === true };
  }

  function iterator(context, value, depth, output, shape) {
    const { entries, pairs } = shape.left;
    const shown = room(context, entries.length);
    context.indentation += 2;
    for (let index = 0; index < shown; index++) {
      if (!pairs) {
        output[index] = format(context, entries[index], depth);
        continue;
      }
      const pair = newList();
      pair[0] = format(context, entries[index][0], depth);
      pair[1] = format(context, entries[index][1], depth);
      output[index] = join(context, pair, "", "[", "]", undefined, depth);
    }
    context.indentation -= 2;
    if (entries.length > shown) output[shown] = remaining(entries.length - shown);
  }

  function unknown(context, value, depth, output) {
    output[0] = "<items unknown>";
  }

  // Fills the shape of an object that has entries beside its keys. Returns false if it is of no such kind.
  function outline(shape, value, kind, constructor, tag) {
    if (kind === classes.Map || kind === classes.Set) {
      const name = kind === classes.Map ? "Map" : "Set";
      const size = kind === classes.Map ? MapPrototypeGetSize(value) : SetPrototypeGetSize(value);
      shape.open = prefix(constructor, tag, name, "(" + size + ")") + "{";
      shape.entries = kind === classes.Map ? map : set;
      shape.empty = size === 0;
    } else if (kind === classes.ArrayBuffer) {
      shape.open = prefix(constructor, tag, "ArrayBuffer", "") + "{";
      shape.entries = buffer;
    } else if (kind === classes.DataView) {
      shape.open = prefix(constructor, tag, "DataView", "") + "{";
      shape.entries = view;
    } else if (kind === classes.Promise) {
      shape.open = prefix(constructor, tag, "Promise", "") + "{";
      shape.entries = promise;
    } else if (kind === classes.WeakMap || kind === classes.WeakSet) {
      shape.open = prefix(constructor, tag, kind === classes.WeakMap ? "WeakMap" : "WeakSet", "") + "{";
      shape.entries = unknown;
    } else if (kind === classes.MapIterator || kind === classes.SetIterator) {
      shape.left = entriesLeft(value);
      shape.open = "[" + (kind === classes.MapIterator ? "Map" : "Set") + (shape.left.pairs ? " Entries] {" : " Iterator] {");
      shape.entries = iterator;
    } else return false;
    return true;
  }

  function outlineTyped(shape, value, name, constructor, tag, context) {
    const length = TypedArrayPrototypeGetLength(value);
    shape.open = prefix(constructor, tag, name, "(" + length + ")") + "[";
    shape.close = "]";
    shape.keys = extraKeysOf(value, length, false);
    shape.entries = typed;
    shape.empty = length === 0 && !context.showHidden;
    shape.list = { __proto__: null, numbers: true, more: false };
  }

  return { __proto__: null, array, entriesLeft, outline, outlineTyped };
})
