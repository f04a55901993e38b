//! The settings that guest code is compiled with. The build script includes this file, so that it
//! and the engine use the same function: code compiled with other settings does not load.

use wasmtime::{Config, OptLevel, Result};

/// The CPU features that pml requires. On x86-64 this is the v3 level (AVX2, BMI, FMA: CPUs since
/// about 2015); other targets use their own baseline. The features are fixed so that code compiled
/// on one machine runs on all others.
const X86_64_FEATURES: &[&str] = &[
    "has_cmpxchg16b",
    "has_sse3",
    "has_ssse3",
    "has_sse41",
    "has_sse42",
    "has_popcnt",
    "has_avx",
    "has_avx2",
    "has_fma",
    "has_bmi1",
    "has_bmi2",
    "has_lzcnt",
];

/// Address space of one linear memory. With 4 GiB reserved and a guard behind it, memory accesses
/// need no bounds checks.
const MEMORY_RESERVATION: u64 = 4 << 30;
const MEMORY_GUARD: u64 = 32 << 20;

/// Returns the settings that determine the machine code.
#[expect(unsafe_code, reason = "wasmtime offers CPU features only as unchecked flags")]
pub(crate) fn tunables(target: &str) -> Result<Config> {
    let mut config = Config::new();
    config.target(target)?;
    if target.starts_with("x86_64") {
        for feature in X86_64_FEATURES {
            // SAFETY: these flags only name instructions; loading the code fails on a CPU without
            // them.
            unsafe { config.cranelift_flag_enable(feature) };
        }
    }
    config
        .cranelift_opt_level(OptLevel::Speed)
        .cranelift_nan_canonicalization(true)
        .epoch_interruption(true)
        .memory_reservation(MEMORY_RESERVATION)
        .memory_guard_size(MEMORY_GUARD)
        .memory_init_cow(true)
        .generate_address_map(false)
        .wasm_backtrace_max_frames(None)
        .wasm_simd(true)
        .relaxed_simd_deterministic(true)
        .wasm_relaxed_simd(false)
        .concurrency_support(false);
    Ok(config)
}
