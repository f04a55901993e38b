// A parameter property makes a field, so it cannot be erased.
class Point {
  constructor(public readonly x: number, y: number) {}
}
console.log(new Point(1, 2).x);
