// TextEncoder and TextDecoder: UTF-8 both ways, invalid bytes, fatal mode, streams, BOM.
const bytes = new TextEncoder().encode("aé€💚\ud800");
console.log(bytes);
console.log(JSON.stringify(new TextDecoder().decode(bytes)), new TextDecoder().encoding);
console.log(new TextEncoder().encodeInto("é€", new Uint8Array(4)), new TextEncoder().encode().length);
console.log(JSON.stringify(new TextDecoder().decode(new Uint8Array([0x61, 0xff, 0xe2, 0x82, 0x62]))));
console.log(new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])).length, new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])).length);
const stream = new TextDecoder();
console.log([[0xe2, 0x82], [0xac, 0x78], []].map((part, i) => stream.decode(new Uint8Array(part), { stream: i < 2 })));
try {
  new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([0xff]));
} catch (error) {
  console.log((error as Error).name);
}
try {
  new TextDecoder("no-such-encoding");
} catch (error) {
  console.log((error as Error).name);
}
console.log(new TextDecoder("UTF8").encoding, new TextDecoder().decode(new Uint8Array([104, 105]).buffer), new TextDecoder().decode(new DataView(new Uint8Array([120, 121]).buffer, 1)));
