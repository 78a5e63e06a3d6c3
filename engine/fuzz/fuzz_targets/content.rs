//! See `recto_engine::fuzzing::content`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto_engine::fuzzing::content(data));
