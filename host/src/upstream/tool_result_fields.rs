//! The parts of a tool's answer, each as the text that it is: nothing is built of what may be
//! large.

use crate::model::CallError;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::fmt;

/// The fields of an answer that decide what it means.
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
    /// Reads an answer.
    pub(super) fn read(text: &'a str) -> Result<ToolResultFields<'a>, CallError> {
        // A list would be read as the fields in their order.
        if !text.trim_ascii_start().starts_with('{') {
            return Err(CallError::tool("its answer is not an object"));
        }
        serde_json::from_str(text)
            .map_err(|error| CallError::tool(format!("its answer cannot be read: {error}")))
    }

    /// Returns what kind of result it is, if it says so.
    pub(super) fn kind(&self) -> Option<String> {
        serde_json::from_str(self.kind?.get()).ok()
    }

    /// Returns whether the tool says that it failed.
    pub(super) fn failed(&self) -> bool {
        self.is_error.is_some_and(|value| value.get() == "true")
    }
}

/// The only item of a list; nothing if there are more, or none.
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
    /// Reads a block, if it is one.
    pub(super) fn read(raw: &'a RawValue) -> Option<RawContentBlock<'a>> {
        raw.get().starts_with('{').then(|| serde_json::from_str(raw.get()).ok()).flatten()
    }

    /// Returns whether it is a text.
    pub(super) fn is_text(&self) -> bool {
        self.kind.is_some_and(|kind| kind.get() == "\"text\"")
    }
}

/// A field that is there counts also if it is `null`.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}
