//! The result of a survey: how images are shown, which codes are shown in fonts, and which resources content streams
//! use.

use kurbo::Rect;
use lopdf::ObjectId;
use std::collections::{HashMap, HashSet};

/// How an image is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ImageUse {
    /// The largest width and the largest height at which the image is shown, in points of 1/72 inch.
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// The bounding box of all parts of the image that are visible on any page, in coordinates of the unit square.
    pub(crate) visible: Rect,
}

/// The codes that text shows in a font.
#[derive(Clone, Debug, Default)]
pub(crate) struct Codes {
    single: [u64; 4],
    /// The two-byte codes, as a set of bits. Two-byte codes begin at even offsets of the strings. The vector is empty
    /// until the first string is added.
    pairs: Vec<u64>,
    /// Whether one of the strings had an odd number of bytes.
    pub(crate) odd: bool,
}

impl Codes {
    /// All one-byte codes.
    pub(crate) fn every_byte() -> Self {
        Self { single: [u64::MAX; 4], ..Self::default() }
    }

    /// Adds the codes of a string that is shown.
    pub(crate) fn add_text(&mut self, text: &[u8]) {
        for &byte in text {
            if let Some(word) = self.single.get_mut(usize::from(byte / 64)) {
                *word |= 1 << (byte % 64);
            }
        }
        if self.pairs.is_empty() {
            self.pairs = vec![0; 1024];
        }
        let (pairs, rest) = text.as_chunks::<2>();
        for pair in pairs {
            let code = u16::from_be_bytes(*pair);
            if let Some(word) = self.pairs.get_mut(usize::from(code / 64)) {
                *word |= 1 << (code % 64);
            }
        }
        self.odd |= !rest.is_empty();
    }

    /// The one-byte codes.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=u8::MAX).filter(|&code| {
            self.single.get(usize::from(code / 64)).is_some_and(|word| word >> (code % 64) & 1 == 1)
        })
    }

    /// The two-byte codes.
    pub(crate) fn words(&self) -> impl Iterator<Item = u16> + '_ {
        (0..=u16::MAX).filter(|&code| {
            self.pairs.get(usize::from(code / 64)).is_some_and(|word| word >> (code % 64) & 1 == 1)
        })
    }
}

/// The place where the dictionary of one resource category is stored. `Object`: the dictionary is this indirect object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CategoryDict {
    Object(ObjectId),
    /// The dictionary is the entry for this category in the resource dictionary that is this indirect object.
    InResources(ObjectId, Vec<u8>),
    /// The dictionary is the entry for this category in the resource dictionary that is a direct entry of this page,
    /// form, pattern or font.
    InOwner(ObjectId, Vec<u8>),
}

/// The result of a survey.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    /// The images that are shown, by their object identifiers.
    pub(crate) images: HashMap<ObjectId, ImageUse>,
    /// The codes that text shows in each font, by the object identifiers of the font dictionaries.
    pub(crate) fonts: HashMap<ObjectId, Codes>,
    /// The fonts of text that is painted. Invisible text does not count.
    pub(crate) painted_fonts: HashSet<ObjectId>,
    /// The streams that were read as content streams.
    pub(crate) contents: HashSet<ObjectId>,
    /// The names of resources that content streams use, for each dictionary of a resource category.
    pub(crate) names: HashMap<CategoryDict, HashSet<Vec<u8>>>,
    /// Whether some content could not be read. If so, resources without a recorded use may still be used.
    pub(crate) incomplete: bool,
    /// Whether text uses a font that is not an indirect object.
    pub(crate) has_direct_font: bool,
}
