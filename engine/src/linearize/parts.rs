//! Assigns objects to the parts of a linearized file, and packs objects that are not streams into object streams.

use super::references::{References, Users};
use crate::document::{may_be_packed, reachable, write_object};
use lopdf::{Document, Object, ObjectId};
use std::collections::{BTreeMap, HashSet};

/// The maximum number of objects in one object stream.
const OBJECTS_PER_STREAM: usize = 200;
/// Objects are packed into an object stream only if their total size in bytes is at least this, because packing fewer
/// bytes saves nothing.
const MIN_STREAM_BYTES: usize = 400;

/// An object of the file: an object of the document, or an object stream that contains several objects of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Single(ObjectId),
    Packed(Vec<ObjectId>),
}

impl Unit {
    /// The objects of the document that this unit contains.
    pub(super) fn objects(&self) -> &[ObjectId] {
        match self {
            Self::Single(id) => std::slice::from_ref(id),
            Self::Packed(ids) => ids,
        }
    }
}

/// The parts of the file that contain the document's objects, numbered as in Annex F.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Part 4: the catalog, and the other objects that a reader needs to open the document.
    pub(super) opening: Vec<Unit>,
    /// Part 6: the first page, and all objects that the first page uses.
    pub(super) first_page: Vec<Unit>,
    /// Part 7: each of the other pages, with the objects that only this page uses.
    pub(super) pages: Vec<Vec<Unit>>,
    /// Part 8: the objects that several pages use, but not the first page.
    pub(super) shared: Vec<Unit>,
    /// Part 9: all other objects.
    pub(super) rest: Vec<Unit>,
    /// The units of the outlines, which are in part 6 or part 9: the index of their first unit in that part, and the
    /// number of their units.
    pub(super) outlines: Option<(usize, usize)>,
    /// Whether the outlines are in part 6. They are there if a reader shows the outlines when it opens the document.
    pub(super) outlines_first: bool,
}

/// The class of an object, which depends on the users of the object. An object stream contains only objects of one
/// class, so that the object stream itself belongs to this class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Catalog,
    Opening,
    FirstPrivate,
    FirstShared,
    Page(usize),
    Shared,
    Outlines,
    Rest,
    /// Used by a thumbnail, or by one page and another user that is not a page. Such objects are not packed, because
    /// pages would then share an object stream.
    Alone,
}

fn class(users: &Users) -> Class {
    let has_other_users = users.others || users.thumbnails > 0;
    match users {
        _ if users.is_catalog => Class::Catalog,
        _ if users.outlines => Class::Outlines,
        _ if users.opening => Class::Opening,
        _ if users.first_page && users.pages == 0 && !has_other_users => Class::FirstPrivate,
        _ if users.first_page => Class::FirstShared,
        _ if users.pages == 1 && !has_other_users => Class::Page(users.page),
        _ if users.pages > 1 => Class::Shared,
        _ if users.pages == 1 || users.thumbnails > 0 => Class::Alone,
        _ => Class::Rest,
    }
}

/// Assigns the objects of a document to the parts.
pub(super) fn parts(document: &Document, pages: &[ObjectId], references: &References) -> Parts {
    let mut classes: BTreeMap<Class, Vec<ObjectId>> = BTreeMap::new();
    let is_page: HashSet<ObjectId> = pages.iter().copied().collect();
    let outlines =
        document.catalog().and_then(|catalog| catalog.get(b"Outlines")).and_then(Object::as_reference).ok();
    for id in reachable(document).order {
        if is_page.contains(&id) {
            continue;
        }
        let class = references.of.get(&id).map_or(Class::Rest, class);
        let members = classes.entry(class).or_default();
        // The root of the outlines must be the first object of the outlines.
        if Some(id) == outlines && class == Class::Outlines {
            members.insert(0, id)
        } else {
            members.push(id)
        }
    }
    let mut take =
        |class: Class, pack: bool| units(document, classes.remove(&class).unwrap_or_default(), pack);

    let mut parts = Parts { opening: take(Class::Catalog, false), ..Parts::default() };
    parts.opening.extend(take(Class::Opening, true));
    parts.first_page.extend(pages.first().copied().map(Unit::Single));
    parts.first_page.extend(take(Class::FirstPrivate, true));
    parts.first_page.extend(take(Class::FirstShared, true));
    for (at, page) in pages.iter().enumerate().skip(1) {
        let mut units = vec![Unit::Single(*page)];
        units.extend(take(Class::Page(at), true));
        parts.pages.push(units);
    }
    parts.shared = take(Class::Shared, true);
    let outline_units = take(Class::Outlines, true);
    parts.rest = take(Class::Rest, true);
    parts.rest.extend(take(Class::Alone, false));

    let mode = document
        .catalog()
        .and_then(|catalog| catalog.get_deref(b"PageMode", document))
        .and_then(Object::as_name);
    parts.outlines_first = outlines.is_some() && mode.is_ok_and(|mode| mode == b"UseOutlines");
    if !outline_units.is_empty() {
        let part = if parts.outlines_first { &mut parts.first_page } else { &mut parts.rest };
        parts.outlines = Some((part.len(), outline_units.len()));
        part.extend(outline_units);
    }
    parts
}

/// The units of the objects of one class. If `pack` is true, objects that are not streams are packed into object
/// streams. These object streams are the first units.
fn units(document: &Document, ids: Vec<ObjectId>, pack: bool) -> Vec<Unit> {
    let can_pack = |id: &ObjectId| document.objects.get(id).is_some_and(may_be_packed);
    let bytes: usize =
        if pack { ids.iter().filter(|id| can_pack(id)).map(|id| size(document, *id)).sum() } else { 0 };
    if bytes < MIN_STREAM_BYTES {
        return ids.into_iter().map(Unit::Single).collect();
    }
    let (packed, single): (Vec<ObjectId>, Vec<ObjectId>) = ids.into_iter().partition(can_pack);
    let mut units: Vec<Unit> =
        packed.chunks(OBJECTS_PER_STREAM).map(|group| Unit::Packed(group.to_vec())).collect();
    units.extend(single.into_iter().map(Unit::Single));
    units
}

fn size(document: &Document, id: ObjectId) -> usize {
    let mut text = Vec::new();
    if let Some(object) = document.objects.get(&id) {
        write_object(&mut text, object, &|id: ObjectId| Some(id.0));
    }
    text.len()
}
