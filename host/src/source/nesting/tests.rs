//! Texts that nest too deep, and texts that only seem to.

use super::super::program::Language;
use super::check;

fn check_ts(text: &str) -> Result<(), &'static str> {
    check(text, Language::TypeScript).map_err(|error| error.message)
}

#[test]
fn what_the_parser_reads_twice_at_every_level_is_refused() {
    let infers = |n: usize| {
        format!("type X = {}a{}; 1", "(infer U extends ".repeat(n), " ? 1 : 2)".repeat(n))
    };
    assert!(check(&infers(4), Language::TypeScript).is_ok());
    assert!(check(&infers(24), Language::TypeScript).is_err());
    let flat = "type X<T> = T extends [infer A extends string, infer B extends string] ? A : B;\n";
    assert!(check(&flat.repeat(100), Language::TypeScript).is_ok());
}

#[test]
fn slashes_that_end_nowhere_cost_no_more_than_linear_time() {
    assert!(check(&format!("x {}", "/\\".repeat(200_000)), Language::TypeScript).is_err());
    assert!(
        check(&format!("x = {};", "a / b + ".repeat(50_000) + "1"), Language::TypeScript).is_ok()
    );
}

#[test]
fn ordinary_code_passes() {
    for text in [
        "const ok = a < b\nconst n = items.filter(x => x < 3).map(f)\nif (a < b) { for (let i = 0; i < n; i++) { g(() => { h(i < 2) }) } }",
        "function f<T extends Map<string, Array<{ a: Set<{ b: number }> }>>>(x: T): Promise<T> { return g<T>(x) }",
        "declare const x: A<{ b: A<{ b: A<{ b: A<{ b: A<{ b: A<{ b: A<{ b: A<{ b: A<{}> }> }> }> }> }> }> }> }>",
        "const x = f<{ b: A<{ b: A<{ b: A<{ b: A<{ b: A<{ b: A<{ b: A<{ b: A<{}> }> }> }> }> }> }> }> }>()",
        "const r = /[\"'`(]/g, s = \"((((\", t = `((${a}((`, u = a / b / c // ((((",
        "if (x) /\"/.test(y); else z",
        "a.return / 2 / \"x\".length; x = y++ / 2",
        "const f = (a) => (b) => (c) => a ? b ? 1 : 2 : 3",
        "#!/usr/bin/env pml \"\nlet x = 1",
        "\u{a0}return\u{a0}/\"/",
    ] {
        assert_eq!(check_ts(text), Ok(()), "{text}");
    }
}

#[test]
fn long_code_without_semicolons_passes() {
    assert_eq!(check_ts(&"a = b < c\nf(a)\n".repeat(5_000)), Ok(()));
    let line = "const a = b < c ? d : (e) => f\nfoo(a)\n/x+/.test(b)\n";
    assert_eq!(check_ts(&line.repeat(5_000)), Ok(()));
    assert_eq!(check_ts(&"function f(a) { return a ? 1 : 2 }\n".repeat(5_000)), Ok(()));
}

#[test]
fn deep_brackets_and_long_chains_are_refused() {
    for open in ["(", "[", "{", "`${", "f(", "/\"/;(", "'(';("] {
        assert_eq!(check_ts(&open.repeat(1_000)), Err("brackets are nested too deep"), "{open}");
    }
    for unit in ["a?(b):c=>", "a?b:x=>", "a?async x=>"] {
        assert_eq!(
            check_ts(&unit.repeat(2_000)),
            Err("`? :` and `=>` are chained too long"),
            "{unit}"
        );
    }
    for unit in ["(a=", "({a=", "([a=", "async(a=", "return (a="] {
        let message = "default values are nested too deep";
        assert_eq!(check_ts(&unit.repeat(50)), Err(message), "{unit}");
    }
    assert_eq!(check_ts(&"f<".repeat(5_000)), Err("`<` is nested too deep"));
}

#[test]
fn guesses_inside_guesses_are_refused() {
    for unit in ["f<(a=", "f<[(a=", "f<{a:async(a=", "(a,b=f<[", "f<{[", "f<(a=g(", "f<(a=[g("] {
        assert_eq!(check_ts(&unit.repeat(20)), Err("`<` is nested too deep"), "{unit}");
        assert_eq!(check(&unit.repeat(10), Language::JavaScript), Ok(()));
    }
}

#[test]
fn a_slash_that_hides_something_is_refused() {
    let hidden = format!("x = {{}} /\"/ 1; {} \"/ 1", "f<(a=".repeat(20));
    assert!(check_ts(&hidden).is_err());
    let hidden = format!("type T = A\n/`/; {} /`/", "f<(a=".repeat(20));
    assert!(check_ts(&hidden).is_err());
}

#[test]
fn signs_that_do_not_nest_are_not_counted() {
    let lines = |count: usize, line: &dyn Fn(usize) -> String| {
        (0..count).map(line).collect::<Vec<_>>().join("\n")
    };
    let flags =
        |value: &str| format!("const x = {{ {} }}", lines(500, &|n| format!("f{n}: {value},")));
    let listed = |value: &str| format!("const x = [ {} ]", lines(100, &|_| format!("{value},")));
    let ladder =
        |unit: &str| format!("const x = {}0", lines(500, &|n| unit.replace('#', &n.to_string())));
    let members = |head: &str, member: &str| {
        format!("{head} {{\n{}\n}}", lines(100, &|n| member.replace('#', &n.to_string())))
    };
    for text in [
        flags("1 << 3"),
        flags("1 << n"),
        flags("a < b"),
        flags("(a < b)"),
        flags("a < b && c"),
        flags("a < b ? c : d"),
        flags("(e: X) => e < 1"),
        listed("a < b"),
        listed("x << 2"),
        listed("(e) => e"),
        listed("a < b ? c : d"),
        ladder("n < # ? \"a\" : "),
        ladder("n <= # ? f(n) : "),
        ladder("a ? (b) : "),
        ladder("a ? x => y : "),
        members("interface A", "f#: (e: X) => void"),
        members("interface A", "f#?: (e: X) => void"),
        members("interface A", "f#?(e: X): void"),
        members("interface A", "f#: Map<string, (e: X) => void>"),
        members("class A", "f#: (e: X) => void"),
        members("class A", "f#?: (e: X) => void"),
        members("class A", "f# = (e: X) => e < 2"),
        members("type A =", "f#: (e: X) => void"),
        lines(100, &|n| format!("declare let a{n}: (e: X) => void")),
        format!("f({})", listed("a < b")),
    ] {
        assert_eq!(check_ts(&text), Ok(()), "{text:.200}");
    }
}

#[test]
fn what_the_parser_reads_again_is_bounded() {
    // Each unit is inside the guesses of all units before it.
    for unit in
        ["a<b,", "a<b?/**/,", "a<b?\u{a0},", "f<", "f<g,", "x<<y,", "a?(b):c=>", "a<b extends c?d:"]
    {
        assert!(check_ts(&format!("[{}", unit.repeat(5_000))).is_err(), "{unit}");
        assert_eq!(check_ts(&format!("[{}", unit.repeat(60))), Ok(()), "{unit}");
    }
}

#[test]
fn what_is_read_again_in_a_long_text_is_bounded_too() {
    // The parser keeps what it allocates for each wrong guess until the end.
    for (head, levels) in [("(a,b=f<[", 5), ("f<(a=", 5), ("(a=", 15)] {
        let text = |items| format!("{}{}", head.repeat(levels), "1,".repeat(items));
        assert_eq!(check_ts(&text(1_000)), Ok(()), "{head}");
        assert!(check_ts(&text(300_000)).is_err(), "{head}");
    }
}
