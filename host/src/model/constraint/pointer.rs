//! Names of arguments in conditions.
//!
//! A name that does not begin with `/` means an argument at the top level, to the letter. A name
//! that does is a JSON Pointer (RFC 6901): `/options/path` is the `path` of `options`, `/files/0`
//! the first of `files`, and `/~1etc` the argument at the top level with the name `/etc`.

use serde_json::Value;

/// Returns the steps to an argument, or `None` if the name begins with `/` and is not a valid
/// pointer.
pub(super) fn steps(name: &str) -> Option<Vec<String>> {
    let Some(pointer) = name.strip_prefix('/') else { return Some(vec![name.to_owned()]) };
    pointer.split('/').map(unescape_step).collect()
}

/// Returns the name of the argument at the end of the steps.
pub(super) fn name_of_steps<S: AsRef<str>>(steps: &[S]) -> String {
    match steps {
        [only] if !only.as_ref().is_empty() && !only.as_ref().starts_with('/') => {
            only.as_ref().to_owned()
        }
        steps => steps.iter().map(|step| format!("/{}", escape_step(step.as_ref()))).collect(),
    }
}

/// Returns the value at the end of the steps.
pub(super) fn find<'a>(arguments: &'a Value, steps: &[String]) -> Option<&'a Value> {
    // Only an object has named arguments.
    let mut value = arguments.is_object().then_some(arguments)?;
    for step in steps {
        value = match value {
            Value::Object(fields) => fields.get(step)?,
            Value::Array(items) => items.get(parse_index(step)?)?,
            _ => return None,
        };
    }
    Some(value)
}

/// Returns the index in a list that a step names. Each index has one spelling.
fn parse_index(step: &str) -> Option<usize> {
    let plain = step == "0" || !step.starts_with('0');
    (plain && step.bytes().all(|byte| byte.is_ascii_digit())).then(|| step.parse().ok())?
}

fn escape_step(step: &str) -> String {
    step.replace('~', "~0").replace('/', "~1")
}

fn unescape_step(step: &str) -> Option<String> {
    let mut parts = step.split('~');
    let mut text = parts.next()?.to_owned();
    for part in parts {
        let (escaped, rest) = match part.strip_prefix('1') {
            Some(rest) => ('/', rest),
            None => ('~', part.strip_prefix('0')?),
        };
        text.push(escaped);
        text.push_str(rest);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::{find, name_of_steps, steps};
    use serde_json::json;

    #[test]
    fn every_argument_has_a_name_that_leads_back_to_it() {
        for trail in [
            vec!["path"],
            vec!["a.b"],
            vec!["a/b"],
            vec!["~"],
            vec!["/etc/passwd"],
            vec![""],
            vec!["options", "path"],
            vec!["options", ""],
            vec!["a/b", "~1", "0"],
        ] {
            let written = name_of_steps(&trail);
            assert_eq!(steps(&written).as_deref(), Some(&trail.map_to_owned()[..]), "{written}");
        }
        assert_eq!(name_of_steps(&["path"]), "path");
        assert_eq!(name_of_steps(&["options", "a/b"]), "/options/a~1b");
        assert_eq!(name_of_steps(&["/etc"]), "/~1etc");
        for wrong in ["/~", "/a~2", "/a~"] {
            assert_eq!(steps(wrong), None, "{wrong}");
        }
    }

    trait Owned {
        fn map_to_owned(&self) -> Vec<String>;
    }

    impl Owned for Vec<&str> {
        fn map_to_owned(&self) -> Vec<String> {
            self.iter().map(|step| (*step).to_owned()).collect()
        }
    }

    #[test]
    fn what_is_named_is_found_and_nothing_else() {
        let arguments = json!({ "a": { "b": [1, { "c": null }] }, "/x": true, "": 5 });
        let at = |name: &str| find(&arguments, &steps(name).expect("steps"));
        assert_eq!(at("/a/b/0"), Some(&json!(1)));
        assert_eq!(at("/a/b/1/c"), Some(&json!(null)));
        assert_eq!(at("/~1x"), Some(&json!(true)));
        assert_eq!(at("/"), Some(&json!(5)));
        for name in ["b", "/a/b/2", "/a/b/00", "/a/b/01", "/a/b/-", "/a/b/+1", "/x", "/a/b/0/c"] {
            assert_eq!(at(name), None, "{name}");
        }
        assert_eq!(find(&json!([1]), &["0".to_owned()]), None);
    }
}
