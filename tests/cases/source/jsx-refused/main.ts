// JSX is not TypeScript.
const view = <div className="x">text</div>;
console.log(view);
