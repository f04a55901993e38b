// Expectations are those of the URL standard.
test("parts", () => {
  const url = new URL("https://user:pa%20ss@Example.COM:8080/a/../b%20c/?q=1&r=a+b#frag");
  same(
    [url.href, url.origin, url.protocol, url.username, url.password, url.host, url.hostname, url.port, url.pathname, url.search, url.hash],
    ["https://user:pa%20ss@example.com:8080/b%20c/?q=1&r=a+b#frag", "https://example.com:8080", "https:", "user", "pa%20ss", "example.com:8080", "example.com", "8080", "/b%20c/", "?q=1&r=a+b", "#frag"],
  );
  equal(`${url}`, url.href);
  equal(JSON.stringify({ url }), `{"url":${JSON.stringify(url.href)}}`);
  equal(Object.prototype.toString.call(url), "[object URL]");
});
test("bases", () => {
  equal(new URL("../x?y#z", "http://a/b/c/d").href, "http://a/b/x?y#z");
  equal(new URL("//h/p", "https://a/").href, "https://h/p");
  equal(new URL("", "http://a/b?c#d").href, "http://a/b?c");
  equal(new URL("#x", new URL("http://a/b")).href, "http://a/b#x");
  equal(new URL("http://x/", undefined).href, "http://x/");
});
test("special cases", () => {
  equal(new URL("http://a:80/").href, "http://a/");
  equal(new URL("HTTP://0x7f.1/").hostname, "127.0.0.1");
  equal(new URL("http://[::1]:3000/x").host, "[::1]:3000");
  equal(new URL("file:///etc/passwd").origin, "null");
  equal(new URL("mailto:a@b.c").pathname, "a@b.c");
  equal(new URL("data:text/plain,hi there").href, "data:text/plain,hi there");
  equal(new URL("  http://a\t/b\n ").href, "http://a/b");
  equal(new URL("http://a/ü?ü#ü").href, "http://a/%C3%BC?%C3%BC#%C3%BC");
  equal(new URL("http://a\\b\\c").href, "http://a/b/c");
  equal(new URL("blob:https://a.b/id").origin, "https://a.b");
  equal(new URL("https://xn--bcher-kva.example/").hostname, "xn--bcher-kva.example");
});
test("what is no URL", () => {
  for (const input of ["", "/x", "http://", "http://a b/", "http://a:99999/", "http://[::1", "//x", "http://%zz/"]) {
    const error = throws(() => new URL(input), "TypeError", "Invalid URL");
    same([error.code, error.input], ["ERR_INVALID_URL", input]);
    equal(URL.canParse(input), false);
    equal(URL.parse(input), null);
  }
  throws(() => new URL(), "TypeError");
  throws(() => URL("http://a"), "TypeError");
  equal(new URL("http://Bücher.example/").host, "xn--bcher-kva.example");
  throws(() => new URL("x", "not a base"), "TypeError");
  equal(URL.canParse("x", "http://a/"), true);
  equal(URL.parse("x", "http://a/").href, "http://a/x");
});
test("setters", () => {
  const url = new URL("http://a/p");
  url.protocol = "https"; url.hostname = "b.c"; url.port = "81"; url.pathname = "x y"; url.search = "k=v"; url.hash = "h"; url.username = "u"; url.password = "p";
  equal(url.href, "https://u:p@b.c:81/x%20y?k=v#h");
  url.host = "d:82"; url.port = "x"; url.protocol = "mailto"; url.search = ""; url.hash = ""; url.port = "";
  equal(url.href, "https://u:p@d/x%20y");
  url.hostname = "a b";
  equal(url.hostname, "d");
  url.href = "http://n/";
  equal(url.host, "n");
  throws(() => { url.href = "x"; }, "TypeError");
  equal(url.href, "http://n/");
});
test("searchParams and URL follow each other", () => {
  const url = new URL("http://a/?x=1");
  const { searchParams } = url;
  equal(url.searchParams, searchParams);
  searchParams.append("y", "a b&c");
  equal(url.href, "http://a/?x=1&y=a+b%26c");
  url.search = "?z=%41";
  same([...searchParams], [["z", "A"]]);
  searchParams.delete("z");
  equal(url.href, "http://a/");
  url.href = "http://b/?q=1";
  equal(searchParams.get("q"), "1");
  searchParams.set("q", "2");
  equal(url.search, "?q=2");
});
test("URLSearchParams from anything", () => {
  const text = (init) => new URLSearchParams(init).toString();
  equal(text("?a=1&b=%20+&c"), "a=1&b=++&c=");
  equal(text({ a: 1, b: "x y" }), "a=1&b=x+y");
  equal(text([["a", 1], ["a", 2]]), "a=1&a=2");
  equal(text(new URLSearchParams("a=1")), "a=1");
  equal(text(new Map([["k", "v"]])), "k=v");
  equal(text(), "");
  equal(text("a=%F0%9F%98%80&b=\ud800&*-._~'()!="), "a=%F0%9F%98%80&b=%EF%BF%BD&*-._%7E%27%28%29%21=");
  throws(() => text([["a"]]), "TypeError");
  throws(() => text([1]), "TypeError");
});
test("URLSearchParams as a list", () => {
  const params = new URLSearchParams("a=1&b=2&a=3");
  same([params.get("a"), params.get("x"), params.getAll("a"), params.has("b"), params.has("b", "3"), params.size], ["1", null, ["1", "3"], true, false, 3]);
  params.set("a", 9);
  equal(`${params}`, "a=9&b=2");
  params.append("a", "8");
  params.delete("a", "9");
  equal(`${params}`, "b=2&a=8");
  params.sort();
  same([...params.keys()], ["a", "b"]);
  same([...params.values()], ["8", "2"]);
  same(Object.fromEntries(params), { a: "8", b: "2" });
  const seen = [];
  params.forEach(function (value, name, all) { seen.push(value, name, all === params, this.x); }, { x: 1 });
  same(seen, ["8", "a", true, 1, "2", "b", true, 1]);
  equal(params[Symbol.iterator], params.entries);
  equal(Object.prototype.toString.call(params.keys()), "[object URLSearchParams Iterator]");
  throws(() => params.get(), "TypeError");
  throws(() => URLSearchParams.prototype.get.call({}, "a"), "TypeError");
  throws(() => params.entries().next.call({}), "TypeError");
  same([...params.keys().map((key) => key + key)], ["aa", "bb"]);
});
test("sorting is stable and by code units", () => {
  const params = new URLSearchParams("z=1&\ufb01=2&😀=3&a=4&z=0");
  params.sort();
  same([...params.values()], ["4", "1", "0", "3", "2"]);
});
test("members are listed as in the standard", () => {
  equal(Object.keys(URL.prototype).includes("href"), true);
  equal(URL.name + URL.length, "URL1");
  same(Reflect.ownKeys(new URL("http://a")), []);
});
test("a hostile program harms only itself", () => {
  const text = inHostileProgram(() => {
    const url = new URL("b?c=d", "http://a");
    url.searchParams.append("x", "y");
    url.hash = "z";
    url.searchParams.sort();
    new URLSearchParams("a=b").getAll("a");
    try { new URL("x"); } catch {}
    return url.href;
  });
  equal(text, "http://a/b?c=d&x=y#z");
});
