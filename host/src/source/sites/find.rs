//! Finds the call sites of a module's code.

use std::collections::HashSet;

use oxc::ast_visit::Visit as _;

use super::super::error::ModuleText;
use super::super::nesting;
use super::super::parse::{self, ParsedText};
use super::super::program::Language;
use super::super::stack;
use super::walk::{CallSiteFinder, CodeIndex};
use crate::model::LineIndex;
use crate::model::WorkSlice;
use crate::source::sites::bound_names::BoundNames;
use crate::source::sites::call_site::CallSites;
use crate::source::sites::token_columns::TokenColumns;

/// Returns the sites that QuickJS reports at the wanted offsets of the code, but for the call that
/// pml itself wrote around a last expression. Returns no sites if the code cannot be parsed.
pub(in super::super) fn find(
    code: &str,
    wrapper: Option<&str>,
    lines: &LineIndex<'_>,
    wanted: &HashSet<u32>,
    run: Option<&WorkSlice<'_>>,
) -> CallSites {
    let text = ModuleText { name: "", text: code };
    if nesting::check(code, Language::JavaScript).is_err() {
        return CallSites::default();
    }
    let found = stack::on_large_stack_for(run, text, || {
        parse::with_program(text, Language::JavaScript, |ParsedText { program, tokens }| {
            let (columns, names) = (TokenColumns::new(code, tokens), BoundNames::new(program));
            let code = CodeIndex { lines, columns, names, wrapper };
            let mut walk = CallSiteFinder::new(&code, wanted);
            walk.visit_program(program);
            walk.finish()
        })
    });
    found.and_then(|found| found).unwrap_or_default()
}
