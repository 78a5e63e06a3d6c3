//! See `recto::fuzzing::error_response`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto::fuzzing::error_response(data));
