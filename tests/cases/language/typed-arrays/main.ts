// Typed arrays, ArrayBuffer and DataView: wrapping, views, endianness, copies, resizing.
const buffer = new ArrayBuffer(8);
const bytes = new Uint8Array(buffer);
const view = new DataView(buffer);
view.setUint32(0, 0xdeadbeef);
view.setInt16(4, -2, true);
console.log(bytes, view.getUint32(0, true).toString(16), view.getInt16(4, true));
console.log(new Uint8Array([256, -1, 3.9]), new Uint8ClampedArray([256, -1, 3.5]), new Int8Array([200]));
console.log(new Float32Array([0.1])[0], new Float64Array([0.1])[0], new BigInt64Array([2n ** 63n])[0], new BigUint64Array([-1n])[0]);
const part = bytes.subarray(1, 3);
part[0] = 0;
console.log(bytes[1], part.byteOffset, part.length, bytes.slice(0, 2));
bytes.set([1, 2, 3], 5);
bytes.copyWithin(0, 5);
console.log([...bytes], bytes.indexOf(3), bytes.includes(9));
console.log(Uint16Array.from("123", Number), Uint8Array.of(3, 1, 2).toSorted(), Int32Array.from([1, 2, 3]).map((n) => n * n));
console.log(new Float64Array([3, NaN, -0, 1]).sort(), Array.from(new Uint8Array(3).keys()));
console.log(Uint8Array.BYTES_PER_ELEMENT, ArrayBuffer.isView(view), buffer.slice(2, 4).byteLength, new Uint8Array(2).fill(7).join("-"));
const growing = new ArrayBuffer(2, { maxByteLength: 8 });
const tracking = new Uint8Array(growing);
growing.resize(4);
console.log(growing.resizable, tracking.length);
const moved = growing.transfer();
console.log((growing as any).detached, moved.byteLength, tracking.length);
for (const bad of [() => new Uint32Array(buffer, 1), () => new Uint8Array(-1), () => view.getInt32(6), () => (new BigInt64Array(1)[0] = 1 as any)]) {
  try {
    console.log(bad());
  } catch (error) {
    console.log((error as Error).name);
  }
}
console.log(Object.prototype.toString.call(bytes), bytes[99], Object.keys(new Uint8Array(2)));
