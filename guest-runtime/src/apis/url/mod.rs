//! `URL` and `URLSearchParams`, as the WHATWG standard has them.
//!
//! The natives are stateless: an address goes in as text, and comes out as text. The crate `url` is not used: it departs from
//! the standard where a path of `file:` starts with slashes, where a drive meets a host, and where a relative address has
//! backslashes.

mod file;
mod host;
mod parse;
mod percent;
mod record;
mod set;

use super::primordials::evaluate;
use record::Address;
use rquickjs::{Array, Ctx, Function, Object, Result, function::Opt};

/// A text that is no address.
#[derive(Debug, PartialEq, Eq)]
struct AddressError;

/// Installs both classes.
pub(crate) fn register<'js>(ctx: &Ctx<'js>, primordials: &Object<'js>) -> Result<()> {
    let natives = Object::new(ctx.clone())?;
    natives.set("parse", Function::new(ctx.clone(), parse)?)?;
    natives.set("parts", Function::new(ctx.clone(), parts)?)?;
    natives.set("set", Function::new(ctx.clone(), set)?)?;
    natives.set("parseQuery", Function::new(ctx.clone(), parse_query)?)?;
    natives.set("writeQuery", Function::new(ctx.clone(), write_query)?)?;
    let params = evaluate(ctx, "url/search_params", include_str!("search_params.js"))?;
    let params: Object = params.call((natives.clone(), primordials.clone()))?;
    natives.set("searchParams", params)?;
    evaluate(ctx, "url", include_str!("url.js"))?.call((natives, primordials.clone()))
}

/// The normalised address, or nothing if there is none.
fn parse(input: String, base: Opt<Option<String>>) -> Option<String> {
    let base = match base.0.flatten() {
        None => None,
        Some(base) => Some(parse::parse(&base, None).ok()?),
    };
    parse::parse(&input, base.as_ref()).ok().map(|address| address.href())
}

/// The parts of an address that `parse` gave, in the order that `url.js` knows.
fn parts<'js>(ctx: Ctx<'js>, href: String) -> Result<Array<'js>> {
    let array = Array::new(ctx)?;
    let Ok(address) = parse::parse(&href, None) else { return Ok(array) };
    let marked = |mark: char, text: &Option<String>| match text.as_deref() {
        None | Some("") => String::new(),
        Some(text) => format!("{mark}{text}"),
    };
    let texts = [
        format!("{}:", address.scheme),
        address.username.clone(),
        address.password.clone(),
        address.host_and_port(),
        address.host.clone().unwrap_or_default(),
        address.port.map(|port| port.to_string()).unwrap_or_default(),
        address.pathname(),
        marked('?', &address.query),
        marked('#', &address.fragment),
        address.origin(),
    ];
    for (index, text) in texts.into_iter().enumerate() {
        array.set(index, text)?;
    }
    Ok(array)
}

/// The address with one part replaced, or nothing if the value does not fit.
fn set(href: String, part: u32, value: String) -> Option<String> {
    let mut address: Address = parse::parse(&href, None).ok()?;
    set::set(&mut address, part, &value)?;
    Some(address.href())
}

/// Names and values in turn.
fn parse_query(query: String) -> Vec<String> {
    form_urlencoded::parse(query.as_bytes())
        .flat_map(|(name, value)| [name.into_owned(), value.into_owned()])
        .collect()
}

fn write_query(list: Vec<String>) -> String {
    let (pairs, _) = list.as_chunks::<2>();
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs.iter().map(|[name, value]| (name, value)))
        .finish()
}

#[cfg(test)]
mod tests {
    use crate::apis::primordials::tests::{run, with_context};

    #[test]
    fn addresses_follow_the_standard() {
        with_context(|ctx, primordials| {
            super::register(ctx, primordials)?;
            run(ctx, "url.test.js", include_str!("url.test.js"))
        });
    }

    /// Where node 20 departs from the standard, which is followed here.
    const EXCEPTIONS: &[(&str, &str)] = &[
        (r#"["http://h/\"<>`{}|^\\",null]"#, "`^` in a path is escaped since 2023"),
        (r#"["x?y#z","mailto:a@b"]"#, "nothing but a fragment is relative to an opaque path"),
        (r#"["/é?é#é","mailto:a@b"]"#, "the same"),
        (r#"["x?y#z","data:text/plain,x"]"#, "the same"),
        (r#"["/é?é#é","data:text/plain,x"]"#, "the same"),
        (r#"["x?y#z","blob:https://a.example/id"]"#, "the same"),
        (r#"["/é?é#é","blob:https://a.example/id"]"#, "the same"),
        (r#"["/..","custom://host/p/q"]"#, "`/..` leaves the slash"),
        (r#"["/..","custom:/p/q"]"#, "the same"),
        (r#"["custom://h/p?q#f","pathname",".."]"#, "the same"),
        (r#"["custom:/p","pathname",".."]"#, "the same"),
        (r#"["http://u:p@h.example:8080/a/b?q#f","port","a8"]"#, "no number, no change"),
        (r#"["custom://h/p?q#f","host",":81"]"#, "a port needs a host"),
        (r#"["custom:/p","host",""]"#, "an unknown scheme may have an empty host"),
        (r#"["custom:/p","hostname",""]"#, "the same"),
        (r#"["custom:/p","host","x:81"]"#, "`host` sets the port too"),
        (r#"["custom:/p","host","x:80"]"#, "the same"),
        (r#"["custom:/p","host","x:443"]"#, "the same"),
        (r#"["custom:/p","host","[::1]:5"]"#, "the same"),
        (r#"["custom:/p","host","x:8a"]"#, "the same"),
    ];

    /// `addresses.json` was written by node: see `generate.mjs`.
    #[test]
    fn addresses_are_those_of_node() {
        with_context(|ctx, primordials| {
            super::register(ctx, primordials)?;
            let recorded: rquickjs::Value = ctx.json_parse(include_str!("addresses.json"))?;
            ctx.globals().set("recorded", recorded)?;
            let differences: Vec<Vec<String>> = ctx.eval(
                r#"
                const compare = (key, expected, given) => {
                    const [node, ours] = [JSON.stringify(expected), JSON.stringify(given)];
                    return node === ours ? [] : [[JSON.stringify(key), "node " + node + ", ours " + ours]];
                };
                recorded.addresses.flatMap(([input, base, ...expected]) => {
                    let given = [];
                    try {
                        const url = base === null ? new URL(input) : new URL(input, base);
                        given = [url.href, url.origin, url.host, url.pathname];
                    } catch {}
                    return compare([input, base], expected, given);
                }).concat(recorded.changes.flatMap(([href, part, value, expected]) => {
                    const url = new URL(href);
                    url[part] = value;
                    return compare([href, part, value], expected, url.href);
                }))
                "#,
            )?;
            let known = |key: &String| EXCEPTIONS.iter().any(|(exception, _)| exception == key);
            let unknown: Vec<_> = differences.iter().filter(|it| !known(&it[0])).collect();
            assert!(unknown.is_empty(), "{} differ: {unknown:#?}", unknown.len());
            assert_eq!(differences.len(), EXCEPTIONS.len(), "an exception is no longer one");
            Ok(())
        });
    }
}
