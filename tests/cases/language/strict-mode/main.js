// Programs are strict: no implicit globals, no silent failures, `this` is undefined in plain calls.
const raise = (f) => { try { return f(); } catch (error) { return error.name; } };
console.log(raise(() => { undeclared = 1; }), typeof undeclared);
console.log(raise(() => { Object.freeze([1]).push(2); }), raise(() => { Object.freeze({ a: 1 }).a = 2; }));
console.log(raise(() => { ({ get only() { return 1; } }).only = 2; }), raise(() => { "text".length = 1; }), raise(() => { delete Object.prototype; }));
console.log((function () { return this; })(), (() => typeof this)());
console.log((function (a) { arguments[0] = 2; return a; })(1), raise(() => (function () { return arguments.callee; })()));
for (const text of ["with ({}) {}", "var x = 010;", "delete x;", "function f(a, a) {}", "var eval = 1;", "let static;"]) {
  console.log(text, raise(() => (0, eval)(`"use strict"; ${text}`)));
}
console.log(raise(() => { undefined = 1; }), raise(() => { NaN = 1; }), raise(() => { globalThis.Infinity = 1; }));
