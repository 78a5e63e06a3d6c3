//! See `recto::fuzzing::name`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto::fuzzing::name(data));
