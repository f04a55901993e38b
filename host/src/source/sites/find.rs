//! A module's code to its sites.

use std::collections::HashSet;

use oxc::ast_visit::Visit as _;

use super::super::error::Text;
use super::super::nesting;
use super::super::parse::{self, Parsed};
use super::super::position::Lines;
use super::super::program::Language;
use super::super::stack;
use super::choose::Sites;
use super::inert::Names;
use super::marks::Marks;
use super::walk::{Code, Walk};
use crate::model::Stint;

/// Finds the sites that QuickJS reports at the wanted offsets of a code, or none if the code cannot be parsed.
pub(in super::super) fn find(
    code: &str,
    lines: &Lines<'_>,
    wanted: &HashSet<u32>,
    run: Option<&Stint<'_>>,
) -> Sites {
    let text = Text { name: "", text: code };
    if nesting::check(code, Language::JavaScript).is_err() {
        return Sites::default();
    }
    let found = stack::with_enough_for(run, text, || {
        parse::with_program(text, Language::JavaScript, |Parsed { program, tokens }| {
            let (marks, names) = (Marks::new(code, tokens), Names::new(program));
            let code = Code { lines, marks, names };
            let mut walk = Walk::new(&code, wanted);
            walk.visit_program(program);
            walk.finish()
        })
    });
    found.and_then(|found| found).unwrap_or_default()
}
