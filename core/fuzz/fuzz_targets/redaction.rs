//! See `recto::fuzzing::redaction`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto::fuzzing::redaction(data));
