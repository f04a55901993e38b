//! Errors across the border: what a program throws becomes a [`Failure`].

use crate::bindings::exports::pml::sandbox::program::{Failure, FailureKind};
use crate::text::lossy;
use rquickjs::{Ctx, Object, Value};

/// The message of QuickJS for a stack that is used up.
const STACK_OVERFLOW: &str = "Maximum call stack size exceeded";

/// Longest message or stack taken from a thrown value: both are the program's own and may be of any size.
const TEXT_LIMIT: usize = 16 << 10;

/// Most causes that are told: a chain may be endless.
const CAUSES: usize = 8;

/// Reads a thrown value. Getters of the program may run; whatever they throw is passed over.
pub(crate) fn failure<'js>(ctx: &Ctx<'js>, thrown: &Value<'js>) -> Failure {
    let Some(object) = thrown.as_object() else {
        return Failure {
            kind: FailureKind::Threw,
            name: String::new(),
            message: primitive(ctx, thrown),
            stack: String::new(),
            code: None,
            causes: Vec::new(),
            hint: None,
        };
    };
    let text = |key: &str| read(ctx, object, key);
    let (name, message) = (text("name").unwrap_or_default(), text("message"));
    let message = message.unwrap_or_else(|| match ctx.json_stringify(object.clone()) {
        Ok(Some(json)) => clip(lossy(&json)),
        _ => {
            ctx.catch();
            "an object without a message".into()
        }
    });
    let kind = match name.as_str() {
        "RangeError" | "InternalError" if message == STACK_OVERFLOW => FailureKind::Stack,
        _ => FailureKind::Threw,
    };
    Failure {
        kind,
        name,
        message,
        stack: text("stack").unwrap_or_default(),
        code: text("code"),
        causes: causes(ctx, object),
        hint: None,
    }
}

/// A failure that the guest itself finds.
pub(crate) fn own(kind: FailureKind, message: impl Into<String>) -> Failure {
    Failure {
        kind,
        name: String::new(),
        message: message.into(),
        stack: String::new(),
        code: None,
        causes: Vec::new(),
        hint: None,
    }
}

/// The `name` of an object, if it is a text.
pub(crate) fn name_of<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<String> {
    read(ctx, value.as_object()?, "name")
}

/// What an error says caused it, and the errors that it gathers.
fn causes<'js>(ctx: &Ctx<'js>, error: &Object<'js>) -> Vec<String> {
    let mut causes = Vec::new();
    let gathered = get(ctx, error, "errors").and_then(|errors| errors.into_array());
    for one in gathered.iter().flat_map(|errors| errors.iter::<Value>()).take(CAUSES) {
        causes.extend(one.ok().map(|one| summary(ctx, &one)));
    }
    let mut next = get(ctx, error, "cause");
    while let Some(cause) = next.take().filter(|cause| !cause.is_undefined()) {
        if causes.len() >= CAUSES {
            break;
        }
        causes.push(summary(ctx, &cause));
        next = cause.as_object().and_then(|cause| get(ctx, cause, "cause"));
    }
    causes
}

fn summary<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> String {
    let Some(object) = value.as_object() else { return primitive(ctx, value) };
    let (name, message) = (read(ctx, object, "name"), read(ctx, object, "message"));
    match (name, message) {
        (Some(name), Some(message)) => name + ": " + &message,
        (one, other) => one.or(other).unwrap_or_else(|| "an object".into()),
    }
}

fn get<'js>(ctx: &Ctx<'js>, object: &Object<'js>, key: &str) -> Option<Value<'js>> {
    match object.get(key) {
        Ok(value) => Some(value),
        Err(_) => {
            ctx.catch();
            None
        }
    }
}

fn read<'js>(ctx: &Ctx<'js>, object: &Object<'js>, key: &str) -> Option<String> {
    get(ctx, object, key)?.as_string().map(|text| clip(lossy(text)))
}

fn primitive<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> String {
    if let Some(symbol) = value.as_symbol() {
        let description = symbol.description().ok().and_then(|text| text.get::<String>().ok());
        return format!("Symbol({})", description.unwrap_or_default());
    }
    if let Some(text) = value.as_string() {
        return clip(lossy(text));
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
