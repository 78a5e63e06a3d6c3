//! See `recto_engine::fuzzing::cmap`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto_engine::fuzzing::cmap(data));
