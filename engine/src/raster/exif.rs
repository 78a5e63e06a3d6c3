//! EXIF: the orientation and the resolution that a camera wrote.

use super::tiff::directory::{Tiff, tag};
use super::{Density, Orientation};

/// What of EXIF matters on a page.
#[derive(Default)]
pub(crate) struct Exif {
    pub orientation: Orientation,
    pub density: Option<Density>,
}

/// Reads a block of EXIF, which is a TIFF file without pixels. One that is broken says nothing.
pub(crate) fn read(block: &[u8]) -> Exif {
    let Some(directory) = Tiff::open(block).and_then(|tiff| tiff.directory(tiff.first).ok()) else {
        return Exif::default();
    };
    Exif {
        orientation: directory
            .number(tag::ORIENTATION)
            .map_or_else(Orientation::default, Orientation::from_number),
        density: directory.density(),
    }
}
