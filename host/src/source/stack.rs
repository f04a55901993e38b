//! Provides enough stack for the parser and the walk over its tree, for any text.
//!
//! The parser is a recursive descent parser without a depth limit, and a stack overflow would end
//! the host process. So the stack that a text can need is bounded from above before it is parsed,
//! by counting everything in it that could nest. Strings and comments count too, since only the
//! parser can tell them apart. The bound is generous, and most of the requested stack is never
//! touched.
//!
//! Input: a text and the work to do on it. Output: the result of the work, or a refusal.
//! **Invariant:** work runs only on a stack at least as large as the bound.

use std::panic::{self, AssertUnwindSafe};
use std::thread;

use super::error::{ModuleText, SourceError};
use crate::model::{HostWork, WorkSlice};

/// Stack for one bracket, in bytes. Measured with oxc 0.146: up to 2.0 KiB in release builds, 5 KiB
/// in debug builds.
const BRACKET: usize = if cfg!(debug_assertions) { 10 << 10 } else { 3 << 10 };
/// Stack for one operator or nesting word, in bytes. Measured: up to 0.6 KiB in release builds, 1.5
/// KiB in debug builds.
const OPERATOR: usize = if cfg!(debug_assertions) { 4 << 10 } else { 1 << 10 };
/// Stack that any text needs, in bytes.
const BASE: usize = if cfg!(debug_assertions) { 512 << 10 } else { 64 << 10 };
/// Stack that every calling thread can spare, in bytes: an eighth of the 2 MiB that Rust gives a
/// thread.
const SPARE: usize = 256 << 10;
/// Most stack that is ever requested, in bytes. A megabyte of ordinary code needs a third of it.
const MOST: usize = if cfg!(debug_assertions) { 4 << 30 } else { 1 << 30 };

/// What a byte can mean for the depth of the parser.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteMeaning {
    Nothing,
    Letter,
    Bracket,
    Operator,
}

/// The meaning of each byte.
const MEANINGS: [ByteMeaning; 256] = {
    let mut meanings = [ByteMeaning::Nothing; 256];
    let mut byte = 0;
    while byte < 256 {
        meanings[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => ByteMeaning::Letter,
            b'(' | b'[' | b'{' | b'<' => ByteMeaning::Bracket,
            b'!' | b'~' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'=' | b'?'
            | b':' | b'.' | b'>' | b'@' | b'`' => ByteMeaning::Operator,
            _ => ByteMeaning::Nothing,
        };
        byte += 1;
    }
    meanings
};

/// Returns the meaning of a word. Some words nest by themselves, without a bracket or an operator,
/// and some of them like brackets.
fn meaning_of_word(word: &[u8]) -> ByteMeaning {
    match word {
        b"as" | b"asserts" | b"async" | b"await" | b"delete" | b"do" | b"else" | b"in"
        | b"infer" | b"instanceof" | b"is" | b"keyof" | b"new" | b"readonly" | b"return"
        | b"satisfies" | b"static" | b"throw" | b"typeof" | b"unique" | b"void" | b"yield" => {
            ByteMeaning::Operator
        }
        b"class" | b"extends" | b"function" | b"namespace" => ByteMeaning::Bracket,
        _ => ByteMeaning::Nothing,
    }
}

/// Runs `work` on this thread if its stack is large enough, else on a new thread with a larger
/// stack.
pub(super) fn on_large_stack<R: Send>(
    text: ModuleText<'_>,
    work: impl FnOnce() -> R + Send,
) -> Result<R, SourceError> {
    on_large_stack_for(None, text, work)
}

/// Does the same as [`on_large_stack`] for a run, and charges the CPU time of the other thread to
/// it.
pub(super) fn on_large_stack_for<R: Send>(
    run: Option<&WorkSlice<'_>>,
    text: ModuleText<'_>,
    work: impl FnOnce() -> R + Send,
) -> Result<R, SourceError> {
    let work_of_run = run.map(WorkSlice::work);
    let size = stack_bound(text.text.as_bytes());
    let refuse = |message: &str| {
        SourceError::syntax(
            text,
            0,
            message,
            Some("split it into modules, or pass data as `inputs`"),
        )
    };
    // The parser is large and the text hostile: a bug in it must fail one program, not the host.
    let guarded = || {
        panic::catch_unwind(AssertUnwindSafe(work))
            .map_err(|_| refuse("the parser failed on this text"))
    };
    if size <= SPARE {
        return guarded();
    }
    if size > MOST {
        return Err(refuse("the text has too many brackets and operators to be parsed"));
    }
    thread::scope(|scope| {
        let spawned = thread::Builder::new()
            .name("pml-source".to_owned())
            .stack_size(size)
            .spawn_scoped(scope, || {
                let _slice = work_of_run.map(HostWork::begin);
                guarded()
            });
        match spawned.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(done)) => done,
            Ok(Err(payload)) => panic::resume_unwind(payload),
            Err(_) => Err(refuse("there is not enough memory to parse the text")),
        }
    })
}

/// Returns an upper bound of the stack that parsing and walking a text can take, in bytes.
fn stack_bound(text: &[u8]) -> usize {
    let (mut brackets, mut operators) = (0usize, 0usize);
    let mut count = |meaning| match meaning {
        ByteMeaning::Bracket => brackets += 1,
        ByteMeaning::Operator => operators += 1,
        ByteMeaning::Letter | ByteMeaning::Nothing => {}
    };
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let meaning = MEANINGS[usize::from(*byte)];
        let start = at;
        at += 1;
        if meaning != ByteMeaning::Letter {
            count(meaning);
            continue;
        }
        while text.get(at).is_some_and(|byte| MEANINGS[usize::from(*byte)] == ByteMeaning::Letter) {
            at += 1;
        }
        count(meaning_of_word(&text[start..at]));
    }
    BASE.saturating_add(brackets.saturating_mul(BRACKET))
        .saturating_add(operators.saturating_mul(OPERATOR))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Code;

    const EMPTY: ModuleText<'_> = ModuleText { name: "m", text: "" };

    #[test]
    fn small_texts_stay_on_the_thread() {
        let here = thread::current().id();
        assert_eq!(stack_bound(b"plain words"), BASE);
        if BASE <= SPARE {
            assert_eq!(on_large_stack(EMPTY, || thread::current().id()).unwrap(), here);
        }
    }

    #[test]
    fn the_bound_grows_with_what_nests_even_in_strings() {
        assert!(stack_bound(b"'(((('") >= 4 * BRACKET);
        assert!(stack_bound(b"typeof typeof x") >= 2 * OPERATOR);
        assert!(stack_bound(b"class extends class extends x") >= 4 * BRACKET);
        assert!(stack_bound(b"!!!!x") >= 4 * OPERATOR);
    }

    #[test]
    fn a_panic_is_a_refusal() {
        for text in ["", &"(".repeat(1_000)] {
            let error = on_large_stack(ModuleText { name: "m", text }, || -> () {
                panic!("as a parser might")
            })
            .unwrap_err();
            assert_eq!(error.to_string(), "the parser failed on this text: m:1:1");
        }
    }

    #[test]
    fn texts_beyond_any_stack_are_refused() {
        let text = "(".repeat(MOST / BRACKET + 1);
        let error = on_large_stack(ModuleText { name: "m", text: &text }, || ()).unwrap_err();
        assert_eq!(error.code(), Code::Syntax);
    }
}
