//! See `recto_engine::fuzzing::image`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recto_engine::fuzzing::image(data));
