//! The decoded images, pattern cells and shadings of a document, shared by all pages and threads.

use hayro::kurbo::Affine;
use hayro::vello_cpu::Pixmap;
use hayro::vello_cpu::peniko::ImageQuality;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of bytes that are kept. If more are made, the oldest ones are dropped.
const MOST_BYTES: usize = 64 << 20;

/// A picture, ready to be painted.
#[derive(Clone)]
pub(super) struct Picture {
    pub pixmap: Arc<Pixmap>,
    pub quality: ImageQuality,
    /// From the pixels of the picture to the space of the image.
    pub transform: Affine,
}

impl Picture {
    fn bytes(&self) -> usize {
        usize::from(self.pixmap.width()) * usize::from(self.pixmap.height()) * 4
    }
}

/// The pictures that an image consists of: the picture itself, and its mask if that has another size.
pub(super) type Pictures = Vec<Picture>;

/// What a picture was made from. Equal keys mean equal pictures.
pub(super) type Key = (Kind, u128, [u64; 8]);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Stencil,
    Raster,
    Tiling,
    Shading,
}

/// The pictures that are kept.
pub(in crate::render) struct Pixmaps {
    kept: Mutex<Kept>,
    has_transfer_functions: bool,
}

#[derive(Default)]
struct Kept {
    pictures: HashMap<Key, (u64, Pictures)>,
    bytes: usize,
    uses: u64,
    made: u64,
}

impl Pixmaps {
    /// For a document in which a graphics state has a transfer function, or none has.
    pub(in crate::render) fn new(has_transfer_functions: bool) -> Self {
        Self { kept: Mutex::default(), has_transfer_functions }
    }

    pub(in crate::render) fn has_transfer_functions(&self) -> bool {
        self.has_transfer_functions
    }

    /// The pictures with this key. If they are not kept, `make` makes them. `None` if the image cannot be decoded.
    pub(super) fn get_or_make(&self, key: Key, make: impl FnOnce() -> Option<Pictures>) -> Option<Pictures> {
        if let Some(pictures) = self.look_up(&key) {
            return Some(pictures);
        }
        // Not locked: the other threads need not wait, and `make` itself can need pictures.
        let pictures = make()?;
        self.keep(key, &pictures);
        Some(pictures)
    }

    fn look_up(&self, key: &Key) -> Option<Pictures> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.uses += 1;
        let now = kept.uses;
        kept.pictures.get_mut(key).map(|(used, pictures)| {
            *used = now;
            pictures.clone()
        })
    }

    fn keep(&self, key: Key, pictures: &Pictures) {
        let bytes = |pictures: &Pictures| pictures.iter().map(Picture::bytes).sum::<usize>();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.made += 1;
        let own = bytes(pictures);
        if own > MOST_BYTES / 4 {
            return;
        }
        if kept.bytes + own > MOST_BYTES {
            // The half that was not used for longest.
            let mut uses: Vec<u64> = kept.pictures.values().map(|(used, _)| *used).collect();
            uses.sort_unstable();
            let median = uses.get(uses.len() / 2).copied().unwrap_or_default();
            kept.pictures.retain(|_, (used, _)| *used > median);
            kept.bytes = kept.pictures.values().map(|(_, pictures)| bytes(pictures)).sum();
        }
        let now = kept.uses;
        if let Some((_, old)) = kept.pictures.insert(key, (now, pictures.clone())) {
            kept.bytes -= bytes(&old).min(kept.bytes);
        }
        kept.bytes += own;
    }

    /// How many times pictures were made.
    #[cfg(test)]
    pub(in crate::render) fn made(&self) -> u64 {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).made
    }
}
