// Strings as `console` writes them: quoted, escaped, measured. After node's `lib/internal/util/inspect.js` (MIT).
(function (natives, primordials) {
  "use strict";
  const {
    ArrayPrototypeJoin, NumberPrototypeToString, RegExpPrototypeExec, StringPrototypeCharCodeAt, StringPrototypeCodePointAt,
    StringPrototypeIncludes, StringPrototypeIndexOf, StringPrototypePadStart, StringPrototypeSlice, newList,
  } = primordials;
  // eslint-disable-next-line no-control-regex
  const SUSPICIOUS = /[\x00-\x1f\x27\x5c\x7f-\x9f\ud800-\udfff]/;
  // eslint-disable-next-line no-control-regex
  const PLAIN = /^[\x20-\x7e]*$/;
  const SHORT = { __proto__: null, 8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 39: "\\'", 92: "\\\\" };

  function escapeCode(code) {
    const short = SHORT[code];
    if (short !== undefined) return short;
    const hex = NumberPrototypeToString(code, 16);
    if (code > 0xff) return "\\u" + hex;
    let upper = "";
    for (let index = 0; index < hex.length; index++) {
      const digit = StringPrototypeCharCodeAt(hex, index);
      upper += digit > 96 ? "ABCDEF"[digit - 97] : hex[index];
    }
    return "\\x" + StringPrototypePadStart(upper, 2, "0");
  }

  // Escapes control characters, backslashes, lone surrogates and, if asked to, single quotes.
  function escape(text, quote) {
    let result = "";
    let last = 0;
    for (let index = 0; index < text.length; index++) {
      const code = StringPrototypeCharCodeAt(text, index);
      if (code === quote || code === 92 || code < 32 || (code > 126 && code < 160)) {
        // Falls through to the escape below.
      } else if (code >= 0xd800 && code <= 0xdfff) {
        if (code <= 0xdbff && index + 1 < text.length) {
          const next = StringPrototypeCharCodeAt(text, index + 1);
          if (next >= 0xdc00 && next <= 0xdfff) {
            index++;
            continue;
          }
        }
      } else continue;
      result += StringPrototypeSlice(text, last, index) + escapeCode(code);
      last = index + 1;
    }
    return last === 0 ? text : result + StringPrototypeSlice(text, last);
  }

  function escapeName(text) {
    return RegExpPrototypeExec(SUSPICIOUS, text) === null ? text : escape(text, 39);
  }

  // Single quotes if possible, else double ones, else backticks, else single ones with escapes.
  function quote(text) {
    if (RegExpPrototypeExec(SUSPICIOUS, text) === null) return "'" + text + "'";
    let mark = "'";
    let code = 39;
    if (StringPrototypeIncludes(text, "'")) {
      if (!StringPrototypeIncludes(text, '"')) mark = '"';
      else if (!StringPrototypeIncludes(text, "`") && !StringPrototypeIncludes(text, "${")) mark = "`";
      if (mark !== "'") code = -1;
    }
    return mark + escape(text, code) + mark;
  }

  // The lines of a text; with `keepEnds`, each still has its line end.
  function lines(text, keepEnds) {
    const list = newList();
    let start = 0;
    for (;;) {
      const end = StringPrototypeIndexOf(text, "\n", start);
      if (end === -1) break;
      list[list.length] = StringPrototypeSlice(text, start, keepEnds ? end + 1 : end);
      start = end + 1;
    }
    if (!keepEnds || start < text.length) list[list.length] = StringPrototypeSlice(text, start);
    return list;
  }

  function indent(text, indentation) {
    if (indentation === "" || !StringPrototypeIncludes(text, "\n")) return text;
    return ArrayPrototypeJoin(lines(text, false), "\n" + indentation);
  }

  function isWide(code) {
    return code >= 0x1100 && (
      code <= 0x115f || code === 0x2329 || code === 0x232a ||
      (code >= 0x2e80 && code <= 0x3247 && code !== 0x303f) || (code >= 0x3250 && code <= 0x4dbf) ||
      (code >= 0x4e00 && code <= 0xa4c6) || (code >= 0xa960 && code <= 0xa97c) || (code >= 0xac00 && code <= 0xd7a3) ||
      (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe10 && code <= 0xfe19) || (code >= 0xfe30 && code <= 0xfe6b) ||
      (code >= 0xff01 && code <= 0xff60) || (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1b000 && code <= 0x1b001) ||
      (code >= 0x1f200 && code <= 0x1f251) || (code >= 0x1f300 && code <= 0x1f64f) || (code >= 0x1f900 && code <= 0x1f9ff) ||
      (code >= 0x20000 && code <= 0x3fffd));
  }

  function isZeroWidth(code) {
    return code <= 0x1f || (code >= 0x7f && code <= 0x9f) || (code >= 0x300 && code <= 0x36f) ||
      (code >= 0x200b && code <= 0x200f) || (code >= 0x20d0 && code <= 0x20ff) || (code >= 0xfe00 && code <= 0xfe0f) ||
      (code >= 0xfe20 && code <= 0xfe2f) || (code >= 0xe0100 && code <= 0xe01ef);
  }

  // How many columns of a terminal a text takes.
  function width(text) {
    if (RegExpPrototypeExec(PLAIN, text) !== null) return text.length;
    let columns = 0;
    for (let index = 0; index < text.length; index++) {
      const code = StringPrototypeCodePointAt(text, index);
      if (code > 0xffff) index++;
      columns += isWide(code) ? 2 : isZeroWidth(code) ? 0 : 1;
    }
    return columns;
  }

  return { __proto__: null, escapeName, indent, lines, quote, width };
})
