//! Loads a document from bytes, or reports why the bytes cannot be loaded.
//!
//! lopdf parses the file as it is written. Then the document is decrypted, and faults that readers accept are repaired.
//! If readers would find more pages than lopdf, the file is scanned for its objects instead. What was guessed is
//! recorded in the [`Job`], for the notes of the result.

use super::decrypt;
use super::graph::reachable;
use super::page_tree::{self, Repaired};
use super::rebuild::{self, Scan, position, scan};
use super::repair;
use super::salvage::salvage;
use crate::job::InputRecord;
use crate::{EngineError, Job};
use lopdf::xref::XrefRecovery;
use lopdf::{Dictionary, Document, Error, LoadOptions};
use std::borrow::Cow;

/// The maximum size in bytes to which one object stream or cross-reference stream may inflate. The streams of real
/// documents are much smaller.
const STRUCTURE_STREAM_BYTES: usize = 128 << 20;

/// The header must begin within this number of bytes from the start of the file. Readers accept other bytes before the
/// header.
const HEADER_WINDOW: usize = 1024;

/// Loads a document that opens without a password.
///
/// A document that is encrypted with an empty user password is decrypted. Its `encryption_state` is kept, so that the
/// document can be encrypted again when it is saved.
///
/// # Errors
/// [`EngineError::WrongFormat`] if the bytes are not a PDF, [`EngineError::Damaged`] if the document has no page that
/// can be read, [`EngineError::PasswordRequired`] if the document requires a password, [`EngineError::Limit`] if the
/// document exceeds a limit. Also the errors of [`Job::proceed`].
pub(crate) fn load(bytes: &[u8], job: &Job) -> Result<Document, EngineError> {
    let mut loaded = read(bytes, None, Purpose::Change, job)?;
    if loaded.locked_attachments {
        return Err(EngineError::PasswordRequired);
    }
    repair::expand_filter_names(&mut loaded.document);
    Ok(loaded.document)
}

/// Loads a document for rendering. Attachments that need a password may stay encrypted.
///
/// # Errors
/// The same errors as [`load`].
pub(crate) fn load_pages(bytes: &[u8], job: &Job) -> Result<Document, EngineError> {
    let mut loaded = read(bytes, None, Purpose::Change, job)?;
    repair::expand_filter_names(&mut loaded.document);
    if loaded.locked_attachments {
        // The renderer could not open the file itself without the password, so the pages are rendered from a copy.
        loaded.document.xref_recovery = Some(XrefRecovery::Reconstructed);
    }
    Ok(loaded.document)
}

/// Loads a document for validation. Faults that do not affect reading stay: abbreviated names of filters, and missing
/// or wrong entries `Parent`.
///
/// # Errors
/// The same errors as [`load`].
pub(crate) fn load_as_written(bytes: &[u8], job: &Job) -> Result<Document, EngineError> {
    let loaded = read(bytes, None, Purpose::Validate, job)?;
    if loaded.locked_attachments { Err(EngineError::PasswordRequired) } else { Ok(loaded.document) }
}

/// Loads a document, with its user or owner password if it is encrypted.
///
/// # Errors
/// The same errors as [`load`], but [`EngineError::WrongPassword`] if the password does not open the document.
pub(crate) fn load_with_password(bytes: &[u8], password: &str, job: &Job) -> Result<Document, EngineError> {
    let mut loaded = read(bytes, Some(password), Purpose::Change, job)?;
    repair::expand_filter_names(&mut loaded.document);
    Ok(loaded.document)
}

/// What a document is loaded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Change,
    Validate,
}

/// A document that was read, and what was found out about it.
struct Loaded {
    document: Document,
    pages: Repaired,
    notes: Vec<String>,
    locked_attachments: bool,
    has_catalog: bool,
}

/// Reads a document, and records what was guessed.
fn read(bytes: &[u8], password: Option<&str>, purpose: Purpose, job: &Job) -> Result<Loaded, EngineError> {
    let file = with_header(bytes)?;
    let source = Source { file: &file, password, purpose, job };
    let as_written = source.as_written();
    let mut loaded = match as_written {
        Ok(loaded) if loaded.pages.pages > 0 && loaded.pages.lost == 0 => loaded,
        Ok(loaded) => match source.scanned()? {
            Some(scanned) if scanned.pages.pages > loaded.pages.pages => scanned,
            _ => loaded,
        },
        Err(error @ EngineError::Damaged(_)) => source.scanned()?.ok_or(error)?,
        Err(other) => return Err(other),
    };
    if loaded.pages.pages == 0 {
        return Err(damaged_or_truncated(&file, "it has no page that can be read"));
    }
    if matches!(file, Cow::Owned(_)) {
        loaded.notes.push("the document is damaged: its header (%PDF-) is missing".to_owned());
        loaded.document.xref_recovery = Some(XrefRecovery::Reconstructed);
    }
    if loaded.document.xref_recovery == Some(XrefRecovery::Reconstructed) && is_truncated(&file) {
        match truncation_note(&loaded.document) {
            // No other reader opens such a file, and most of it may be missing.
            Some(reason) if !loaded.has_catalog => return Err(EngineError::Damaged(reason)),
            note => loaded.notes.extend(note),
        }
    }
    job.record_input(InputRecord {
        pages: loaded.pages.pages,
        encrypted: loaded.document.encryption_state.is_some(),
        notes: loaded.notes.clone(),
    });
    Ok(loaded)
}

/// The bytes of a document that is read, and the settings.
struct Source<'a> {
    file: &'a [u8],
    password: Option<&'a str>,
    purpose: Purpose,
    job: &'a Job,
}

impl Source<'_> {
    /// The document as its cross-reference table describes it.
    fn as_written(&self) -> Result<Loaded, EngineError> {
        self.job.proceed()?;
        let hidden = decrypt::hidden(self.file);
        let mut document = self.parse(&hidden)?;
        if matches!(hidden, Cow::Owned(_)) && decrypt::encryption(&document).is_none() {
            document = self.parse(self.file)?;
        }
        drop(hidden);
        let mut notes = Vec::new();
        if document.xref_recovery == Some(XrefRecovery::Reconstructed) {
            notes.push(damaged("its cross-reference table was rebuilt by scanning the file"));
        }
        let encrypted = decrypt::encryption(&document).is_some();
        let remaining = decrypt::decrypt(&mut document, self.password)?;
        if encrypted {
            decrypt::add_packed(&mut document, self.structure_limit());
        }
        repair::reserve_missing(&mut document);
        repair::make_catalog_indirect(&mut document);
        self.finish(document, remaining, notes)
    }

    /// The document whose objects are found by scanning the file; `None` if no page is found.
    fn scanned(&self) -> Result<Option<Loaded>, EngineError> {
        self.job.proceed()?;
        let hidden = decrypt::hidden(self.file);
        let mut objects = self.objects_in(&hidden);
        if matches!(hidden, Cow::Owned(_))
            && objects.as_ref().is_some_and(|(document, ..)| decrypt::encryption(document).is_none())
        {
            // The renamed word belongs to data of the document, such as an attached file.
            objects = self.objects_in(self.file);
        }
        drop(hidden);
        let Some((mut document, found, trailers)) = objects else { return Ok(None) };
        let remaining = decrypt::decrypt(&mut document, self.password)?;
        rebuild::add_packed(&mut document, &found, self.structure_limit());
        repair::reserve_missing(&mut document);
        let Some(origin) = rebuild::set_catalog(&mut document, &trailers, &found, self.job.limits()) else {
            return Ok(None);
        };
        let notes =
            vec![damaged(&format!("its objects were found by scanning the file, and {}", origin.note()))];
        document.xref_recovery = Some(XrefRecovery::Reconstructed);
        let loaded = self.finish(document, remaining, notes)?;
        Ok(Some(Loaded { has_catalog: origin.has_catalog(), ..loaded }))
    }

    /// The objects that are found by scanning `file`, and its trailers.
    fn objects_in(&self, file: &[u8]) -> Option<(Document, Scan, Vec<Dictionary>)> {
        let found = scan(file);
        let (with_table, placeholders) = rebuild::with_table(file, &found)?;
        let mut document = self.parse(&with_table).ok()?;
        drop(with_table);
        let trailers = rebuild::trailers(&document, file, &found, |file| self.parse(file).ok());
        rebuild::clear(&mut document, &placeholders, &found);
        decrypt::adopt(&mut document, &trailers);
        Some((document, found, trailers))
    }

    fn parse(&self, bytes: &[u8]) -> Result<Document, EngineError> {
        let options =
            LoadOptions { max_decompressed_size: Some(self.structure_limit()), ..LoadOptions::default() };
        Document::load_mem_with_options(bytes, options).map_err(|error| explain(&error, self.file))
    }

    fn structure_limit(&self) -> usize {
        let decoded = usize::try_from(self.job.limits().decoded_bytes).unwrap_or(usize::MAX);
        decoded.min(STRUCTURE_STREAM_BYTES)
    }

    /// Checks and repairs a parsed document before an operation uses it.
    fn finish(
        &self,
        mut document: Document,
        remaining: decrypt::Remaining,
        mut notes: Vec<String>,
    ) -> Result<Loaded, EngineError> {
        self.job.proceed()?;
        let limits = self.job.limits();
        if document.objects.len() > limits.objects {
            return Err(EngineError::limit("objects", limits.objects.to_string()));
        }
        let salvaged = salvage(&mut document, self.file, self.password, &remaining.damaged, self.job)?;
        if salvaged > 0 {
            let objects = if salvaged == 1 { "1 object was" } else { &format!("{salvaged} objects were") };
            notes.push(damaged(&format!("{objects} recovered from the file")));
        }
        let aliases = repair::resolve_aliases(&mut document);
        let pages = page_tree::repair(&mut document, self.purpose == Purpose::Change, limits)?;
        if pages.lost > 0 {
            let count = pages.lost;
            let missing = if count == 1 {
                "1 entry of its page tree leads"
            } else {
                &format!("{count} entries of its page tree lead")
            };
            notes.push(damaged(&format!("{missing} to no page")));
        } else if pages.irregular {
            notes.push("the page tree of the document has faults; it was rebuilt".to_owned());
        }
        if salvaged > 0 || aliases || pages.irregular {
            document.xref_recovery = Some(XrefRecovery::Reconstructed);
        }
        let locked_attachments = remaining.attachments;
        Ok(Loaded { document, pages, notes, locked_attachments, has_catalog: true })
    }
}

fn damaged(what: &str) -> String {
    format!("the document is damaged: {what}")
}

fn truncation_note(document: &Document) -> Option<String> {
    let missing = reachable(document).missing.len();
    let what = match missing {
        0 => return None,
        1 => "1 object that it refers to is",
        _ => &format!("{missing} objects that it refers to are"),
    };
    Some(format!("the file is truncated, and {what} missing; get a complete copy of the file"))
}

/// The file, with a header in front if it has none but has the parts of a PDF file.
///
/// # Errors
/// [`EngineError::WrongFormat`] if the bytes are not a PDF.
fn with_header(bytes: &[u8]) -> Result<Cow<'_, [u8]>, EngineError> {
    let window = bytes.get(..HEADER_WINDOW).unwrap_or(bytes);
    if position(window, b"%PDF-").is_some() {
        return Ok(Cow::Borrowed(bytes));
    }
    let found = describe(bytes);
    let has = |word: &[u8]| position(bytes, word).is_some();
    if found == NO_HEADER && has(b" obj") && has(b"endobj") && (has(b"/Root") || has(b"/Pages")) {
        return Ok(Cow::Owned([b"%PDF-1.4\n", bytes].concat()));
    }
    Err(EngineError::WrongFormat { expected: "a PDF document", found })
}

/// The error for a file that lopdf cannot parse. The message of lopdf is logged instead, because it is not written for
/// users.
fn explain(error: &Error, bytes: &[u8]) -> EngineError {
    if let Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { limit }) = error {
        return EngineError::limit("decompressed size of one stream", format!("{limit} bytes"));
    }
    tracing::info!(%error, "lopdf cannot parse a document");
    let reason = match error {
        Error::Xref(_) | Error::MissingXrefEntry | Error::Parse(lopdf::ParseError::InvalidXref) => {
            "its cross-reference table cannot be read"
        }
        Error::Parse(lopdf::ParseError::InvalidTrailer) => "its trailer cannot be read",
        Error::Parse(lopdf::ParseError::InvalidFileHeader) => "its header cannot be read",
        _ => "its structure cannot be read",
    };
    damaged_or_truncated(bytes, reason)
}

fn damaged_or_truncated(bytes: &[u8], reason: &str) -> EngineError {
    EngineError::Damaged(if is_truncated(bytes) {
        format!("the file is truncated ({reason}); get a complete copy of the file")
    } else {
        reason.to_owned()
    })
}

/// Whether the end of the file is missing: a complete file has `startxref` after its last object.
fn is_truncated(bytes: &[u8]) -> bool {
    let tail = rfind(bytes, b"startxref").map_or(bytes, |at| bytes.get(at..).unwrap_or_default());
    rfind(bytes, b"startxref").is_none() || rfind(tail, b"endobj").is_some() || rfind(tail, b" obj").is_some()
}

fn rfind(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.windows(word.len()).rposition(|window| window == word)
}

/// The description of a file whose format is unknown.
const NO_HEADER: &str = "it has no %PDF- header";

/// Describes the format of bytes that are not a PDF, in words for an error message.
fn describe(bytes: &[u8]) -> String {
    let known: &[(&[u8], &str)] = &[
        (b"PK\x03\x04", "a ZIP archive or an Office document"),
        (b"\xD0\xCF\x11\xE0", "an old Office document"),
        (b"\xFF\xD8\xFF", "a JPEG image"),
        (b"\x89PNG", "a PNG image"),
        (b"II*\0", "a TIFF image"),
        (b"MM\0*", "a TIFF image"),
        (b"GIF8", "a GIF image"),
        (b"%!PS", "a PostScript file"),
        (b"{\\rtf", "an RTF document"),
        (b"\x1F\x8B", "a gzip file"),
    ];
    if bytes.is_empty() {
        return "the file is empty".to_owned();
    }
    let lower = bytes.get(..64).unwrap_or(bytes).to_ascii_lowercase();
    if lower.windows(5).any(|w| w == b"<html") || lower.windows(9).any(|w| w == b"<!doctype") {
        return "it is a web page (HTML)".to_owned();
    }
    match known.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        Some((_, what)) => format!("it is {what}"),
        None => NO_HEADER.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{SaveOptions, save};
    use lopdf::{Object, dictionary};

    /// A document of `pages` empty pages.
    fn sample(pages: usize) -> Vec<u8> {
        let mut document = Document::with_version("1.4");
        let tree = document.new_object_id();
        let kids: Vec<Object> = (0..pages)
            .map(|_| document.add_object(dictionary! { "Type" => "Page", "Parent" => tree }).into())
            .collect();
        let count = i64::try_from(pages).unwrap();
        document.objects.insert(
            tree,
            dictionary! {
                "Type" => "Pages", "Kids" => kids, "Count" => count,
                "MediaBox" => vec![0.into(), 0.into(), 100.into(), 100.into()]
            }
            .into(),
        );
        let root = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
        document.trailer.set("Root", root);
        save(&document, &SaveOptions { object_streams: false, ..SaveOptions::default() }).unwrap()
    }

    #[test]
    fn other_formats_are_named() {
        for (bytes, word) in [
            (&b""[..], "empty"),
            (b"PK\x03\x04...", "Office"),
            (b"\xFF\xD8\xFF\xE0", "JPEG"),
            (b"hello", "%PDF-"),
        ] {
            match load(bytes, &Job::default()) {
                Err(error @ EngineError::WrongFormat { .. }) => {
                    assert!(error.to_string().contains(word), "{error}")
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn scanning_does_not_change_data_that_looks_like_an_encryption_entry() {
        let attached = b"/Encrypt 9 0 R /ObjStm";
        let mut file = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n\
            2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
            3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n4 0 obj<</Length 22>>stream\n"
            .to_vec();
        file.extend(attached);
        file.extend(b"\nendstream endobj\ntrailer<</Root 1 0 R>>\n");
        let job = Job::default();
        let source = Source { file: &file, password: None, purpose: Purpose::Change, job: &job };
        let loaded = source.scanned().unwrap().unwrap();
        let stream = loaded.document.get_object((4, 0)).and_then(Object::as_stream).unwrap();
        assert_eq!(stream.content, attached);
        assert!(loaded.document.encryption_state.is_none());
    }

    #[test]
    fn a_document_truncated_anywhere_loads_with_a_note_or_is_reported_as_damaged() {
        let whole = sample(3);
        assert_eq!(load(&whole, &Job::default()).unwrap().get_pages().len(), 3);
        for end in 8..whole.len() {
            let job = Job::default();
            match load(&whole[..end], &job) {
                Ok(document) => {
                    let notes = job.input_record().unwrap().notes;
                    assert!(document.get_pages().len() == 3 || !notes.is_empty(), "cut at {end}");
                }
                Err(EngineError::Damaged(reason)) => assert!(!reason.is_empty()),
                Err(other) => panic!("cut at {end}: {other}"),
            }
        }
    }

    #[test]
    fn limits_of_pages_and_objects_hold() {
        let bytes = sample(5);
        let few_pages = crate::Limits { pages: 4, ..crate::Limits::default() };
        let few_objects = crate::Limits { objects: 4, ..crate::Limits::default() };
        for (limits, what) in [(few_pages, "pages"), (few_objects, "objects")] {
            let error = load(&bytes, &Job::new(limits, crate::Cancel::default())).unwrap_err();
            assert!(matches!(error, EngineError::Limit { what: found, .. } if found == what), "{error}");
        }
    }

    #[test]
    fn a_cancelled_job_loads_nothing() {
        let cancel = crate::Cancel::default();
        cancel.trigger();
        let job = Job::new(crate::Limits::default(), cancel);
        assert!(matches!(load(&sample(1), &job), Err(EngineError::Cancelled)));
    }
}
