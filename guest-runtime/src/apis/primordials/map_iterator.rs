//! Iterators of maps and sets, looked at without moving them.
//!
//! QuickJS gives no access to what an iterator has left. A copy that stands at the same place does: it can be run to its end.
//! The two structures below are QuickJS's own (`JSMapIteratorData` and the head of `JSMapRecord` in `quickjs.c`); the version
//! of QuickJS is pinned, and the tests of this file fail if they change.

use super::class_of;
use rquickjs::{Array, Ctx, Function, Result, Value, qjs};
use std::ffi::c_int;

/// What an iterator keeps, as QuickJS lays it out.
#[repr(C)]
struct IteratorData {
    /// The map or set; `undefined` once the iterator is at its end.
    source: qjs::JSValue,
    kind: c_int,
    /// The entry that was given last; null before the first.
    current: *mut Record,
}

/// The head of an entry of a map or set.
#[repr(C)]
struct Record {
    /// Iterators hold the entry at which they stand.
    references: c_int,
}

/// The `kind` of an iterator that gives keys and values.
const KEYS_AND_VALUES: c_int = 2;

/// Returns `[copy, gives_pairs]`. The copy is an iterator of its own at the same place, or `undefined` if there is nothing
/// left; `make(source)` makes an iterator at the start. Only for iterators of maps and sets: the prelude asks `classOf` first.
pub(super) fn copy<'js>(
    ctx: Ctx<'js>,
    iterator: Value<'js>,
    make: Function<'js>,
) -> Result<Array<'js>> {
    let class = class_of(iterator.clone());
    let result = Array::new(ctx.clone())?;
    // SAFETY: both values are live objects of the class whose data this is, which the engine made itself. The record, if
    // there is one, is held by `iterator`; from here on it is held by the copy as well, which lets go of it when it moves or
    // is freed.
    unsafe {
        let data = qjs::JS_GetOpaque(iterator.as_raw(), class).cast::<IteratorData>();
        if data.is_null() {
            return Ok(result);
        }
        result.set(1, (*data).kind == KEYS_AND_VALUES)?;
        if qjs::JS_IsUndefined((*data).source) {
            return Ok(result);
        }
        let source = qjs::JS_DupValue(ctx.as_raw().as_ptr(), (*data).source);
        let copy: Value = make.call((Value::from_raw(ctx, source),))?;
        let copied = qjs::JS_GetOpaque(copy.as_raw(), class).cast::<IteratorData>();
        if copied.is_null() {
            return Ok(result);
        }
        (*copied).kind = (*data).kind;
        if let Some(record) = (*data).current.as_mut() {
            record.references += 1;
            (*copied).current = record;
        }
        result.set(0, copy)?;
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use crate::apis::primordials::tests::with_context;
    use rquickjs::{Function, Value};

    #[test]
    fn a_copy_runs_to_the_end_and_the_iterator_stays() {
        with_context(|ctx, _| {
            let copy = Function::new(ctx.clone(), super::copy)?;
            ctx.globals().set("copy", copy)?;
            let seen: Value = ctx.eval(
                r#"
                const entries = (map) => Map.prototype.entries.call(map);
                const values = (set) => Set.prototype.values.call(set);
                const seen = [];
                const look = (iterator, make) => {
                    const [rest, pairs] = copy(iterator, make);
                    seen.push([rest === undefined ? null : [...rest], pairs]);
                };
                const map = new Map([["a", 1], ["b", 2], ["c", 3]]);
                const keys = map.keys(), pairs = map.entries();
                look(keys, entries);
                look(pairs, entries);
                keys.next();
                look(keys, entries);
                map.delete("a");
                map.delete("b");
                look(keys, entries);
                map.set("d", 4);
                look(keys, entries);
                seen.push([...keys]);
                look(keys, entries);
                const set = new Set([1, 2]).entries();
                look(set, values);
                seen.push([...set]);
                for (let i = 0; i < 1000; i++) look(new Map([[i, i]]).keys(), entries), seen.pop();
                JSON.stringify(seen)
                "#,
            )?;
            let text: String = seen.get()?;
            assert_eq!(
                text,
                r#"[[["a","b","c"],false],[[["a",1],["b",2],["c",3]],true],[["b","c"],false],[["c"],false],[["c","d"],false],["c","d"],[null,false],[[[1,1],[2,2]],true],[[1,1],[2,2]]]"#
            );
            ctx.run_gc();
            Ok(())
        });
    }
}
