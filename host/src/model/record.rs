//! The record of a call, with the digest that asks and decisions name.
//!
//! **Invariant:** everything that a decision depends on is in the digest. The parts that are left
//! out (the reason for asking, the id of the call, the number of the ask) do not change what would
//! happen.

use super::{AskKind, Need, ToolOrigin, canonical};
use serde_json::{Value, json};

/// One call, as a person decides about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallRecord<'a> {
    /// The kind of ask.
    pub(crate) kind: AskKind,
    /// The tool.
    pub(crate) tool: &'a str,
    /// Its arguments, all of them.
    pub(crate) arguments: &'a Value,
    /// Its definition, server and package, if they are known.
    pub(crate) origin: Option<&'a ToolOrigin>,
    /// The need that is fulfilled first: something is installed, set, trusted or accepted.
    pub(crate) need: Option<&'a Need>,
}

impl CallRecord<'_> {
    /// Returns the sha256 of all fields, in hex.
    pub(crate) fn digest(&self) -> String {
        canonical::digest(&json!({
            "kind": self.kind,
            "tool": self.tool,
            "arguments": self.arguments,
            "origin": self.origin,
            "need": self.need,
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Ask, AskKind, CallId, MissingVariables, Need, ToolOrigin};
    use serde_json::json;

    fn ask() -> Ask {
        let arguments = json!({ "to": "Ann", "amount": 5 });
        let mut ask = Ask::new(AskKind::ToolPermission, None, "bank:pay", arguments, "it asks");
        ask.origin = Some(ToolOrigin::new("definition", "server"));
        ask
    }

    #[test]
    fn everything_that_is_decided_about_is_in_the_digest() {
        let one = ask();
        let changed = |change: fn(&mut Ask)| {
            let mut other = ask();
            change(&mut other);
            other.digest() != one.digest()
        };
        assert!(changed(|ask| ask.kind = AskKind::UncertainCall));
        assert!(changed(|ask| ask.tool = "bank:pay_all".into()));
        assert!(changed(|ask| ask.arguments = json!({ "to": "Ann", "amount": 50 })));
        assert!(changed(|ask| ask.arguments = json!({ "to": "Ann", "amount": "5" })));
        assert!(changed(|ask| ask.origin = None));
        assert!(changed(|ask| ask.origin = Some(ToolOrigin::new("definition", "another"))));
        let package = |ask: &mut Ask| {
            let origin = ToolOrigin::new("definition", "server");
            ask.origin = Some(origin.with_package(Some("package".into())));
        };
        assert!(changed(package));
        let need = |ask: &mut Ask| {
            ask.need = Some(Need::Variables(MissingVariables::new("s", vec!["A".into()], "f")));
        };
        assert!(changed(need));
        // The order of keys, the reason for asking and the id of the call do not change what
        // happens.
        assert!(!changed(|ask| ask.arguments = json!({ "amount": 5, "to": "Ann" })));
        assert!(!changed(|ask| ask.reason = "another".into()));
        assert!(!changed(|ask| ask.call = Some(CallId::numbered(7))));
    }

    #[test]
    fn an_ask_that_was_written_and_read_is_the_same() {
        let mut one = ask();
        one.arguments = json!({ "f": [0.1, 1e300, 123_456_789.123_456_79, -0.0], "n": u64::MAX, "t": "é\u{0}" });
        let text = serde_json::to_string(&one).expect("it is written");
        let read: Ask = serde_json::from_str(&text).expect("it is read");
        assert_eq!(read.digest(), one.digest());
        assert!(one.digest().starts_with(&one.short_digest()));
    }
}
