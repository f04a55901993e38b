// `URLSearchParams`: a list of names and values, alone or as the query of a `URL`.
//
// The list is flat: name, value, name, value. Every change of linked parameters is written to the URL at once.
(function (natives, primordials) {
  "use strict";
  const {
    ArrayPrototypeSort, ArrayPrototypeSplice, IteratorPrototype, ObjectSetPrototypeOf, ReflectApply, ReflectOwnKeys,
    StringPrototypeSlice, StringPrototypeStartsWith, StringPrototypeToWellFormed, SymbolIterator, TypeError,
    defineEnumerable, defineGlobal, defineHidden, defineTag, describers, descriptorOf, newList, toArray, toText,
  } = primordials;
  const { parseQuery, writeQuery } = natives;
  const PAIRS = 0;
  const NAMES = 1;
  const VALUES = 2;
  let createLinked;
  let relist;
  let current;

  function text(value) {
    return StringPrototypeToWellFormed(toText(value));
  }

  function listOf(query) {
    return ObjectSetPrototypeOf(parseQuery(query), null);
  }

  function need(wanted, given) {
    if (given < wanted)
      throw new TypeError((wanted === 1 ? "an argument is" : "arguments are") + " missing: " + wanted + " needed, " + given + " given");
  }

  // Fills a list from what the caller gave: pairs, or an object. Here the program's own iterators are what counts.
  function fill(list, init) {
    const iterate = init[SymbolIterator];
    if (iterate === undefined || iterate === null) {
      const keys = ReflectOwnKeys(init);
      for (let index = 0; index < keys.length; index++) {
        const descriptor = descriptorOf(init, keys[index]);
        if (descriptor === undefined || !descriptor.enumerable) continue;
        list[list.length] = text(keys[index]);
        list[list.length] = text(init[keys[index]]);
      }
      return;
    }
    if (typeof iterate !== "function") throw new TypeError("the query parameters cannot be iterated");
    for (const pair of init) {
      if ((typeof pair !== "object" && typeof pair !== "function") || pair === null || typeof pair[SymbolIterator] !== "function")
        throw new TypeError("each query parameter must be a pair of name and value");
      const start = list.length;
      for (const part of pair) list[list.length] = text(part);
      if (list.length !== start + 2) throw new TypeError("each query parameter must be a pair of name and value");
    }
  }

  class URLSearchParams {
    #list = newList();
    #write = undefined;

    constructor(init = undefined) {
      if (init === undefined) return;
      if ((typeof init === "object" && init !== null) || typeof init === "function") {
        fill(this.#list, init);
        return;
      }
      const query = text(init);
      this.#list = listOf(StringPrototypeStartsWith(query, "?") ? StringPrototypeSlice(query, 1) : query);
    }
    #changed() {
      if (this.#write !== undefined) this.#write(writeQuery(this.#list));
    }
    // The next place of `name`, and of `value` if one is given, from `start` on; -1 if there is none.
    #find(name, value, start) {
      const list = this.#list;
      for (let index = start; index < list.length; index += 2)
        if (list[index] === name && (value === undefined || list[index + 1] === value)) return index;
      return -1;
    }
    #remove(name, value, start) {
      for (let index = this.#find(name, value, start); index !== -1; index = this.#find(name, value, index))
        ArrayPrototypeSplice(this.#list, index, 2);
    }

    get size() { return this.#list.length / 2; }
    append(name, value) {
      const list = this.#list;
      need(2, arguments.length);
      name = text(name);
      value = text(value);
      list[list.length] = name;
      list[list.length] = value;
      this.#changed();
    }
    delete(name, value = undefined) {
      this.#list;
      need(1, arguments.length);
      this.#remove(text(name), value === undefined ? undefined : text(value), 0);
      this.#changed();
    }
    get(name) {
      this.#list;
      need(1, arguments.length);
      const index = this.#find(text(name), undefined, 0);
      return index === -1 ? null : this.#list[index + 1];
    }
    getAll(name) {
      this.#list;
      need(1, arguments.length);
      name = text(name);
      const values = newList();
      for (let index = this.#find(name, undefined, 0); index !== -1; index = this.#find(name, undefined, index + 2))
        values[values.length] = this.#list[index + 1];
      return toArray(values);
    }
    has(name, value = undefined) {
      this.#list;
      need(1, arguments.length);
      return this.#find(text(name), value === undefined ? undefined : text(value), 0) !== -1;
    }
    set(name, value) {
      const list = this.#list;
      need(2, arguments.length);
      name = text(name);
      value = text(value);
      const index = this.#find(name, undefined, 0);
      if (index === -1) {
        list[list.length] = name;
        list[list.length] = value;
      } else {
        list[index + 1] = value;
        this.#remove(name, undefined, index + 2);
      }
      this.#changed();
    }
    sort() {
      const list = this.#list;
      const pairs = newList();
      for (let index = 0; index < list.length; index += 2)
        pairs[pairs.length] = { __proto__: null, name: list[index], value: list[index + 1] };
      ArrayPrototypeSort(pairs, (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      for (let index = 0; index < pairs.length; index++) {
        list[2 * index] = pairs[index].name;
        list[2 * index + 1] = pairs[index].value;
      }
      this.#changed();
    }
    toString() { return writeQuery(this.#list); }
    entries() { return (this.#list, new ParamsIterator(this, PAIRS)); }
    forEach(callback, receiver = undefined) {
      this.#list;
      if (typeof callback !== "function") throw new TypeError("the callback must be a function");
      for (let index = 0; index < this.#list.length; index += 2)
        ReflectApply(callback, receiver, [this.#list[index + 1], this.#list[index], this]);
    }
    keys() { return (this.#list, new ParamsIterator(this, NAMES)); }
    values() { return (this.#list, new ParamsIterator(this, VALUES)); }

    // What follows is for this file and `url.js` only.
    static {
      createLinked = (query, write) => {
        const params = new URLSearchParams();
        params.#list = listOf(query);
        params.#write = write;
        return params;
      };
      relist = (params, query) => {
        params.#list = listOf(query);
      };
      current = (params) => params.#list;
      describers[describers.length] = (value) => {
        if (!(#list in value)) return undefined;
        const described = { __proto__: null, name: "URLSearchParams", keys: newList(), values: newList(), arrow: true, tooDeep: "[Object]" };
        for (let index = 0; index < value.#list.length; index += 2) {
          described.keys[index / 2] = value.#list[index];
          described.values[index / 2] = value.#list[index + 1];
        }
        return described;
      };
    }
  }

  class ParamsIterator {
    #params;
    #kind;
    #index = 0;
    constructor(params, kind) {
      this.#params = params;
      this.#kind = kind;
    }
    next() {
      const list = current(this.#params);
      const index = this.#index;
      if (index >= list.length) return { value: undefined, done: true };
      this.#index += 2;
      const value = this.#kind === NAMES ? list[index] : this.#kind === VALUES ? list[index + 1] : [list[index], list[index + 1]];
      return { value, done: false };
    }
  }
  ObjectSetPrototypeOf(ParamsIterator.prototype, IteratorPrototype);
  delete ParamsIterator.prototype.constructor;
  defineTag(ParamsIterator, "URLSearchParams Iterator");
  defineEnumerable(ParamsIterator.prototype, "next");

  defineTag(URLSearchParams, "URLSearchParams");
  defineEnumerable(
    URLSearchParams.prototype,
    "size append delete get getAll has set sort toString entries forEach keys values",
  );
  defineHidden(URLSearchParams.prototype, SymbolIterator, URLSearchParams.prototype.entries);
  defineGlobal("URLSearchParams", URLSearchParams);
  return { __proto__: null, createLinked, relist };
})
