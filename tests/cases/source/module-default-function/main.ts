// A default export that is a function is called with the inputs.
interface Inputs { name: string; times: number }
export default async function greet({ name, times }: Inputs): Promise<string[]> {
  await null;
  return Array.from({ length: times }, (_, i) => `hello ${name} ${i}`);
}
