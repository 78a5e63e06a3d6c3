//! See `recto::fuzzing::token_and_journal`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto::fuzzing::token_and_journal(data));
