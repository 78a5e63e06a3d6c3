//! See `recto::fuzzing::memory`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto::fuzzing::memory(data));
