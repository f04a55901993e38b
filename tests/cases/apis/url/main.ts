// URL and URLSearchParams as in browsers and node.
const url = new URL("../c?x=1&y=a%20b#frag", "https://user:pa%40ss@example.com:8080/a/b/d");
console.log(url.href, url.origin, url.protocol, url.username, url.password, url.host, url.hostname, url.port, url.pathname, url.search, url.hash);
url.searchParams.append("z", "é &=");
url.port = "443";
url.pathname = "/new path";
url.hash = "";
console.log(String(url), JSON.stringify({ url }));
console.log(new URL("HTTP://EXAMPLE.com:80/%7Efoo/../bar/./baz").href, new URL("https://xn--mnchen-3ya.de/ä?ö#ü").href, new URL("http://[::1]:3000/x").host, new URL("http://0x7f.1/").hostname);
console.log(new URL("file:///C:/a/../b").href, new URL("mailto:a@b.c").pathname, new URL("data:text/plain,hi").href, new URL("//other.com/x", "https://example.com").href);
const params = new URLSearchParams("?a=1&b=2&a=3&empty=&plus=a+b");
console.log(params.get("a"), params.getAll("a"), params.get("none"), params.has("b"), params.has("b", "9"), params.get("plus"), params.size);
params.delete("a", "1");
params.set("b", "new");
params.sort();
console.log(params.toString(), [...params.keys()], Object.fromEntries(params));
console.log(`${new URLSearchParams({ q: "x y", "é": "1" })}`, `${new URLSearchParams([["k", "v"], ["k", "w"]])}`, `${new URLSearchParams(new Map([["m", "1"]]))}`);
console.log(URL.canParse("nonsense"), URL.canParse("/x", "https://example.com"), URL.parse?.("nope") ?? null);
for (const bad of ["nonsense", "http://", "http://a b/", "http://x:99999/", "https://[::1"]) {
  try {
    console.log(new URL(bad).href);
  } catch (error) {
    console.log((error as Error).name, bad);
  }
}
