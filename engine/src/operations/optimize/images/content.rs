//! Distinguishes photographs from flat graphics, and finds the palette of images with few colours.

/// The colours of an image, sorted. `None` if there are more than `most`.
pub(super) fn palette(data: &[u8], channels: usize, most: usize) -> Option<Vec<[u8; 4]>> {
    let mut colors: Vec<[u8; 4]> = Vec::new();
    let mut last = None;
    for pixel in data.chunks_exact(channels) {
        let mut color = [0; 4];
        color.get_mut(..channels)?.copy_from_slice(pixel);
        if last == Some(color) {
            continue;
        }
        last = Some(color);
        if let Err(at) = colors.binary_search(&color) {
            if colors.len() >= most {
                return None;
            }
            colors.insert(at, color);
        }
    }
    Some(colors)
}

/// Whether an image is flat graphics: most pixels equal the pixel before them. Photographs have noise; drawings and
/// screenshots have areas of one colour.
pub(super) fn is_flat(data: &[u8], width: usize, channels: usize) -> bool {
    let (mut equal, mut all) = (0_u64, 0_u64);
    let row = width * channels;
    if row == 0 {
        return false;
    }
    // It is enough to compare the pixels of every seventh row.
    for line in data.chunks_exact(row).step_by(7) {
        let before = line.chunks_exact(channels);
        for (a, b) in before.clone().zip(before.skip(1)) {
            equal += u64::from(a == b);
            all += 1;
        }
    }
    equal * 10 > all * 6
}

/// Whether all pixels of an RGB image are gray.
pub(super) fn is_gray(data: &[u8]) -> bool {
    data.as_chunks::<3>().0.iter().all(|[r, g, b]| r == g && g == b)
}
