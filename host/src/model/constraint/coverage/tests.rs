//! Arguments that conditions cover, and arguments that they do not.

use super::super::{Condition, Constraint, LexicalPaths};
use serde_json::{Value, json};

fn is(argument: &str, is: Condition) -> Constraint {
    Constraint::new(argument, is)
}

fn under(argument: &str) -> Constraint {
    is(argument, Condition::Under("/n".into()))
}

fn covered(constraints: &[Constraint], arguments: &Value) -> bool {
    Constraint::cover(constraints, arguments, &LexicalPaths)
}

fn described_gaps(constraints: &[Constraint], arguments: &Value) -> Vec<String> {
    let gaps = Constraint::gaps(constraints, arguments, &LexicalPaths);
    gaps.iter().map(ToString::to_string).collect()
}

#[test]
fn an_argument_that_nobody_named_is_not_covered_whatever_it_is() {
    let path = [under("path")];
    assert!(covered(&path, &json!({ "path": "/n/a" })));
    for extra in [
        json!(null),
        json!(false),
        json!(true),
        json!(0),
        json!(1.5),
        json!(""),
        json!("x"),
        json!([]),
        json!([null]),
        json!({}),
        json!({ "deep": { "deeper": [] } }),
    ] {
        assert!(!covered(&path, &json!({ "path": "/n/a", "extra": extra })), "{extra}");
        assert!(!covered(&path, &json!({ "": extra, "path": "/n/a" })), "{extra}");
        // The counterpart: a condition says that it may be anything.
        let free = [under("path"), is("extra", Condition::Any)];
        assert!(covered(&free, &json!({ "path": "/n/a", "extra": extra })), "{extra}");
    }
}

#[test]
fn anything_may_be_missing_and_nothing_else_may() {
    let free = [under("path"), is("content", Condition::Any)];
    assert!(covered(&free, &json!({ "path": "/n/a" })));
    assert!(!covered(&free, &json!({ "content": "x" })));
    let null = [is("x", Condition::Equals(Value::Null))];
    assert!(covered(&null, &json!({ "x": null })) && !covered(&null, &json!({})));
    assert!(!covered(&[is("x", Condition::Host("h".into()))], &json!({})));
}

#[test]
fn arguments_without_names_are_not_covered() {
    for arguments in [json!(null), json!([]), json!(["/n/a"]), json!("path"), json!(5)] {
        for conditions in [vec![is("0", Condition::Any)], vec![is("path", Condition::Any)]] {
            assert!(!covered(&conditions, &arguments), "{arguments}");
        }
    }
    // Missing arguments are covered if all may be missing.
    assert!(covered(&[is("path", Condition::Any)], &json!({})));
}

#[test]
fn what_stands_deeper_can_be_named_and_its_neighbours_are_not() {
    let deep = [under("/options/path"), is("/options/n", Condition::Equals(json!(1)))];
    assert!(covered(&deep, &json!({ "options": { "n": 1, "path": "/n/a" } })));
    for other in [
        json!({ "options": { "n": 1, "path": "/n/a", "x": null } }),
        json!({ "options": { "n": 1, "path": "/n/a" }, "x": {} }),
        json!({ "options": { "n": 2, "path": "/n/a" } }),
        json!({ "options": { "path": "/n/a" } }),
        json!({ "options": {} }),
        json!({ "options": [] }),
        json!({ "options": null }),
        json!({ "/options/path": "/n/a", "/options/n": 1 }),
    ] {
        assert!(!covered(&deep, &other), "{other}");
    }
    let all = [is("options", Condition::Any)];
    assert!(covered(&all, &json!({ "options": { "a": [{ "b": null }] } })));
}

#[test]
fn of_a_list_every_one_is_looked_at() {
    let paths = [under("paths")];
    assert!(covered(&paths, &json!({ "paths": ["/n/a", "/n/b"] })));
    for other in [
        json!([]),
        json!(["/n/a", "/etc/passwd"]),
        json!(["/n/a", 1]),
        json!(["/n/a", null]),
        json!(["/n/a", ["/n/b"]]),
        json!(["/n/a", { "path": "/n/b" }]),
        json!({ "0": "/n/a" }),
    ] {
        assert!(!covered(&paths, &json!({ "paths": other })), "{other}");
    }
    let first = [under("/paths/0")];
    assert!(covered(&first, &json!({ "paths": ["/n/a"] })));
    assert!(!covered(&first, &json!({ "paths": ["/n/a", "/n/b"] })));
}

#[test]
fn what_is_missing_is_told_in_words() {
    let path = [under("path")];
    assert_eq!(described_gaps(&path, &json!({ "path": "/m" })), ["`path`"]);
    assert_eq!(described_gaps(&path, &json!({})), ["`path`, which is missing"]);
    let extra = json!({ "path": "/n/a", "overwrite": true });
    assert_eq!(described_gaps(&path, &extra), ["`overwrite`, which no condition names"]);
    let deep = [under("/options/path")];
    let extra = json!({ "options": { "path": "/n/a", "force": null } });
    assert_eq!(described_gaps(&deep, &extra), ["`force` of `options`, which no condition names"]);
    let hostile = json!({ "path": "/n/a", "x\u{202e}`\n": 1 });
    assert_eq!(
        described_gaps(&path, &hostile),
        ["`x\\u{202e}\\u{60}\\u{a}`, which no condition names"]
    );
    let many: serde_json::Map<_, _> = (0..99).map(|n| (n.to_string(), json!(n))).collect();
    assert_eq!(described_gaps(&path, &many.into()).len(), 3);
}

/// Pseudo-random numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((self.0 >> 33) as usize) % most
    }

    fn value(&mut self, depth: usize) -> Value {
        let most = if depth == 0 { 6 } else { 8 };
        match self.next(most) {
            0 => Value::Null,
            1 => json!(self.next(2) == 0),
            2 => json!(self.next(100)),
            3 => json!("x"),
            4 => json!([]),
            5 => json!({}),
            6 => (0..self.next(3)).map(|_| self.value(depth - 1)).collect(),
            _ => {
                let fields = (0..self.next(3)).map(|n| (format!("k{n}"), self.value(depth - 1)));
                Value::Object(fields.collect())
            }
        }
    }
}

/// Returns the value with one more value in it, once for each possible place in an object or a
/// list.
fn with_one_more(value: &Value, extra: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match value {
        Value::Object(fields) => {
            let mut more = fields.clone();
            more.insert("extra".into(), extra.clone());
            all.push(Value::Object(more));
            for (name, inner) in fields {
                for changed in with_one_more(inner, extra) {
                    let mut more = fields.clone();
                    more[name] = changed;
                    all.push(Value::Object(more));
                }
            }
        }
        Value::Array(items) => {
            for at in 0..=items.len() {
                let mut more = items.clone();
                more.insert(at, extra.clone());
                all.push(Value::Array(more));
            }
            for (index, inner) in items.iter().enumerate() {
                for changed in with_one_more(inner, extra) {
                    let mut more = items.clone();
                    more[index] = changed;
                    all.push(Value::Array(more));
                }
            }
        }
        _ => {}
    }
    all
}

/// Adds a condition for each leaf.
fn exactly(value: &Value, trail: &mut Vec<String>, conditions: &mut Vec<Constraint>) {
    let mut each = |step: String, inner: &Value| {
        trail.push(step);
        exactly(inner, trail, conditions);
        trail.pop();
    };
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            fields.iter().for_each(|(name, inner)| each(name.clone(), inner));
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(index, inner)| each(index.to_string(), inner));
        }
        leaf => {
            let name = super::super::pointer::name_of_steps(trail);
            conditions.push(is(&name, Condition::Equals(leaf.clone())));
        }
    }
}

#[test]
fn no_call_with_one_more_value_anywhere_is_covered() {
    let mut numbers = Numbers(7);
    let mut tried = 0;
    for _ in 0..300 {
        let fields = (0..=numbers.next(3)).map(|n| (format!("a{n}"), numbers.value(3)));
        let arguments = Value::Object(fields.collect());
        let mut conditions = Vec::new();
        exactly(&arguments, &mut Vec::new(), &mut conditions);
        assert!(covered(&conditions, &arguments), "{arguments}");
        for extra in [Value::Null, json!(false), json!(0), json!(""), json!([]), json!({})] {
            for more in with_one_more(&arguments, &extra) {
                assert!(!covered(&conditions, &more), "{arguments} {more}");
                tried += 1;
            }
        }
    }
    assert!(tried > 4_000, "{tried}");
}
