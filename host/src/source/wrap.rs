//! Wraps a function body as a module whose default export runs it.
//!
//! Input: the parsed text and its blanked code. Output: the module, with `return lastExpression(…)`
//! around a last expression. The guest calls the function with that parameter, and so knows a value
//! that the program did not return itself. **Invariant:** the wrapper has a line of its own, and
//! `return lastExpression(` is inserted directly after the previous statement. So only text on that
//! statement's last line moves, and this shift is recorded. **Invariant:** the result parses as
//! exactly one default export of an async arrow function that contains all statements.

use data_encoding::HEXLOWER;
use oxc::ast::ast::{
    ArrowFunctionBody, ExportDefaultDeclarationKind, Expression, Program, Statement,
};
use oxc::span::GetSpan as _;
use sha2::{Digest as _, Sha256};

use super::blank::is_erased;
use super::error::{ModuleText, SourceError};
use super::parse;
use super::program::ColumnShift;
use crate::model::LineIndex;

const HEAD: &str = "export default async(";
const BODY: &str = ")=>{";
const TAIL: &str = "\n}";
/// The name of the parameter that takes the value of a last expression.
const PARAMETER: &str = "lastExpression";

/// A wrapped function body.
#[derive(Debug)]
pub(super) struct WrappedBody {
    pub(super) code: String,
    pub(super) shift: Option<ColumnShift>,
}

/// The expression that is the program's result.
struct ResultExpression {
    /// The end of the previous statement, if there is one.
    previous_end: Option<u32>,
    start: u32,
    end: u32,
}

/// Wraps a function body.
pub(super) fn wrap(
    text: ModuleText<'_>,
    program: &Program<'_>,
    code: String,
) -> Result<WrappedBody, SourceError> {
    let last = last_expression(program);
    // The program must not see the parameter, nor declare its name again.
    let mut parameter = PARAMETER.to_owned();
    if text.text.contains("\\u") {
        // It could be written with escapes. No text holds a name made of its own digest.
        let digest = HEXLOWER.encode(&Sha256::digest(text.text));
        parameter.push_str(&digest[..32]);
    }
    while last.is_some() && text.text.contains(&parameter) {
        parameter.push('_');
    }
    let wrapped = build(text.text, code, last.as_ref(), &parameter);
    let expected = WrapperShape {
        statements: program.directives.len()
            + program.body.iter().filter(|statement| is_executed(statement)).count(),
        returns: last.is_some(),
    };
    if parse::with_module(&wrapped.code, |program| WrapperShape::of(program, &parameter))
        .flatten()
        .is_none_or(|shape| !shape.matches(&expected))
    {
        let message = "the program cannot be made a function body";
        return Err(SourceError::syntax(
            text,
            0,
            message,
            Some("write it as a module with `export default`"),
        ));
    }
    Ok(wrapped)
}

/// Returns the name of the parameter that takes the value of a last expression, from the code of a
/// wrapped function body.
pub(super) fn parameter(code: &str) -> Option<&str> {
    let (parameter, _) = code.strip_prefix(HEAD)?.split_once(BODY)?;
    Some(parameter).filter(|parameter| !parameter.is_empty())
}

fn build(
    source: &str,
    code: String,
    last: Option<&ResultExpression>,
    parameter: &str,
) -> WrappedBody {
    let added = HEAD.len() + BODY.len() + TAIL.len() + 2 * parameter.len() + 16;
    let mut out = String::with_capacity(code.len() + added);
    out.push_str(HEAD);
    let Some(last) = last else {
        out.push_str(BODY);
        out.push('\n');
        out.push_str(&code);
        out.push_str(TAIL);
        return WrappedBody { code: out, shift: None };
    };
    let (start, end) = (last.previous_end.unwrap_or(0) as usize, last.end as usize);
    let mut shift = None;
    out.push_str(parameter);
    out.push_str(BODY);
    let opening = format!("return {parameter}(");
    match last.previous_end {
        None => {
            out.push_str(&opening);
            out.push('\n');
        }
        Some(_) => {
            out.push('\n');
            out.push_str(&code[..start]);
            let before = out.len();
            // A statement that a newline ended needs a `;` now, since `return` takes the newline's
            // place.
            if !code[..start].ends_with(';') {
                out.push(';');
            }
            out.push_str(&opening);
            shift = shift_of(source, start, last.start as usize, out.len() - before);
        }
    }
    let expression = &code[start..end];
    // Blanking may have ended the statement with a `;` in place of its last blank. The parenthesis
    // ends it now.
    match expression.strip_suffix(';') {
        Some(open) if !source[start..end].ends_with(';') => {
            out.push_str(open);
            out.push_str(" )");
        }
        _ => {
            out.push_str(expression);
            out.push(')');
        }
    }
    out.push_str(&code[end..]);
    out.push_str(TAIL);
    WrappedBody { code: out, shift }
}

fn shift_of(source: &str, insertion: usize, start: usize, by: usize) -> Option<ColumnShift> {
    let lines = LineIndex::new(source);
    let (line, byte) = lines.locate(insertion);
    let moved = lines.locate(start).0 == line;
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    moved.then(|| ColumnShift { line, column: count(byte + 1), by: count(by) })
}

/// Reports whether a statement remains at run time. A function body has no imports but erased ones.
fn is_executed(statement: &Statement<'_>) -> bool {
    !is_erased(statement)
        && !matches!(statement, Statement::EmptyStatement(_) | Statement::ImportDeclaration(_))
}

fn last_expression(program: &Program<'_>) -> Option<ResultExpression> {
    let directive_end = |count: usize| {
        let index = count.checked_sub(1)?;
        program.directives.get(index).map(|directive| directive.span.end)
    };
    let directives = program.directives.len();
    let Some(index) = program.body.iter().rposition(is_executed) else {
        // The parser reads a lone string as a directive; the author means it as the result.
        let directive = program.directives.last()?;
        let span = directive.expression.span;
        return Some(ResultExpression {
            previous_end: directive_end(directives - 1),
            start: span.start,
            end: span.end,
        });
    };
    let Statement::ExpressionStatement(statement) = &program.body[index] else { return None };
    let previous_end = match index.checked_sub(1) {
        Some(before) => Some(program.body[before].span().end),
        None => directive_end(directives),
    };
    let span = statement.expression.span();
    Some(ResultExpression { previous_end, start: span.start, end: span.end })
}

/// The shape that the parser must find in a wrapped body.
struct WrapperShape {
    statements: usize,
    returns: bool,
}

impl WrapperShape {
    /// Returns the shape of a module that is one default export of an async arrow function, or
    /// `None` for any other module.
    fn of(program: &Program<'_>, parameter: &str) -> Option<Self> {
        let [Statement::ExportDefaultDeclaration(export)] = program.body.as_slice() else {
            return None;
        };
        let ExportDefaultDeclarationKind::ArrowFunctionExpression(arrow) = &export.declaration
        else {
            return None;
        };
        let ArrowFunctionBody::FunctionBody(body) = &arrow.body else { return None };
        let plain = arrow.r#async && arrow.params.items.len() <= 1 && arrow.params.rest.is_none();
        if !plain || !program.directives.is_empty() || export.span.end != program.span.end {
            return None;
        }
        let last = body.statements.iter().rfind(|statement| is_executed(statement));
        let returns = matches!(last, Some(Statement::ReturnStatement(it))
            if matches!(&it.argument, Some(Expression::CallExpression(call))
                if matches!(&call.callee, Expression::Identifier(it) if it.name == parameter)));
        let statements = body.directives.len()
            + body.statements.iter().filter(|statement| is_executed(statement)).count();
        Some(Self { statements, returns })
    }

    fn matches(&self, expected: &Self) -> bool {
        self.statements == expected.statements && (self.returns || !expected.returns)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Script, SourceError};
    use super::{PARAMETER, parameter};

    fn body(text: &str) -> String {
        let program =
            Script::ts(text).load(1 << 20).unwrap_or_else(|error| panic!("{text}\n{error}"));
        assert_eq!(program.modules[0].first_line, 0, "{text}");
        program.modules[0].code.clone()
    }

    #[test]
    fn a_program_cannot_write_the_parameter_with_escapes() {
        let code = body("const f = last\\u0045xpression; f(1)");
        let parameter = parameter(&code).expect("a parameter");
        assert_eq!(parameter.len(), PARAMETER.len() + 32);
        assert_ne!(parameter, PARAMETER);
    }

    #[test]
    fn a_last_expression_is_the_result() {
        for (text, code) in [
            ("1 + 1", "export default async(lastExpression)=>{return lastExpression(\n1 + 1)\n}"),
            ("f();", "export default async(lastExpression)=>{return lastExpression(\nf());\n}"),
            (
                "// a\nf() // b",
                "export default async(lastExpression)=>{return lastExpression(\n// a\nf()) // b\n}",
            ),
            (
                "let a = 1\na + 1",
                "export default async(lastExpression)=>{\nlet a = 1;return lastExpression(\na + 1)\n}",
            ),
            (
                "let a = 1; a",
                "export default async(lastExpression)=>{\nlet a = 1;return lastExpression( a)\n}",
            ),
            (
                "let a = 1; // c\na;",
                "export default async(lastExpression)=>{\nlet a = 1;return lastExpression( // c\na);\n}",
            ),
            (
                "if (a) {}\n(b)",
                "export default async(lastExpression)=>{\nif (a) {};return lastExpression(\n(b))\n}",
            ),
            (
                "\"hello\"",
                "export default async(lastExpression)=>{return lastExpression(\n\"hello\")\n}",
            ),
            (
                "'use strict'; 'x';",
                "export default async(lastExpression)=>{\n'use strict';return lastExpression( 'x');\n}",
            ),
            (
                "'use strict'\nf()",
                "export default async(lastExpression)=>{\n'use strict';return lastExpression(\nf())\n}",
            ),
            ("a as T", "export default async(lastExpression)=>{return lastExpression(\na     )\n}"),
            (
                "a as T\ntype B = 1",
                "export default async(lastExpression)=>{return lastExpression(\na     )\n;         \n}",
            ),
            ("a;;", "export default async(lastExpression)=>{return lastExpression(\na);;\n}"),
            (
                "#!/usr/bin/env pml\n1",
                "export default async(lastExpression)=>{return lastExpression(\n                  \n1)\n}",
            ),
            (
                "await f()",
                "export default async(lastExpression)=>{return lastExpression(\nawait f())\n}",
            ),
            ("a, b", "export default async(lastExpression)=>{return lastExpression(\na, b)\n}"),
            (
                "let lastExpression = 1; lastExpression",
                "export default async(lastExpression_)=>{\nlet lastExpression = 1;\
                 return lastExpression_( lastExpression)\n}",
            ),
            (
                "() => {}",
                "export default async(lastExpression)=>{return lastExpression(\n() => {})\n}",
            ),
        ] {
            assert_eq!(body(text), code, "{text}");
        }
    }

    #[test]
    fn other_last_statements_are_left_alone() {
        for text in [
            "return 1",
            "{a: 1}",
            "",
            "let a = 1",
            "if (a) b()",
            "function f() {}",
            "class A {}",
            "// only",
            "throw a",
            ";",
        ] {
            assert_eq!(body(text), format!("export default async()=>{{\n{text}\n}}"), "{text}");
        }
    }

    #[test]
    fn text_after_the_insertion_is_recorded_as_shifted() {
        let shift = |text: &str| {
            Script::ts(text).load(1 << 20).unwrap().modules[0]
                .shift
                .map(|it| (it.line, it.column, it.by))
        };
        assert_eq!(shift("a; b"), Some((1, 3, 22)));
        assert_eq!(shift("let x\nif (a) {} b"), Some((2, 10, 23)));
        assert_eq!(shift("a\nb"), None);
        assert_eq!(shift("a"), None);
    }

    #[test]
    fn no_text_closes_its_wrapper() {
        for text in [
            "}",
            "} evil(); {",
            "}; export default 1; async()=>{",
            "});({",
            "1)}; evil(); (()=>{(",
            "*/",
            "`",
            "/*",
            "return(1)}//",
            "\u{2028}}",
            "<!--",
            "1\n-->",
            "x = {",
            "(",
            "let a = 1\n}\n{",
            "export default async()=>{",
            "${}",
            "'",
            "/[/",
        ] {
            let error = match Script::ts(text).load(1 << 20) {
                Err(error) => error,
                Ok(program) => panic!("{text} became {}", program.modules[0].code),
            };
            assert!(matches!(error, SourceError::Syntax { .. }), "{text}: {error}");
        }
    }

    #[test]
    fn modules_are_left_as_they_are() {
        for text in ["export default 1", "export const a = 1;\na", "import.meta", "export {}"] {
            let program = Script::ts(text).load(1 << 20).unwrap();
            assert_eq!(
                (program.modules[0].code.as_str(), program.modules[0].first_line),
                (text, 1)
            );
        }
        let error = Script::ts("export const a = 1\nreturn a").load(1 << 20).unwrap_err();
        assert_eq!(error.to_string(), "a module cannot `return` at its top level: program.ts:2:1");
    }
}
