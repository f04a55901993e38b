//! Runs the parser, and turns its diagnostics into [`SourceError`]s.
//!
//! Input: a text. Output: a syntax tree with tokens, lent to a function, or the first syntax error.
//! **Invariant:** the function gets a tree only if the parser reports no error for the text.

use oxc::allocator::Allocator;
use oxc::ast::ast::{JSXElement, JSXFragment, Program};
use oxc::ast_visit::Visit;
use oxc::diagnostics::OxcDiagnostic;
use oxc::parser::config::TokensParserConfig;
use oxc::parser::{ParseOptions, Parser, Token};
use oxc::semantic::{Scoping, SemanticBuilder};
use oxc::span::SourceType;

use super::error::{ModuleText, SourceError, UnsupportedConstruct};
use super::program::Language;

/// A parsed text.
pub(super) struct ParsedText<'p, 'a> {
    pub(super) program: &'p Program<'a>,
    pub(super) tokens: &'p [Token],
}

/// Parses a text as strict module code in which `return` is allowed everywhere, and passes the tree
/// to `read`.
pub(super) fn with_program<R>(
    text: ModuleText<'_>,
    language: Language,
    read: impl FnOnce(ParsedText<'_, '_>) -> R,
) -> Result<R, SourceError> {
    let source_type = source_type(language);
    let allocator = Allocator::default();
    // With debug assertions on, the parser panics on an unfinished string if it collects tokens.
    if cfg!(debug_assertions) {
        let parsed =
            Parser::new(&allocator, text.text, source_type).with_options(options()).parse();
        if let Some(diagnostic) = first_error(&parsed.diagnostics) {
            return Err(refuse(text, source_type, diagnostic));
        }
    }
    let parsed = Parser::new(&allocator, text.text, source_type)
        .with_options(options())
        .with_config(TokensParserConfig)
        .parse();
    match first_error(&parsed.diagnostics) {
        Some(diagnostic) => Err(refuse(text, source_type, diagnostic)),
        None if parsed.panicked => {
            Err(SourceError::syntax(text, 0, "the text cannot be parsed", None))
        }
        None => Ok(read(ParsedText { program: &parsed.program, tokens: &parsed.tokens })),
    }
}

/// Parses a text as [`with_program`] does, and passes the tree to `read` with the variables that
/// its names refer to.
pub(super) fn with_scopes<R>(
    text: ModuleText<'_>,
    language: Language,
    read: impl for<'a> FnOnce(&'a Program<'a>, &Scoping) -> R,
) -> Result<R, SourceError> {
    let source_type = source_type(language);
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text.text, source_type).with_options(options()).parse();
    match first_error(&parsed.diagnostics) {
        Some(diagnostic) => Err(refuse(text, source_type, diagnostic)),
        None if parsed.panicked => {
            Err(SourceError::syntax(text, 0, "the text cannot be parsed", None))
        }
        None => {
            let program = allocator.alloc(parsed.program);
            let scoping = SemanticBuilder::new().build(program).semantic.into_scoping();
            Ok(read(program, &scoping))
        }
    }
}

/// Parses a text as [`with_program`] does, and passes the tree to `read` with the errors that only
/// the whole text shows, such as a name that is declared twice.
pub(super) fn with_early_errors<R>(
    text: ModuleText<'_>,
    language: Language,
    read: impl for<'a> FnOnce(&'a Program<'a>, &[OxcDiagnostic]) -> R,
) -> Result<R, SourceError> {
    let source_type = source_type(language);
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text.text, source_type).with_options(options()).parse();
    if let Some(diagnostic) = first_error(&parsed.diagnostics) {
        return Err(refuse(text, source_type, diagnostic));
    }
    let program = allocator.alloc(parsed.program);
    let checked = SemanticBuilder::new().with_check_syntax_error(true).build(program);
    Ok(read(program, &checked.diagnostics))
}

/// Parses generated JavaScript as a module and passes the tree to `read`. Returns `None` if the
/// code does not parse.
pub(super) fn with_module<R>(code: &str, read: impl FnOnce(&Program<'_>) -> R) -> Option<R> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, code, SourceType::mjs().with_jsx(false)).parse();
    (parsed.diagnostics.is_empty() && !parsed.panicked).then(|| read(&parsed.program))
}

fn source_type(language: Language) -> SourceType {
    match language {
        Language::TypeScript => SourceType::ts(),
        _ => SourceType::mjs(),
    }
    .with_module(true)
    .with_jsx(false)
}

fn options() -> ParseOptions {
    ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() }
}

/// Returns the first error that makes a text invalid. TypeScript refuses the initial value of a
/// setter's parameter, which is legal JavaScript.
fn first_error(diagnostics: &[OxcDiagnostic]) -> Option<&OxcDiagnostic> {
    const SETTER: &str = "A 'set' accessor cannot have an initializer.";
    diagnostics.iter().find(|diagnostic| diagnostic.message != SETTER)
}

fn refuse(
    text: ModuleText<'_>,
    source_type: SourceType,
    diagnostic: &OxcDiagnostic,
) -> SourceError {
    if let Some(offset) = jsx(text.text, source_type) {
        let refusal = UnsupportedConstruct {
            offset,
            what: "JSX",
            hint: "programs have no JSX: build the text or object directly",
        };
        return SourceError::unsupported(text, refusal);
    }
    let label = diagnostic.labels.first();
    let (offset, length) = label.map_or((0, 0), |label| (label.offset(), label.len()));
    if source_type.is_javascript() && has_types(text.text) {
        let hint = match text.name.strip_suffix("js") {
            Some(stem) => format!("types need TypeScript: rename the file to `{stem}ts`"),
            None => "types need TypeScript: put the program into a file `*.ts`".to_owned(),
        };
        let message = "types cannot be used in JavaScript";
        return SourceError::syntax(text, offset, message, Some(&hint));
    }
    let message = worded(&diagnostic.message, text.text, offset as usize, length as usize);
    SourceError::syntax(text, offset, &message, diagnostic.help.as_deref())
}

/// Returns a message of the parser that names the token which it did not expect as it is written.
fn worded(message: &str, text: &str, offset: usize, length: usize) -> String {
    const TOKEN: usize = 40;
    let rest = text.get(offset..).unwrap_or_default();
    let token = rest.get(..length).and_then(|token| token.lines().next()).unwrap_or_default();
    let found = match token {
        _ if rest.trim().is_empty() => "end of file".to_owned(),
        "" => return message.to_owned(),
        token if token.chars().count() > TOKEN => {
            format!("`{}…`", token.chars().take(TOKEN).collect::<String>())
        }
        token => format!("`{token}`"),
    };
    match message.split_once(" but found `") {
        _ if message == "Unexpected token" => format!("unexpected {found}"),
        Some((expected, _)) => format!("{expected} but found {found}"),
        None => message.to_owned(),
    }
}

/// Reports whether a text that is not JavaScript is TypeScript.
fn has_types(text: &str) -> bool {
    let source_type = source_type(Language::TypeScript);
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, source_type).with_options(options()).parse();
    first_error(&parsed.diagnostics).is_none() && !parsed.panicked
}

/// Returns the offset of the first JSX element, if JSX is the only error in the text.
fn jsx(text: &str, source_type: SourceType) -> Option<u32> {
    if !text.contains("</") && !text.contains("/>") {
        return None;
    }
    let allocator = Allocator::default();
    let parsed =
        Parser::new(&allocator, text, source_type.with_jsx(true)).with_options(options()).parse();
    if first_error(&parsed.diagnostics).is_some() || parsed.panicked {
        return None;
    }
    let mut finder = JsxFinder(None);
    finder.visit_program(&parsed.program);
    finder.0
}

struct JsxFinder(Option<u32>);

impl<'a> Visit<'a> for JsxFinder {
    fn visit_jsx_element(&mut self, it: &JSXElement<'a>) {
        self.0.get_or_insert(it.span.start);
    }

    fn visit_jsx_fragment(&mut self, it: &JSXFragment<'a>) {
        self.0.get_or_insert(it.span.start);
    }
}
