// atob and btoa work on binary strings.
console.log(btoa("hello"), btoa(""), btoa("\xff\x00"), atob("aGVsbG8="), atob("aGVsbG8"), atob(" aGV\nsbG8= "), atob(""));
console.log([...atob("/wA=")].map((c) => c.charCodeAt(0)), btoa(5 as any), btoa(null as any));
const utf8 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
console.log(utf8("é💚"), new TextDecoder().decode(Uint8Array.from(atob(utf8("é💚")), (c) => c.charCodeAt(0))));
for (const bad of [() => btoa("é💚"), () => atob("a"), () => atob("!!!!"), () => atob("ab=c")]) {
  try {
    console.log(bad());
  } catch (error) {
    console.log((error as Error).name);
  }
}
