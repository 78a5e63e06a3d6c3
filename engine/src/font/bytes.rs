//! Reads big-endian numbers from font data, in which offsets may be invalid.

use skrifa::raw::FontData;
use skrifa::raw::types::Scalar;

/// The number at the offset `at`; `None` if the data ends before the number does.
pub(super) fn read<T: Scalar>(data: &[u8], at: usize) -> Option<T> {
    FontData::new(data).read_at(at).ok()
}
