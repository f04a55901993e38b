// A namespace with a value in it cannot be erased.
namespace Geometry {
  export const pi: number = 3;
}
console.log(Geometry.pi);
