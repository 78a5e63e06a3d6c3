//! The parts of a linearized file: which object stands where, and which are packed together.

use super::references::{Usage, Users};
use crate::document::{may_be_packed, reachable, write_object};
use lopdf::{Document, Object, ObjectId};
use std::collections::{BTreeMap, HashSet};

/// The most objects of one object stream.
const OBJECTS_PER_STREAM: usize = 200;
/// Fewer bytes than these are not worth a stream of their own.
const WORTH_A_STREAM: usize = 400;

/// What stands in the file as one object: an object, or a stream of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Single(ObjectId),
    Packed(Vec<ObjectId>),
}

impl Unit {
    /// The document's objects in it.
    pub(super) fn objects(&self) -> &[ObjectId] {
        match self {
            Self::Single(id) => std::slice::from_ref(id),
            Self::Packed(ids) => ids,
        }
    }
}

/// The parts that hold the document's objects, by their numbers in Annex F.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Part 4: the catalog, and what is needed to open the document.
    pub(super) opening: Vec<Unit>,
    /// Part 6: the first page with all that it shows.
    pub(super) first_page: Vec<Unit>,
    /// Part 7: each other page with what it alone shows.
    pub(super) pages: Vec<Vec<Unit>>,
    /// Part 8: what several other pages show.
    pub(super) shared: Vec<Unit>,
    /// Part 9: everything else.
    pub(super) rest: Vec<Unit>,
    /// Where in part 6 or 9 the outlines are: their first unit, and how many there are.
    pub(super) outlines: Option<(usize, usize)>,
    /// Whether the outlines stand in part 6, because they are shown at once.
    pub(super) outlines_first: bool,
}

/// Where an object belongs. Objects of one class may share an object stream: the stream's users then are of that
/// class too.
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
    /// Used by one page or thumbnail and by something else: together they would seem shared.
    Alone,
}

fn class(users: &Users) -> Class {
    let elsewhere = users.others || users.thumbnails > 0;
    match users {
        _ if users.is_catalog => Class::Catalog,
        _ if users.outlines => Class::Outlines,
        _ if users.opening => Class::Opening,
        _ if users.first_page && users.pages == 0 && !elsewhere => Class::FirstPrivate,
        _ if users.first_page => Class::FirstShared,
        _ if users.pages == 1 && !elsewhere => Class::Page(users.page),
        _ if users.pages > 1 => Class::Shared,
        _ if users.pages == 1 || users.thumbnails > 0 => Class::Alone,
        _ => Class::Rest,
    }
}

/// Orders the objects of a document.
pub(super) fn parts(document: &Document, pages: &[ObjectId], usage: &Usage) -> Parts {
    let mut classes: BTreeMap<Class, Vec<ObjectId>> = BTreeMap::new();
    let is_page: HashSet<ObjectId> = pages.iter().copied().collect();
    let outlines =
        document.catalog().and_then(|catalog| catalog.get(b"Outlines")).and_then(Object::as_reference).ok();
    for id in reachable(document).order {
        if is_page.contains(&id) {
            continue;
        }
        let class = usage.of.get(&id).map_or(Class::Rest, class);
        let members = classes.entry(class).or_default();
        // The outlines begin with their root.
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

/// The units of the objects of one class: small ones packed, in their order, the stream with the first one first.
fn units(document: &Document, ids: Vec<ObjectId>, pack: bool) -> Vec<Unit> {
    let small = |id: &ObjectId| document.objects.get(id).is_some_and(may_be_packed);
    let bytes: usize =
        if pack { ids.iter().filter(|id| small(id)).map(|id| size(document, *id)).sum() } else { 0 };
    if bytes < WORTH_A_STREAM {
        return ids.into_iter().map(Unit::Single).collect();
    }
    let (packed, single): (Vec<ObjectId>, Vec<ObjectId>) = ids.into_iter().partition(small);
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
