//! Estimates how many bytes the parts of a parsed JSON value take on the heap.

use serde_json::Value;

/// Bytes that the allocator adds to a block, approximately.
const BLOCK_OVERHEAD: usize = 16;

/// Bytes of a value in its place: in a list, in an object, or by itself.
pub(super) const VALUE: usize = size_of::<Value>();

/// Bytes of an entry: a key, a value and a hash.
const ENTRY: usize = size_of::<String>() + VALUE + size_of::<u64>();

/// Capacity of a list after its first item; it doubles from here.
const FIRST_CAPACITY: usize = 4;

/// Returns the bytes of a list of `items`, without the heap of its items.
pub(super) fn array(items: usize) -> usize {
    match items {
        0 => 0,
        items => items.max(FIRST_CAPACITY).next_power_of_two() * VALUE + BLOCK_OVERHEAD,
    }
}

/// Returns the bytes of an object of `entries`, without the heap of its keys and values: a list of
/// entries and its index.
pub(super) fn object(entries: usize) -> usize {
    let buckets = match entries {
        0 => return 0,
        1..=3 => 4,
        4..=7 => 8,
        more => (more.saturating_mul(8) / 7).next_power_of_two(),
    };
    let room = if buckets < 8 { buckets - 1 } else { buckets / 8 * 7 };
    // The index has one number and one byte for each bucket.
    room * ENTRY + buckets * (size_of::<usize>() + 1) + 2 * BLOCK_OVERHEAD
}

/// Returns the bytes of a string of `bytes`.
pub(super) fn string(bytes: usize) -> usize {
    match bytes {
        0 => 0,
        bytes => bytes + BLOCK_OVERHEAD,
    }
}
