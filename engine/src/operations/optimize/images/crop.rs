//! Crops images to their visible part. A form XObject replaces the image and draws the cropped image at its original
//! place, so that content streams need not change.

use super::picture::{Kind, Picture};
use crate::content::{UNIT, is_empty};
use kurbo::Rect;
use lopdf::{Dictionary, Object, ObjectId, Stream};

/// The number of pixels that are kept on each side of the visible part, because renderers interpolate between pixels.
const MARGIN: usize = 3;
/// An image is cropped only if this removes at least this share of its pixels.
const MIN_SAVINGS: f64 = 0.2;

/// Whether an image may be cropped: no entry of its dictionary depends on the size of the image, or requires that the
/// object is an image.
pub(super) fn may_be_cropped(dict: &Dictionary) -> bool {
    const DEPENDENT_KEYS: [&[u8]; 8] =
        [b"SMask", b"Mask", b"StructParent", b"OC", b"Measure", b"PtData", b"AF", b"Alternates"];
    !DEPENDENT_KEYS.iter().any(|key| dict.has(key))
}

/// Crops a picture to the visible part of the unit square. Returns the part of the unit square that is kept. `None` if
/// the picture was not cropped.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "sizes of images"
)]
pub(super) fn crop(picture: &mut Picture, visible: Rect) -> Option<Rect> {
    let visible = visible.intersect(UNIT);
    if is_empty(visible) {
        return None;
    }
    let (width, height) = (picture.width as f64, picture.height as f64);
    let low = |edge: f64| (edge.floor() as usize).saturating_sub(MARGIN);
    let high = |edge: f64, most: usize| (edge.ceil() as usize).saturating_add(MARGIN).min(most);
    // Pictures with one bit per pixel are cropped at byte boundaries.
    let left =
        if picture.kind == Kind::Bits { low(visible.x0 * width) / 8 * 8 } else { low(visible.x0 * width) };
    let right = high(visible.x1 * width, picture.width);
    // The first row of an image is the top row.
    let (first, last) = (low((1.0 - visible.y1) * height), high((1.0 - visible.y0) * height, picture.height));
    let (new_width, new_height) = (right.checked_sub(left)?, last.checked_sub(first)?);
    if new_width == 0
        || new_height == 0
        || (new_width * new_height) as f64 > width * height * (1.0 - MIN_SAVINGS)
    {
        return None;
    }
    let row = picture.row_bytes();
    let (start, length) = match picture.kind {
        Kind::Bits => (left / 8, new_width.div_ceil(8)),
        Kind::Bytes => (left * picture.channels, new_width * picture.channels),
    };
    let mut data = Vec::with_capacity(length * new_height);
    for line in picture.data.chunks_exact(row).skip(first).take(new_height) {
        data.extend_from_slice(line.get(start..start + length)?);
    }
    picture.data = data;
    picture.width = new_width;
    picture.height = new_height;
    Some(Rect::new(
        left as f64 / width,
        1.0 - last as f64 / height,
        right as f64 / width,
        1.0 - first as f64 / height,
    ))
}

/// The form that draws the cropped image in `frame`, the part of the unit square that the cropped image covers.
pub(super) fn form(frame: Rect, image: ObjectId) -> Stream {
    let mut names = Dictionary::new();
    names.set("I", Object::Reference(image));
    let mut resources = Dictionary::new();
    resources.set("XObject", names);
    let mut dict = Dictionary::new();
    dict.set("Type", Object::Name(b"XObject".to_vec()));
    dict.set("Subtype", Object::Name(b"Form".to_vec()));
    dict.set("BBox", vec![0.into(), 0.into(), 1.into(), 1.into()]);
    dict.set("Resources", resources);
    let (width, height, left, bottom) = (frame.width(), frame.height(), frame.x0, frame.y0);
    let content = format!("{width:.7} 0 0 {height:.7} {left:.7} {bottom:.7} cm/I Do");
    Stream::new(dict, content.into_bytes())
}
