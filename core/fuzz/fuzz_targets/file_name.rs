//! See `recto::fuzzing::file_name`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto::fuzzing::file_name(data));
