type Value = { deep?: { value: number } };

export function check(value: Value): number {
  return value.deep!.value;
}
