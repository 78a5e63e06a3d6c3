//! What the survey of a document finds: how its images are shown, which characters its fonts show, which resources
//! its contents name.

use super::geometry::Rect;
use lopdf::ObjectId;
use std::collections::{HashMap, HashSet};

/// How an image is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shown {
    /// Its largest width and height, in points of 1/72 inch.
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// The part of the unit square that is seen anywhere.
    pub(crate) visible: Rect,
}

/// Which codes a font is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Codes {
    single: [u64; 4],
    /// Codes of two bytes, as they stand in the strings; allocated when the first string comes.
    pairs: Vec<u64>,
    /// Whether a string had an odd number of bytes.
    pub(crate) odd: bool,
}

impl Codes {
    /// Every code of one byte.
    pub(crate) fn every_byte() -> Self {
        Self { single: [u64::MAX; 4], ..Self::default() }
    }

    /// Notes a string that is shown.
    pub(crate) fn note(&mut self, text: &[u8]) {
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

    /// The codes of one byte.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=u8::MAX).filter(|&code| {
            self.single.get(usize::from(code / 64)).is_some_and(|word| word >> (code % 64) & 1 == 1)
        })
    }

    /// The codes of two bytes.
    pub(crate) fn words(&self) -> impl Iterator<Item = u16> + '_ {
        (0..=u16::MAX).filter(|&code| {
            self.pairs.get(usize::from(code / 64)).is_some_and(|word| word >> (code % 64) & 1 == 1)
        })
    }
}

/// The dictionary of one category of resources: an object of its own, or an entry of a resource dictionary, which
/// again is an object of its own or an entry of its owner.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shelf {
    Object(ObjectId),
    /// In the resource dictionary that is this object.
    InResources(ObjectId, Vec<u8>),
    /// In the resource dictionary that is an entry of this page, form, pattern or font.
    InOwner(ObjectId, Vec<u8>),
}

/// What the survey found.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    /// Images that are shown, by their objects.
    pub(crate) images: HashMap<ObjectId, Shown>,
    /// The codes shown in each font, by the font dictionary's object.
    pub(crate) fonts: HashMap<ObjectId, Codes>,
    /// Fonts that text is painted in.
    pub(crate) painted_fonts: HashSet<ObjectId>,
    /// The streams that were read as contents.
    pub(crate) contents: HashSet<ObjectId>,
    /// The names taken from each shelf that contents were read with.
    pub(crate) names: HashMap<Shelf, HashSet<Vec<u8>>>,
    /// Content was met that could not be read: nothing may be concluded from what was not found.
    pub(crate) incomplete: bool,
    /// A font without an object of its own was met.
    pub(crate) nameless_font: bool,
}
