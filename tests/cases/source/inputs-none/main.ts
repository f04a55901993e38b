// Without `--inputs` there is an empty object.
console.log(inputs);
