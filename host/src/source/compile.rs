//! Compiles one module's text to the JavaScript that is executed: parses, blanks and wraps it.
//!
//! Input: a text and its role. Output: a [`CompiledModule`]. **Invariant:** the syntax tree does
//! not outlive the compilation, which runs on a stack that is known to be large enough.

use super::blank;
use super::error::{ModuleText, SourceError};
use super::links::ModuleLinks;
use super::nesting;
use super::parse::{self, ParsedText};
use super::program::{ColumnShift, Language};
use super::stack;
use super::wrap;
use crate::model::WorkSlice;

/// The role of a module in its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModuleRole {
    /// The entry that is run: a module or a function body.
    Entry,
    /// An imported module.
    Imported,
}

/// An import as the program writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ModuleImport {
    pub(super) specifier: String,
    pub(super) offset: u32,
    pub(super) timing: ImportTiming,
}

/// The time at which an import takes place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImportTiming {
    /// Before the program runs: `import … from "…"`, `export … from "…"`.
    Static,
    /// When the program gets there: `import("…")`. It may fail, and the program may catch that.
    Dynamic,
}

/// A module that is ready to execute. Its imports are not followed yet.
#[derive(Debug)]
pub(super) struct CompiledModule {
    pub(super) code: String,
    pub(super) first_line: u32,
    pub(super) shift: Option<ColumnShift>,
    pub(super) imports: Vec<ModuleImport>,
    pub(super) links: ModuleLinks,
}

/// Compiles one module. The CPU time is charged to `run`, if it is given.
pub(super) fn compile(
    run: Option<&WorkSlice<'_>>,
    text: ModuleText<'_>,
    language: Language,
    role: ModuleRole,
) -> Result<CompiledModule, SourceError> {
    nesting::check(text.text, language).map_err(|error| {
        let offset = u32::try_from(error.offset).unwrap_or(u32::MAX);
        SourceError::syntax(text, offset, error.message, Some(error.hint))
    })?;
    stack::on_large_stack_for(run, text, || parse_and_compile(text, language, role))?
}

fn parse_and_compile(
    text: ModuleText<'_>,
    language: Language,
    role: ModuleRole,
) -> Result<CompiledModule, SourceError> {
    parse::with_program(text, language, |ParsedText { program, tokens }| {
        let blanked = blank::blank(program, tokens);
        if let Some(refusal) = blanked.refusal {
            return Err(SourceError::unsupported(text, refusal));
        }
        if role == ModuleRole::Imported || blanked.is_module {
            if let Some(offset) = blanked.top_level_return {
                let hint =
                    "a program with `import` or `export` gives its result with `export default`";
                return Err(SourceError::syntax(
                    text,
                    offset,
                    "a module cannot `return` at its top level",
                    Some(hint),
                ));
            }
            return Ok(CompiledModule {
                code: blanked.code,
                first_line: 1,
                shift: None,
                imports: blanked.imports,
                links: blanked.links,
            });
        }
        let wrapped = wrap::wrap(text, program, blanked.code)?;
        Ok(CompiledModule {
            code: wrapped.code,
            first_line: 0,
            shift: wrapped.shift,
            imports: blanked.imports,
            links: blanked.links,
        })
    })?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Code;

    fn load(text: &str) -> Result<CompiledModule, SourceError> {
        compile(None, ModuleText { name: "t.ts", text }, Language::TypeScript, ModuleRole::Entry)
    }

    /// A crash of the host is the worst outcome: any text must give a result.
    #[test]
    fn no_text_overflows_the_stack() {
        let nested = |open: &str, inner: &str, close: &str, count: usize| {
            format!("{}{inner}{}", open.repeat(count), close.repeat(count))
        };
        for text in [
            nested("(", "", "", 200_000),
            nested("[", "", "", 200_000),
            nested("{", "", "", 200_000),
            nested("(", "1", ")", 50_000),
            nested("[", "", "]", 50_000),
            nested("{", "", "}", 50_000),
            nested("!", "1", "", 100_000),
            nested("- ", "1", "", 100_000),
            nested("typeof ", "1", "", 20_000),
            nested("a?b:", "1", "", 20_000),
            nested("a?", "1", ":b", 20_000),
            nested("x=>", "x", "", 20_000),
            nested("if(1)", ";", "", 10_000),
            nested("if(1);else ", ";", "", 10_000),
            nested("do ", ";", " while(1)", 10_000),
            nested("", "a", "+a", 50_000),
            nested("", "a", ".b", 50_000),
            nested("", "a", "()", 20_000),
            nested("", "a", "!", 50_000),
            nested("", "a", " as T", 20_000),
            nested("a=", "1", "", 20_000),
            nested("`${", "1", "}`", 20_000),
            nested("new ", "X", "", 20_000),
            nested("<T>", "x", "", 20_000),
            nested("class extends ", "x", "{}", 20_000),
            nested("await ", "1", "", 20_000),
            nested("l:", "1", "", 10_000),
            format!("type T = {}", nested("A<", "A", ">", 20_000)),
            format!("type T = {}", nested("(", "A", ")", 20_000)),
            format!("type T = {}", nested("keyof ", "A", "", 20_000)),
            format!("type T = {}", nested("{a:", "A", "}", 20_000)),
            format!("type T = {}", nested("()=>", "A", "", 20_000)),
            format!("type T = {}", nested("A extends B?C:", "A", "", 20_000)),
            nested("f<(a=", "", "", 10_000),
            nested("f<", "", "", 10_000),
            nested("/(", "/", "", 10_000),
            nested("@a ", "class A{}", "", 20_000),
            nested("function f(){", "", "}", 20_000),
            nested("()=>{", "", "}", 20_000),
            nested("a?(b):c=>", "d", "", 20_000),
        ] {
            // A text within the limits may load; any other is a syntax error.
            if let Err(error) = load(&text) {
                let head: String = text.chars().take(40).collect();
                assert!(
                    matches!(error.code(), Code::Syntax | Code::UnsupportedSyntax),
                    "{head}: {error}"
                );
            }
        }
    }

    /// Without a limit on nested guesses, these texts would take practically forever.
    #[test]
    fn guesses_of_the_parser_come_to_an_end() {
        for unit in ["f<(a=", "f<[(a=", "({a=f<[", "(a=", "a?(b):c=>", "f<", "async(a=f<{a:"] {
            assert!(load(&unit.repeat(150)).is_err(), "{unit}");
        }
    }

    #[test]
    fn a_setter_may_have_an_initial_value() {
        let text = "class A { set v(x = 1) {} static set w(x: number = 2) {} }\nlet o = { set v(x = 1) {} }";
        assert!(load(text).is_ok());
        for text in
            ["class A { set v(x?) {} }", "class A { set v() {} }", "let o = { set v(...x) {} }"]
        {
            assert_eq!(load(text).unwrap_err().code(), Code::Syntax, "{text}");
        }
    }

    #[test]
    fn refusals_have_a_code_a_place_and_a_hint() {
        let error = load("let a = 1\nenum B { C }").unwrap_err();
        assert_eq!(error.code(), Code::UnsupportedSyntax);
        assert_eq!(error.to_string(), "an enum cannot be used here: t.ts:2:1");
        assert!(error.hint().unwrap().contains("as const"));
        let error = load("const a = <div>hello</div>").unwrap_err();
        assert_eq!(error.to_string(), "JSX cannot be used here: t.ts:1:11");
        let error = load("let = = 1").unwrap_err();
        assert_eq!(error.code(), Code::Syntax);
        assert!(error.position().is_some() && error.code_frame().is_some());
    }
}
