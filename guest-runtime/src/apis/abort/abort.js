// `AbortController` and `AbortSignal`. Returns the hooks through which other APIs tie their work to a signal.
(function (natives, primordials) {
  "use strict";
  const {
    DOMException, ReflectApply, SymbolIterator, TypeError, defineEnumerable, defineGlobal, defineTag, describers, newList,
  } = primordials;
  const { reportError, setTimeout } = natives;
  const inner = natives.events;
  // Only this file can make signals: the constructor of the program's `AbortSignal` refuses.
  const KEY = { __proto__: null };
  const LONGEST_TIMEOUT = Number.MAX_SAFE_INTEGER;
  let createSignal;
  let abort;

  function isObject(value) {
    return (typeof value === "object" && value !== null) || typeof value === "function";
  }

  class AbortSignal extends inner.EventTarget {
    #aborted = false;
    #reason = undefined;
    // What other APIs want done at the abort, in order; each is `{ run }`.
    #algorithms = newList();
    // Signals made by `any` out of this one, and, for those, what they are made of.
    #dependents = newList();
    #sources = undefined;
    #handler = null;
    #listener = undefined;

    constructor(key) {
      if (key !== KEY) throw new TypeError("Illegal constructor");
      super();
    }
    static abort(reason = undefined) {
      const signal = createSignal();
      abort(signal, reason);
      return signal;
    }
    static timeout(milliseconds) {
      if (arguments.length === 0) throw new TypeError("the time of the timeout is missing");
      const delay = +milliseconds;
      if (!(delay >= 0 && delay <= LONGEST_TIMEOUT))
        throw new TypeError("the time of a timeout must be a number of milliseconds from 0 on");
      const signal = createSignal();
      setTimeout(() => abort(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError")), delay);
      return signal;
    }
    // The program's own iterator is what counts here.
    static any(signals) {
      if (!isObject(signals) || typeof signals[SymbolIterator] !== "function")
        throw new TypeError("AbortSignal.any takes a list of signals");
      const list = newList();
      for (const signal of signals) {
        if (!isObject(signal) || !(#aborted in signal)) throw new TypeError("AbortSignal.any takes a list of signals");
        list[list.length] = signal;
      }
      const result = createSignal();
      result.#sources = newList();
      for (let index = 0; index < list.length; index++) {
        if (!list[index].#aborted) continue;
        result.#aborted = true;
        result.#reason = list[index].#reason;
        return result;
      }
      for (let index = 0; index < list.length; index++) {
        const sources = list[index].#sources;
        if (sources === undefined) result.#follow(list[index]);
        else for (let place = 0; place < sources.length; place++) result.#follow(sources[place]);
      }
      return result;
    }
    #follow(source) {
      for (let index = 0; index < this.#sources.length; index++) if (this.#sources[index] === source) return;
      this.#sources[this.#sources.length] = source;
      source.#dependents[source.#dependents.length] = this;
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    get onabort() { return this.#handler; }
    set onabort(value) {
      this.#handler = isObject(value) ? value : null;
      if (this.#listener !== undefined || this.#handler === null) return;
      this.#listener = (event) => {
        if (typeof this.#handler === "function") ReflectApply(this.#handler, this, [event]);
      };
      ReflectApply(addEventListener, this, ["abort", this.#listener]);
    }
    #run() {
      const algorithms = this.#algorithms;
      this.#algorithms = newList();
      for (let index = 0; index < algorithms.length; index++) {
        try {
          algorithms[index].run?.();
        } catch (error) {
          reportError(error);
        }
      }
      inner.fire(this, "abort");
    }

    static {
      createSignal = () => new AbortSignal(KEY);
      abort = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
        const dependents = signal.#dependents;
        signal.#dependents = newList();
        // All are aborted before the first listener runs: none may see half of it.
        const reached = newList();
        for (let index = 0; index < dependents.length; index++) {
          if (dependents[index].#aborted) continue;
          dependents[index].#aborted = true;
          dependents[index].#reason = signal.#reason;
          reached[reached.length] = dependents[index];
        }
        signal.#run();
        for (let index = 0; index < reached.length; index++) reached[index].#run();
      };
      inner.isAbortSignal = (value) => isObject(value) && #aborted in value;
      inner.isAborted = (signal) => signal.#aborted;
      inner.abortReason = (signal) => signal.#reason;
      inner.addAbortAlgorithm = (signal, run) => {
        if (signal.#aborted) return () => {};
        const entry = { __proto__: null, run };
        signal.#algorithms[signal.#algorithms.length] = entry;
        return () => {
          if (entry.run === undefined) return;
          entry.run = undefined;
          // Keeps the list of a long-lived signal as short as the work that still waits for it.
          const left = newList();
          for (let index = 0; index < signal.#algorithms.length; index++)
            if (signal.#algorithms[index].run !== undefined) left[left.length] = signal.#algorithms[index];
          signal.#algorithms = left;
        };
      };
      describers[describers.length] = (value) => {
        if (!(#aborted in value)) return undefined;
        const described = { __proto__: null, name: "AbortSignal", keys: newList(), values: newList() };
        described.keys[0] = "aborted";
        described.values[0] = value.#aborted;
        return described;
      };
    }
  }
  const { addEventListener } = inner.EventTarget.prototype;

  class AbortController {
    #signal = createSignal();
    get signal() { return this.#signal; }
    abort(reason = undefined) { abort(this.#signal, reason); }
    static {
      describers[describers.length] = (value) => {
        if (!(#signal in value)) return undefined;
        const described = { __proto__: null, name: "AbortController", keys: newList(), values: newList() };
        described.keys[0] = "signal";
        described.values[0] = value.#signal;
        return described;
      };
    }
  }

  defineTag(AbortSignal, "AbortSignal");
  defineTag(AbortController, "AbortController");
  defineEnumerable(AbortSignal, "abort timeout any");
  defineEnumerable(AbortSignal.prototype, "aborted reason throwIfAborted onabort");
  defineEnumerable(AbortController.prototype, "signal abort");
  defineGlobal("AbortSignal", AbortSignal);
  defineGlobal("AbortController", AbortController);
  const { isAbortSignal, isAborted, abortReason, addAbortAlgorithm } = inner;
  return { __proto__: null, isAbortSignal, isAborted, abortReason, addAbortAlgorithm };
})
