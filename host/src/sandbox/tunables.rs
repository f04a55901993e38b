//! How guest code is compiled. Build script and engine both use this one function (the build script
//! includes this file): code that was compiled with other settings does not load.

use wasmtime::{Config, OptLevel, Result};

/// What every machine that pml runs on must have. On x86-64 that is the v3 level (AVX2, BMI, FMA:
/// CPUs since about 2015); elsewhere the target's own baseline. It is fixed so that the code
/// compiled on one machine runs on all others.
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

/// Room for one linear memory. With 4 GiB reserved and a guard behind it, no memory access needs a
/// check of its bounds.
const MEMORY_RESERVATION: u64 = 4 << 30;
const MEMORY_GUARD: u64 = 32 << 20;

/// Returns the settings that decide what machine code looks like.
#[expect(unsafe_code, reason = "wasmtime offers CPU features only as unchecked flags")]
pub(crate) fn tunables(target: &str) -> Result<Config> {
    let mut config = Config::new();
    config.target(target)?;
    if target.starts_with("x86_64") {
        for feature in X86_64_FEATURES {
            // SAFETY: these flags only name instructions; a CPU without them is refused when the
            // code is loaded.
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
