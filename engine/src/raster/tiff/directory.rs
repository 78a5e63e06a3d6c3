//! Reads the structure of a TIFF file: the header, the directories and their entries, in classic TIFF and BigTIFF, and
//! in both byte orders.
//!
//! Every offset and count is checked against the file's size before it is used.

use crate::EngineError;
use crate::raster::picture::Density;
use std::collections::BTreeMap;

/// The tags of the fields that are read, with the names that the TIFF specification gives them.
pub(crate) mod tag {
    pub const NEW_SUBFILE_TYPE: u16 = 254;
    pub const IMAGE_WIDTH: u16 = 256;
    pub const IMAGE_LENGTH: u16 = 257;
    pub const BITS_PER_SAMPLE: u16 = 258;
    pub const COMPRESSION: u16 = 259;
    pub const PHOTOMETRIC_INTERPRETATION: u16 = 262;
    pub const FILL_ORDER: u16 = 266;
    pub const STRIP_OFFSETS: u16 = 273;
    pub const ORIENTATION: u16 = 274;
    pub const SAMPLES_PER_PIXEL: u16 = 277;
    pub const ROWS_PER_STRIP: u16 = 278;
    pub const STRIP_BYTE_COUNTS: u16 = 279;
    pub const X_RESOLUTION: u16 = 282;
    pub const Y_RESOLUTION: u16 = 283;
    pub const PLANAR_CONFIGURATION: u16 = 284;
    pub const T4_OPTIONS: u16 = 292;
    pub const RESOLUTION_UNIT: u16 = 296;
    pub const PREDICTOR: u16 = 317;
    pub const COLOR_MAP: u16 = 320;
    pub const TILE_WIDTH: u16 = 322;
    pub const TILE_LENGTH: u16 = 323;
    pub const TILE_OFFSETS: u16 = 324;
    pub const TILE_BYTE_COUNTS: u16 = 325;
    pub const INK_SET: u16 = 332;
    pub const EXTRA_SAMPLES: u16 = 338;
    pub const SAMPLE_FORMAT: u16 = 339;
    pub const JPEG_TABLES: u16 = 347;
    pub const JPEG_INTERCHANGE_FORMAT: u16 = 513;
    pub const JPEG_INTERCHANGE_FORMAT_LENGTH: u16 = 514;
    pub const YCBCR_COEFFICIENTS: u16 = 529;
    pub const YCBCR_SUBSAMPLING: u16 = 530;
    pub const SOFTWARE: u16 = 305;
    pub const PAGE_NUMBER: u16 = 297;
    pub const ICC_PROFILE: u16 = 34675;
}

/// The maximum number of entries in a directory. TIFF allows 65,535; real files have a few dozen.
const MAX_ENTRIES: u64 = 4096;

/// A TIFF file whose header has been read.
#[derive(Clone, Copy)]
pub(crate) struct Tiff<'a> {
    pub bytes: &'a [u8],
    pub order: Order,
    big: bool,
    /// The offset of the first directory.
    pub first: u64,
}

/// The byte order of the numbers in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Little,
    Big,
}

impl Order {
    /// The unsigned number that the bytes contain. There are at most eight bytes.
    pub fn number(self, bytes: &[u8]) -> u64 {
        let push = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        match self {
            Self::Little => bytes.iter().rev().fold(0, push),
            Self::Big => bytes.iter().fold(0, push),
        }
    }
}

impl<'a> Tiff<'a> {
    /// Reads the header of a file. `None` if the file has no TIFF header.
    pub fn open(bytes: &'a [u8]) -> Option<Self> {
        let order = match bytes.get(..2)? {
            b"II" => Order::Little,
            b"MM" => Order::Big,
            _ => return None,
        };
        match order.number(bytes.get(2..4)?) {
            42 => Some(Self { bytes, order, big: false, first: order.number(bytes.get(4..8)?) }),
            43 => Some(Self { bytes, order, big: true, first: order.number(bytes.get(8..16)?) }),
            _ => None,
        }
    }

    /// The `length` bytes of the file from `offset` on. `None` if they are not all within the file.
    pub fn slice(&self, offset: u64, length: u64) -> Option<&'a [u8]> {
        let start = usize::try_from(offset).ok()?;
        self.bytes.get(start..start.checked_add(usize::try_from(length).ok()?)?)
    }

    fn number_at(&self, offset: u64, length: u64) -> Option<u64> {
        Some(self.order.number(self.slice(offset, length)?))
    }

    /// Reads the directory at `offset`. Entries whose value is outside the file are left out.
    ///
    /// # Errors
    /// [`EngineError::Damaged`] if the directory itself is outside the file.
    pub fn directory(&self, offset: u64) -> Result<Directory<'a>, EngineError> {
        self.try_directory(offset).ok_or_else(|| {
            EngineError::Damaged(format!(
                "the TIFF directory at byte {offset} is outside the file; the file may be truncated"
            ))
        })
    }

    fn try_directory(&self, offset: u64) -> Option<Directory<'a>> {
        let (count_size, entry_size, offset_size) = if self.big { (8, 20, 8) } else { (2, 12, 4) };
        let count = self.number_at(offset, count_size)?;
        if count > MAX_ENTRIES {
            return None;
        }
        let mut entries = BTreeMap::new();
        let mut at = offset.checked_add(count_size)?;
        for _ in 0..count {
            let number = self.number_at(at, 2)?;
            if let Some(entry) = self.entry(at, offset_size) {
                entries.entry(u16::try_from(number).ok()?).or_insert(entry);
            }
            at = at.checked_add(entry_size)?;
        }
        // A file that is truncated right after its last directory still contains the image.
        let next = self.number_at(at, offset_size).unwrap_or(0);
        Some(Directory { order: self.order, entries, next })
    }

    fn entry(&self, at: u64, offset_size: u64) -> Option<Entry<'a>> {
        let kind = self.number_at(at.checked_add(2)?, 2)?;
        let count = self.number_at(at.checked_add(4)?, offset_size)?;
        let size = size_of_kind(kind)?;
        let length = count.checked_mul(size)?;
        let inline = at.checked_add(4)?.checked_add(offset_size)?;
        let place = if length <= offset_size { inline } else { self.number_at(inline, offset_size)? };
        Some(Entry { kind, size: usize::try_from(size).ok()?, value: self.slice(place, length)? })
    }
}

/// The size in bytes of one value of this field type. `None` if the type is unknown.
fn size_of_kind(kind: u64) -> Option<u64> {
    match kind {
        1 | 2 | 6 | 7 => Some(1),
        3 | 8 => Some(2),
        4 | 9 | 11 | 13 => Some(4),
        5 | 10 | 12 | 16 | 17 | 18 => Some(8),
        _ => None,
    }
}

/// The entries of one directory.
pub(crate) struct Directory<'a> {
    pub order: Order,
    entries: BTreeMap<u16, Entry<'a>>,
    /// The offset of the next directory. It is 0 if this directory is the last.
    pub next: u64,
}

struct Entry<'a> {
    kind: u64,
    size: usize,
    value: &'a [u8],
}

impl<'a> Directory<'a> {
    /// The bytes of the value of a field, as stored in the file.
    pub fn bytes(&self, tag: u16) -> Option<&'a [u8]> {
        self.entries.get(&tag).map(|entry| entry.value)
    }

    /// The unsigned numbers of a field.
    pub fn numbers(&self, tag: u16) -> Option<Vec<u64>> {
        let entry = self.entries.get(&tag)?;
        matches!(entry.kind, 1 | 3 | 4 | 7 | 13 | 16 | 18)
            .then(|| entry.value.chunks_exact(entry.size).map(|value| self.order.number(value)).collect())
    }

    /// The first of the unsigned numbers of a field.
    pub fn number(&self, tag: u16) -> Option<u64> {
        let entry = self.entries.get(&tag)?;
        let first = entry.value.get(..entry.size)?;
        matches!(entry.kind, 1 | 3 | 4 | 7 | 13 | 16 | 18).then(|| self.order.number(first))
    }

    /// The numbers of a field, as floats.
    pub fn floats(&self, tag: u16) -> Option<Vec<f64>> {
        let entry = self.entries.get(&tag)?;
        let values = entry.value.chunks_exact(entry.size);
        let float = |value: &[u8]| -> Option<f64> {
            let (first, second) = (value.get(..4), value.get(4..8));
            Some(match entry.kind {
                1 | 3 | 4 => self.order.number(value) as f64,
                5 => self.order.number(first?) as f64 / self.order.number(second?) as f64,
                11 => f64::from(f32::from_bits(self.order.number(value) as u32)),
                12 => f64::from_bits(self.order.number(value)),
                _ => return None,
            })
        };
        values.map(float).collect()
    }

    /// The resolution. `None` if the resolution has no unit: it then states only the aspect ratio of the pixels, and
    /// this ratio is often wrong.
    pub fn density(&self) -> Option<Density> {
        let first = |tag| self.floats(tag).and_then(|values| values.first().copied());
        let (x, y) = (first(tag::X_RESOLUTION)?, first(tag::Y_RESOLUTION)?);
        match self.number(tag::RESOLUTION_UNIT).unwrap_or(2) {
            2 => Density::per_inch(x, y),
            3 => Density::per_cm(x, y),
            _ => None,
        }
    }
}
