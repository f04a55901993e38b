// Writes `addresses.json`: addresses, each with a base or none, and what node's `URL` makes of them. Run with node 20:
// `node generate.mjs > addresses.json`. Each of `addresses` is `[input, base, href, origin, host, pathname]`, or `[input, base]`
// where node throws; each of `changes` is `[href, part, value, href after that]`.
const BASES = [
  null, "http://a.example/b/c?d#e", "https://user:pw@h.example:8443/x/y/", "file:///dir/file.txt", "file://server/share/f", "file:///C:/dir/f",
  "mailto:a@b", "data:text/plain,x", "custom://host/p/q", "custom:/p/q", "blob:https://a.example/id",
];
const RELATIVE = [
  "", "x", "./x", "../x", "../../../x", "/x", "//h/x", "///x", "////x", "/\\x", "\\x", "\\\\h\\x", "\\\\\\x", "x\\y", "?q", "#f", "?a=b c", "x?y#z", "x:y", ".", "..",
  "./..", "%2e", "%2E%2e/x", "/%2e%2e/x", "/.", "/..", "/./x", "/C:/x", "/C|/x", "C:/x", "C|/x", "C:", "C|", "//C:/x", "//C|/x", "///C|/x", "/C|", " x ", "x y", "x\ty", "\nx", "é", "/é?é#é",
  "//é.example/x", ":", "::", "//", "///", "/////h/x", "http:", "http:x", "http:/x", "http://", "http:///x", "http:\\\\h\\x", "http:?q", "https:x", "file:", "file:x", "file:/x", "file://x", "file:///x",
  "file:////x", "file:\\\\x\\y", "file:\\x", "file:C:/x", "file:/C:/x", "file:/C|/x", "file://C:/x", "file://C|/x", "file:///C|/x", "file:?q", "file:#f", "file:..", "file:/..", "file:///..", "file:C|/..", "file:///C:/../..",
  "custom:x", "custom:/x", "custom://x", "custom:///x", "custom:\\x", "data:x y", "mailto:x",
];
const ABSOLUTE = [
  "http://example.com", "HTTP://EXAMPLE.com:80/", "https://example.com:443/x", "https://example.com:80/", "http://example.com:0/", "http://example.com:65535/", "http://example.com:65536/", "http://example.com:/", "http://example.com:a/",
  "http://user@h/", "http://user:pw@h/", "http://:pw@h/", "http://@h/", "http://u@v@h/", "http://u:p:q@h/", "http://a b@h/", "http:///h/x", "http:////h/x", "http:h/x", "http:/h/x", "http:\\h\\x", "http:\\\\h\\x\\..\\y", "http:/\\h", "https:\\/h/x",
  "http://h\\x", "http://h\\@x", "http://h#\\x", "http://h?\\x", "http://h/\\x", "ftp://h:21/x", "ws://h:80/", "wss://h:443/", "ws:\\\\h",
  "http://127.1/", "http://0x7f.1/", "http://0x7f000001/", "http://2130706433/", "http://256.1/", "http://1.2.3.4.5/", "http://1.2.3/", "http://01.02.03.04/", "http://0xg/", "http://1.2.3.4./", "http://.1/", "http://1./", "http://4294967295/", "http://4294967296/", "http://a.1/", "http://a.0x/", "http://09/",
  "http://[::1]/", "http://[1::2]:80/", "http://[::127.0.0.1]/", "http://[1:2:3:4:5:6:7:8]/", "http://[1:2:3:4:5:6:7:8:9]/", "http://[::g]/", "http://[::1", "http://[::1]x/", "http://[2001:DB8::0:0:1]/", "http://[0:0:1:0:0:0:1:0]/", "http://[::ffff:1.2.3.4]/", "http://[%3a]/",
  "http://exa%41mple.com/", "http://ex%20ample/", "http://ex ample/", "http://a<b/", "http://a>b/", "http://a^b/", "http://a|b/", "http://a%b/", "http://a%2fb/", "http://%zz/", "http://a_b/", "http://-a-/", "http://a..b/", "http://./", "http://../", "http://a./", "http://%00/", "http://a\x00b/", "http://a\x7fb/", "http://a`b/", "http://a{b}/", "http://a!$&'()*+,;=b/", "http://~/",
  "http://é.example/", "http://EXÄMPLE.com/", "http://faß.de/", "http://ß/", "http://日本語.jp/", "http://日本。jp/", "http://xn--bcher-kva.example/", "http://xn--/", "http://xn--a/", "http://xn--ls8h.la/", "http://💩.la/", "http://a\u00adb/", "http://\u200b/", "http://a\u200db/", "http://ａｂｃ.com/", "http://①②③/", "http://℡.com/", "http://İ.com/", "http://ΣΊΣΥΦΟΣ.gr/", "http://א.com/", "http://אa.com/", "http://a\u0301.com/", "http://\u0301a.com/", "http://क्ष.com/", "http://نامه‌ای.com/", "http://ﬁ.com/", "http://K.com/", "http://Ⅷ.com/", "http://１２７.0.0.1/", "http://a．b/", "http://a%C3%A9.com/", "http://%C3%A9/", "http://%ff/", "http://é:80/", "http://u@é/", "http://é\\x", "http://ö.ö.ö/", "http://straße.de/x", "http://中国。公司。中国/",
  "file://localhost/x", "file://LOCALHOST/", "file://h/x", "file://H.Example/x", "file://h:80/x", "file://u@h/x", "file://127.1/x", "file://é/x", "file://a b/", "file://C:/x", "file:///C:/x", "file:///c|/x", "file:/C|/x", "file://C|", "file:///C|", "file://localhost/C:/", "file:///C:/../x", "file:///C:/a/../../b", "file:////a", "file://///a", "file:////a//b", "file:///a//../b", "file:\\\\\\x", "file:/\\x", "file:\\/x\\y", "file://\\x", "file://h\\x", "file:x/y", "file:///?q", "file:///#f", "file://?q", "file://#f", "file:..", "file:.//p", "file:/.//p", "file://%43%3A/x", "file://%43%7C/x", "file:///%43%3A/x", "file://loc%61lhost/x", "file:C:x", "file:///C:x", "file:///C|x",
  "custom:", "custom:x y", "custom:x?y z#w v", "custom://", "custom:///", "custom://H.Example/x", "custom://h:80/", "custom://é/", "custom://%C3%A9/", "custom://a b/", "custom://[::1]/", "custom://h\\x", "custom:/..//p", "custom:/.//p", "custom:///a/../..//b", "custom:\\x", "custom:x\\y", "custom:x\x00", "custom:x  #f", "custom:x  ?q", "javascript:alert(1)", "data:text/html,<p>é", "about:blank", "blob:https://a:80/x", "blob:x", "urn:a:b",
  "http://h/a b", "http://h/a\tb\nc", "http://h/é", "http://h/%zz", "http://h/%41", "http://h/a?b=c d&é='\"<>`{}|^", "http://h/#a b`<>\"{}|^é", "http://h/\"<>`{}|^\\", "http://h/?%20%zz", "http://h/a;b,c=d@e:f", "http://h/..", "http://h/../x", "http://h/a/./b/../c", "http://h/a/%2e%2E/b", "http://h/a/.%2e", "http://h/a/%2e", "http://h/a//../b", "http://h/a/b/..", "http://h/\ud800", "http://h/?\udc00", "  http://h/  ", "\x01http://h/\x1f", "ht\ntp://h/", "http://h/x#", "http://h/x?", "http://h/x?#", "h ttp://h/", "1http://h/", "+a:x", "a+b-c.d:x", "http", "", "//h", "http//h", "http:/", "://h",
];
const pairs = [...ABSOLUTE.map((input) => [input, null]), ...BASES.flatMap((base) => (base === null ? [] : RELATIVE.map((input) => [input, base])))];
const rows = pairs.map(([input, base]) => {
  try {
    const url = base === null ? new URL(input) : new URL(input, base);
    return [input, base, url.href, url.origin, url.host, url.pathname];
  } catch {
    return [input, base];
  }
});
const CHANGED = ["http://u:p@h.example:8080/a/b?q#f", "https://h.example/", "file:///C:/dir/f", "file://server/x", "mailto:a@b?q", "custom://h/p?q#f", "custom:/p", "data:x  #f"];
const VALUES = {
  protocol: ["https", "HTTP:", "ftp:x", "file", "custom", "1x", "", "ws:", "ht tp"],
  username: ["u2", "", "a b:@/é"],
  password: ["p2", "", "a b:@/é"],
  host: ["x.example", "x:81", "x:80", "x:443", "x:", ":81", "", "x/y", "x?y", "x\\y", "é.example", "[::1]:5", "a b", "x:99999", "x:8a", "localhost", "C:", "u@x"],
  hostname: ["x.example", "x:81", "", "x/y", "é", "[::1]", "127.1", "localhost", "a|b", "\tx\n"],
  port: ["81", "80", "443", "", "0", "65535", "65536", "8a", "a8", " 8", "8\t1", "-1"],
  pathname: ["x", "/x/../y", "", "/", "\\x\\y", "a?b#c", "é d", "//x", "/C|/x", "..", ".//x", "%2e%2E/x"],
  search: ["?a=b", "a b'", "", "?", "??", "#x", "é"],
  hash: ["#x", "x y`", "", "#", "##", "é"],
};
const changes = CHANGED.flatMap((href) =>
  Object.entries(VALUES).flatMap(([part, values]) =>
    values.map((value) => {
      const url = new URL(href);
      url[part] = value;
      return [href, part, value, url.href];
    }),
  ),
);
const lines = (rows) => "[\n    " + rows.map((row) => JSON.stringify(row)).join(",\n    ") + "\n  ]";
process.stdout.write(`{\n  "addresses": ${lines(rows)},\n  "changes": ${lines(changes)}\n}\n`);
