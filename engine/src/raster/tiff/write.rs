//! Writes little-endian TIFF files. Each page has one strip, and the directory of the page precedes this strip, as
//! TIFF-F requires.
//!
//! The `tiff` crate is not used, because it writes directories after the data, and cannot write CCITT strips.

use super::directory::tag;

/// The value of a field of a directory.
#[derive(Clone, Debug)]
pub(crate) enum Field {
    Short(Vec<u16>),
    Long(u32),
    Text(&'static str),
    /// A rational number with the denominator 1000.
    Thousandths(f64),
    Bytes(Vec<u8>),
}

impl Field {
    fn kind(&self) -> u16 {
        match self {
            Self::Text(_) => 2,
            Self::Short(_) => 3,
            Self::Long(_) => 4,
            Self::Thousandths(_) => 5,
            Self::Bytes(_) => 7,
        }
    }

    /// The number of values in the field, and the bytes of these values.
    fn value(&self) -> (u32, Vec<u8>) {
        let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        match self {
            Self::Short(values) => {
                (count(values.len()), values.iter().flat_map(|value| value.to_le_bytes()).collect())
            }
            Self::Long(value) => (1, value.to_le_bytes().to_vec()),
            Self::Text(text) => (count(text.len() + 1), [text.as_bytes(), &[0]].concat()),
            Self::Thousandths(value) => {
                let numerator = (value * 1000.0).round() as u32;
                (1, [numerator.to_le_bytes(), 1000_u32.to_le_bytes()].concat())
            }
            Self::Bytes(bytes) => (count(bytes.len()), bytes.clone()),
        }
    }
}

/// A TIFF file that is written page by page.
pub(crate) struct TiffWriter {
    file: Vec<u8>,
    /// The position at which the offset of the next directory is to be written.
    link: usize,
}

impl TiffWriter {
    pub fn new() -> Self {
        Self { file: b"II*\0\0\0\0\0".to_vec(), link: 4 }
    }

    /// The number of bytes written so far.
    pub fn len(&self) -> usize {
        self.file.len()
    }

    /// Adds a page with one strip. This function adds the fields that describe the strip to `fields`.
    pub fn page(&mut self, fields: Vec<(u16, Field)>, strip: &[u8]) {
        let mut fields = fields;
        let length = u32::try_from(strip.len()).unwrap_or(u32::MAX);
        fields.push((tag::STRIP_OFFSETS, Field::Long(0)));
        fields.push((tag::STRIP_BYTE_COUNTS, Field::Long(length)));
        fields.sort_by_key(|(tag, _)| *tag);
        self.align();
        let start = self.file.len();
        self.set(self.link, start);
        let count = fields.len();
        self.link = start + 2 + count * 12;
        // Values that do not fit into their entry are written between the directory and the strip.
        let mut values = Vec::new();
        let after = self.link + 4;
        self.file.extend(u16::try_from(count).unwrap_or(u16::MAX).to_le_bytes());
        let strip_start =
            after + fields.iter().map(|(_, field)| external_size(&field.value().1)).sum::<usize>();
        for (tag, field) in &fields {
            let (count, value) = field.value();
            self.file.extend(tag.to_le_bytes());
            self.file.extend(field.kind().to_le_bytes());
            self.file.extend(count.to_le_bytes());
            if *tag == tag::STRIP_OFFSETS {
                self.file.extend(offset(strip_start));
            } else if external_size(&value) == 0 {
                let mut inline = value;
                inline.resize(4, 0);
                self.file.extend(inline);
            } else {
                self.file.extend(offset(after + values.len()));
                values.extend(value);
                values.resize(values.len().next_multiple_of(2), 0);
            }
        }
        self.file.extend([0; 4]);
        self.file.append(&mut values);
        self.file.extend_from_slice(strip);
    }

    /// Adds a zero byte if the length of the file is odd, because directories must begin at even offsets.
    fn align(&mut self) {
        self.file.resize(self.file.len().next_multiple_of(2), 0);
    }

    fn set(&mut self, at: usize, value: usize) {
        if let Some(place) = self.file.get_mut(at..at + 4) {
            place.copy_from_slice(&offset(value));
        }
    }

    pub fn finish(self) -> Vec<u8> {
        self.file
    }
}

/// The number of bytes that a value takes outside its directory entry: 0 if the value fits into the entry.
fn external_size(value: &[u8]) -> usize {
    if value.len() <= 4 { 0 } else { value.len().next_multiple_of(2) }
}

fn offset(value: usize) -> [u8; 4] {
    u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes()
}
