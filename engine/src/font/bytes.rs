//! Reading big-endian numbers out of font data, whose offsets may be invalid.

use skrifa::raw::FontData;
use skrifa::raw::types::Scalar;

/// The number at a place, if the data reaches that far.
pub(super) fn read<T: Scalar>(data: &[u8], at: usize) -> Option<T> {
    FontData::new(data).read_at(at).ok()
}
