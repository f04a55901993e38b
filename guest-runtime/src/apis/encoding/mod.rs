//! Text and bytes: `TextEncoder`, `TextDecoder` (UTF-8, UTF-16LE, windows-1252), and QuickJS's own `atob` and `btoa`.
//!
//! **Invariant:** the natives copy bytes out before they allocate anything in the engine, so that no buffer can move under them.

use super::primordials::evaluate;
use rquickjs::{ArrayBuffer, Ctx, Error, Function, Object, Result, String as JsString, Value, qjs};
use std::borrow::Cow;

const UTF_16LE: u32 = 1;
const WINDOWS_1252: u32 = 2;

/// Bytes 0x80 to 0x9F of windows-1252; all others stand for themselves.
const WINDOWS_1252_CONTROLS: [u16; 32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
];

/// Installs the encoders and decoders.
pub(crate) fn register<'js>(ctx: &Ctx<'js>, primordials: &Object<'js>) -> Result<()> {
    // SAFETY: adds two functions to the global object of a live context.
    if unsafe { qjs::JS_AddIntrinsicAToB(ctx.as_raw().as_ptr()) } < 0 {
        return Err(Error::Exception);
    }
    let natives = Object::new(ctx.clone())?;
    natives.set("encode", Function::new(ctx.clone(), encode)?)?;
    natives.set("decode", Function::new(ctx.clone(), decode)?)?;
    natives.set("incompleteTail", Function::new(ctx.clone(), incomplete_tail)?)?;
    evaluate(ctx, "encoding", include_str!("encoding.js"))?.call((natives, primordials.clone()))
}

/// The UTF-8 of a text without lone surrogates.
fn encode<'js>(ctx: Ctx<'js>, text: JsString<'js>) -> Result<ArrayBuffer<'js>> {
    ArrayBuffer::new_copy(ctx, text.to_cstring()?.as_str().as_bytes())
}

/// The text of some bytes, or nothing if they are malformed and `fatal` is set.
fn decode<'js>(
    ctx: Ctx<'js>,
    encoding: u32,
    buffer: ArrayBuffer<'js>,
    offset: usize,
    length: usize,
    fatal: bool,
) -> Result<Value<'js>> {
    // SAFETY: no JavaScript runs while the slice is alive: `from_str` copies it into a new string first thing.
    let bytes = unsafe { slice(&buffer, offset, length) };
    let text = match encoding {
        UTF_16LE => utf_16le(bytes, fatal),
        WINDOWS_1252 => Some(windows_1252(bytes)),
        _ if fatal => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        _ => Some(String::from_utf8_lossy(bytes)),
    };
    match text {
        Some(text) => Ok(JsString::from_str(ctx, &text)?.into_value()),
        None => Ok(Value::new_undefined(ctx)),
    }
}

/// How many bytes at the end begin a character that they do not complete.
fn incomplete_tail(encoding: u32, buffer: ArrayBuffer<'_>, offset: usize, length: usize) -> usize {
    // SAFETY: nothing but these bytes is touched while the slice is alive.
    let bytes = unsafe { slice(&buffer, offset, length) };
    match encoding {
        WINDOWS_1252 => 0,
        UTF_16LE => {
            let odd = bytes.len() % 2;
            let whole = &bytes[..bytes.len() - odd];
            let high = whole.last().is_some_and(|byte| (0xD8..0xDC).contains(byte));
            odd + if high { 2 } else { 0 }
        }
        _ => (1..=bytes.len().min(3))
            .find(|&count| {
                let tail = &bytes[bytes.len() - count..];
                tail[0] >= 0xC0
                    && std::str::from_utf8(tail)
                        .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
            })
            .unwrap_or(0),
    }
}

/// The given part of a buffer, or of what is left of it.
///
/// # Safety
/// No JavaScript may run while the slice is alive.
unsafe fn slice<'a>(buffer: &'a ArrayBuffer<'_>, offset: usize, length: usize) -> &'a [u8] {
    // SAFETY: as the caller promises.
    let bytes = unsafe { buffer.as_bytes() }.unwrap_or_default();
    bytes.get(offset..).map_or(&[], |rest| &rest[..length.min(rest.len())])
}

fn utf_16le(bytes: &[u8], fatal: bool) -> Option<Cow<'static, str>> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| u16::from_le_bytes(*pair));
    let mut malformed = !odd.is_empty();
    let mut text: String = char::decode_utf16(units)
        .map(|unit| {
            unit.unwrap_or_else(|_| {
                malformed = true;
                char::REPLACEMENT_CHARACTER
            })
        })
        .collect();
    if !odd.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    (!fatal || !malformed).then_some(Cow::Owned(text))
}

fn windows_1252(bytes: &[u8]) -> Cow<'static, str> {
    bytes
        .iter()
        .map(|&byte| match byte {
            0x80..=0x9F => {
                let code = WINDOWS_1252_CONTROLS[usize::from(byte - 0x80)];
                char::from_u32(u32::from(code)).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => char::from(byte),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::apis::primordials::tests::{run, with_context};

    #[test]
    fn text_and_bytes_follow_the_standard() {
        with_context(|ctx, primordials| {
            super::register(ctx, primordials)?;
            run(ctx, "encoding.test.js", include_str!("encoding.test.js"))
        });
    }
}
