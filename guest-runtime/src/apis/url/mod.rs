//! `URL` and `URLSearchParams`, on the `url` crate.
//!
//! The natives are stateless: an address goes in as text, and comes out as text. The crate is built without the Unicode tables
//! of IDNA (see `idna_adapter` in `Cargo.toml`), which are ten times its size: hosts outside ASCII are refused with an error
//! that says so.

use super::primordials::evaluate;
use rquickjs::{Array, Ctx, Function, IntoJs, Object, Result, Value, function::Opt};
use url::{ParseError, Url, form_urlencoded, quirks};

/// Why there is no address; `url.js` knows the numbers.
const MALFORMED: u32 = 0;
const FOREIGN_HOST: u32 = 1;

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

/// The normalised address, or the number of a reason.
fn parse<'js>(ctx: Ctx<'js>, input: String, base: Opt<Option<String>>) -> Result<Value<'js>> {
    let parsed = match base.0.flatten() {
        None => Url::parse(&input),
        Some(base) => Url::parse(&base).and_then(|base| base.join(&input)),
    };
    match parsed {
        Ok(url) => url.as_str().into_js(&ctx),
        Err(ParseError::IdnaError) if !input.is_ascii() => FOREIGN_HOST.into_js(&ctx),
        Err(_) => MALFORMED.into_js(&ctx),
    }
}

/// The parts of an address that `parse` gave, in the order that `url.js` knows.
fn parts<'js>(ctx: Ctx<'js>, href: String) -> Result<Array<'js>> {
    let array = Array::new(ctx)?;
    let Ok(url) = Url::parse(&href) else { return Ok(array) };
    let texts = [
        quirks::protocol(&url),
        quirks::username(&url),
        quirks::password(&url),
        quirks::host(&url),
        quirks::hostname(&url),
        quirks::port(&url),
        quirks::pathname(&url),
        quirks::search(&url),
        quirks::hash(&url),
        &quirks::origin(&url),
    ];
    for (index, text) in texts.into_iter().enumerate() {
        array.set(index, text)?;
    }
    Ok(array)
}

/// The address with one part replaced, or nothing if the value does not fit.
fn set(href: String, part: u32, value: String) -> Option<String> {
    let mut url = Url::parse(&href).ok()?;
    match part {
        0 => quirks::set_protocol(&mut url, &value).ok()?,
        1 => quirks::set_username(&mut url, &value).ok()?,
        2 => quirks::set_password(&mut url, &value).ok()?,
        3 => quirks::set_host(&mut url, &value).ok()?,
        4 => quirks::set_hostname(&mut url, &value).ok()?,
        5 => quirks::set_port(&mut url, &value).ok()?,
        6 => quirks::set_pathname(&mut url, &value),
        7 => quirks::set_search(&mut url, &value),
        _ => quirks::set_hash(&mut url, &value),
    }
    Some(url.into())
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
}
