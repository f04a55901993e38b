// What is thrown need not be an error.
const code: number = 7;
throw { code, nested: { list: [1, 2] } };
