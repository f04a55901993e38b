//! The fields of a tool's answer, each as its raw text. No value is built from them, since they may
//! be large.

use crate::model::CallError;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::fmt;

/// The fields that determine the meaning of an answer.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolResultFields<'a> {
    #[serde(borrow, rename = "resultType", deserialize_with = "present")]
    kind: Option<&'a RawValue>,
    #[serde(borrow, rename = "isError", deserialize_with = "present")]
    is_error: Option<&'a RawValue>,
    #[serde(borrow, rename = "structuredContent", deserialize_with = "present")]
    pub(super) structured: Option<&'a RawValue>,
    #[serde(borrow, deserialize_with = "present")]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow, rename = "toolResult", deserialize_with = "present")]
    pub(super) tool_result: Option<&'a RawValue>,
}

impl<'a> ToolResultFields<'a> {
    /// Parses an answer.
    pub(super) fn read(text: &'a str) -> Result<ToolResultFields<'a>, CallError> {
        // serde would accept a list and read its items as the fields in order.
        if !text.trim_ascii_start().starts_with('{') {
            return Err(CallError::tool("its answer is not an object"));
        }
        serde_json::from_str(text)
            .map_err(|error| CallError::tool(format!("its answer cannot be read: {error}")))
    }

    /// Returns the type of the result, if the answer names it.
    pub(super) fn kind(&self) -> Option<String> {
        serde_json::from_str(self.kind?.get()).ok()
    }

    /// Reports whether the tool failed.
    pub(super) fn failed(&self) -> bool {
        self.is_error.is_some_and(|value| value.get() == "true")
    }
}

/// The only item of a list. `None` if there are more, or none.
pub(super) struct SingleItem<'a>(pub(super) Option<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for SingleItem<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SingleItem<'a>, D::Error> {
        struct First;

        impl<'de> Visitor<'de> for First {
            type Value = Option<&'de RawValue>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let first = items.next_element()?;
                let mut more = false;
                while items.next_element::<IgnoredAny>()?.is_some() {
                    more = true;
                }
                Ok(first.filter(|_| !more))
            }
        }

        deserializer.deserialize_seq(First).map(SingleItem)
    }
}

/// A content block.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct RawContentBlock<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "present")]
    kind: Option<&'a RawValue>,
    #[serde(borrow, deserialize_with = "present")]
    pub(super) text: Option<&'a RawValue>,
}

impl<'a> RawContentBlock<'a> {
    /// Parses a block. Returns `None` if it is not one.
    pub(super) fn read(raw: &'a RawValue) -> Option<RawContentBlock<'a>> {
        raw.get().starts_with('{').then(|| serde_json::from_str(raw.get()).ok()).flatten()
    }

    /// Reports whether it is a text block.
    pub(super) fn is_text(&self) -> bool {
        self.kind.is_some_and(|kind| kind.get() == "\"text\"")
    }
}

/// Deserializes a field that is present. A field of `null` counts as present.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}
