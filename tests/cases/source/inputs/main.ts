// `inputs` is the JSON given from outside.
declare const inputs: { name: string; list: number[]; deep: { "odd key": null } };
console.log(inputs.name, inputs.list.reduce((a, b) => a + b), inputs.deep);
inputs.list.push(4);
return inputs;
