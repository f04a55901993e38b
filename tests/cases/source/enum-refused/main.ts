// Enums have values, so they cannot be erased.
const before: number = 1;
enum Color {
  Red,
  Green = 5,
}
console.log(Color.Red, before);
