//! Finds the users of each object. A user is a page, a thumbnail, the opening of the document, the outlines, or
//! something else.

use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::{BTreeMap, HashSet};

/// The maximum number of visits to objects. Without this limit, the search would take too long if many pages share very
/// many objects.
const VISITS: usize = 20_000_000;

/// Entries of the catalog that a reader needs to open the document (part 4).
const OPENING: [&[u8]; 5] = [b"ViewerPreferences", b"PageMode", b"Threads", b"OpenAction", b"AcroForm"];

/// The users of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Users {
    pub(super) is_catalog: bool,
    pub(super) opening: bool,
    pub(super) outlines: bool,
    pub(super) others: bool,
    pub(super) first_page: bool,
    /// `pages` is the number of pages, without the first page, that use the object; `page` is the index of one of these
    /// pages.
    pub(super) pages: usize,
    pub(super) page: usize,
    pub(super) thumbnails: usize,
}

/// The users of all objects, and the objects that each page uses.
#[derive(Default)]
pub(super) struct References {
    pub(super) of: BTreeMap<ObjectId, Users>,
    pub(super) by_page: Vec<Vec<ObjectId>>,
}

#[derive(Clone, Copy)]
enum User {
    Page(usize),
    Thumbnail,
    Opening,
    Outlines,
    Other,
}

/// Finds the users of all objects. `None` if the number of visits exceeds the maximum.
///
/// # Errors
/// The job was cancelled.
pub(super) fn find_users(
    document: &Document,
    pages: &[ObjectId],
    job: &Job,
) -> Result<Option<References>, EngineError> {
    let mut references = References::default();
    let mut visits = 0;
    for (at, page) in pages.iter().enumerate() {
        job.proceed()?;
        let mut walk = Walk::of(document, User::Page(at));
        walk.page(*page);
        let thumbnail = walk.thumbnail.take();
        let seen = walk.finish(&mut references, &mut visits);
        references.by_page.push(seen);
        if let Some(thumbnail) = thumbnail {
            let mut walk = Walk::of(document, User::Thumbnail);
            walk.object(&thumbnail);
            walk.finish(&mut references, &mut visits);
        }
        if visits > VISITS {
            return Ok(None);
        }
    }
    if let Ok(info) = document.trailer.get(b"Info") {
        let mut walk = Walk::of(document, User::Other);
        walk.object(info);
        walk.finish(&mut references, &mut visits);
    }
    if let Ok(catalog) = document.catalog() {
        for (key, value) in catalog {
            let user = match key.as_slice() {
                key if OPENING.contains(&key) => User::Opening,
                b"Outlines" => User::Outlines,
                _ => User::Other,
            };
            let mut walk = Walk::of(document, user);
            walk.object(value);
            walk.finish(&mut references, &mut visits);
        }
    }
    if let Ok(root) = document.trailer.get(b"Root").and_then(Object::as_reference) {
        references.of.entry(root).or_default().is_catalog = true;
    }
    Ok(Some(references))
}

/// A walk from one user to all objects that can be reached from this user, without entering pages.
struct Walk<'a> {
    document: &'a Document,
    user: User,
    seen: HashSet<ObjectId>,
    order: Vec<ObjectId>,
    waiting: Vec<ObjectId>,
    thumbnail: Option<Object>,
}

impl<'a> Walk<'a> {
    fn of(document: &'a Document, user: User) -> Self {
        Self { document, user, seen: HashSet::new(), order: Vec::new(), waiting: Vec::new(), thumbnail: None }
    }

    /// Walks from a page. The walk enters no other page.
    fn page(&mut self, page: ObjectId) {
        self.seen.insert(page);
        self.order.push(page);
        if let Ok(dict) = self.document.get_dictionary(page) {
            for (key, value) in dict {
                match key.as_slice() {
                    b"Parent" => {}
                    b"Thumb" => self.thumbnail = Some(value.clone()),
                    _ => self.object(value),
                }
            }
        }
        self.drain();
    }

    fn object(&mut self, object: &Object) {
        self.enter(object);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(id) = self.waiting.pop() {
            let Some(object) = self.document.objects.get(&id) else { continue };
            if is_page(object) || !self.seen.insert(id) {
                continue;
            }
            self.order.push(id);
            self.enter(object);
        }
    }

    fn enter(&mut self, object: &Object) {
        match object {
            Object::Reference(id) => self.waiting.push(*id),
            Object::Array(items) => items.iter().for_each(|item| self.enter(item)),
            _ if is_page(object) => {}
            Object::Dictionary(dict) => self.entries(dict, false),
            Object::Stream(stream) => self.entries(&stream.dict, true),
            _ => {}
        }
    }

    fn entries(&mut self, dict: &Dictionary, is_stream: bool) {
        for (key, value) in dict {
            // The writer replaces a reference to the length by the length itself, so the object that contains the
            // length is not needed.
            if !(is_stream && key.as_slice() == b"Length") {
                self.enter(value);
            }
        }
    }

    /// Adds the user of this walk to the users of all objects that were reached, and returns these objects.
    fn finish(self, references: &mut References, visits: &mut usize) -> Vec<ObjectId> {
        *visits += self.order.len();
        for id in &self.order {
            let users = references.of.entry(*id).or_default();
            match self.user {
                User::Page(0) => users.first_page = true,
                User::Page(at) => {
                    users.pages += 1;
                    users.page = at;
                }
                User::Thumbnail => users.thumbnails += 1,
                User::Opening => users.opening = true,
                User::Outlines => users.outlines = true,
                User::Other => users.others = true,
            }
        }
        self.order
    }
}

fn is_page(object: &Object) -> bool {
    object.as_dict().is_ok_and(|dict| dict.has_type(b"Page"))
}
