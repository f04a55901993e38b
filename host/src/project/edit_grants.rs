//! Writes permanent grants into `.pml.json`: the plain pattern into `allow`, and the tool's origin
//! and the conditions on its arguments into `grants`.
//!
//! **Invariant:** a written grant takes effect. If it would not, because the file is not trusted or
//! another pattern contradicts it, nothing is written and the error says why.

use super::document::{Document, JSONC};
use super::edit::{
    EditOutcome, EditPrecondition, ReviewedBy, SettingsFile, cst_value, not_an_object,
    parse_settings,
};
use super::grants::is_one_tool;
use crate::config::GrantWriter;
use crate::error::Error;
use crate::model::{Code, FoldedToolName, Grant, StrictPattern, ToolPattern};
use crate::project::edit_grant::{granted_time, to_json, update_conditions, update_origin};
use crate::project::remove_item::without_item;
use crate::{disk::user_files::FileContents, project::PML_FILE};
use jsonc_parser::ast::Value as Tree;
use jsonc_parser::common::Ranged;
use jsonc_parser::cst::{CstArray, CstInputValue, CstRootNode};
use std::ops::Range;

impl SettingsFile {
    /// Allows tools permanently, each with its current origin and the conditions of its grant. A
    /// grant replaces an earlier one with the same conditions; a grant for all arguments replaces
    /// those with conditions; a grant that renews one of an older pml replaces that one. A pattern
    /// of `ask` that names exactly this tool is removed.
    ///
    /// # Errors
    /// If the project is not trusted as it is, if the grant would have no effect because another
    /// pattern denies the tool or asks about it, or if the file is not valid or cannot be written.
    /// Then none is written.
    pub fn grant(&self, grants: &[Grant]) -> Result<EditOutcome, Error> {
        if grants.is_empty() {
            return Ok(EditOutcome { changed: false, trusted: false });
        }
        grants.iter().try_for_each(check_writable)?;
        self.rewrite(EditPrecondition::Trust, ReviewedBy::User, |document| {
            let path = document.path();
            let mut text = document.text().to_owned();
            for grant in grants {
                let now = FileContents { path: path.into(), bytes: text.into() };
                text = with_grant(&Document::new(now)?, grant)?;
            }
            Ok((text != document.text()).then_some(text))
        })
    }
}

impl GrantWriter for SettingsFile {
    fn write_grants(&self, grants: &[Grant]) -> Result<String, Error> {
        self.grant(grants)?;
        Ok(self.root().join(PML_FILE).to_string_lossy().into_owned())
    }
}

/// Checks that the file format can express a grant.
fn check_writable(grant: &Grant) -> Result<(), Error> {
    let refuse = |why: &str| {
        let message = format!("`{}` cannot always be allowed: {why}", grant.tool);
        Err(Error::new(Code::Config, message))
    };
    if grant.has_older_conditions() {
        return refuse("its conditions were written by an older pml");
    }
    if !is_one_tool(&grant.tool) {
        return refuse("its name has a `*`, which `permissions` would read as a pattern");
    }
    if let Some(flawed) = grant.constraints.iter().find_map(|constraint| constraint.flaw()) {
        return refuse(&format!("a condition {flawed}"));
    }
    let twice = |(index, one): (usize, &crate::model::Constraint)| {
        grant.constraints[..index].iter().any(|other| {
            let same_kind = std::mem::discriminant(&one.is) == std::mem::discriminant(&other.is);
            one.argument == other.argument && same_kind && one != other
        })
    };
    match grant.constraints.iter().enumerate().any(twice) {
        true => refuse("it has two conditions of one kind on one argument"),
        false => Ok(()),
    }
}

/// Returns the text of a document with a grant added.
fn with_grant(document: &Document, grant: &Grant) -> Result<String, Error> {
    let permissions = parse_settings(document)?.permissions.unwrap_or_default();
    check_takes_effect(&permissions.ask, &permissions.deny, grant)?;
    let own = |known: &Grant| known.tool == grant.tool;
    let is_plain = |known: &Grant| known.constraints.is_empty();
    let same_origin = |known: &Grant| known.origin == grant.origin;
    let same = |known: &Grant| own(known) && known.same_conditions(grant);
    // The first grant of an older pml that is replaced is edited in place, so that the text around
    // it stays.
    let replaced_index = match is_plain(grant) || permissions.grants.iter().any(same) {
        true => None,
        false => permissions.grants.iter().position(|known| grant.replaces_grant(known)),
    };
    let narrower =
        |known: &Grant| is_plain(grant) && own(known) && !is_plain(known) && same_origin(known);
    let is_removed = |index: usize, known: &Grant| {
        narrower(known) || grant.replaces_grant(known) && replaced_index != Some(index)
    };
    let tool = grant.tool.as_str();
    let mut text = remove_items(document, "ask", |index| {
        permissions.ask.get(index).is_some_and(|pattern| pattern.as_str() == tool)
    })?;
    let now = FileContents { path: document.path().into(), bytes: text.into() };
    text = remove_items(&Document::new(now)?, "grants", |index| {
        permissions.grants.get(index).is_some_and(|known| is_removed(index, known))
    })?;
    let known = permissions.grants.iter().enumerate();
    let known: Vec<_> = known.filter(|(index, known)| !is_removed(*index, known)).collect();
    let replaced_index = known.iter().position(|(index, _)| replaced_index == Some(*index));
    let known: Vec<&Grant> = known.into_iter().map(|(_, known)| known).collect();

    let tree = CstRootNode::parse(&text, &JSONC).map_err(|_| not_an_object())?;
    let settings = tree.object_value().ok_or_else(not_an_object)?;
    let permissions = settings.object_value_or_create("permissions").ok_or_else(not_an_object)?;
    add_text(&permissions.array_value_or_create("allow").ok_or_else(not_an_object)?, tool);
    let entry = |index: usize| {
        let list = permissions.array_value("grants").ok_or_else(not_an_object)?;
        let entry = list.elements().get(index).and_then(|entry| entry.as_object());
        entry.ok_or_else(not_an_object)
    };
    let covered = |known: &&&Grant| own(known) && is_plain(known) && known.origin.is_none();
    match known.iter().position(|known| same(known)) {
        Some(index) if same_origin(known[index]) => {}
        Some(index) => update_origin(&entry(index)?, grant)?,
        // A grant for all arguments already covers these.
        None if known.iter().any(|known| own(known) && is_plain(known) && same_origin(known)) => {}
        None if known.iter().find(covered).is_some() => {}
        None if let Some(index) = replaced_index => {
            let entry = entry(index)?;
            update_conditions(&entry, grant)?;
            update_origin(&entry, grant)?;
        }
        None => {
            let list = permissions.array_value_or_create("grants").ok_or_else(not_an_object)?;
            let grant = Grant { granted: Some(granted_time(grant)), ..grant.clone() };
            list.append(cst_value(&to_json(&grant)?));
            list.ensure_multiline();
        }
    }
    Ok(tree.to_string())
}

/// Checks that calls of a tool that is allowed by its name are sent, despite the other patterns.
fn check_takes_effect(
    ask: &[ToolPattern],
    deny: &[ToolPattern],
    grant: &Grant,
) -> Result<(), Error> {
    let tool = &grant.tool;
    let spelled = FoldedToolName::new(tool);
    let covers = |pattern: &&ToolPattern| StrictPattern::new((*pattern).clone()).covers(&spelled);
    let refuse = |list: &str, pattern: &ToolPattern, what: &str| {
        let pattern = pattern.as_str();
        let message = format!("`{tool}` cannot always be allowed: it {what} by `{pattern}`");
        let hint = format!("remove `{pattern}` from `permissions.{list}` in `.pml.json`");
        Err(Error::new(Code::Config, message).with_hint(hint))
    };
    if let Some(pattern) = deny.iter().find(covers) {
        return refuse("deny", pattern, "is denied");
    }
    let wins = |pattern: &&ToolPattern| {
        pattern.as_str() != tool.as_str() && pattern.specificity() == usize::MAX
    };
    match ask.iter().filter(covers).find(wins) {
        Some(pattern) => {
            refuse("ask", pattern, "would still be asked about, because it is covered")
        }
        None => Ok(()),
    }
}

/// Returns the text of a document without some items of a list in `permissions`.
fn remove_items(
    document: &Document,
    list: &str,
    is_removed: impl Fn(usize) -> bool,
) -> Result<String, Error> {
    let ranges: Vec<Range<usize>> = match document.tree()? {
        Some(Tree::Object(settings)) => settings
            .get_object("permissions")
            .and_then(|permissions| permissions.get_array(list))
            .map(|list| list.elements.iter().map(|item| item.start()..item.end()).collect())
            .unwrap_or_default(),
        _ => Vec::new(),
    };
    let mut text = document.text().to_owned();
    // Removes from the end, so that the ranges before stay valid.
    for (index, item) in ranges.iter().enumerate().rev().filter(|(index, _)| is_removed(*index)) {
        let before = index.checked_sub(1).map(|before| ranges[before].end);
        text = without_item(&text, item.clone(), before);
    }
    Ok(text)
}

fn add_text(list: &CstArray, text: &str) {
    let known = list.elements().iter().any(|element| {
        let literal = element.as_string_lit();
        literal.is_some_and(|literal| literal.decoded_value().is_ok_and(|known| known == text))
    });
    if !known {
        list.append(CstInputValue::String(text.into()));
    }
}
