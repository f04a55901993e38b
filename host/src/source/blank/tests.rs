//! Tables of what is blanked and what is refused, and checks that no other text moves.

use std::collections::HashSet;

use oxc::allocator::Allocator;
use oxc::parser::config::TokensParserConfig;
use oxc::parser::{ParseOptions, Parser, Token};
use oxc::span::SourceType;

use super::super::error::ModuleText;
use super::super::parse;
use super::super::program::Language;
use super::{blank, visit::BlankedProgram};

fn run(text: &str) -> BlankedProgram {
    let name = "t.ts";
    parse::with_program(ModuleText { name, text }, Language::TypeScript, |parsed| {
        blank(parsed.program, parsed.tokens)
    })
    .unwrap_or_else(|error| panic!("{text}\n{error}"))
}

fn tokens(text: &str, source_type: SourceType) -> Result<Vec<(u32, u32)>, String> {
    let allocator = Allocator::default();
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parsed = Parser::new(&allocator, text, source_type)
        .with_options(options)
        .with_config(TokensParserConfig)
        .parse();
    match parsed.diagnostics.first() {
        Some(diagnostic) => Err(diagnostic.to_string()),
        None => {
            Ok(parsed.tokens.iter().map(|token: &Token| (token.start(), token.end())).collect())
        }
    }
}

/// Blanks a text and checks that lines, columns and tokens do not move.
fn checked(text: &str) -> String {
    let code = run(text).code;
    assert_eq!(code.len(), text.len(), "{text}\n{code}");
    let line_ends = |text: &str| -> Vec<(usize, u8)> {
        text.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'\n' | b'\r' | b'\t')).collect()
    };
    assert_eq!(line_ends(&code), line_ends(text));
    let before: HashSet<_> = tokens(text, SourceType::ts()).unwrap().into_iter().collect();
    let after =
        tokens(&code, SourceType::mjs()).unwrap_or_else(|error| panic!("{error}\n{text}\n{code}"));
    for (start, end) in after {
        let put = end - start == 1 && matches!(code.as_bytes()[start as usize], b';' | b'(' | b')');
        let shortened = before.iter().any(|token| token.0 == start);
        assert!(
            put || before.contains(&(start, end)) || shortened,
            "a token moved to {start}\n{text}\n{code}"
        );
    }
    code
}

/// Checks an input with `‹…›` around text that must become blank, and `‹…|x›` where its last
/// character must become `x`.
fn expect(marked: &str) {
    let (mut input, mut output) = (String::new(), String::new());
    let mut rest = marked;
    while let Some((plain, tail)) = rest.split_once('‹') {
        let (inside, tail) = tail.split_once('›').expect("marks are paired");
        input.push_str(plain);
        output.push_str(plain);
        let (text, first, last) = match (inside.split_once('¦'), inside.rsplit_once('|')) {
            (Some((first, text)), _) => (text, Some(first), None),
            (None, Some((text, last))) if last.len() == 1 && !last.ends_with(' ') => {
                (text, None, Some(last))
            }
            _ => (inside, None, None),
        };
        input.push_str(text);
        let mut blanks: Vec<u8> = text
            .bytes()
            .map(|byte| if matches!(byte, b'\n' | b'\r' | b'\t') { byte } else { b' ' })
            .collect();
        if let Some(first) = first {
            blanks[0] = first.as_bytes()[0];
        }
        if let (Some(last), Some(end)) = (last, blanks.last_mut()) {
            *end = last.as_bytes()[0];
        }
        output.push_str(std::str::from_utf8(&blanks).unwrap());
        rest = tail;
    }
    input.push_str(rest);
    output.push_str(rest);
    assert_eq!(checked(&input), output, "input: {input}");
}

#[test]
fn annotations_and_generics() {
    for case in [
        "let a‹: number› = 1, b‹: string›",
        "let a‹!›‹: number›; a = 1",
        "const f = (a‹: number›, b‹?›‹: string›, ...c‹: any[]›)‹: void› => {}",
        "function f‹<T extends U = V>›(a‹: T›)‹: a is T› { return a }",
        "function f(‹this: Window,› a‹: T›) {}",
        "function f(‹this: Window›) {}",
        "try {} catch (e‹: unknown›) {}",
        "for (const x‹: T› of y) {}",
        "const { a, b }‹: { a: A; b: B }› = c",
        "f‹<string>›(x); new Map‹<string, Array<Set<number>>>›(); a?.‹<T>›(x); t‹<T>›`x`",
        "const g = f‹<string>›",
        "class A‹<T>› extends B‹<T>› ‹implements C, D<E>› {}",
        "const x = class‹<T>› ‹implements I› {}",
        "function f(a = 1 ‹as number›, { b }‹: B› = {}) {}",
        "let ü‹: 'ünï😀'› = 1",
    ] {
        expect(case);
    }
    expect("const f = async ‹<T>›(a‹: T›)‹: Promise<T>› => a");
    expect("let x‹: {\n\ta: number,\n  b: string }› = y");
    expect("let o = { f‹<T>›(a‹: T›)‹: T› { return a }, get g()‹: number› { return 1 } }");
}

#[test]
fn assertions_in_expressions() {
    expect("const a = b ‹as T›");
    expect("const a = (b ‹as unknown as T›).c");
    expect("const a = b ‹satisfies T› ?? c");
    expect("const a = b‹!›.c‹!›[0]‹!›(d)");
    expect("(a ‹as any›) = 1; (‹<any>›b).c = 2; a‹!› = 3; a‹!›++");
    expect("const a = ‹<T>›b, c = ‹<T>›(d)");
    expect("const a = [1, 2] ‹as const›");
    expect("for (const a of b ‹as T[]›) {}");
    expect("a?.b‹!›.c; (a ‹as T›)?.b");
    expect("const a = await (b ‹as T›), d = typeof (‹<T>›c)");
    expect("`${a ‹as T›}${b‹!›}`");
    expect("return ‹<T>›a");
}

#[test]
fn statements_that_are_only_types() {
    for statement in [
        "type A = number",
        "type A<T> = { a: T };",
        "interface A extends B<C> { a(): void; b: string }",
        "declare const a: number",
        "declare let b: string, c: number;",
        "declare function f(a: number): void",
        "declare class A { b: number }",
        "declare module 'x' { const a: number }",
        "declare global { interface Window {} }",
        "declare namespace N { const a: number }",
        "declare enum E { A }",
        "namespace N { export type A = number; interface B {} }",
        "namespace A.B { type C = 1 }",
        "function f(a: string): void;",
        "import type { A } from './a.ts'",
        "import type A from './a.ts';",
        "import type * as A from 'anything'",
        "import type A = require('x')",
        "export type { A } from './a.ts'",
        "export type * from './a.ts'",
        "export type A = 1",
        "export interface A {}",
        "export declare const a: number",
        "export default interface A { b: 1 }",
    ] {
        let text = format!("{statement}\nfunction f() {{}}");
        let code = checked(&text);
        let blanks = " ".repeat(statement.len() - 1);
        assert_eq!(code, format!(";{blanks}\nfunction f() {{}}"), "{statement}");
        let blanked = run(&text);
        assert!(
            !blanked.is_module && blanked.imports.is_empty() && blanked.refusal.is_none(),
            "{statement}"
        );
    }
}

#[test]
fn type_specifiers_go_and_value_imports_stay() {
    expect("import { ‹type A,› b } from './a.ts'; b");
    expect("import { b, ‹type A› } from './a.ts'; b");
    expect("import { ‹type A› } from './a.ts'");
    expect("‹;¦import { type A, B } from './a.ts';› let b‹: B›");
    expect("import d, { ‹type A as B,› ‹type C› } from './a.ts'; d");
    expect("export { ‹type A,› b } from './a.ts'");
    expect("const b = 1; export { b, ‹type A› }");
    expect("import x from './a.json' ‹with { type: 'json' }›; x");
    let names = |text: &str| -> Vec<String> {
        run(text).imports.into_iter().map(|import| import.specifier).collect()
    };
    let text = "import a from './a.ts'; import './b.ts'; export * from './c.ts'; export { d } from './d.ts'\n\
                const e = await import('./e.ts'), f = import(`./f.ts`); import { g } from './g.ts'; g; import './a.ts'";
    assert_eq!(names(text), ["./a.ts", "./b.ts", "./c.ts", "./d.ts", "./e.ts", "./f.ts", "./g.ts"]);
    let text = "import { A } from './a.ts'; import { B } from './b.ts'; import './b.ts'; import { type C } from './c.ts'; import { D } from './d.ts'; let a: A, b: B";
    assert_eq!(names(text), ["./b.ts", "./c.ts", "./d.ts"]);
    assert!(run("import('./a' + b)").imports.is_empty(), "known when the program gets there");
    assert!(run("import.meta.url").is_module);
    assert!(!run("import('./a.ts')").is_module);
    expect("import('./a.json'‹, { with: { type: 'json' } }›)");
}

#[test]
fn imports_that_are_used_only_as_types_go() {
    expect("‹;¦import { A } from './a.ts';› let a‹: A›");
    expect("‹;¦import A from './a.ts';› let a‹: A› = b ‹as A›");
    expect("‹;¦import * as all from './a.ts';› let a‹: all.A›");
    expect("import { ‹A,› b } from './a.ts'; b‹<A>›()");
    expect("import { b, ‹A› } from './a.ts'; class C extends b ‹implements A› {}");
    expect("import ‹D,› { b } from './a.ts'; b(x ‹as D›)");
    expect("import d‹, * as all› from './a.ts'; d(x ‹as all.A›)");
    expect("import ‹D,› * as all from './a.ts'; all.f(x ‹as D›)");
    expect("import { A } from './a.ts'; const o = { A }");
    expect("import { A } from './a.ts'; export { A }");
    expect("import { A } from './a.ts'; const x = `${A}`");
    expect("import { A } from './a.ts'; for (A.x of y) {}");
    expect("import {} from './a.ts'");
    expect("import './a.ts'");
    expect("import { A } from './a.ts'; let b");
    expect("‹;¦import type A from './a.ts';› export { ‹A› }");
    expect("‹;¦type A = 1;› const b = 1; export { ‹A,› b }");
    expect("‹;¦interface A {}› const A = 1; export { A }");
}

#[test]
fn classes() {
    expect("‹abstract› class A { ‹;¦abstract a(): void;› ‹;¦abstract b: string;› c() {} }");
    expect("export ‹abstract› class A {}");
    expect("export default ‹abstract› class A {}");
    expect(
        "class A { ‹public› a = 1; ‹private› ‹readonly› b‹: number› = 2; static ‹readonly› c = 3; ‹protected› static d = 4 }",
    );
    expect(
        "class A extends B { ‹override› a() {} ‹public› async *b() {} ‹private› get c()‹: number› { return 1 } set c(v‹: number›) {} }",
    );
    expect("class A { a‹?›‹: number›; b‹!›‹: string›; [c]‹?›‹: T›; 'd'‹?›() {} }");
    expect("class A { ‹;¦[key: string]: number›\n a = 1 }");
    expect("class A { ‹;¦declare a: number;› b = 1 }");
    expect("class A { ‹;¦a(b: string): void;› ‹;¦a(b: number): void;› a(b‹: any›) {} }");
    expect("class A { ‹;¦constructor(a: string);› constructor(a‹: any›) {} }");
    expect("class A { accessor a‹: number› = 1; static accessor b = 2 }");
    expect("class A { static { let a‹: number› = 1 } }");
    expect("class A { public = 1; private() {} static a = 2 }");
    expect("class A { #a‹: number› = 1; b = this.#a‹!› }");
}

#[test]
fn newlines_that_ended_a_statement_still_do() {
    expect("const a = b ‹as T|;›\n(c)");
    expect("a ‹as T|;›\n[b] = c");
    expect("let a‹: T|;›\n(b)");
    expect("a‹!›\n;[b]");
    expect("a\n‹;¦type B = C›\n(d)");
    expect("const a = b\n‹;¦interface C {}›\n[d]");
    expect("throw a ‹as T|;›\n`b`");
    expect("if (a) b ‹as T|;›\nelse c()");
    expect("{ a ‹as T› }");
}

#[test]
fn class_fields_that_a_newline_ended_still_end() {
    expect("class A { a‹: T|;›\n[b] = 1 }");
    expect("class A { a‹!›‹: T|;›\n*b() {} }");
    expect("class A { get‹: T|;›\nb() {} }");
    expect("class A { static‹?|;›\nb() {} }");
    expect("class A { a = 1\n‹;¦public› [b] = 2 }");
    expect("class A { a = 1\n‹;¦private› *b() {} }");
    expect("class A { a = 1\n‹;¦public› in = 2 }");
    expect("class A { a = b ‹as T|;›\n[c] = 2 }");
}

#[test]
fn parentheses_of_arrow_functions_move_over_line_ends() {
    expect("const f = (a‹: A): {\n b: B\n}|)› => a");
    assert_eq!(checked("const f = (a):\nT => a"), "const f = (a  \n) => a");
    assert_eq!(checked("const f = (a): {\n  b: B\n} => a"), "const f = (a    \n      \n) => a");
    assert_eq!(checked("const f = async <\n T>(a) => a"), "const f = async (\n    a) => a");
    assert_eq!(checked("return <T,>\n(a) => a"), "return (   \n a) => a");
}

#[test]
fn what_cannot_be_erased_is_refused_by_name() {
    for (text, what) in [
        ("enum A { B }", "an enum"),
        ("const enum A { B }", "an enum"),
        ("export enum A { B }", "an enum"),
        ("namespace A { export const b = 1 }", "a namespace with values"),
        ("module A { f() }", "a namespace with values"),
        ("namespace A.B { let c }", "a namespace with values"),
        ("class A { constructor(private a: string) {} }", "a parameter property"),
        ("class A { constructor(readonly a: string) {} }", "a parameter property"),
        ("@a class B {}", "a decorator"),
        ("class A { @b c() {} }", "a decorator"),
        ("class A { c(@b d) {} }", "a decorator"),
        ("import a = require('b')", "`import … =`"),
        ("import a = B.C", "`import … =`"),
        ("export = a", "`export =`"),
        ("const f = () => <T>{}", "a type assertion with `<…>` at this place"),
        ("<T>{}", "a type assertion with `<…>` at this place"),
        ("<T>function () {}", "a type assertion with `<…>` at this place"),
        ("return <T>\na", "a type assertion with `<…>` at this place"),
    ] {
        let refusal = run(text).refusal.unwrap_or_else(|| panic!("not refused: {text}"));
        assert_eq!(refusal.what, what, "{text}");
    }
    for text in ["x = (a + b as T) * c", "x = a * b as T", "() => (<T>{})", "x = <T>{}"] {
        assert_eq!(run(text).refusal, None, "{text}");
    }
}
