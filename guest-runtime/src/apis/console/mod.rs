//! `console`: what a program writes for people, formatted as node does.
//!
//! Values flow in, one line of text per call flows out through `print`. `strings`, `layout`, `objects`, `errors`, `inspect`
//! and `collections` make text of values, `format` and `table` of whole calls, `console` is what the program sees.
//!
//! **Invariant:** writing a value runs no code of the program (`%j`, which calls `toJSON`, is the one exception), is bounded
//! in size, and never throws.

use super::primordials::evaluate;
use rquickjs::{Ctx, Function, Object, Result, String as JsString, Value};

/// The files in the order in which they need each other, with the name under which the later ones find the earlier.
const PARTS: [(&str, &str, &str); 8] = [
    ("strings", "console/strings", include_str!("strings.js")),
    ("layout", "console/layout", include_str!("layout.js")),
    ("objects", "console/objects", include_str!("objects.js")),
    ("errors", "console/errors", include_str!("errors.js")),
    ("inspector", "console/inspect", include_str!("inspect.js")),
    ("collections", "console/collections", include_str!("collections.js")),
    ("formatter", "console/format", include_str!("format.js")),
    ("table", "console/table", include_str!("table.js")),
];

/// Installs `console`.
///
/// `print(level, text)` takes a line: level 0 debug, 1 log, 2 warn, 3 error; the text has no line end of its own.
/// `now()` gives the clock in milliseconds.
pub(crate) fn register<'js>(
    ctx: &Ctx<'js>,
    primordials: &Object<'js>,
    print: impl Fn(u32, String) + 'static,
    now: Function<'js>,
) -> Result<()> {
    let natives = Object::new(ctx.clone())?;
    // Tells the prelude whether the text was well-formed: see `write` in `console.js`.
    let print = Function::new(ctx.clone(), move |level: u32, text: JsString<'js>| {
        text.to_string().map(|text| print(level, text)).is_ok()
    })?;
    natives.set("print", print)?;
    natives.set("now", now)?;
    for (part, name, source) in PARTS {
        let made: Value =
            evaluate(ctx, name, source)?.call((natives.clone(), primordials.clone()))?;
        natives.set(part, made)?;
    }
    evaluate(ctx, "console", include_str!("console.js"))?.call((natives, primordials.clone()))
}

#[cfg(test)]
mod tests;
