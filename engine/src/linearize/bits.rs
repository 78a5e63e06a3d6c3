//! Writes numbers of any number of bits, as hint tables contain them. The bit writer of the `fax` crate is not used,
//! because it is limited to 16 bits.

/// Writes the bits of numbers, the most significant bit first.
#[derive(Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    /// The number of bits used in the last byte.
    used: u32,
}

impl BitWriter {
    /// Writes the lowest `width` bits of a number.
    pub(super) fn put(&mut self, value: u64, width: u32) {
        for at in (0..width).rev() {
            if self.used == 0 {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= u8::from(value >> at & 1 == 1) << (7 - self.used);
            }
            self.used = (self.used + 1) % 8;
        }
    }

    /// Leaves the rest of the last byte zero, so that the next number begins in a new byte.
    pub(super) fn align(&mut self) {
        self.used = 0;
    }

    /// The number of bytes written.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the bytes written.
    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// The number of bits that are needed to write a number.
pub(super) fn width(value: u64) -> u32 {
    64 - value.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_fill_bytes_from_the_top() {
        let mut bits = BitWriter::default();
        bits.put(0b101, 3);
        bits.put(0xff, 8);
        bits.align();
        bits.put(1, 1);
        bits.put(0, 0);
        assert_eq!(bits.len(), 3);
        assert_eq!(bits.finish(), [0b1011_1111, 0b1110_0000, 0b1000_0000]);
    }

    #[test]
    fn widths_are_minimal() {
        assert_eq!([0, 1, 2, 255, 256].map(width), [0, 1, 2, 8, 9]);
    }
}
