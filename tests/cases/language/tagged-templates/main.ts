// Template literals and tags: cooked and raw strings, caching, nesting.
const tag = (strings: TemplateStringsArray, ...values: unknown[]) => ({ cooked: [...strings], raw: [...strings.raw], values });
console.log(tag`a${1}\n${"x"}b`);
console.log(tag`\unicode and ${0}`.cooked, tag``.cooked, String.raw`\n${1}\x`);
const again = () => ((s: TemplateStringsArray) => s)`same`;
console.log(again() === again(), Object.isFrozen(again()));
console.log(`nested ${`in ${`deep ${1 + 1}`}`} and "quotes" \${not} \`ticks\``);
console.log(`line one
  line two`);
const html = (strings: TemplateStringsArray, ...values: string[]) => strings.reduce((all, text, i) => all + values[i - 1]!.replace(/</g, "&lt;") + text);
console.log(html`<b>${"<script>"}</b>`, tag<string>`typed ${1}`.values);
class Box { static tag(strings: TemplateStringsArray) { return `${this.name}:${strings[0]}`; } }
console.log(Box.tag`method`, (() => tag)()`chained`.raw, new (class { v = `field ${typeof this}`; })().v);
