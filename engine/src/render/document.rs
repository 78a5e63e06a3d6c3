//! Opens a document for rendering: checks and repairs the document, then lets hayro parse its bytes.

use super::appearance;
use super::interrupt::{InterruptibleBytes, Stop};
use super::interrupt_points::add_interrupt_points;
use crate::document::{Budget, SaveOptions, decode, filters, inherited, load_pages, pages, rectangle, save};
use crate::{EngineError, Job};
use hayro::hayro_syntax::page::Page;
use hayro::hayro_syntax::{LoadPdfError, Pdf};
use lopdf::Object;
use lopdf::xref::XrefRecovery;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// A document whose pages can be rendered from any thread.
#[derive(Clone)]
pub(crate) struct Document {
    pdf: Arc<Pdf>,
    bytes: Arc<InterruptibleBytes>,
    stop: Stop,
    /// A copy of the document with interrupt points. `None` until a page needs this copy for the first time.
    interruptible: Arc<Mutex<Option<Document>>>,
}

impl Document {
    /// The pages, in order.
    pub fn pages(&self) -> &[Page<'_>] {
        self.pdf.pages()
    }

    /// A copy of the document whose rendering can be interrupted between two shapes.
    ///
    /// # Errors
    /// The errors of [`add_interrupt_points`].
    pub(super) fn with_interrupt_points(&self) -> Result<Document, EngineError> {
        let mut interruptible = self.interruptible.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(document) = interruptible.as_ref() {
            return Ok(document.clone());
        }
        let bytes = add_interrupt_points((*self.bytes).as_ref(), self.stop.job())?;
        let document = Self::read(bytes, self.stop.clone())?;
        *interruptible = Some(document.clone());
        Ok(document)
    }

    fn read(bytes: Vec<u8>, stop: Stop) -> Result<Self, EngineError> {
        let bytes = Arc::new(InterruptibleBytes::new(bytes, stop.clone()));
        let opened = catch_unwind(AssertUnwindSafe(|| Pdf::new(bytes.clone())));
        stop.job().proceed()?;
        let pdf = match opened {
            Ok(Ok(pdf)) => pdf,
            Ok(Err(LoadPdfError::Decryption(_))) => return Err(EngineError::PasswordRequired),
            Ok(Err(LoadPdfError::Invalid)) | Err(_) => {
                return Err(EngineError::Damaged("its pages cannot be read".to_owned()));
            }
        };
        if pdf.pages().is_empty() {
            return Err(EngineError::Damaged("it has no page that can be read".to_owned()));
        }
        Ok(Self { pdf: Arc::new(pdf), bytes, stop, interruptible: Arc::default() })
    }

    /// The flag that stops the rendering of the pages.
    pub(super) fn stop(&self) -> &Stop {
        &self.stop
    }
}

/// The maximum compression ratio of Flate. Decompression bombs reach this ratio.
const MAX_FLATE_RATIO: u64 = 1032;

/// Opens a document. The document must not need a password.
///
/// # Errors
/// The errors of [`load_pages`], and [`EngineError::Limit`] if the streams inflate to too many bytes or an image has
/// too many pixels.
pub(crate) fn open(bytes: &[u8], job: &Job) -> Result<Document, EngineError> {
    let mut document = load_pages(bytes, job)?;
    check_streams(&document, job)?;
    let boxes_repaired = repair_boxes(&mut document, job)?;
    let completed = appearance::complete(&mut document, job)?;
    let recoded = repair_jpeg2000(&mut document);
    let rebuilt = document.xref_recovery == Some(XrefRecovery::Reconstructed);
    let decrypted = document.encryption_state.is_some();
    // If the document was repaired, hayro gets the repaired document, because hayro would repair the original document
    // differently or not at all. The same holds for encrypted documents.
    let bytes = if boxes_repaired || completed || recoded || rebuilt || decrypted {
        save(&document, &SaveOptions { object_streams: false, keep_encryption: false })?
    } else {
        bytes.to_vec()
    };
    drop(document);
    Document::read(bytes, Stop::new(job))
}

/// Repairs pages with a missing or empty page box. They get the box that viewers use: the media box if only the crop
/// box is wrong, else US Letter. Returns whether a page was repaired.
fn repair_boxes(document: &mut lopdf::Document, job: &Job) -> Result<bool, EngineError> {
    let mut wrong = Vec::new();
    for page in pages(document, job.limits())? {
        let size = |key: &[u8]| {
            let of_page = inherited(document, page, key)?;
            Some(rectangle(document, of_page).unwrap_or_default().size().min_side())
        };
        let (media, crop) = (size(b"MediaBox"), size(b"CropBox"));
        let no_media = media.is_none_or(|size| size <= 0.0);
        if no_media || crop.is_some_and(|size| size <= 0.0) {
            wrong.push((page, no_media));
        }
    }
    for (page, no_media) in &wrong {
        let letter = || Object::Array([0, 0, 612, 792].map(Object::Integer).to_vec());
        let media = inherited(document, *page, b"MediaBox").cloned();
        if let Ok(page) = document.get_dictionary_mut(*page) {
            let media = media.filter(|_| !no_media).unwrap_or_else(letter);
            page.set("CropBox", media.clone());
            page.set("MediaBox", media);
        }
    }
    Ok(!wrong.is_empty())
}

/// If a JPEG 2000 image has a colour space that the decoder does not support, marks the image as RGB, because viewers
/// treat such images as RGB. Returns whether an image was marked.
fn repair_jpeg2000(document: &mut lopdf::Document) -> bool {
    /// The colour spaces that the decoder supports: CMYK, sRGB, gray and sYCC.
    const KNOWN: [u32; 4] = [12, 16, 17, 18];
    const RGB: [u8; 4] = [0, 0, 0, 16];
    let mut any = false;
    for object in document.objects.values_mut() {
        let Object::Stream(stream) = object else { continue };
        let is_jpeg2000 =
            stream.dict.get(b"Filter").and_then(Object::as_name).is_ok_and(|name| name == b"JPXDecode");
        if !is_jpeg2000 || stream.dict.has(b"ColorSpace") {
            continue;
        }
        // The colour specification box (`colr`) is near the start. Method 1 means that the number of a colour space
        // follows in the box.
        let head = stream.content.len().min(1024);
        let found =
            stream.content.get(..head).and_then(|head| head.windows(4).position(|name| name == b"colr"));
        let Some(place) = found.and_then(|at| stream.content.get_mut(at + 4..at + 11)) else { continue };
        let [1, _, _, number @ ..] = place else { continue };
        if !KNOWN.map(u32::to_be_bytes).iter().any(|known| number == known) {
            number.copy_from_slice(&RGB);
            any = true;
        }
    }
    any
}

/// Checks that images and streams are within the limits, because hayro decodes without limits. If the decoded streams
/// could exceed the budget, this function decodes them first to find out whether they do.
fn check_streams(document: &lopdf::Document, job: &Job) -> Result<(), EngineError> {
    let streams = || document.objects.values().filter_map(|object| object.as_stream().ok());
    let most = job.limits().pixels;
    for stream in streams() {
        let side = |key: &[u8]| {
            let value = stream.dict.get_deref(key, document).and_then(Object::as_i64).unwrap_or(0);
            u64::try_from(value).unwrap_or(0)
        };
        if side(b"Width").saturating_mul(side(b"Height")) > most {
            return Err(EngineError::limit("image size", format!("{most} pixels")));
        }
    }
    // If a stream has several filters, their compression ratios multiply.
    let max_decoded = streams().fold(0_u64, |sum, stream| {
        let depth = filters(document, &stream.dict).map_or(u32::MAX, |chain| chain.len() as u32);
        let ratio = MAX_FLATE_RATIO.saturating_pow(depth);
        sum.saturating_add(ratio.saturating_mul(stream.content.len() as u64))
    });
    if max_decoded > job.limits().decoded_bytes {
        let budget = Budget::of(job);
        for stream in streams() {
            job.proceed()?;
            decode(document, stream, &budget)?;
        }
    }
    Ok(())
}
