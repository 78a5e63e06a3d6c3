//! See `recto::fuzzing::address`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto::fuzzing::address(data));
