//! See `recto::fuzzing::answer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto::fuzzing::answer(data));
