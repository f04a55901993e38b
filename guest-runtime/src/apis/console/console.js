// `console`: turns each call into one line for the host. `natives.print(level, text)` takes it and returns false if it is no
// well-formed text; `natives.now()` gives milliseconds.
//
// Invariant: no method ever throws or runs code of the program, except that `%j` calls `toJSON`.
(function (natives, primordials) {
  "use strict";
  const {
    ArrayPrototypeJoin, Error, ErrorPrototypeGetStack, Map, MapPrototypeDelete, MapPrototypeGet, MapPrototypeSet, MathFloor,
    Number, NumberPrototypeToFixed, ObjectDefineProperty, StringPrototypePadStart, StringPrototypeSlice,
    StringPrototypeToWellFormed, SymbolToStringTag, classOf, classes, defineGlobal, descriptorOf,
  } = primordials;
  const { now, print } = natives;
  const { asString, format } = natives.formatter;
  const { inspect, MOST_TEXT } = natives.inspector;
  const { indent } = natives.strings;
  const { table, errors } = natives;
  const DEBUG = 0;
  const LOG = 1;
  const WARN = 2;
  const ERROR = 3;
  const GROUP_INDENTATION = "  ";
  // A program that opens groups in a loop must not make each line longer than the last for ever.
  const DEEPEST_GROUP = 40;
  const OPTIONS = ["depth", "showHidden", "breakLength", "compact", "maxArrayLength", "maxStringLength", "sorted"];
  const counts = new Map();
  const times = new Map();
  let groups = "";

  function write(level, text) {
    if (groups !== "") text = groups + indent(text, groups);
    if (text.length > MOST_TEXT) text = StringPrototypeSlice(text, 0, MOST_TEXT) + "… truncated";
    // `print` refuses lone surrogates, which UTF-8 cannot hold. Asking it is cheaper than looking for them each time.
    if (!print(level, text)) print(level, StringPrototypeToWellFormed(text));
  }

  function label(value) {
    return value === undefined ? "default" : asString(value);
  }

  function twoDigits(value) {
    return StringPrototypePadStart("" + value, 2, "0");
  }

  function duration(ms) {
    const hours = MathFloor(ms / 3_600_000);
    const minutes = MathFloor((ms % 3_600_000) / 60_000);
    if (hours > 0 || minutes > 0) {
      const seconds = StringPrototypePadStart(NumberPrototypeToFixed((ms % 60_000) / 1000, 3), 6, "0");
      return hours > 0 ? hours + ":" + twoDigits(minutes) + ":" + seconds + " (h:mm:ss.mmm)" : minutes + ":" + seconds + " (m:ss.mmm)";
    }
    if (ms >= 1000) return NumberPrototypeToFixed(ms / 1000, 3) + "s";
    return Number(NumberPrototypeToFixed(ms, 3)) + "ms";
  }

  // Writes the time since `time(name)`. Returns whether there was such a label.
  function elapsed(method, name, data) {
    const start = MapPrototypeGet(times, name);
    if (start === undefined) {
      write(WARN, "Warning: No such label '" + name + "' for console." + method + "()");
      return false;
    }
    const rest = data.length === 0 ? "" : " " + format(data);
    write(LOG, name + ": " + duration(now() - start) + rest);
    return true;
  }

  // The options of `dir` as plain data.
  function plain(options) {
    if (typeof options !== "object" || options === null || classOf(options) === classes.Proxy) return undefined;
    const copy = { __proto__: null };
    for (let index = 0; index < OPTIONS.length; index++) {
      const descriptor = descriptorOf(options, OPTIONS[index]);
      const value = descriptor === undefined ? undefined : descriptor.value;
      if (value === undefined) continue;
      if (OPTIONS[index] === "showHidden" || OPTIONS[index] === "sorted" || typeof value === "boolean") copy[OPTIONS[index]] = !!value;
      else if (typeof value === "number") copy[OPTIONS[index]] = value;
      else if (value === null) copy[OPTIONS[index]] = Infinity;
    }
    return copy;
  }

  function open(data) {
    if (data.length > 0) write(LOG, format(data));
    if (groups.length < DEEPEST_GROUP * GROUP_INDENTATION.length) groups += GROUP_INDENTATION;
  }

  const methods = {
    log(...data) { write(LOG, format(data)); },
    info(...data) { write(LOG, format(data)); },
    debug(...data) { write(DEBUG, format(data)); },
    warn(...data) { write(WARN, format(data)); },
    error(...data) { write(ERROR, format(data)); },
    trace(...data) {
      const message = format(data);
      const stack = ErrorPrototypeGetStack(new Error());
      const frames = typeof stack === "string" ? ArrayPrototypeJoin(errors.framesOf(stack), "\n") : "";
      write(DEBUG, "Trace" + (message === "" ? "" : ": " + message) + (frames === "" ? "" : "\n" + frames));
    },
    assert(condition, ...data) {
      if (condition) return;
      if (data.length === 0) return write(ERROR, "Assertion failed");
      if (typeof data[0] === "string") {
        data[0] = "Assertion failed: " + data[0];
        return write(ERROR, format(data));
      }
      write(ERROR, "Assertion failed: " + format(data));
    },
    dir(value, options) { write(LOG, inspect(value, plain(options))); },
    dirxml(...data) { write(LOG, format(data)); },
    table(data, columns) {
      const text = table(data, columns);
      write(LOG, text === undefined ? format([data]) : text);
    },
    group(...data) { open(data); },
    groupCollapsed(...data) { open(data); },
    groupEnd() { groups = StringPrototypeSlice(groups, GROUP_INDENTATION.length); },
    count(name) {
      name = label(name);
      const count = (MapPrototypeGet(counts, name) ?? 0) + 1;
      MapPrototypeSet(counts, name, count);
      write(LOG, name + ": " + count);
    },
    countReset(name) {
      name = label(name);
      if (!MapPrototypeDelete(counts, name)) write(WARN, "Warning: Count for '" + name + "' does not exist");
    },
    time(name) {
      name = label(name);
      if (MapPrototypeGet(times, name) !== undefined) write(WARN, "Warning: Label '" + name + "' already exists for console.time()");
      else MapPrototypeSet(times, name, now());
    },
    timeLog(name, ...data) { elapsed("timeLog", label(name), data); },
    timeEnd(name) {
      name = label(name);
      if (elapsed("timeEnd", name, [])) MapPrototypeDelete(times, name);
    },
    clear() {},
  };
  ObjectDefineProperty(methods, SymbolToStringTag, { __proto__: null, value: "console", configurable: true });
  defineGlobal("console", methods);
})
