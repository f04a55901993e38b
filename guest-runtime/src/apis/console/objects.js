// What `console` finds out about an object: data properties, constructor, keys. After node's
// `lib/internal/util/inspect.js` (MIT).
//
// Invariant: no getter, no proxy trap, no `Symbol.hasInstance` of the program is ever called here, except the getter of
// `Symbol.toStringTag`, with which classes name themselves.
(function (natives, primordials) {
  "use strict";
  const {
    ArrayIsArray, ArrayPrototype, FunctionPrototype, FunctionPrototypeToString, ObjectGetOwnPropertyNames, ObjectGetOwnPropertySymbols,
    ObjectGetPrototypeOf, ObjectKeys, ObjectPrototype, ObjectPrototypeHasOwnProperty, ObjectPrototypePropertyIsEnumerable,
    ObjectSetPrototypeOf, ReflectApply, StringPrototypeCharCodeAt, StringPrototypeEndsWith, StringPrototypeIncludes,
    StringPrototypeIndexOf, StringPrototypeSlice, StringPrototypeStartsWith, SymbolToStringTag, TypedArrayPrototypeGetTag,
    classOf, classes, descriptorOf, newList, proxyTarget,
  } = primordials;
  // Prototype chains can be endless where proxies take part.
  const LONGEST_CHAIN = 1000;
  // Looking for other keys between a million indices takes long, and nobody reads on after the first hundred.
  const MOST_INDICES = 10_000;

  // The object behind any number of proxies, or null if one was revoked.
  function behindProxies(object) {
    for (let step = 0; object !== null && classOf(object) === classes.Proxy; step++) {
      if (step === LONGEST_CHAIN) return null;
      object = proxyTarget(object);
    }
    return object;
  }

  function prototypeOf(object) {
    const prototype = ObjectGetPrototypeOf(object);
    return prototype === null ? null : behindProxies(prototype);
  }

  // The descriptor that a property read would find.
  function find(object, key) {
    for (let step = 0; object !== null && step < LONGEST_CHAIN; step++) {
      const descriptor = descriptorOf(object, key);
      if (descriptor !== undefined) return descriptor;
      object = prototypeOf(object);
    }
    return undefined;
  }

  // What a property read would give if it is plain data, else undefined.
  function read(object, key) {
    const descriptor = find(object, key);
    return descriptor === undefined ? undefined : descriptor.value;
  }

  function isInstance(object, constructor) {
    const descriptor = descriptorOf(constructor, "prototype");
    const prototype = descriptor === undefined ? undefined : descriptor.value;
    if (prototype === undefined) return false;
    for (let step = 0; step < LONGEST_CHAIN; step++) {
      object = prototypeOf(object);
      if (object === null) return false;
      if (object === prototype) return true;
    }
    return false;
  }

  // "Object" or "Array" for the plain ones, which most are; else undefined. Spares them the long way below.
  function plainName(value, prototype) {
    if (prototype === ObjectPrototype) {
      if (hasOwn(value, "constructor") || hasOwn(value, SymbolToStringTag)) return undefined;
      return typeof value === "function" ? undefined : "Object";
    }
    if (prototype !== ArrayPrototype || !ArrayIsArray(value)) return undefined;
    return hasOwn(value, "constructor") || hasOwn(value, SymbolToStringTag) ? undefined : "Array";
  }

  // The name of the constructor, or null for objects without prototype.
  // `room` is how many levels below the object may still be shown.
  function constructorName(value, room) {
    let object = value;
    let first;
    for (let step = 0; object !== null && step < LONGEST_CHAIN; step++) {
      if (step > 0) {
        if (object === ObjectPrototype) return "Object";
        if (object === FunctionPrototype && typeof value === "function") return "Function";
      }
      const descriptor = descriptorOf(object, "constructor");
      if (descriptor !== undefined && typeof descriptor.value === "function" && classOf(descriptor.value) !== classes.Proxy) {
        const name = read(descriptor.value, "name");
        if (typeof name === "string" && name !== "" && isInstance(value, descriptor.value)) return name;
      }
      object = prototypeOf(object);
      if (first === undefined) first = object;
    }
    if (first === null) return null;
    const name = fallbackName(value);
    if (room < 0) return name + " <Complex prototype>";
    const inner = constructorName(first, room - 1);
    if (inner !== null) return name + " <" + inner + ">";
    return name + " <[Object: null prototype]" + (keysOf(first, false).length === 0 ? " {}>" : ">");
  }

  function fallbackName(value) {
    if (typeof value === "function") return "Function";
    const kind = classOf(value);
    if (kind !== classes.Object) for (const name in classes) if (classes[name] === kind) return name;
    return "Object";
  }

  // What the property gives, also if it is a getter; undefined if that throws.
  function given(descriptor, value) {
    if (descriptor === undefined || typeof descriptor.get !== "function") return descriptor?.value;
    try {
      return ReflectApply(descriptor.get, value, newList());
    } catch {
      return undefined;
    }
  }

  function tagOf(value) {
    const tag = TypedArrayPrototypeGetTag(value) ?? given(find(value, SymbolToStringTag), value);
    if (typeof tag !== "string" || (tag !== "" && ObjectPrototypePropertyIsEnumerable(value, SymbolToStringTag))) return "";
    return tag;
  }

  function prefix(constructor, tag, fallback, size) {
    if (constructor === null)
      return tag !== "" && fallback !== tag
        ? "[" + fallback + size + ": null prototype] [" + tag + "] "
        : "[" + fallback + size + ": null prototype] ";
    return tag !== "" && constructor !== tag ? constructor + size + " [" + tag + "] " : constructor + size + " ";
  }

  function keysOf(value, showHidden) {
    const keys = ObjectSetPrototypeOf(showHidden ? ObjectGetOwnPropertyNames(value) : ObjectKeys(value), null);
    const symbols = ObjectGetOwnPropertySymbols(value);
    for (let index = 0; index < symbols.length; index++)
      if (showHidden || ObjectPrototypePropertyIsEnumerable(value, symbols[index])) keys[keys.length] = symbols[index];
    return keys;
  }

  function isIndex(key) {
    if (key === "0") return true;
    if (key.length > 10) return false;
    for (let index = 0; index < key.length; index++) {
      const code = StringPrototypeCharCodeAt(key, index);
      if (code < 48 || code > 57 || (index === 0 && code === 48)) return false;
    }
    return key.length > 0 && +key < 2 ** 32 - 1;
  }

  // The keys of an array, or of something like one, that are no indices.
  function extraKeysOf(value, length, showHidden) {
    const extra = newList();
    if (length > MOST_INDICES) return extra;
    const keys = keysOf(value, showHidden);
    for (let index = 0; index < keys.length; index++)
      if (typeof keys[index] !== "string" || !isIndex(keys[index])) extra[extra.length] = keys[index];
    return extra;
  }

  function isClass(value) {
    if (classOf(value) !== classes.Function) return false;
    const source = FunctionPrototypeToString(value);
    if (!StringPrototypeStartsWith(source, "class") || !StringPrototypeEndsWith(source, "}")) return false;
    const brace = StringPrototypeIndexOf(source, "{");
    // `class` may also start the name of a method: `({ classes() {} })`.
    return !StringPrototypeIncludes(StringPrototypeSlice(source, 5, brace), "(") || source[5] === " " || source[5] === "{";
  }

  function describeClass(value, constructor, tag) {
    const own = descriptorOf(value, "name");
    const name = own !== undefined && typeof own.value === "string" && own.value !== "" ? own.value : "(anonymous)";
    let base = "class " + name;
    if (constructor !== "Function" && constructor !== null) base += " [" + constructor + "]";
    if (tag !== "" && constructor !== tag) base += " [" + tag + "]";
    if (constructor === null) return "[" + base + " extends [null prototype]]";
    const parent = prototypeOf(value);
    const parentName = parent === null ? undefined : read(parent, "name");
    return typeof parentName === "string" && parentName !== "" ? "[" + base + " extends " + parentName + "]" : "[" + base + "]";
  }

  function describeFunction(value, constructor, tag) {
    if (isClass(value)) return describeClass(value, constructor, tag);
    const kind = classOf(value);
    let type = "Function";
    if (kind === classes.GeneratorFunction) type = "GeneratorFunction";
    else if (kind === classes.AsyncFunction) type = "AsyncFunction";
    else if (kind === classes.AsyncGeneratorFunction) type = "AsyncGeneratorFunction";
    let base = "[" + type;
    if (constructor === null) base += " (null prototype)";
    const name = read(value, "name");
    base += typeof name !== "string" || name === "" ? " (anonymous)]" : ": " + name + "]";
    if (constructor !== type && constructor !== null) base += " " + constructor;
    if (tag !== "" && constructor !== tag) base += " [" + tag + "]";
    return base;
  }

  function hasOwn(object, key) {
    return ObjectPrototypeHasOwnProperty(object, key);
  }

  return {
    __proto__: null,
    plainName, behindProxies, constructorName, describeFunction, extraKeysOf, fallbackName, hasOwn, isIndex, keysOf, prefix, read, tagOf,
  };
})
