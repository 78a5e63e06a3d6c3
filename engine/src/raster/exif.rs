//! Reads the orientation and the resolution from EXIF metadata.

use super::picture::{Density, Orientation};
use super::tiff::directory::{Tiff, tag};

/// The EXIF fields that matter for a page.
#[derive(Default)]
pub(crate) struct Exif {
    pub orientation: Orientation,
    pub density: Option<Density>,
}

/// Reads an EXIF block, which is a TIFF file without pixels. For a damaged block, all fields have their default values.
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
