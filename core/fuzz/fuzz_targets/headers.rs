//! See `recto::fuzzing::headers`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto::fuzzing::headers(data));
