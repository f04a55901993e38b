//! Errors across the border: what a program throws becomes a [`Failure`], what became of a call becomes an `Error`.

use crate::bindings::exports::pml::sandbox::program::{CallError, Failure, FailureKind};
use rquickjs::{Ctx, Exception, Object, Result, Value};

/// The message of QuickJS for a stack that is used up.
const STACK_OVERFLOW: &str = "Maximum call stack size exceeded";

/// Longest message or stack taken from a thrown value: both are the program's own and may be of any size.
const TEXT_LIMIT: usize = 16 << 10;

/// Reads a thrown value. Getters of the program may run; whatever they throw is passed over.
pub(crate) fn failure<'js>(ctx: &Ctx<'js>, thrown: &Value<'js>) -> Failure {
    let Some(object) = thrown.as_object() else {
        return Failure {
            kind: FailureKind::Threw,
            name: String::new(),
            message: primitive(ctx, thrown),
            stack: String::new(),
            code: None,
        };
    };
    let text = |key: &str| read(ctx, object, key);
    let (name, message) = (text("name").unwrap_or_default(), text("message"));
    let message = message.unwrap_or_else(|| match ctx.json_stringify(object.clone()) {
        Ok(Some(json)) => clip(json.to_string().unwrap_or_default()),
        _ => {
            ctx.catch();
            "an object without a message".into()
        }
    });
    let kind = match name.as_str() {
        "RangeError" | "InternalError" if message == STACK_OVERFLOW => FailureKind::Stack,
        _ => FailureKind::Threw,
    };
    Failure { kind, name, message, stack: text("stack").unwrap_or_default(), code: text("code") }
}

/// A failure that the guest itself finds.
pub(crate) fn own(kind: FailureKind, message: impl Into<String>) -> Failure {
    Failure { kind, name: String::new(), message: message.into(), stack: String::new(), code: None }
}

/// What a program catches when a call fails: an `Error` named `ToolError` with `code`, `tool` and `data`.
pub(crate) fn tool_error<'js>(ctx: &Ctx<'js>, tool: &str, cause: CallError) -> Result<Value<'js>> {
    let error = Exception::from_message(ctx.clone(), &cause.message)?.into_object();
    error.prop("name", hidden("ToolError"))?;
    error.set("code", cause.code)?;
    error.set("tool", tool)?;
    if let Some(data) = cause.data {
        error.set("data", ctx.json_parse(data)?)?;
    }
    Ok(error.into_value())
}

fn hidden<T>(value: T) -> rquickjs::object::Property<T> {
    rquickjs::object::Property::from(value).writable().configurable()
}

fn read<'js>(ctx: &Ctx<'js>, object: &Object<'js>, key: &str) -> Option<String> {
    match object.get::<_, Value>(key) {
        Ok(value) => value.as_string().and_then(|text| text.to_string().ok()).map(clip),
        Err(_) => {
            ctx.catch();
            None
        }
    }
}

fn primitive<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> String {
    if let Some(symbol) = value.as_symbol() {
        let description = symbol.description().ok().and_then(|text| text.get::<String>().ok());
        return format!("Symbol({})", description.unwrap_or_default());
    }
    match value.get::<rquickjs::Coerced<String>>() {
        Ok(text) => clip(text.0),
        Err(_) => {
            ctx.catch();
            value.type_name().into()
        }
    }
}

fn clip(mut text: String) -> String {
    if text.len() > TEXT_LIMIT {
        text.truncate(text.floor_char_boundary(TEXT_LIMIT));
        text.push('…');
    }
    text
}
