//! Draws a stamp on every page of a document.
//!
//! A page's own content is kept. Before this content, the operator `q` is added; after it, the operators that close
//! everything that the content leaves open. Then another content stream draws the stamp. The stamp is marked as an
//! artifact, so that it is not part of the text of a tagged document.

use super::balance::{Balance, balance};
use super::layout::{PageBox, Placement, place};
use super::mark::{Mark, number};
use super::resources::Names;
use crate::document::{Budget, decode, filters, flate_stream, page_contents, pages};
use crate::notes::listed_pages;
use crate::{EngineError, Job};
use kurbo::{Affine, Rect};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};
use std::collections::{BTreeSet, HashMap};
use std::io::Read;
use std::rc::Rc;

/// Stamps every page, and returns the notes for the user.
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
    let mut partly_visible = Vec::new();
    let mut not_visible = Vec::new();
    let mut stamped = BTreeSet::new();
    for (at, page) in pages.iter().copied().enumerate() {
        job.proceed()?;
        let page_box = PageBox::of(document, page);
        let placement = place(page_box.size(), mark.size, mark.margins, mark.sizing);
        match visibility(&page_box, mark, placement) {
            Visibility::Whole => {}
            Visibility::Partly => partly_visible.push(at + 1),
            Visibility::Not => not_visible.push(at + 1),
        }
        if stamped.insert(page) {
            let name = names.add_to_page(document, page)?;
            contents.draw(document, page, page_box.to_user() * placement.transform(), &name)?;
        }
        job.progress(at + 1, pages.len());
    }
    let mut notes = mark.notes.clone();
    if !not_visible.is_empty() {
        notes.push(format!(
            "the stamp is outside the visible area of {}; check its margins",
            listed_pages(&not_visible)
        ));
    }
    if !partly_visible.is_empty() {
        notes.push(format!("the stamp extends beyond the visible area of {}", listed_pages(&partly_visible)));
    }
    Ok(notes)
}

enum Visibility {
    Whole,
    Partly,
    Not,
}

fn visibility(page_box: &PageBox, mark: &Mark, placement: Placement) -> Visibility {
    const TOLERANCE: f64 = 0.5;
    let stamp = Rect::from_origin_size(placement.origin, mark.size * placement.scale);
    let page = page_box.size().to_rect();
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

/// Adds the stamp to the content of pages. Equal content streams are created once and shared.
struct Contents<'a> {
    budget: &'a Budget,
    opening: Option<ObjectId>,
    drawings: HashMap<Vec<u8>, ObjectId>,
    endings: HashMap<Vec<ObjectId>, Rc<Ending>>,
}

/// How a page's own content ends.
struct Ending {
    /// The operators that close everything that the content leaves open.
    closing: Vec<u8>,
    /// The content streams of the page, without unmatched `Q` operators.
    streams: Vec<ObjectId>,
}

impl<'a> Contents<'a> {
    fn new(budget: &'a Budget) -> Self {
        Self { budget, opening: None, drawings: HashMap::new(), endings: HashMap::new() }
    }

    /// Adds the operators that draw the form XObject with this name after the page's own content.
    fn draw(
        &mut self,
        document: &mut Document,
        page: ObjectId,
        transform: Affine,
        name: &str,
    ) -> Result<(), EngineError> {
        let page_streams = page_contents(document, page);
        let mut all: Vec<Object> = Vec::with_capacity(page_streams.len() + 2);
        let mut after = Vec::new();
        if !page_streams.is_empty() {
            let ending = self.ending(document, page_streams)?;
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
            // Strict readers skip a page that has no `Type`.
            page.set("Type", "Page");
        }
        Ok(())
    }

    fn opening(&mut self, document: &mut Document) -> ObjectId {
        *self
            .opening
            .get_or_insert_with(|| document.add_object(Stream::new(Dictionary::new(), b"q\n".to_vec())))
    }

    /// Finds how the content of these streams ends. Viewers ignore an unmatched `Q`. But such a `Q` would match the `q`
    /// that is added before the content. Therefore content with an unmatched `Q` is rewritten without it.
    fn ending(
        &mut self,
        document: &mut Document,
        page_streams: Vec<ObjectId>,
    ) -> Result<Rc<Ending>, EngineError> {
        if let Some(ending) = self.endings.get(&page_streams) {
            return Ok(Rc::clone(ending));
        }
        let mut content = Vec::new();
        for id in &page_streams {
            if let Ok(stream) = document.get_object(*id).and_then(Object::as_stream) {
                content.extend(self.decoded_bytes(document, stream)?);
                content.push(b'\n');
            }
        }
        let Balance { unmatched, closing } = balance(&content);
        let streams = if unmatched.is_empty() {
            page_streams.clone()
        } else {
            for at in unmatched {
                if let Some(byte) = content.get_mut(at) {
                    *byte = b' ';
                }
            }
            vec![document.add_object(flate_stream(Dictionary::new(), content)?)]
        };
        let ending = Rc::new(Ending { closing, streams });
        self.endings.insert(page_streams, Rc::clone(&ending));
        Ok(ending)
    }

    /// The decoded bytes of a stream. For a damaged stream, the bytes before the damage, because viewers show these.
    fn decoded_bytes(&self, document: &Document, stream: &Stream) -> Result<Vec<u8>, EngineError> {
        if let Some(decoded) = decode(document, stream, self.budget)? {
            return Ok(decoded.data);
        }
        let chain = filters(document, &stream.dict).unwrap_or_default();
        let [(b"FlateDecode" | b"Fl", None)] = chain.as_slice() else { return Ok(Vec::new()) };
        let mut decoded_bytes = Vec::new();
        // An error means that the stream is damaged. The bytes before the damage are kept.
        let _ = flate2::read::ZlibDecoder::new(stream.content.as_slice())
            .take(1 << 28)
            .read_to_end(&mut decoded_bytes);
        self.budget.take(decoded_bytes.len())?;
        Ok(decoded_bytes)
    }
}
