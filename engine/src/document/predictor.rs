//! The PNG and TIFF predictors of Flate and LZW streams (ISO 32000-1, 7.4.4.4).
//!
//! lopdf encodes and decodes the single rows. The rest is done here, because lopdf refuses an incomplete last row, does
//! not choose a filter for each row when it encodes, and does not export its TIFF predictor.

use lopdf::filters::png::{FilterType, decode_row, encode_row};

/// The layout of the rows that a predictor works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    /// The number of samples in a row.
    pub(crate) columns: usize,
    /// The number of components of a sample.
    pub(crate) colors: usize,
    /// The number of bits of a component.
    pub(crate) bits: usize,
}

impl Rows {
    /// The number of bytes in a row; `None` if the number is zero or too large.
    pub(crate) fn row_bytes(self) -> Option<usize> {
        Some(self.columns.checked_mul(self.colors)?.checked_mul(self.bits)?.div_ceil(8))
            .filter(|bytes| *bytes > 0)
    }

    /// The distance in bytes between a sample and the sample on its left; at least 1.
    pub(crate) fn step(self) -> usize {
        (self.colors * self.bits).div_ceil(8).max(1)
    }
}

/// The PNG filters. The index of a filter is its number in the data.
const FILTERS: [FilterType; 5] =
    [FilterType::None, FilterType::Sub, FilterType::Up, FilterType::Avg, FilterType::Paeth];

/// Undoes the PNG predictors. Each row begins with a byte that is the number of the filter of the row. An incomplete
/// last row is kept as it is. Returns `None` for an unknown filter.
pub(crate) fn undo_png(data: &[u8], rows: Rows) -> Option<Vec<u8>> {
    let width = rows.row_bytes()?;
    let mut plain = Vec::with_capacity(data.len());
    let mut above = vec![0_u8; width];
    let mut row = vec![0_u8; width];
    for coded in data.chunks(width.checked_add(1)?) {
        let (&filter, coded) = coded.split_first()?;
        let row = row.get_mut(..coded.len())?;
        row.copy_from_slice(coded);
        decode_row(*FILTERS.get(usize::from(filter))?, rows.step(), &above, row);
        plain.extend_from_slice(row);
        above.get_mut(..row.len())?.copy_from_slice(row);
    }
    Some(plain)
}

/// Undoes the TIFF predictor for components of 8 and 16 bits. Returns `None` for other sizes of components.
pub(crate) fn undo_tiff(mut data: Vec<u8>, rows: Rows) -> Option<Vec<u8>> {
    let width = rows.row_bytes()?;
    for row in data.chunks_mut(width) {
        match rows.bits {
            8 => {
                for at in rows.colors..row.len() {
                    let left = row.get(at - rows.colors).copied()?;
                    let byte = row.get_mut(at)?;
                    *byte = byte.wrapping_add(left);
                }
            }
            16 => {
                for at in (rows.colors * 2..row.len().saturating_sub(1)).step_by(2) {
                    let back = at - rows.colors * 2;
                    let left = u16::from_be_bytes([*row.get(back)?, *row.get(back + 1)?]);
                    let sum = u16::from_be_bytes([*row.get(at)?, *row.get(at + 1)?]).wrapping_add(left);
                    row.get_mut(at..at + 2)?.copy_from_slice(&sum.to_be_bytes());
                }
            }
            _ => return None,
        }
    }
    Some(data)
}

/// Applies the PNG predictors. For each row, the filter is used whose result has the smallest sum of absolute values.
/// This filter usually compresses best.
pub(crate) fn apply_png(plain: &[u8], rows: Rows) -> Option<Vec<u8>> {
    let width = rows.row_bytes()?;
    let mut coded = Vec::with_capacity(plain.len() + plain.len() / width + 1);
    let mut above = vec![0_u8; width];
    let mut trials: [Vec<u8>; 5] = Default::default();
    for row in plain.chunks(width) {
        for (filter, trial) in FILTERS.into_iter().zip(&mut trials) {
            trial.clear();
            trial.extend_from_slice(row);
            encode_row(filter, rows.step(), &above, trial);
        }
        let sum = |trial: &Vec<u8>| -> u64 {
            trial.iter().map(|&byte| u64::from(byte.min(byte.wrapping_neg()))).sum()
        };
        let (filter, best) = trials.iter().enumerate().min_by_key(|(_, trial)| sum(trial))?;
        coded.push(u8::try_from(filter).ok()?);
        coded.extend_from_slice(best);
        above.get_mut(..row.len())?.copy_from_slice(row);
    }
    Some(coded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn png_predictors_restore_the_rows() {
        let plain: Vec<u8> = (0..7 * 6 * 3_usize).map(|i| u8::try_from((i * i * 7) % 251).unwrap()).collect();
        for rows in [
            Rows { columns: 7, colors: 3, bits: 8 },
            Rows { columns: 21, colors: 1, bits: 8 },
            Rows { columns: 9, colors: 1, bits: 1 },
            Rows { columns: 3, colors: 3, bits: 16 },
        ] {
            let coded = apply_png(&plain, rows).unwrap();
            assert_eq!(undo_png(&coded, rows).unwrap(), plain, "{rows:?}");
        }
    }

    #[test]
    fn a_row_that_is_cut_off_is_kept_as_far_as_it_goes() {
        let rows = Rows { columns: 4, colors: 3, bits: 8 };
        let plain: Vec<u8> = (0..12).collect();
        for (filter, length) in (0..5).flat_map(|filter| [0, 2, 3, 7].map(|length| (filter, length))) {
            let mut coded = vec![0];
            coded.extend_from_slice(&plain);
            coded.push(filter);
            coded.extend(vec![0; length]);
            assert_eq!(undo_png(&coded, rows).unwrap().len(), 12 + length, "{filter} {length}");
        }
    }

    #[test]
    fn a_png_filter_that_does_not_exist_is_refused() {
        assert!(undo_png(&[9, 1, 2, 3], Rows { columns: 3, colors: 1, bits: 8 }).is_none());
    }

    #[test]
    fn the_tiff_predictor_adds_the_sample_on_the_left() {
        let rows = Rows { columns: 3, colors: 2, bits: 8 };
        assert_eq!(undo_tiff(vec![1, 10, 1, 10, 1, 10], rows).unwrap(), [1, 10, 2, 20, 3, 30]);
        let rows = Rows { columns: 2, colors: 1, bits: 16 };
        assert_eq!(undo_tiff(vec![0, 255, 0, 1], rows).unwrap(), [0, 255, 1, 0]);
    }
}
