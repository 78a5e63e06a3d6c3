//! Encrypts the private part of Type 1 fonts (Adobe Type 1 Font Format, 7.1), so that a fuzzer can change the clear
//! text.

use super::program::EEXEC;

/// Encrypts everything after the first `eexec`, and a line break.
pub(in crate::font) fn with_encrypted_private_part(program: &[u8]) -> Vec<u8> {
    let Some(at) = program.windows(5).position(|window| window == b"eexec") else { return program.to_vec() };
    let (clear, private) = program.split_at(at + 5);
    let mut out = clear.to_vec();
    out.push(b'\n');
    // Four bytes precede the text. The first encrypted byte must not be a hexadecimal digit or white space.
    let mut key = EEXEC;
    for &plain in [0_u8; 4].iter().chain(private) {
        let [high, _] = key.to_be_bytes();
        let cipher = plain ^ high;
        key = u16::from(cipher).wrapping_add(key).wrapping_mul(52_845).wrapping_add(22_719);
        out.push(cipher);
    }
    out
}
