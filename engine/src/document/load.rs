//! Loads a document from bytes, or reports why the bytes cannot be loaded.

use super::encrypt_entry::with_referenced_encryption;
use super::graph::reachable;
use super::pages::detach_pages;
use super::pages::pages;
use super::salvage::salvage;
use crate::{EngineError, Job};
use lopdf::xref::XrefRecovery;
use lopdf::{Document, Error, LoadOptions, Object};

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
/// [`EngineError::WrongFormat`] if the bytes are not a PDF, [`EngineError::Damaged`] if the document cannot be read or
/// is truncated, [`EngineError::PasswordRequired`] if the document requires a password, [`EngineError::Limit`] if the
/// document exceeds a limit. Also the errors of [`Job::proceed`].
pub(crate) fn load(bytes: &[u8], job: &Job) -> Result<Document, EngineError> {
    let document = parse(bytes, None, job)?;
    if document.is_encrypted() {
        return Err(EngineError::PasswordRequired);
    }
    checked(document, bytes, None, job)
}

/// Loads a document, with its user or owner password if it is encrypted.
///
/// # Errors
/// The same errors as [`load`], but [`EngineError::WrongPassword`] if the password does not open the document.
pub(crate) fn load_with_password(bytes: &[u8], password: &str, job: &Job) -> Result<Document, EngineError> {
    let document = parse(bytes, Some(password), job)?;
    if document.is_encrypted() {
        return Err(EngineError::WrongPassword);
    }
    checked(document, bytes, Some(password), job)
}

fn parse(bytes: &[u8], password: Option<&str>, job: &Job) -> Result<Document, EngineError> {
    let window = bytes.get(..HEADER_WINDOW).unwrap_or(bytes);
    if !window.windows(5).any(|candidate| candidate == b"%PDF-") {
        return Err(EngineError::WrongFormat { expected: "a PDF document", found: describe(bytes) });
    }
    job.proceed()?;
    let bound = usize::try_from(job.limits().decoded_bytes).unwrap_or(usize::MAX).min(STRUCTURE_STREAM_BYTES);
    let read = |bytes: &[u8], password: Option<&str>| {
        let options = LoadOptions {
            password: password.map(str::to_owned),
            max_decompressed_size: Some(bound),
            ..LoadOptions::default()
        };
        Document::load_mem_with_options(bytes, options)
    };
    let bytes = with_referenced_encryption(bytes, |bytes| read(bytes, None).ok());
    read(&bytes, password).map_err(|error| explain(&error, &bytes))
}

/// Checks and repairs a parsed document before an operation uses the document.
fn checked(
    mut document: Document,
    bytes: &[u8],
    password: Option<&str>,
    job: &Job,
) -> Result<Document, EngineError> {
    job.proceed()?;
    if document.objects.len() > job.limits().objects {
        return Err(EngineError::limit("objects", job.limits().objects.to_string()));
    }
    let catalog = document.trailer.get(b"Root").and_then(Object::as_reference);
    if !catalog.and_then(|id| document.get_dictionary(id)).is_ok_and(|root| root.has(b"Pages")) {
        return Err(damaged_or_truncated(bytes, "it has no catalog with a page tree"));
    }
    if salvage(&mut document, bytes, password, job)? > 0 {
        document.xref_recovery = Some(XrefRecovery::Reconstructed);
    }
    if document.xref_recovery == Some(XrefRecovery::Reconstructed) && is_truncated(bytes) {
        let missing = reachable(&document).missing.len();
        if missing > 0 {
            let what =
                if missing == 1 { "object that it refers to is" } else { "objects that it refers to are" };
            return Err(EngineError::Damaged(format!(
                "the file is truncated, and {missing} {what} missing; get a complete copy of the file"
            )));
        }
    }
    if detach_pages(&mut document, job.limits()) {
        document.xref_recovery = Some(XrefRecovery::Reconstructed);
    }
    if pages(&document, job.limits())?.is_empty() {
        return Err(damaged_or_truncated(bytes, "it has no page that can be read"));
    }
    Ok(document)
}

fn explain(error: &Error, bytes: &[u8]) -> EngineError {
    match error {
        Error::InvalidPassword => EngineError::WrongPassword,
        Error::UnsupportedSecurityHandler(name) => EngineError::Unsupported(format!(
            "the document is encrypted with the security handler {}, which is not supported; remove the encryption with the software that encrypted it",
            String::from_utf8_lossy(name)
        )),
        Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { limit }) => {
            EngineError::limit("decompressed size of one stream", format!("{limit} bytes"))
        }
        Error::Decryption(reason) => {
            EngineError::Unsupported(format!("the document cannot be decrypted: {reason}"))
        }
        other => damaged_or_truncated(bytes, &other.to_string()),
    }
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
        None => "it has no %PDF- header".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{SaveOptions, save};
    use lopdf::dictionary;

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
    fn a_document_truncated_anywhere_loads_whole_or_is_reported_as_damaged() {
        let whole = sample(3);
        assert_eq!(load(&whole, &Job::default()).unwrap().get_pages().len(), 3);
        for end in 8..whole.len() {
            match load(&whole[..end], &Job::default()) {
                Ok(document) => assert_eq!(document.get_pages().len(), 3, "cut at {end}"),
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
