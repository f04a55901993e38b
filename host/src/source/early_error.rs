//! Finds the place of a syntax error that only QuickJS reports: a name that is declared twice, a
//! private name that no class has, a regular expression that is not one.
//!
//! Input: a program that QuickJS refused, and its message. Output: the error with its position.
//! **Invariant:** nothing here runs unless QuickJS refused a program.

use oxc::allocator::Allocator;
use oxc::ast::ast::RegExpLiteral;
use oxc::ast_visit::Visit;
use oxc::diagnostics::OxcDiagnostic;
use oxc::span::Span;
use oxc_regular_expression::{LiteralParser, Options};

use super::error::{ModuleText, SourceError};
use super::program::{Language, Program};
use super::{parse, stack};
use crate::model::{Position, WorkSlice};

/// Longest regular expression that is parsed to find the one that is meant, in bytes: the parser
/// recurses at each bracket, and this many fit on any stack that programs are parsed on.
const EXPRESSION: usize = 400;

impl Program {
    /// Returns the syntax error for which QuickJS refused this program, if the text shows it.
    /// `reported` is the position that QuickJS gives, if any.
    pub(crate) fn early_error(
        &self,
        message: &str,
        reported: Option<&Position>,
        run: Option<&WorkSlice<'_>>,
    ) -> Option<SourceError> {
        let mut expressions = Vec::new();
        for module in &self.modules {
            if module.is_generated || module.language == Language::Json {
                continue;
            }
            run.map_or(Ok(()), |run| run.check().map_err(drop)).ok()?;
            let text = ModuleText { name: &module.name, text: &module.source };
            let checked = stack::on_large_stack_for(run, text, || {
                parse::with_early_errors(text, module.language, |program, errors| {
                    let mut found = RegExpFinder(Vec::new());
                    found.visit_program(program);
                    (errors.first().map(|error| worded(text, error)), found.0)
                })
            });
            let (error, found) = checked.ok()?.ok()?;
            if error.is_some() {
                return error;
            }
            expressions.extend(found.into_iter().map(|found| (text, found)));
        }
        // QuickJS gives no position for a regular expression.
        let is_refused = |(_, expression): &&(_, FoundRegExp)| expression.is_refused;
        let meant = match expressions.as_slice() {
            [only] => Some(only),
            // QuickJS refuses the first, and tells one message.
            several => several.iter().find(is_refused),
        };
        match meant {
            Some((text, FoundRegExp { span, .. })) if reported.is_none() => {
                let message = format!("the regular expression is not valid: {message}");
                Some(SourceError::syntax(*text, span.start, &message, None))
            }
            _ => None,
        }
    }
}

fn worded(text: ModuleText<'_>, error: &OxcDiagnostic) -> SourceError {
    let twice = error.message.strip_suffix(" has already been declared");
    let twice = twice.and_then(|start| start.strip_prefix("Identifier "));
    let label = match twice {
        Some(_) => error.labels.last(),
        None => error.labels.first(),
    };
    let offset = label.map_or(0, |label| label.offset());
    match twice {
        Some(name) => SourceError::syntax(text, offset, &format!("{name} is declared twice"), None),
        None => SourceError::syntax(text, offset, &error.message, error.help.as_deref()),
    }
}

/// A regular expression in the text.
struct FoundRegExp {
    span: Span,
    /// Whether the parser of regular expressions refuses it.
    is_refused: bool,
}

struct RegExpFinder(Vec<FoundRegExp>);

impl<'a> Visit<'a> for RegExpFinder {
    fn visit_reg_exp_literal(&mut self, it: &RegExpLiteral<'a>) {
        let pattern = it.regex.pattern.text.as_str();
        let flags = it.regex.flags.to_string();
        let is_refused = pattern.len() <= EXPRESSION && {
            let allocator = Allocator::default();
            let options = Options::default();
            LiteralParser::new(&allocator, pattern, Some(&flags), options).parse().is_err()
        };
        self.0.push(FoundRegExp { span: it.span, is_refused });
    }
}
