//! CCITT fax coding (ITU-T T.4 and T.6). The crate `hayro-ccitt` decodes; this module encodes, with the code tables of
//! the `fax` crate.
//!
//! The encoder of the `fax` crate is not used, because that encoder lacks T.4 and counts columns in 16 bits.

use fax::maps::{EDFB_HALF, Mode, black, mode, white};
use fax::{BitWriter, Bits, Color, VecWriter};
use hayro_ccitt::{DecodeSettings, DecoderContext, EncodingMode};

/// A coding of bilevel rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coding {
    pub scheme: Scheme,
    /// Whether rows begin with an end-of-line code.
    pub end_of_line: bool,
    /// Whether each row begins at a byte boundary.
    pub byte_aligned: bool,
    /// Whether the sample 1 is black; otherwise the sample 0 is black.
    pub black_is_1: bool,
}

/// The compression scheme: Group 3 in one or two dimensions, or Group 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Group3,
    Group3TwoDimensional,
    Group4,
}

/// Decodes up to `height` rows. The returned rows are packed bits, 1 for black. Returns fewer rows if the data ends
/// early or is damaged.
pub(crate) fn decode(data: &[u8], width: u32, height: u32, coding: Coding) -> Vec<u8> {
    let settings = DecodeSettings {
        columns: width,
        rows: height,
        end_of_block: true,
        end_of_line: coding.end_of_line,
        rows_are_byte_aligned: coding.byte_aligned,
        encoding: match coding.scheme {
            Scheme::Group3 => EncodingMode::Group3_1D,
            Scheme::Group3TwoDimensional => EncodingMode::Group3_2D,
            Scheme::Group4 => EncodingMode::Group4,
        },
        strict: false,
    };
    let mut rows = Rows { packed: Vec::new(), width, remaining: height };
    // If the data is faulty, the rows before the fault are kept. The caller checks the number of rows.
    let _ = hayro_ccitt::decode(data, &mut rows, &mut DecoderContext::new(settings));
    rows.packed
}

struct Rows {
    packed: Vec<u8>,
    width: u32,
    remaining: u32,
}

impl hayro_ccitt::Decoder for Rows {
    fn push_row(&mut self, changes: &[u32]) {
        if self.remaining == 0 {
            return;
        }
        self.remaining -= 1;
        let start = self.packed.len();
        self.packed.resize(start + (self.width as usize).div_ceil(8), 0);
        let Some(row) = self.packed.get_mut(start..) else { return };
        for run in changes.chunks(2) {
            let (from, to) = match run {
                [from, to] => (*from, *to),
                [from] => (*from, self.width),
                _ => continue,
            };
            blacken(row, from, to.min(self.width));
        }
    }
}

/// Sets the bits from `from` up to, but not including, `to`.
fn blacken(row: &mut [u8], from: u32, to: u32) {
    if from >= to {
        return;
    }
    let (first, last) = ((from / 8) as usize, ((to - 1) / 8) as usize);
    let (head, tail) = (0xff_u8 >> (from % 8), 0xff_u8 << (7 - (to - 1) % 8));
    let Some(bytes) = row.get_mut(first..=last) else { return };
    match bytes {
        [only] => *only |= head & tail,
        [start, middle @ .., end] => {
            *start |= head;
            middle.fill(0xff);
            *end |= tail;
        }
        [] => {}
    }
}

/// Encodes packed rows (1 for black) as Group 4, with the end-of-block code.
pub(crate) fn encode_group4(rows: &[u8], width: u32) -> Vec<u8> {
    let mut bits = BitSink::new();
    let mut reference = Vec::new();
    for row in rows.chunks_exact((width as usize).div_ceil(8).max(1)) {
        let current = changes(row, width);
        encode_t6_row(&mut bits, &reference, &current, width);
        reference = current;
    }
    bits.put(EDFB_HALF);
    bits.put(EDFB_HALF);
    bits.finish()
}

/// Encodes packed rows (1 for black) as one-dimensional Group 3. Before each row there is an end-of-line code, which
/// ends at a byte boundary. The six end-of-line codes at the end of a transmission are left out, as TIFF-F requires.
pub(crate) fn encode_group3(rows: &[u8], width: u32) -> Vec<u8> {
    let mut bits = BitSink::new();
    for row in rows.chunks_exact((width as usize).div_ceil(8).max(1)) {
        bits.end_of_line();
        let (mut at, mut color) = (0, Color::White);
        for change in changes(row, width).into_iter().chain([width]) {
            bits.run(color, change - at);
            (at, color) = (change, !color);
        }
    }
    bits.finish()
}

/// The columns at which the colour of a row changes, from the left. The first change is from white to black.
fn changes(row: &[u8], width: u32) -> Vec<u32> {
    let mut changes = Vec::new();
    let mut before = 0_u8;
    for (index, byte) in row.iter().enumerate() {
        let mut edges = byte ^ (byte >> 1 | before << 7);
        before = byte & 1;
        while edges != 0 {
            let place = edges.leading_zeros();
            changes.push(index as u32 * 8 + place);
            edges &= !(0x80 >> place);
        }
    }
    while changes.last().is_some_and(|last| *last >= width) {
        changes.pop();
    }
    changes
}

/// Encodes one row as T.6. A change of colour that is near a change in the row above is encoded by the distance between
/// the two; any other change is encoded by run lengths.
fn encode_t6_row(bits: &mut BitSink, reference: &[u32], current: &[u32], width: u32) {
    let mut color = Color::White;
    let mut a0 = 0;
    let mut at_start = true;
    let mut next = 0;
    let mut above = 0;
    while a0 < width {
        let a1 = current.get(next).copied().unwrap_or(width);
        // `b1` is the first column to the right of `a0` at which the row above changes to the opposite of the current
        // colour.
        above = above.min(reference.len());
        while above > 0 && reference.get(above - 1).is_some_and(|change| *change > a0) {
            above -= 1;
        }
        while reference.get(above).is_some_and(|change| if at_start { *change < a0 } else { *change <= a0 })
            || (above % 2 == 1) != (color == Color::Black)
        {
            above += 1;
        }
        let b1 = reference.get(above).copied().unwrap_or(width);
        let b2 = reference.get(above + 1).copied().unwrap_or(width);
        at_start = false;
        if b2 < a1 {
            bits.mode(Mode::Pass);
            a0 = b2;
        } else if a1.abs_diff(b1) <= 3 {
            bits.mode(Mode::Vertical((i64::from(a1) - i64::from(b1)) as i8));
            color = !color;
            next += 1;
            a0 = a1;
        } else {
            let a2 = current.get(next + 1).copied().unwrap_or(width);
            bits.mode(Mode::Horizontal);
            bits.run(color, a1 - a0);
            bits.run(!color, a2 - a1);
            next += 2;
            a0 = a2;
        }
    }
}

/// Writes codes bit by bit.
struct BitSink {
    bits: VecWriter,
    count: u64,
}

impl BitSink {
    fn new() -> Self {
        Self { bits: VecWriter::new(), count: 0 }
    }

    fn put(&mut self, code: Bits) {
        let Ok(()) = self.bits.write(code);
        self.count += u64::from(code.len);
    }

    fn mode(&mut self, mode: Mode) {
        if let Some(code) = mode::encode(mode) {
            self.put(code);
        }
    }

    /// Writes a run of one colour: make-up codes for the multiples of 64 in its length, then a terminating code for the
    /// remaining length.
    fn run(&mut self, color: Color, mut length: u32) {
        const LONGEST: u32 = 2560;
        let table = if color == Color::White { &white::ENTRIES } else { &black::ENTRIES };
        let code = |index: u32| table.get(index as usize).map_or(EDFB_HALF, |(_, code)| *code);
        while length >= LONGEST {
            self.put(code(63 + LONGEST / 64));
            length -= LONGEST;
        }
        if length >= 64 {
            self.put(code(63 + length / 64));
        }
        self.put(code(length % 64));
    }

    /// Writes an end-of-line code, with fill bits before it so that the code ends at a byte boundary.
    fn end_of_line(&mut self) {
        while !(self.count + u64::from(EDFB_HALF.len)).is_multiple_of(8) {
            self.put(Bits { data: 0, len: 1 });
        }
        self.put(EDFB_HALF);
    }

    fn finish(self) -> Vec<u8> {
        self.bits.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP_4: Coding =
        Coding { scheme: Scheme::Group4, end_of_line: false, byte_aligned: false, black_is_1: true };
    const GROUP_3: Coding =
        Coding { scheme: Scheme::Group3, end_of_line: true, byte_aligned: false, black_is_1: true };

    /// Pseudo-random rows with different densities of colour changes.
    fn noise(width: u32, height: u32, seed: u32) -> Vec<u8> {
        let stride = (width as usize).div_ceil(8);
        let mut state = seed.wrapping_mul(2_654_435_761).max(1);
        let mut rows = vec![0_u8; stride * height as usize];
        for (y, row) in rows.chunks_mut(stride).enumerate() {
            let mut black = false;
            for x in 0..width as usize {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                black ^= state.is_multiple_of(1 + (y as u32 * 7) % 97);
                if black {
                    row[x / 8] |= 0x80 >> (x % 8);
                }
            }
        }
        rows
    }

    #[test]
    fn encoded_rows_decode_to_the_same_rows() {
        for width in [1, 2, 7, 8, 9, 31, 64, 65, 1728, 2561, 6000, 40_000] {
            let rows = noise(width, 40, width);
            assert_eq!(
                decode(&encode_group4(&rows, width), width, 40, GROUP_4),
                rows,
                "group 4, {width} columns"
            );
            assert_eq!(
                decode(&encode_group3(&rows, width), width, 40, GROUP_3),
                rows,
                "group 3, {width} columns"
            );
        }
    }

    #[test]
    fn black_rows_and_white_rows_are_encoded() {
        for (width, byte) in [(16, 0xff), (16, 0), (5120, 0xff), (5120, 0)] {
            let rows = vec![byte; (width / 8 * 3) as usize];
            assert_eq!(decode(&encode_group4(&rows, width), width, 3, GROUP_4), rows);
            assert_eq!(decode(&encode_group3(&rows, width), width, 3, GROUP_3), rows);
        }
    }

    #[test]
    fn truncated_data_gives_the_complete_rows() {
        let rows = noise(200, 50, 3);
        let coded = encode_group4(&rows, 200);
        assert!(decode(&coded[..coded.len() / 2], 200, 50, GROUP_4).len() < rows.len());
    }
}
