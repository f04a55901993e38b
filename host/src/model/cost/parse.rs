//! Parses a JSON text into a value, within a budget.

use super::size::{VALUE, array, object, string};
use super::work::SMALL;
use super::{HaltReason, WorkSlice};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::cell::{Cell, RefCell};
use std::fmt;

/// Values between two checks of the budget: some hundred microseconds.
const CHECK_INTERVAL: u32 = 1 << 12;

/// The reason why a text was not parsed.
#[derive(Debug)]
pub(crate) enum ParseError {
    /// It is not JSON, or nests too deep.
    Json(serde_json::Error),
    /// It takes more than this many bytes once it is parsed.
    TooLarge(usize),
    /// The work was stopped.
    Halted(HaltReason),
}

/// Parses a text into a value that takes at most `memory` bytes.
pub(crate) fn parse(text: &str, memory: usize, slice: &WorkSlice<'_>) -> Result<Value, ParseError> {
    // A short text takes little memory in any case.
    if text.len() <= SMALL {
        return serde_json::from_str(text).map_err(ParseError::Json);
    }
    let budget = ParseBudget {
        remaining: Cell::new(memory.saturating_sub(VALUE)),
        until_check: Cell::new(CHECK_INTERVAL),
        exceeded: Cell::new(false),
        halt: RefCell::new(None),
        slice,
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let built = BoundedValueSeed(&budget).deserialize(&mut deserializer);
    match built.and_then(|value| deserializer.end().map(|()| value)) {
        Ok(value) => Ok(value),
        Err(_) if budget.exceeded.get() => Err(ParseError::TooLarge(memory)),
        Err(error) => match budget.halt.into_inner() {
            Some(halt) => Err(ParseError::Halted(halt)),
            None => Err(ParseError::Json(error)),
        },
    }
}

/// The remaining budget.
struct ParseBudget<'a> {
    remaining: Cell<usize>,
    until_check: Cell<u32>,
    exceeded: Cell<bool>,
    halt: RefCell<Option<HaltReason>>,
    slice: &'a WorkSlice<'a>,
}

impl ParseBudget<'_> {
    fn charge<E: serde::de::Error>(&self, bytes: usize) -> Result<(), E> {
        match self.remaining.get().checked_sub(bytes) {
            Some(remaining) => {
                self.remaining.set(remaining);
                Ok(())
            }
            None => {
                self.exceeded.set(true);
                Err(E::custom("too large"))
            }
        }
    }

    fn check<E: serde::de::Error>(&self) -> Result<(), E> {
        let remaining = self.until_check.get() - 1;
        self.until_check.set(if remaining == 0 { CHECK_INTERVAL } else { remaining });
        if remaining > 0 {
            return Ok(());
        }
        self.slice.check().map_err(|halt| {
            *self.halt.borrow_mut() = Some(halt);
            E::custom("given up")
        })
    }
}

/// Builds a value as `serde_json` does, and counts its size.
struct BoundedValueSeed<'a>(&'a ParseBudget<'a>);

impl<'de> DeserializeSeed<'de> for BoundedValueSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.0.check()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for BoundedValueSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        self.0.charge(string(value.len()))?;
        Ok(value.into())
    }

    fn visit_string<E: serde::de::Error>(self, value: String) -> Result<Value, E> {
        self.0.charge(string(value.len()))?;
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(BoundedValueSeed(self.0))? {
            // The item is charged before the list grows.
            self.0.charge(array(list.len() + 1) - array(list.len()))?;
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let grown = object(map.len() + 1) - object(map.len());
            self.0.charge(grown + string(key.len()))?;
            map.insert(key, entries.next_value_seed(BoundedValueSeed(self.0))?);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::{ParseError, parse};
    use crate::model::Limits;
    use crate::model::cost::{CpuUse, HaltReason, RunBudget, parsed_size};
    use serde_json::Value;
    use std::time::Duration;

    fn read(text: &str, memory: usize) -> Result<Value, ParseError> {
        RunBudget::without_run().work_here(text.len(), |work| parse(text, memory, &work.begin()))
    }

    /// Returns JSON of each kind, longer than the texts that are parsed without counting.
    fn samples() -> Vec<String> {
        let many = |item: &str| format!("[{}{item}]", format!("{item},").repeat(3_000));
        vec![
            many("0"),
            many("[0]"),
            many("[]"),
            many("{\"\":0}"),
            many(
                "{\"a\":1.5,\"b\":[true,null,-7],\"c\":\"\\u00e9\\n\",\"d\":18446744073709551615}",
            ),
            many("\"text\""),
            format!(
                "{{{}\"z\":1}}",
                (0..3_000).map(|n| format!("\"k{n}\":{n},")).collect::<String>()
            ),
            format!("\"{}\"", "x".repeat(10_000)),
        ]
    }

    #[test]
    fn it_builds_what_serde_json_builds() {
        for text in samples() {
            let expected: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(read(&text, usize::MAX).expect("a value"), expected);
        }
    }

    #[test]
    fn what_a_text_was_weighed_at_is_what_parsing_takes() {
        for text in samples() {
            let weight = parsed_size(&text);
            assert!(read(&text, weight).is_ok(), "{text:.40}: {weight}");
            let error = read(&text, weight * 9 / 10).expect_err("too large");
            assert!(matches!(error, ParseError::TooLarge(_)), "{text:.40}: {error:?}");
        }
    }

    #[test]
    fn what_is_no_json_says_where() {
        for text in [format!("[{}", "0,".repeat(5_000)), format!("{} 1", samples()[0])] {
            let Err(ParseError::Json(error)) = read(&text, usize::MAX) else {
                panic!("{text:.20}")
            };
            assert!(error.to_string().contains("column"), "{error}");
        }
        let deep = format!("{}{}{}", "[".repeat(129), " ".repeat(5_000), "]".repeat(129));
        assert!(matches!(read(&deep, usize::MAX), Err(ParseError::Json(_))));
    }

    #[test]
    fn a_long_text_ends_with_the_cpu_time() {
        let limits = Limits { cpu_time: Duration::from_nanos(1), ..Limits::default() };
        let text = format!("[{}0]", "0,".repeat(1 << 20));
        let parsed = RunBudget::new(&limits, CpuUse::default())
            .work_here(text.len(), |work| parse(&text, usize::MAX, &work.begin()));
        assert!(matches!(parsed, Err(ParseError::Halted(HaltReason::CpuTime))), "{parsed:?}");
    }
}
