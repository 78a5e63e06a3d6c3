//! The PNG and TIFF predictors of Flate and LZW streams (ISO 32000-1, 7.4.4.4).

/// The layout of the rows that a predictor works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    /// Samples in a row.
    pub(crate) columns: usize,
    /// Components of a sample.
    pub(crate) colors: usize,
    /// Bits of a component.
    pub(crate) bits: usize,
}

impl Rows {
    /// Bytes of a row; `None` if it is zero or too large.
    pub(crate) fn row_bytes(self) -> Option<usize> {
        Some(self.columns.checked_mul(self.colors)?.checked_mul(self.bits)?.div_ceil(8))
            .filter(|bytes| *bytes > 0)
    }

    /// Bytes from a sample to the one on its left.
    pub(crate) fn step(self) -> usize {
        (self.colors * self.bits).div_ceil(8).max(1)
    }
}

/// Undoes the PNG predictors. Each row begins with a byte that names its filter. An incomplete last row is kept as it is.
/// Returns `None` for an unknown filter.
pub(crate) fn undo_png(data: &[u8], rows: Rows) -> Option<Vec<u8>> {
    let width = rows.row_bytes()?;
    let step = rows.step();
    let mut plain = Vec::with_capacity(data.len());
    let mut above = vec![0_u8; width];
    let mut row = vec![0_u8; width];
    for coded in data.chunks(width.checked_add(1)?) {
        let (&filter, coded) = coded.split_first()?;
        let row = row.get_mut(..coded.len())?;
        row.copy_from_slice(coded);
        for at in 0..row.len() {
            let left = at.checked_sub(step).and_then(|i| row.get(i)).copied().unwrap_or(0);
            let corner = at.checked_sub(step).and_then(|i| above.get(i)).copied().unwrap_or(0);
            let up = above.get(at).copied().unwrap_or(0);
            let prediction = match filter {
                0 => 0,
                1 => left,
                2 => up,
                3 => u8::try_from((u16::from(left) + u16::from(up)) / 2).unwrap_or(0),
                4 => paeth(left, up, corner),
                _ => return None,
            };
            let byte = row.get_mut(at)?;
            *byte = byte.wrapping_add(prediction);
        }
        plain.extend_from_slice(row);
        above.get_mut(..row.len())?.copy_from_slice(row);
    }
    Some(plain)
}

/// Undoes the TIFF predictor for components of 8 and 16 bits; `None` for other depths.
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

/// Applies the PNG predictors: to each row the filter with the smallest sum of absolute values, which usually compresses
/// best.
pub(crate) fn apply_png(plain: &[u8], rows: Rows) -> Option<Vec<u8>> {
    let width = rows.row_bytes()?;
    let step = rows.step();
    let mut coded = Vec::with_capacity(plain.len() + plain.len() / width + 1);
    let mut above = vec![0_u8; width];
    let mut trials: [Vec<u8>; 5] = std::array::from_fn(|_| vec![0; width]);
    for row in plain.chunks(width) {
        let mut left = vec![0_u8; step.min(row.len())];
        left.extend_from_slice(row.get(..row.len().saturating_sub(step)).unwrap_or_default());
        let mut corner = vec![0_u8; step.min(row.len())];
        corner.extend_from_slice(above.get(..row.len().saturating_sub(step)).unwrap_or_default());
        for (filter, trial) in trials.iter_mut().enumerate() {
            let sources = row.iter().zip(&left).zip(&above).zip(&corner);
            for (out, (((&byte, &left), &up), &corner)) in trial.iter_mut().zip(sources) {
                let prediction = match filter {
                    0 => 0,
                    1 => left,
                    2 => up,
                    3 => u8::midpoint(left, up),
                    _ => paeth(left, up, corner),
                };
                *out = byte.wrapping_sub(prediction);
            }
        }
        let sum = |trial: &Vec<u8>| -> u64 {
            trial.iter().take(row.len()).map(|&byte| u64::from(byte.min(byte.wrapping_neg()))).sum()
        };
        let (filter, best) = trials.iter().enumerate().min_by_key(|(_, trial)| sum(trial))?;
        coded.push(u8::try_from(filter).ok()?);
        coded.extend_from_slice(best.get(..row.len())?);
        above.get_mut(..row.len())?.copy_from_slice(row);
    }
    Some(coded)
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(up), i16::from(corner));
    let estimate = a + b - c;
    let (da, db, dc) = ((estimate - a).abs(), (estimate - b).abs(), (estimate - c).abs());
    if da <= db && da <= dc {
        left
    } else if db <= dc {
        up
    } else {
        corner
    }
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
