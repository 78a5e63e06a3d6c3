//! A stamp onto every page of a document, so that nothing else of the page changes.
//!
//! A page's own content stays as it is, between a `q` and what closes everything that it leaves open. After it the stamp is
//! drawn by a content stream of its own, marked as an artifact: it is no part of a tagged document's text.

use super::balance::{Balance, balance};
use super::layout::{Placement, Sheet, place};
use super::mark::{Mark, number};
use super::resources::Names;
use crate::document::{Budget, decode, filters, flate_stream, pages, resolved};
use crate::notes::listed_pages;
use crate::{EngineError, Job};
use kurbo::{Affine, Rect};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};
use std::collections::{BTreeSet, HashMap};
use std::io::Read;
use std::rc::Rc;

/// Stamps every page.
///
/// # Errors
/// [`EngineError::Limit`] and [`EngineError::Cancelled`].
pub(super) fn apply(
    document: &mut Document,
    mark: &Mark,
    budget: &Budget,
    job: &Job,
) -> Result<Vec<String>, EngineError> {
    let pages = pages(document, job.limits())?;
    let form = mark.form()?;
    let form = document.add_object(form);
    let mut names = Names::new(form);
    let mut contents = Contents::new(budget);
    let mut beyond = Vec::new();
    let mut unseen = Vec::new();
    let mut stamped = BTreeSet::new();
    for (at, page) in pages.iter().copied().enumerate() {
        job.proceed()?;
        let sheet = Sheet::of(document, page);
        let placement = place(sheet.size(), mark.size, mark.margins, mark.sizing);
        match visibility(&sheet, mark, placement) {
            Visibility::Whole => {}
            Visibility::Partly => beyond.push(at + 1),
            Visibility::Not => unseen.push(at + 1),
        }
        if stamped.insert(page) {
            let name = names.on(document, page)?;
            contents.draw(document, page, sheet.to_user() * placement.transform(), &name)?;
        }
        job.progress(at + 1, pages.len());
    }
    let mut notes = mark.notes.clone();
    if !unseen.is_empty() {
        notes.push(format!(
            "the stamp is outside of what is visible of {}; check its margins",
            listed_pages(&unseen)
        ));
    }
    if !beyond.is_empty() {
        notes.push(format!("the stamp reaches beyond what is visible of {}", listed_pages(&beyond)));
    }
    Ok(notes)
}

enum Visibility {
    Whole,
    Partly,
    Not,
}

fn visibility(sheet: &Sheet, mark: &Mark, placement: Placement) -> Visibility {
    const TOLERANCE: f64 = 0.5;
    let stamp = Rect::from_origin_size(placement.origin, mark.size * placement.scale);
    let page = sheet.size().to_rect();
    let inside = |inner: Rect, outer: Rect| {
        inner.x0 >= outer.x0 && inner.y0 >= outer.y0 && inner.x1 <= outer.x1 && inner.y1 <= outer.y1
    };
    let shared = stamp.intersect(page);
    if inside(stamp, page.inflate(TOLERANCE, TOLERANCE)) {
        Visibility::Whole
    } else if shared.width() > 0.0 && shared.height() > 0.0 {
        Visibility::Partly
    } else {
        Visibility::Not
    }
}

/// The content streams of the pages, with what is put around them; equal ones are shared.
struct Contents<'a> {
    budget: &'a Budget,
    opening: Option<ObjectId>,
    drawings: HashMap<Vec<u8>, ObjectId>,
    endings: HashMap<Vec<ObjectId>, Rc<Ending>>,
}

/// How a page's own content ends.
struct Ending {
    /// What closes it.
    closing: Vec<u8>,
    /// The streams to draw it with.
    streams: Vec<ObjectId>,
}

impl<'a> Contents<'a> {
    fn new(budget: &'a Budget) -> Self {
        Self { budget, opening: None, drawings: HashMap::new(), endings: HashMap::new() }
    }

    /// Draws the form of that name after a page's own content.
    fn draw(
        &mut self,
        document: &mut Document,
        page: ObjectId,
        transform: Affine,
        name: &str,
    ) -> Result<(), EngineError> {
        let own = streams_of(document, page);
        let mut all: Vec<Object> = Vec::with_capacity(own.len() + 2);
        let mut after = Vec::new();
        if !own.is_empty() {
            let ending = self.ending(document, own)?;
            all.push(self.opening(document).into());
            all.extend(ending.streams.iter().map(|id| Object::Reference(*id)));
            after.extend_from_slice(&ending.closing);
            after.extend_from_slice(b"\nQ\n");
        }
        let matrix = transform.as_coeffs().map(number).join(" ");
        after.extend_from_slice(
            format!(
                "/Artifact <</Type /Pagination /Subtype /Watermark>> BDC\nq {matrix} cm /{name} Do Q\nEMC\n"
            )
            .as_bytes(),
        );
        let drawing = match self.drawings.get(&after) {
            Some(id) => *id,
            None => {
                let id = document.add_object(flate_stream(Dictionary::new(), after.clone())?);
                self.drawings.insert(after, id);
                id
            }
        };
        all.push(drawing.into());
        if let Ok(page) = document.get_dictionary_mut(page) {
            page.set("Contents", all);
            // Some pages come without it, and strict readers then pass them over.
            page.set("Type", "Page");
        }
        Ok(())
    }

    fn opening(&mut self, document: &mut Document) -> ObjectId {
        *self
            .opening
            .get_or_insert_with(|| document.add_object(Stream::new(Dictionary::new(), b"q\n".to_vec())))
    }

    /// How the content of these streams ends. Where a `Q` of it restores nothing, which viewers pass over, it would end
    /// the `q` put before it: there the content is written anew without it.
    fn ending(&mut self, document: &mut Document, own: Vec<ObjectId>) -> Result<Rc<Ending>, EngineError> {
        if let Some(ending) = self.endings.get(&own) {
            return Ok(Rc::clone(ending));
        }
        let mut content = Vec::new();
        for id in &own {
            if let Ok(stream) = document.get_object(*id).and_then(Object::as_stream) {
                content.extend(self.plain(document, stream)?);
                content.push(b'\n');
            }
        }
        let Balance { stray, closing } = balance(&content);
        let streams = if stray.is_empty() {
            own.clone()
        } else {
            for at in stray {
                if let Some(byte) = content.get_mut(at) {
                    *byte = b' ';
                }
            }
            vec![document.add_object(flate_stream(Dictionary::new(), content)?)]
        };
        let ending = Rc::new(Ending { closing, streams });
        self.endings.insert(own, Rc::clone(&ending));
        Ok(ending)
    }

    /// A stream's plain bytes; of a damaged one, those before the damage, which are what viewers show.
    fn plain(&self, document: &Document, stream: &Stream) -> Result<Vec<u8>, EngineError> {
        if let Some(decoded) = decode(document, stream, self.budget)? {
            return Ok(decoded.data);
        }
        let chain = filters(document, &stream.dict).unwrap_or_default();
        let [(b"FlateDecode" | b"Fl", None)] = chain.as_slice() else { return Ok(Vec::new()) };
        let mut plain = Vec::new();
        // Reading on after damage is pointless; what came before it is kept.
        let _ =
            flate2::read::ZlibDecoder::new(stream.content.as_slice()).take(1 << 28).read_to_end(&mut plain);
        self.budget.take(plain.len())?;
        Ok(plain)
    }
}

/// The streams of a page's content, in order.
fn streams_of(document: &Document, page: ObjectId) -> Vec<ObjectId> {
    let stream = |object: &Object| match document.dereference(object) {
        Ok((Some(id), Object::Stream(_))) => Some(id),
        _ => None,
    };
    let Ok(contents) = document.get_dictionary(page).and_then(|page| page.get(b"Contents")) else {
        return Vec::new();
    };
    match resolved(document, contents) {
        Some(Object::Array(items)) => items.iter().filter_map(stream).collect(),
        _ => stream(contents).into_iter().collect(),
    }
}
