//! Which parts of the language are there, and the numbers behind them.

use rquickjs::context::intrinsic;

/// The language as programs get it. `WeakRef` and `FinalizationRegistry` are left out because they show when garbage is
/// collected, which a replay need not repeat; QuickJS's `performance` because ours runs on the program's clock.
pub(crate) type Intrinsics = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
    intrinsic::DOMException,
);

/// Bytes of JavaScript stack while the prelude is built; `start` sets the program's own limit.
pub(crate) const PRELUDE_STACK: usize = 256 << 10;

/// Allocated bytes at which garbage is first looked for. Cycles are rare in programs that move JSON, and a search costs
/// time in proportion to everything alive, so it starts late; QuickJS raises it to 1.5 times what survived.
pub(crate) const GC_THRESHOLD: usize = 4 << 20;

/// Console bytes gathered before a long step hands them over.
pub(crate) const CONSOLE_BATCH: usize = 16 << 10;

/// Rejections kept for the report at the end; a program that leaves more behind is told the number only.
pub(crate) const UNHANDLED_KEPT: usize = 20;
