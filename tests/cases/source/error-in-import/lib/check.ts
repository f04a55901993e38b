type Value = { deep?: { value: number } };

export function check(value?: Value): number {
  return missing();
}
declare function missing(): number;
