// Expectations are those of the encoding standard. (node v20 reads windows-1252 as latin1, and differs there.)
const bytes = (...list) => new Uint8Array(list);
test("encode", () => {
  same([...new TextEncoder().encode("aé€😀")], [97, 195, 169, 226, 130, 172, 240, 159, 152, 128]);
  same([...new TextEncoder().encode("\ud800x")], [239, 191, 189, 120]);
  equal(new TextEncoder().encode().length, 0);
  equal(new TextEncoder().encode(undefined).length, 0);
  equal(new TextEncoder().encode("a\0b").length, 3);
});
test("encodeInto", () => {
  const into = (text, size) => {
    const target = new Uint8Array(size);
    const { read, written } = new TextEncoder().encodeInto(text, target);
    return [read, written, ...target];
  };
  same(into("abc", 2), [2, 2, 97, 98]);
  same(into("a€", 3), [1, 1, 97, 0, 0]);
  same(into("a😀b", 5), [3, 5, 97, 240, 159, 152, 128]);
  same(into("😀", 3), [0, 0, 0, 0, 0]);
  same(into("\ud83d", 3), [1, 3, 239, 191, 189]);
  throws(() => new TextEncoder().encodeInto("a", []), "TypeError");
});
test("decode UTF-8", () => {
  equal(new TextDecoder().decode(bytes(97, 195, 169, 240, 159, 152, 128)), "aé😀");
  equal(new TextDecoder().decode(bytes(0xff, 0xe2, 0x82, 97)), "\ufffd\ufffda");
  equal(new TextDecoder().decode(bytes(0xed, 0xa0, 0x80)), "\ufffd\ufffd\ufffd");
  equal(new TextDecoder().decode(bytes(0xef, 0xbb, 0xbf, 97)), "a");
  equal(new TextDecoder("utf8", { ignoreBOM: true }).decode(bytes(0xef, 0xbb, 0xbf, 97)), "\ufeffa");
  throws(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes(0xff)), "TypeError");
  equal(new TextDecoder().decode(), "");
  equal(new TextDecoder().decode(bytes(97, 98, 99).buffer), "abc");
  equal(new TextDecoder().decode(bytes(97, 98, 99).subarray(1, 2)), "b");
  equal(new TextDecoder().decode(new DataView(bytes(97, 98, 99).buffer, 1)), "bc");
  equal(new TextDecoder().decode(new Uint16Array([0x6261])), "ab");
  throws(() => new TextDecoder().decode("x"), "TypeError");
});
test("decode in chunks", () => {
  const decoder = new TextDecoder();
  const euro = [0xe2, 0x82, 0xac];
  equal(decoder.decode(bytes(0xef, 0xbb), { stream: true }), "");
  equal(decoder.decode(bytes(0xbf, 97, euro[0]), { stream: true }), "a");
  equal(decoder.decode(bytes(euro[1]), { stream: true }), "");
  equal(decoder.decode(bytes(euro[2], 0xf0), { stream: true }), "€");
  equal(decoder.decode(), "\ufffd");
  equal(decoder.decode(bytes(0xef, 0xbb, 0xbf, 97)), "a");
  const fatal = new TextDecoder("utf-8", { fatal: true });
  fatal.decode(bytes(0xe2), { stream: true });
  throws(() => fatal.decode(), "TypeError");
});
test("other encodings", () => {
  equal(new TextDecoder("utf-16le").decode(bytes(0xff, 0xfe, 97, 0, 0x3d, 0xd8, 0, 0xde)), "a😀");
  equal(new TextDecoder("utf-16").decode(bytes(97, 0, 98)), "a\ufffd");
  const wide = new TextDecoder("utf-16le");
  equal(wide.decode(bytes(0x3d, 0xd8, 0), { stream: true }), "");
  equal(wide.decode(bytes(0xde)), "😀");
  equal(new TextDecoder("latin1").decode(bytes(0x80, 0xe9, 0x81)), "€é\x81");
  equal(new TextDecoder(" ASCII\n").encoding, "windows-1252");
  throws(() => new TextDecoder("shift_jis"), "RangeError", "shift_jis");
});
test("interface", () => {
  const decoder = new TextDecoder("UTF-8", { fatal: 1 });
  same([decoder.encoding, decoder.fatal, decoder.ignoreBOM], ["utf-8", true, false]);
  equal(String(decoder), "[object TextDecoder]");
  throws(() => TextDecoder.prototype.decode.call({}), "TypeError");
  throws(() => TextEncoder(), "TypeError");
  equal(TextDecoder.length, 0);
  equal(Object.keys(globalThis).includes("TextDecoder"), false);
});
test("base64", () => {
  equal(btoa("hello"), "aGVsbG8=");
  equal(btoa("\xff"), "/w==");
  equal(atob(" aGVs bG8= "), "hello");
  equal(atob("aGVsbG8"), "hello");
  equal(throws(() => btoa("€"), "InvalidCharacterError") instanceof DOMException, true);
  throws(() => atob("a"), "InvalidCharacterError");
  throws(() => atob("ab=c"), "InvalidCharacterError");
  throws(() => atob("*"), "InvalidCharacterError");
  equal(btoa(null), "bnVsbA==");
});
test("a hostile program harms only itself", () => {
  const text = inHostileProgram(() => {
    try { new TextDecoder("none"); } catch {}
    return new TextDecoder().decode(new TextEncoder().encode("hi"));
  });
  equal(text, "hi");
});
