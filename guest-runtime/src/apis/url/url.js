// `URL`. The natives parse as the WHATWG standard has it; the address is kept as its normalised text.
(function (natives, primordials) {
  "use strict";
  const {
    StringPrototypeSlice, StringPrototypeToWellFormed, TypeError, defineEnumerable, defineGlobal, defineHidden, defineTag,
    describers, newList, toText,
  } = primordials;
  const { parse, parts, set } = natives;
  const { createLinked, relist } = natives.searchParams;
  // Parts as `natives.parts` and `natives.set` number them.
  const PROTOCOL = 0;
  const USERNAME = 1;
  const PASSWORD = 2;
  const HOST = 3;
  const HOSTNAME = 4;
  const PORT = 5;
  const PATHNAME = 6;
  const SEARCH = 7;
  const HASH = 8;
  const ORIGIN = 9;

  function text(value) {
    return StringPrototypeToWellFormed(toText(value));
  }

  // What `parse` gives is the address, or undefined if there is none.
  function invalid(input, base) {
    const error = new TypeError("Invalid URL");
    defineHidden(error, "code", "ERR_INVALID_URL");
    defineHidden(error, "input", input);
    if (base !== undefined) defineHidden(error, "base", base);
    return error;
  }

  class URL {
    #href;
    #parts = undefined;
    #params = undefined;

    constructor(url, base = undefined) {
      if (arguments.length === 0) throw new TypeError("the `url` argument is missing");
      url = text(url);
      if (base !== undefined) base = text(base);
      const href = parse(url, base);
      if (href === undefined) throw invalid(url, base);
      this.#href = href;
    }
    static canParse(url, base = undefined) {
      if (arguments.length === 0) throw new TypeError("the `url` argument is missing");
      return typeof parse(text(url), base === undefined ? undefined : text(base)) === "string";
    }
    static parse(url, base = undefined) {
      if (arguments.length === 0) throw new TypeError("the `url` argument is missing");
      url = text(url);
      if (base !== undefined) base = text(base);
      return typeof parse(url, base) === "string" ? new URL(url, base) : null;
    }
    #part(number) {
      return (this.#parts ??= parts(this.#href))[number];
    }
    #move(href) {
      this.#href = href;
      this.#parts = undefined;
      if (this.#params !== undefined) relist(this.#params, StringPrototypeSlice(this.#part(SEARCH), 1));
    }
    // A value that does not fit leaves the address as it is.
    #set(number, value) {
      const href = set(this.#href, number, text(value));
      if (href !== undefined) this.#move(href);
    }

    get href() { return this.#href; }
    set href(value) {
      value = text(value);
      const href = parse(value, undefined);
      if (href === undefined) throw invalid(value, undefined);
      this.#move(href);
    }
    get origin() { return this.#part(ORIGIN); }
    get protocol() { return this.#part(PROTOCOL); }
    set protocol(value) { this.#set(PROTOCOL, value); }
    get username() { return this.#part(USERNAME); }
    set username(value) { this.#set(USERNAME, value); }
    get password() { return this.#part(PASSWORD); }
    set password(value) { this.#set(PASSWORD, value); }
    get host() { return this.#part(HOST); }
    set host(value) { this.#set(HOST, value); }
    get hostname() { return this.#part(HOSTNAME); }
    set hostname(value) { this.#set(HOSTNAME, value); }
    get port() { return this.#part(PORT); }
    set port(value) { this.#set(PORT, value); }
    get pathname() { return this.#part(PATHNAME); }
    set pathname(value) { this.#set(PATHNAME, value); }
    get search() { return this.#part(SEARCH); }
    set search(value) { this.#set(SEARCH, value); }
    get searchParams() {
      // The parameters write to the address directly: going through `#move` they would read themselves back.
      this.#params ??= createLinked(StringPrototypeSlice(this.#part(SEARCH), 1), (query) => {
        this.#href = set(this.#href, SEARCH, query) ?? this.#href;
        this.#parts = undefined;
      });
      return this.#params;
    }
    get hash() { return this.#part(HASH); }
    set hash(value) { this.#set(HASH, value); }
    toString() { return this.#href; }
    toJSON() { return this.#href; }

    static {
      const shown = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search"];
      const numbers = [-1, ORIGIN, PROTOCOL, USERNAME, PASSWORD, HOST, HOSTNAME, PORT, PATHNAME, SEARCH];
      describers[describers.length] = (value) => {
        if (!(#href in value)) return undefined;
        const described = { __proto__: null, name: "URL", keys: newList(), values: newList(), isWhole: true, tooDeep: "URL {}" };
        const add = (key, entry) => {
          described.keys[described.keys.length] = key;
          described.values[described.values.length] = entry;
        };
        for (let index = 0; index < shown.length; index++) add(shown[index], index === 0 ? value.#href : value.#part(numbers[index]));
        add("searchParams", value.#params ?? createLinked(StringPrototypeSlice(value.#part(SEARCH), 1), undefined));
        add("hash", value.#part(HASH));
        return described;
      };
    }
  }

  defineTag(URL, "URL");
  defineEnumerable(
    URL.prototype,
    "href origin protocol username password host hostname port pathname search searchParams hash toString toJSON",
  );
  defineEnumerable(URL, "canParse parse");
  defineGlobal("URL", URL);
})
