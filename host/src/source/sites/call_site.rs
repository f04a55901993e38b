//! Selects the site of a frame among those that QuickJS reports at the same position.
//!
//! In `f(g(x))` both calls are reported at `x`. The name of the function that the frame waits for
//! distinguishes them.

use std::collections::{HashMap, HashSet};

use oxc::span::Span;

/// Most sites stored for one position. Arguments do not nest deeper; only chained calls, as in
/// `f()()()`, can exceed it.
const SITES: usize = 200;

/// The kind of operation that a frame can be stopped at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum CallSiteKind {
    /// A call or a tagged template.
    Call,
    /// A call with `new`.
    New,
    /// A property that is read.
    Get,
    /// A property that is written.
    Set,
    /// A pattern `{ … }` that takes a value apart.
    ObjectPattern,
    /// A value that is iterated: by a pattern `[ … ]`, by `for … of` or by a spread.
    Iteration,
}

/// One operation of the program that runs a function.
#[derive(Debug)]
pub(in super::super) struct CallSite {
    pub(in super::super) kind: CallSiteKind,
    /// The offset that is shown to people.
    pub(in super::super) start: u32,
    /// The name of the called function, or of the property that is read or written.
    pub(super) name: Option<String>,
    /// Whether a function or class of that name is declared in the module.
    pub(super) is_declared: bool,
    /// Whether it is a function of the language, which can be called.
    pub(super) is_builtin: bool,
    /// Whether it makes an error, as `throw …` or `new TypeError(…)` do.
    pub(super) makes_error: bool,
    /// Whether only the call itself can throw.
    pub(super) is_inert: bool,
    /// The text of the expression that is called, read, written or iterated, if it is short.
    pub(in super::super) text: Option<String>,
    /// The whole expression or pattern.
    pub(super) span: Span,
}

/// The sites of a module by the offset that QuickJS reports for them, innermost first.
#[derive(Debug, Default)]
pub(in super::super) struct CallSites {
    sites: HashMap<u32, Vec<CallSite>>,
    /// Classes without a constructor: the start of the line on which they end, and their names.
    ///
    /// QuickJS notes no position in the constructor that it generates for them, and reports such a
    /// function at the first column.
    classes: HashSet<(u32, Option<String>)>,
    /// The expressions that are awaited, by the offset that QuickJS reports when an error comes out
    /// of them.
    awaited: HashMap<u32, Vec<Span>>,
}

impl CallSites {
    /// Adds a site.
    pub(super) fn push(&mut self, reported: u32, site: CallSite) {
        let sites = self.sites.entry(reported).or_default();
        if sites.len() < SITES {
            sites.push(site);
        }
    }

    /// Adds an expression that is awaited.
    pub(super) fn push_awaited(&mut self, reported: u32, expression: Span) {
        let awaited = self.awaited.entry(reported).or_default();
        if awaited.len() < SITES {
            awaited.push(expression);
        }
    }

    /// Returns the expressions that are awaited at a position, innermost first.
    pub(in super::super) fn awaited(&self, reported: u32) -> &[Span] {
        self.awaited.get(&reported).map_or(&[], Vec::as_slice)
    }

    /// Returns the call at a position whose target is not a function, if only one can be meant.
    pub(in super::super) fn uncallable(&self, reported: u32) -> Option<&CallSite> {
        // A function that is declared can be called.
        let mut calls = self.calls(reported).filter(|site| !site.is_declared && !site.is_builtin);
        let first = calls.next()?;
        if calls.next().is_some() { None } else { Some(first) }
    }

    /// Returns the place at a position that reads or writes a property, if only one can be meant.
    pub(in super::super) fn property(
        &self,
        reported: u32,
        kind: CallSiteKind,
        name: &str,
    ) -> Option<&CallSite> {
        let sites = self.sites.get(&reported)?.iter();
        let mut sites =
            sites.filter(|site| site.kind == kind && site.name.as_deref() == Some(name));
        let first = sites.next()?;
        if sites.next().is_some() { None } else { Some(first) }
    }

    /// Returns the value at a position that is taken apart or iterated, if only one can be meant. Of
    /// patterns inside each other it is the outermost, and no text is certain.
    pub(in super::super) fn value(
        &self,
        reported: u32,
        kind: CallSiteKind,
    ) -> Option<(&CallSite, Option<&str>)> {
        let mut sites = self.sites.get(&reported)?.iter().filter(|site| site.kind == kind);
        let first = sites.next()?;
        let mut text = first.text.as_deref();
        for other in sites {
            text = None;
            if !first.span.contains_inclusive(other.span) {
                return None;
            }
        }
        Some((first, text))
    }

    /// Returns the call at a position of a method by its name, if only one can be meant.
    pub(in super::super) fn method_call(&self, reported: u32, name: &str) -> Option<&CallSite> {
        let mut calls = self.calls(reported).filter(|site| site.name.as_deref() == Some(name));
        let first = calls.next()?;
        if calls.next().is_some() { None } else { Some(first) }
    }

    /// Adds a class without a constructor.
    pub(super) fn push_class(&mut self, line_start: u32, name: Option<String>) {
        self.classes.insert((line_start, name));
    }

    /// Reports whether a frame is that of an implicit constructor.
    pub(in super::super) fn is_implicit_constructor(&self, reported: u32, function: &str) -> bool {
        let is_named = |name: Option<String>| self.classes.contains(&(reported, name));
        let is_nameless = matches!(function, "" | "<anonymous>" | "default");
        !self.classes.is_empty()
            && (is_named(Some(function.to_owned()))
                || (is_nameless && !self.sites.contains_key(&reported) && is_named(None)))
    }

    /// Returns the offset of the site that made an error, for the innermost frame.
    pub(in super::super) fn error_site(&self, reported: u32) -> Option<u32> {
        let calls = || self.calls(reported);
        calls()
            .rfind(|site| site.makes_error)
            .or_else(|| calls().find(|site| site.is_inert && !site.is_declared))
            .map(|site| site.start)
    }

    /// Returns the offset of the site at which a frame waits for a function. The name is empty for
    /// a nameless function.
    pub(in super::super) fn call_site(&self, reported: u32, function: &str) -> Option<u32> {
        for (prefix, kind) in [("get ", CallSiteKind::Get), ("set ", CallSiteKind::Set)] {
            if let Some(name) = function.strip_prefix(prefix) {
                let mut sites = self.sites.get(&reported)?.iter();
                return sites
                    .find(|site| site.kind == kind && site.name.as_deref() == Some(name))
                    .map(|site| site.start);
            }
        }
        let calls = || self.calls(reported);
        let name = function.strip_prefix('#').unwrap_or(function);
        let named = calls().find(|site| site.name.as_deref() == Some(name));
        if named.is_none() && is_called_by_language(function) {
            return None;
        }
        // The function has another name than the expression that calls it. So it is not a function
        // that is declared by the name of the expression.
        named
            .or_else(|| calls().find(|site| !site.is_declared))
            .or_else(|| calls().next())
            .map(|site| site.start)
    }

    fn calls(&self, reported: u32) -> impl DoubleEndedIterator<Item = &CallSite> {
        let sites = self.sites.get(&reported).map_or(&[][..], Vec::as_slice);
        sites.iter().filter(|site| matches!(site.kind, CallSiteKind::Call | CallSiteKind::New))
    }
}

/// Reports whether the language itself calls functions of this name, so that the waiting frame need
/// not contain a call. An untagged template is put together by `concat`.
fn is_called_by_language(function: &str) -> bool {
    matches!(function, "valueOf" | "toString" | "concat" | "next" | "return")
        || function.starts_with('[')
}
