//! See `recto::fuzzing::response`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto::fuzzing::response(data));
