//! See `recto::fuzzing::refusal`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto::fuzzing::refusal(data));
