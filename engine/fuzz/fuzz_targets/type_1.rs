//! See `recto_engine::fuzzing::type_1`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto_engine::fuzzing::type_1(data));
