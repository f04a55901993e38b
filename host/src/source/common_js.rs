//! Finds what only CommonJS modules have: `require`, `module` and `exports`.
//!
//! Input: the text of a `.cjs` or `.cts` file. Output: the first use of such a name that the file
//! does not declare itself. **Invariant:** the text was compiled before, so it is known to nest no
//! deeper than allowed.

use oxc::ast::ast::{IdentifierReference, TSTypeQuery};
use oxc::ast_visit::Visit;
use oxc::semantic::Scoping;

use super::error::{ModuleText, UnsupportedConstruct};
use super::program::Language;
use super::{parse, stack};
use crate::model::WorkSlice;

/// Returns the first use of a CommonJS name in a text.
pub(super) fn first_use(
    run: Option<&WorkSlice<'_>>,
    text: ModuleText<'_>,
    language: Language,
) -> Option<UnsupportedConstruct> {
    let found = stack::on_large_stack_for(run, text, || {
        parse::with_scopes(text, language, |program, scoping| {
            let mut finder = CommonJsFinder { scoping, found: None };
            finder.visit_program(program);
            finder.found
        })
    });
    found.ok()?.ok()?
}

struct CommonJsFinder<'s> {
    scoping: &'s Scoping,
    found: Option<UnsupportedConstruct>,
}

impl<'a> Visit<'a> for CommonJsFinder<'_> {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        let what = match it.name.as_str() {
            "require" => "CommonJS `require`",
            "module" => "CommonJS `module`",
            "exports" => "CommonJS `exports`",
            "__dirname" => "CommonJS `__dirname`",
            "__filename" => "CommonJS `__filename`",
            _ => return,
        };
        let reference = it.reference_id.get().map(|id| self.scoping.get_reference(id));
        if reference.is_none_or(|reference| reference.symbol_id().is_none()) {
            let hint = "programs are ES modules: use `import` and `export`";
            self.found.get_or_insert(UnsupportedConstruct { offset: it.span.start, what, hint });
        }
    }

    // A type is erased, whatever it names.
    fn visit_ts_type_query(&mut self, _: &TSTypeQuery<'a>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(text: &str) -> Option<&'static str> {
        let text = ModuleText { name: "a.cts", text };
        first_use(None, text, Language::TypeScript).map(|found| found.what)
    }

    #[test]
    fn names_that_the_file_declares_itself_are_its_own() {
        assert_eq!(what("const fs = require('fs')"), Some("CommonJS `require`"));
        assert_eq!(what("module.exports = 1"), Some("CommonJS `module`"));
        assert_eq!(what("exports.a = 1; require('b')"), Some("CommonJS `exports`"));
        assert_eq!(what("f(__dirname)"), Some("CommonJS `__dirname`"));
        assert_eq!(what("f(__filename)"), Some("CommonJS `__filename`"));
        for text in [
            "export const a = 1",
            "function require(x: string) { return x }\nrequire('a')",
            "const module = { exports: 1 }; module.exports = 2",
            "a.require('x')",
            "type A = typeof require",
        ] {
            assert_eq!(what(text), None, "{text}");
        }
    }
}
