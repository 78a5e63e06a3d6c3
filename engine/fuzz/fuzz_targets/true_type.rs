//! See `recto_engine::fuzzing::true_type`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto_engine::fuzzing::true_type(data));
