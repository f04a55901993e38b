// Regular expressions: groups, lookbehind, flags d g i m s u v y, and the string methods that use them.
const date = /(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})/;
const { year, month, day } = date.exec("on 2024-02-29.")!.groups!;
console.log(year, month, day);
console.log("2024-02-29".replace(date, "$<day>.$<month>.$<year>"));
console.log("$5 and €7".match(/(?<=€)\d/)![0], "$5 and €7".match(/(?<!€)\d/)![0]);
console.log("price: 5".match(/\w+(?=:)/)![0], /^(?!.*x).*$/.test("no ex"));

const sticky = /a/y;
console.log(sticky.test("ab"), sticky.lastIndex, sticky.test("ab"), sticky.lastIndex);

console.log("💚".match(/./)![0].length, "💚".match(/./u)![0].length, /^\p{Emoji}$/u.test("💚"));
console.log(/^\p{Script=Greek}+$/u.test("λόγος"), /\u{1F49A}/u.test("💚"), "É".match(/é/iu)![0]);
console.log(/a.b/s.test("a\nb"), /a.b/.test("a\nb"), "a\nb".match(/^b$/m)!.index);

const indices = /b(?<rest>c+)/d.exec("abcc") as any;
console.log(indices.indices[0], indices.indices.groups.rest);
console.log(/^[\p{L}--[a-z]]$/v.test("a"), /^[\p{L}--[a-z]]$/v.test("A"), /^[[a-z]&&[aeiou]]+$/v.test("aei"));

console.log([..."a1b22".matchAll(/([a-z])(\d+)/g)].map(([, letter, digits]) => `${letter}:${digits}`));
console.log("a, b;c".split(/[,;]\s*/), "a1b2".split(/(\d)/));
console.log("hello world".replace(/\b\w/g, (c) => c.toUpperCase()), "aaa".replaceAll("a", "$&$&"));
console.log("abcabc".search(/c/), "x".replace(/(y)?x/, "[$1]"));
console.log(/(a)|b/.exec("b"), /(\w)\1/.test("hello"), /(?<q>['"]).*?\k<q>/.exec(`say "it's"`)![0]);
console.log(/x/gimsuy.flags, String(/[/\]]/), new RegExp("/").source, /a+?/.exec("aaa")![0]);
try {
  new RegExp("(");
} catch (error) {
  console.log((error as Error).name);
}
