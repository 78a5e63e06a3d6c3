//! Opens each resulting PDF document again before it is returned, with the library hayro, which writes no documents.
//!
//! It is an internal error if a result does not open, has another number of pages than the input, lacks resources of
//! its first page, or is not encrypted as intended. The user then keeps the input and gets no broken document.

use crate::document::{load, page_contents, pages};
use crate::{EngineError, Input, Job, Output, OutputFile};
use flate2::read::ZlibDecoder;
use hayro_syntax::Pdf;
use hayro_syntax::object::dict::Dict;
use hayro_syntax::object::{MaybeRef, Object, Stream};
use hayro_syntax::page::Page;
use recto_interface::Options;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

/// The number of bytes of each content stream that are inflated.
const INFLATED: u64 = 64 << 10;

/// The number of bytes that are searched: at the end of the file for `startxref`, and from the beginning of the trailer
/// for its entries.
const TRAILER_WINDOW: usize = 16 << 10;

/// The maximum length of a prepared password in bytes.
const MAX_PASSWORD_BYTES: usize = 127;

/// The expected properties of a result.
struct Expected {
    /// The number of pages; `None` if the number is unknown, but not zero.
    pages: Option<usize>,
    /// Whether the result is encrypted.
    encrypted: bool,
    /// The password that opens the result; empty if it opens without one.
    password: Zeroizing<String>,
}

/// Returns the output if it opens as intended. Outputs other than PDF documents are not opened. An input that is
/// returned unchanged is not opened either.
///
/// # Errors
/// [`EngineError::Internal`] with what is wrong with the result, and the errors of [`Job::proceed`].
pub(super) fn checked(
    output: Output,
    options: &Options,
    input: Input<'_>,
    job: &Job,
) -> Result<Output, EngineError> {
    let Output::File(file) = output else { return Ok(output) };
    if file.extension != "pdf" || file.bytes == input.bytes {
        return Ok(Output::File(file));
    }
    job.proceed()?;
    let record = job.input_record();
    let expected = Expected {
        pages: record.as_ref().map(|record| record.pages),
        encrypted: match options {
            Options::Encrypt(_) => true,
            Options::Decrypt(_) | Options::ArchivePdfA(_) | Options::PowerArchive(_) => false,
            _ => record.is_some_and(|record| record.encrypted),
        },
        password: match options {
            Options::Encrypt(options) => {
                options.password.as_ref().map(|password| prepared(password.expose()))
            }
            _ => None,
        }
        .unwrap_or_default(),
    };
    let OutputFile { bytes, extension, notes } = file;
    let bytes = Arc::new(bytes);
    // hayro parses the result of a hostile document here. A panic of hayro means that the result does not open.
    let checked = catch_unwind(AssertUnwindSafe(|| check(&bytes, &expected)));
    let fault = match checked.unwrap_or(Err(Fault::Unreadable)) {
        Ok(()) => None,
        // Content that was damaged in the input is kept as it was.
        Err(Fault::Content) if !first_content_inflates(input.bytes, job)? => None,
        Err(fault) => Some(fault),
    };
    if let Some(fault) = fault {
        tracing::error!(?fault, operation = %options.kind(), "the result of an operation failed its check and was discarded");
        return Err(EngineError::Internal(format!("its result was checked and discarded, because {fault}")));
    }
    let bytes = Arc::try_unwrap(bytes).unwrap_or_else(|shared| shared.to_vec());
    Ok(Output::File(OutputFile { bytes, extension, notes }))
}

/// A password as the standard prepares it (SASLprep, RFC 4013), which hayro leaves to its caller.
fn prepared(password: &str) -> Zeroizing<String> {
    let is_space = |char: char| matches!(char, '\u{1680}' | '\u{200b}');
    let is_removed = |char: &char| {
        matches!(
            char,
            '\u{ad}' | '\u{34f}' | '\u{1806}' | '\u{180b}'..='\u{180d}' | '\u{200c}' | '\u{200d}' | '\u{2060}'
                | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        )
    };
    let mapped = password.chars().map(|char| if is_space(char) { ' ' } else { char });
    Zeroizing::new(mapped.filter(|char| !is_removed(char)).nfkc().collect())
}

/// What is wrong with a result.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Fault {
    #[error("it could not be opened again")]
    Unreadable,
    #[error("it opens without the password")]
    OpensWithoutPassword,
    #[error("it is encrypted, but should not be")]
    Encrypted,
    #[error("it is not encrypted, but should be")]
    NotEncrypted,
    #[error("it has {found} pages instead of {expected}")]
    Pages { found: usize, expected: usize },
    #[error("a resource of its first page is missing")]
    Resource,
    #[error("the content of its first page could not be decoded")]
    Content,
}

fn check(bytes: &Arc<Vec<u8>>, expected: &Expected) -> Result<(), Fault> {
    match (has_encryption(bytes), expected.encrypted) {
        (true, false) => return Err(Fault::Encrypted),
        (false, true) => return Err(Fault::NotEncrypted),
        _ => {}
    }
    if !expected.password.is_empty() && Pdf::new(Arc::clone(bytes)).is_ok() {
        return Err(Fault::OpensWithoutPassword);
    }
    if expected.password.len() > MAX_PASSWORD_BYTES {
        // Bytes after the maximum length have no effect, but hayro does not accept a password that ends within a
        // character.
        return Ok(());
    }
    let pdf = Pdf::new_with_password(Arc::clone(bytes), &expected.password).map_err(|_| Fault::Unreadable)?;
    let found = pdf.pages().len();
    match expected.pages {
        Some(expected) if found != expected => return Err(Fault::Pages { found, expected }),
        None if found == 0 => return Err(Fault::Pages { found, expected: 1 }),
        _ => {}
    }
    pdf.pages().first().map_or(Ok(()), first_page)
}

/// Whether the trailer of a file has an encryption dictionary. The trailer is a cross-reference stream, or follows the
/// cross-reference table.
fn has_encryption(bytes: &[u8]) -> bool {
    let tail = bytes.get(bytes.len().saturating_sub(TRAILER_WINDOW)..).unwrap_or_default();
    let last = |text: &[u8], word: &[u8]| text.windows(word.len()).rposition(|window| window == word);
    let Some(at) = last(tail, b"startxref") else { return false };
    let digits = tail.get(at + 9..).unwrap_or_default().trim_ascii_start();
    let digits = digits.split(|byte| !byte.is_ascii_digit()).next().unwrap_or_default();
    let start: usize = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).unwrap_or(0);
    let section = bytes.get(start..).unwrap_or_default();
    let trailer = if section.starts_with(b"xref") {
        section.windows(7).position(|window| window == b"trailer").and_then(|at| section.get(at..))
    } else {
        Some(section)
    };
    let trailer = trailer.unwrap_or_default();
    let trailer = trailer.get(..TRAILER_WINDOW).unwrap_or(trailer);
    let end = [&b"stream"[..], b"startxref"]
        .into_iter()
        .filter_map(|word| trailer.windows(word.len()).position(|window| window == word));
    let end = end.min().unwrap_or(trailer.len());
    last(trailer.get(..end).unwrap_or_default(), b"/Encrypt").is_some()
}

/// Checks that the resources of a page exist, and that its content can be decoded.
fn first_page(page: &Page<'_>) -> Result<(), Fault> {
    let resources = page.resources();
    let kinds = [
        &resources.ext_g_states,
        &resources.fonts,
        &resources.properties,
        &resources.color_spaces,
        &resources.x_objects,
        &resources.patterns,
        &resources.shadings,
    ];
    if !kinds.into_iter().all(|kind| entries_exist(page, kind)) {
        return Err(Fault::Resource);
    }
    let contents = match page.raw().get::<Object<'_>>("Contents") {
        Some(Object::Stream(stream)) => vec![stream],
        Some(Object::Array(streams)) => streams.iter::<Stream<'_>>().collect(),
        _ => Vec::new(),
    };
    let decodes = |stream: &Stream<'_>| {
        let flate =
            stream.filters().first().is_some_and(|filter| *filter == hayro_syntax::Filter::FlateDecode);
        !flate || inflates(&stream.raw_data())
    };
    if contents.iter().all(decodes) { Ok(()) } else { Err(Fault::Content) }
}

fn entries_exist(page: &Page<'_>, dict: &Dict<'_>) -> bool {
    dict.entries().all(|(_, value)| match value {
        MaybeRef::Ref(to) => page.xref().get::<Object<'_>>(to.into()).is_some(),
        MaybeRef::NotRef(_) => true,
    })
}

/// Whether the first bytes of zlib data can be inflated.
fn inflates(data: &[u8]) -> bool {
    data.is_empty() || std::io::copy(&mut ZlibDecoder::new(data).take(INFLATED), &mut std::io::sink()).is_ok()
}

/// Whether the content of the first page of the input can be inflated.
fn first_content_inflates(bytes: &[u8], job: &Job) -> Result<bool, EngineError> {
    let document = load(bytes, job)?;
    let Some(first) = pages(&document, job.limits())?.first().copied() else { return Ok(true) };
    Ok(page_contents(&document, first).into_iter().all(|id| {
        let Ok(stream) = document.get_object(id).and_then(lopdf::Object::as_stream) else { return true };
        let flate = stream.filters().is_ok_and(|names| names.first() == Some(&&b"FlateDecode"[..]));
        !flate || inflates(&stream.content)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{SaveOptions, save};
    use lopdf::{Document, dictionary};

    /// A document of two pages. Each page has a font and compressed content.
    fn sample() -> Document {
        let mut document = Document::with_version("1.5");
        let font = document
            .add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" });
        let tree = document.new_object_id();
        let kids: Vec<lopdf::Object> = (0..2)
            .map(|_| {
                let mut content = lopdf::Stream::new(lopdf::Dictionary::new(), b"BT (a) Tj ET ".repeat(99));
                content.compress().unwrap();
                let content = document.add_object(content);
                let resources = dictionary! { "Font" => dictionary! { "F" => font } };
                let page = dictionary! {
                    "Type" => "Page", "Parent" => tree, "Contents" => content, "Resources" => resources
                };
                document.add_object(page).into()
            })
            .collect();
        let nodes = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => 2 };
        document.objects.insert(tree, nodes.into());
        let root = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
        document.trailer.set("Root", root);
        document
    }

    fn expecting(pages: usize) -> Expected {
        Expected { pages: Some(pages), encrypted: false, password: Zeroizing::default() }
    }

    fn verdict(bytes: Vec<u8>, expected: &Expected) -> Result<(), Fault> {
        check(&Arc::new(bytes), expected)
    }

    #[test]
    fn a_whole_document_passes_in_both_forms() {
        for object_streams in [true, false] {
            let bytes = save(&sample(), &SaveOptions { object_streams, ..SaveOptions::default() }).unwrap();
            assert_eq!(verdict(bytes.clone(), &expecting(2)), Ok(()));
            assert_eq!(verdict(bytes.clone(), &expecting(3)), Err(Fault::Pages { found: 2, expected: 3 }));
            let encrypted = Expected { encrypted: true, ..expecting(2) };
            assert_eq!(verdict(bytes, &encrypted), Err(Fault::NotEncrypted));
        }
    }

    #[test]
    fn damage_that_a_writer_could_cause_is_found() {
        let options = SaveOptions { object_streams: false, ..SaveOptions::default() };
        let whole = save(&sample(), &options).unwrap();
        let replaced = |from: &[u8], to: &[u8]| {
            let at = whole.windows(from.len()).position(|window| window == from).unwrap();
            [whole.get(..at).unwrap(), to, whole.get(at + from.len()..).unwrap()].concat()
        };
        assert_eq!(verdict(Vec::new(), &expecting(2)), Err(Fault::Unreadable));
        let number = whole.windows(3).position(|window| window == b"/F ").unwrap() + 3;
        let digit = whole[number];
        let dangling = replaced(&[b"/F ", &[digit][..]].concat(), b"/F 9");
        assert_eq!(verdict(dangling, &expecting(2)), Err(Fault::Resource));
        let spoilt = replaced(b"stream\nx", b"stream\n\0");
        assert_eq!(verdict(spoilt, &expecting(2)), Err(Fault::Content));
    }

    #[test]
    fn a_wrong_encryption_dictionary_is_found() {
        for password in ["", "open"] {
            let mut document = sample();
            document.encryption_state = Some(super::super::encrypt::encryption(password).unwrap());
            let options = SaveOptions { object_streams: false, ..SaveOptions::default() };
            let bytes = save(&document, &options).unwrap();
            let encrypted = Expected { encrypted: true, password: prepared(password), ..expecting(2) };
            assert_eq!(verdict(bytes.clone(), &encrypted), Ok(()), "{password}");
            assert_eq!(verdict(bytes.clone(), &expecting(2)), Err(Fault::Encrypted));
            let wrong = Expected { password: prepared("other"), ..encrypted };
            assert!(verdict(bytes.clone(), &wrong).is_err());
            let mut without_filters = bytes;
            let at = without_filters.windows(5).position(|window| window == b"AESV3").unwrap();
            without_filters[at + 4] = b'9';
            let encrypted = Expected { encrypted: true, password: prepared(password), ..expecting(2) };
            assert_eq!(verdict(without_filters, &encrypted), Err(Fault::Content), "{password}");
        }
    }
}
