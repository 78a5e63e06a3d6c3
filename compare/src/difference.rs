//! The difference of two pictures: which of their tiles differ.
//!
//! A tile has 8 x 8 pixels. It differs if the mean colour difference of its pixels ([CIE
//! 1976](crate::DEFAULT_TOLERANCE)) exceeds the tolerance. The mean absorbs what nobody sees, such as another
//! rounding of the edge of a glyph, but not a missing full stop. The figure of a page is the share of its tiles that
//! differ: unlike a structural similarity, it has a meaning for people ("2 % of the page"), it shows where the
//! difference is, and blank paper does not hide a small one.

use crate::color::Lab;
use crate::picture::Picture;

/// The width and height of a tile in pixels.
pub const TILE: usize = 8;

/// The colour difference of a pixel that only one of the pictures has: that of black and white.
const MISSING: f32 = 100.0;

/// How much two sizes in pixels may differ because of rounding.
const ROUNDING: usize = 1;

/// The tiles of two pictures that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    columns: usize,
    tiles: Vec<bool>,
    size_differs: bool,
}

impl Difference {
    /// The difference of a page that only one document has: each of its tiles differs.
    pub(crate) fn whole(picture: &Picture) -> Self {
        let columns = picture.width().div_ceil(TILE);
        let tiles = vec![true; columns * picture.height().div_ceil(TILE)];
        Self { columns, tiles, size_differs: false }
    }

    /// The number of tiles.
    pub fn tiles(&self) -> usize {
        self.tiles.len()
    }

    /// The number of tiles that differ.
    pub fn differing(&self) -> usize {
        self.tiles.iter().filter(|differs| **differs).count()
    }

    /// The share of the tiles that differ, from 0 to 1.
    pub fn share(&self) -> f64 {
        share(self.differing(), self.tiles())
    }

    /// Whether the pages have different sizes.
    pub fn size_differs(&self) -> bool {
        self.size_differs
    }

    /// Whether the tile in this column and row differs. No tile outside the pictures differs.
    pub fn differs_at(&self, column: usize, row: usize) -> bool {
        column < self.columns && self.tiles.get(row * self.columns + column).copied().unwrap_or_default()
    }
}

/// A part of a whole, from 0 to 1.
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Compares two pictures of pages, aligned at the top left corner.
///
/// A tile differs if the mean colour difference of its pixels is more than `tolerance`. If one picture is larger by
/// more than a pixel, the part that only this picture has differs. If the pictures have different resolutions, their
/// pages have different sizes, and each tile differs.
pub fn difference(a: &Picture, b: &Picture, tolerance: f32) -> Difference {
    let (width, wider) = extent(a.width(), b.width());
    let (height, higher) = extent(a.height(), b.height());
    let scaled = resolution_differs(a, b);
    let columns = width.div_ceil(TILE);
    let lab = Lab::new();
    let mut tiles = Vec::with_capacity(columns * height.div_ceil(TILE));
    let mut sums = vec![0.0_f32; columns];
    for top in (0..height).step_by(TILE) {
        let bottom = (top + TILE).min(height);
        sums.fill(0.0);
        for y in top..bottom {
            add_row(&lab, a.row(y), b.row(y), width, &mut sums);
        }
        tiles.extend(sums.iter().enumerate().map(|(column, sum)| {
            let pixels = (bottom - top) * TILE.min(width - column * TILE);
            scaled || sum / pixels as f32 > tolerance
        }));
    }
    Difference { columns, tiles, size_differs: scaled || wider || higher }
}

/// Adds the colour differences of a row of pixels to the sums of its tiles.
fn add_row(lab: &Lab, a: &[u8], b: &[u8], width: usize, sums: &mut [f32]) {
    if a == b {
        return;
    }
    let (a, b) = (a.as_chunks::<3>().0, b.as_chunks::<3>().0);
    for (tile, sum) in sums.iter_mut().enumerate() {
        let (start, end) = (tile * TILE, ((tile + 1) * TILE).min(width));
        *sum += (start..end)
            .map(|x| match (a.get(x), b.get(x)) {
                (Some(a), Some(b)) => lab.distance(*a, *b),
                (None, None) => 0.0,
                _ => MISSING,
            })
            .sum::<f32>();
    }
}

/// The length that is compared, and whether the lengths differ by more than rounding.
fn extent(a: usize, b: usize) -> (usize, bool) {
    let differs = a.abs_diff(b) > ROUNDING;
    (if differs { a.max(b) } else { a.min(b) }, differs)
}

/// Whether both files state a resolution, and the resolutions differ by more than one percent: then the same number of
/// pixels is another size of the page.
fn resolution_differs(a: &Picture, b: &Picture) -> bool {
    let differs = |a: u32, b: u32| u64::from(a.abs_diff(b)) * 100 > u64::from(a.max(b));
    match (a.density(), b.density()) {
        (Some(a), Some(b)) => differs(a.0, b.0) || differs(a.1, b.1),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DEFAULT_TOLERANCE;

    fn picture(width: usize, height: usize, color: impl Fn(usize, usize) -> [u8; 3]) -> Picture {
        let rows = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        Picture::new(width, height, rows.flat_map(|(x, y)| color(x, y)).collect()).unwrap()
    }

    fn white(width: usize, height: usize) -> Picture {
        picture(width, height, |_, _| [255; 3])
    }

    fn differing(a: &Picture, b: &Picture) -> (usize, usize) {
        let (found, mirrored) = (difference(a, b, DEFAULT_TOLERANCE), difference(b, a, DEFAULT_TOLERANCE));
        assert_eq!(found, mirrored, "the order does not matter");
        (found.differing(), found.tiles())
    }

    #[test]
    fn equal_pictures_do_not_differ() {
        let a = picture(100, 50, |x, y| [x as u8, y as u8, 7]);
        assert_eq!(differing(&a, &a.clone()), (0, 13 * 7));
    }

    #[test]
    fn only_the_tiles_of_a_changed_area_differ() {
        let b = picture(80, 80, |x, y| if (16..24).contains(&x) && y < 9 { [0; 3] } else { [255; 3] });
        let found = difference(&white(80, 80), &b, DEFAULT_TOLERANCE);
        assert_eq!((found.differing(), found.tiles(), found.share()), (2, 100, 0.02));
        assert!(found.differs_at(2, 0) && found.differs_at(2, 1));
        assert!(!found.differs_at(3, 0) && !found.differs_at(10, 0) && !found.differs_at(2, 10));
        assert!(!found.size_differs());
    }

    #[test]
    fn the_rounding_of_an_edge_is_tolerated_and_a_full_stop_is_not() {
        let dot = |side: usize, color: u8| {
            picture(80, 80, move |x, y| {
                if (21..21 + side).contains(&x) && (21..21 + side).contains(&y) {
                    [color; 3]
                } else {
                    [255; 3]
                }
            })
        };
        assert_eq!(differing(&white(80, 80), &dot(1, 100)).0, 0);
        assert_eq!(differing(&white(80, 80), &dot(2, 0)).0, 1);
    }

    #[test]
    fn a_changed_colour_differs_beyond_the_tolerance_only() {
        let (red, other) = (picture(8, 8, |_, _| [200, 0, 0]), picture(8, 8, |_, _| [200, 0, 30]));
        let distance = Lab::new().distance([200, 0, 0], [200, 0, 30]);
        assert_eq!(difference(&red, &other, distance - 0.1).differing(), 1);
        assert_eq!(difference(&red, &other, distance + 0.1).differing(), 0);
    }

    #[test]
    fn a_page_of_another_size_differs_where_only_one_page_is() {
        let found = difference(&white(80, 80), &white(96, 80), DEFAULT_TOLERANCE);
        assert_eq!((found.differing(), found.tiles(), found.size_differs()), (20, 120, true));
        // One pixel more is rounding.
        assert_eq!(differing(&white(80, 80), &white(81, 79)), (0, 100));
        let wide_and_high = difference(&white(160, 8), &white(8, 160), DEFAULT_TOLERANCE);
        assert_eq!((wide_and_high.differing(), wide_and_high.tiles()), (38, 400));
    }

    #[test]
    fn a_page_that_only_one_document_has_differs_wholly() {
        let whole = Difference::whole(&white(81, 8));
        assert_eq!((whole.differing(), whole.tiles(), whole.share()), (11, 11, 1.0));
    }
}
