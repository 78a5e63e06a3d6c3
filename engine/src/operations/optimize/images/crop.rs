//! Cutting away the parts of an image that are never seen. A form takes the image's place and shows what is left
//! where it was, so that no content has to change.

use super::picture::{Kind, Picture};
use crate::content::Rect;
use lopdf::{Dictionary, Object, ObjectId, Stream};

/// Pixels kept around what is seen: renderers interpolate.
const MARGIN: usize = 3;
/// An image is cut only if it loses at least this share of its pixels.
const WORTH_CUTTING: f64 = 0.2;

/// Whether nothing ties the image to its size or its place in the file.
pub(super) fn may_be_cut(dict: &Dictionary) -> bool {
    const TIES: [&[u8]; 8] =
        [b"SMask", b"Mask", b"StructParent", b"OC", b"Measure", b"PtData", b"AF", b"Alternates"];
    !TIES.iter().any(|key| dict.has(key))
}

/// Cuts a picture to what is visible of the unit square; gives the part of the square that is left, if it did.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "sizes of images"
)]
pub(super) fn crop(picture: &mut Picture, visible: Rect) -> Option<Rect> {
    let visible = visible.and(Rect::UNIT);
    if visible.is_empty() {
        return None;
    }
    let (width, height) = (picture.width as f64, picture.height as f64);
    let low = |edge: f64| (edge.floor() as usize).saturating_sub(MARGIN);
    let high = |edge: f64, most: usize| (edge.ceil() as usize).saturating_add(MARGIN).min(most);
    // Bits are cut at bytes.
    let left = if picture.kind == Kind::Bits {
        low(visible.left * width) / 8 * 8
    } else {
        low(visible.left * width)
    };
    let right = high(visible.right * width, picture.width);
    // The first row is the top one.
    let (first, last) =
        (low((1.0 - visible.top) * height), high((1.0 - visible.bottom) * height, picture.height));
    let (new_width, new_height) = (right.checked_sub(left)?, last.checked_sub(first)?);
    if new_width == 0
        || new_height == 0
        || (new_width * new_height) as f64 > width * height * (1.0 - WORTH_CUTTING)
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
    Some(Rect::of([
        left as f64 / width,
        1.0 - last as f64 / height,
        right as f64 / width,
        1.0 - first as f64 / height,
    ]))
}

/// The form that shows the cut image in its frame.
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
    let Rect { left, bottom, right, top } = frame;
    let content = format!("{:.7} 0 0 {:.7} {left:.7} {bottom:.7} cm/I Do", right - left, top - bottom);
    Stream::new(dict, content.into_bytes())
}
