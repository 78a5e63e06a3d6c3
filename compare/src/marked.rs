//! Draws two pages side by side as a PNG file, with the tiles that differ tinted and outlined in red.

use crate::difference::{Difference, TILE};
use crate::picture::Picture;
use std::io::{self, Write};

/// The space between the two pages in pixels.
const GAP: usize = 16;
/// The width of the outline in pixels.
const OUTLINE: usize = 2;
const RED: [u8; 3] = [220, 0, 0];
const BEHIND: [u8; 3] = [128, 128, 128];
/// The colour of a page that does not exist.
const ABSENT: [u8; 3] = [210, 210, 210];
/// The share of the tint in 256ths.
const TINT: u16 = 64;

/// Writes the PNG file. A page that one document lacks is a grey area. Rows are drawn one by one, so that the memory is
/// that of the two pictures.
pub fn write(pages: [Option<&Picture>; 2], difference: &Difference, writer: impl Write) -> io::Result<()> {
    let size = |of: fn(&Picture) -> usize| pages.iter().flatten().map(|page| of(page)).max().unwrap_or(1);
    let (width, height) = (size(Picture::width), size(Picture::height));
    let whole = 2 * width + GAP;
    let side = |length: usize| u32::try_from(length).map_err(io::Error::other);
    let mut encoder = png::Encoder::new(writer, side(whole)?, side(height)?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    let mut encoder = encoder.write_header().map_err(io::Error::other)?;
    let mut stream = encoder.stream_writer().map_err(io::Error::other)?;
    let mut line = vec![0; whole * 3];
    for y in 0..height {
        let pixels = line.as_chunks_mut::<3>().0;
        pixels.fill(BEHIND);
        let (left, rest) = pixels.split_at_mut(width);
        let right = rest.get_mut(GAP..).unwrap_or_default();
        for (page, pixels) in pages.iter().zip([left, right]) {
            draw(*page, difference, y, pixels);
        }
        stream.write_all(&line)?;
    }
    stream.finish().map_err(io::Error::other)?;
    encoder.finish().map_err(io::Error::other)
}

fn draw(page: Option<&Picture>, difference: &Difference, y: usize, pixels: &mut [[u8; 3]]) {
    let Some(page) = page else {
        pixels.fill(ABSENT);
        return;
    };
    let row = page.row(y).as_chunks::<3>().0;
    for (x, (pixel, color)) in pixels.iter_mut().zip(row).enumerate() {
        *pixel = match mark(difference, x, y) {
            Mark::Nothing => *color,
            Mark::Tint => tinted(*color),
            Mark::Outline => RED,
        };
    }
}

enum Mark {
    Nothing,
    Tint,
    Outline,
}

fn mark(difference: &Difference, x: usize, y: usize) -> Mark {
    let (column, row) = (x / TILE, y / TILE);
    if !difference.differs_at(column, row) {
        return Mark::Nothing;
    }
    let differs = |column: Option<usize>, row: Option<usize>| {
        column.zip(row).is_some_and(|(column, row)| difference.differs_at(column, row))
    };
    let outline = (x % TILE < OUTLINE && !differs(column.checked_sub(1), Some(row)))
        || (x % TILE >= TILE - OUTLINE && !differs(Some(column + 1), Some(row)))
        || (y % TILE < OUTLINE && !differs(Some(column), row.checked_sub(1)))
        || (y % TILE >= TILE - OUTLINE && !differs(Some(column), Some(row + 1)));
    if outline { Mark::Outline } else { Mark::Tint }
}

fn tinted(color: [u8; 3]) -> [u8; 3] {
    let mut mixed = color;
    for (sample, red) in mixed.iter_mut().zip(RED) {
        *sample = ((u16::from(*sample) * (256 - TINT) + u16::from(red) * TINT) >> 8) as u8;
    }
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DEFAULT_TOLERANCE;
    use crate::difference::difference;
    use std::io::Cursor;

    fn drawn(pages: [Option<&Picture>; 2], difference: &Difference) -> Picture {
        let mut bytes = Vec::new();
        write(pages, difference, &mut bytes).unwrap();
        Picture::read_png(Cursor::new(bytes), 1000).unwrap()
    }

    fn at(picture: &Picture, x: usize, y: usize) -> [u8; 3] {
        picture.row(y).as_chunks::<3>().0[x]
    }

    #[test]
    fn pages_are_beside_each_other_and_differences_are_red() {
        let white = Picture::new(40, 24, vec![255; 40 * 24 * 3]).unwrap();
        let mut pixels = vec![255; 40 * 24 * 3];
        for y in 8..16 {
            pixels[(y * 40 + 8) * 3..(y * 40 + 16) * 3].fill(0);
        }
        let other = Picture::new(40, 24, pixels).unwrap();
        let found = difference(&white, &other, DEFAULT_TOLERANCE);
        let both = drawn([Some(&white), Some(&other)], &found);
        assert_eq!((both.width(), both.height()), (96, 24));
        assert_eq!((at(&both, 8, 8), at(&both, 56 + 8, 8)), (RED, RED));
        assert_eq!((at(&both, 11, 11), at(&both, 56 + 11, 11)), (tinted([255; 3]), tinted([0; 3])));
        assert_eq!((at(&both, 0, 0), at(&both, 41, 0), at(&both, 17, 11)), ([255; 3], BEHIND, [255; 3]));
    }

    #[test]
    fn a_missing_page_and_the_rest_of_a_smaller_one_are_grey() {
        let (small, large) =
            (Picture::new(8, 8, vec![255; 192]).unwrap(), Picture::new(24, 8, vec![255; 576]).unwrap());
        let both = drawn([Some(&small), None], &Difference::whole(&small));
        assert_eq!((at(&both, 4, 4), at(&both, 8 + GAP + 4, 4)), (tinted([255; 3]), ABSENT));
        let found = difference(&small, &large, DEFAULT_TOLERANCE);
        let both = drawn([Some(&small), Some(&large)], &found);
        assert_eq!((at(&both, 4, 4), at(&both, 12, 4)), ([255; 3], BEHIND));
        assert_eq!(at(&both, 24 + GAP + 12, 4), tinted([255; 3]));
    }
}
