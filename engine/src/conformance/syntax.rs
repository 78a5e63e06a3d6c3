//! Checks the syntax of the file itself: header, cross-reference, white space around objects, streams, hexadecimal
//! strings, and the end of the file.
//!
//! Parsers repair or skip faults of the syntax without an error. This check therefore reads the bytes of the file
//! itself, at the offsets that the cross-reference gives.

use super::finding::Finding;
use super::rules;
use super::scan::{End, Length, Scanned, object};
use super::standard::{Standard, Version};
use crate::document::is_white_space;
use crate::{EngineError, Job};
use lopdf::xref::{XrefEntry, XrefRecovery};
use lopdf::{Document, Object};

/// Checks the file's syntax against a standard.
///
/// # Errors
/// The job was cancelled or is out of time.
pub(super) fn check(
    bytes: &[u8],
    document: Option<&Document>,
    standard: Standard,
    job: &Job,
) -> Result<Vec<Finding>, EngineError> {
    let report = Report { standard, findings: Vec::new() };
    let mut file = File { bytes, document, report };
    let header = file.header();
    file.tail();
    if let Some(document) = document {
        file.cross_reference(document, header);
        file.objects(document, header, job)?;
    }
    Ok(file.report.findings)
}

/// A rule of PDF/A: the clause, and the number of the test of the clause.
type Test = (&'static str, &'static str);

/// The faults of the syntax.
#[derive(Clone, Copy)]
enum Fault {
    Header,
    BinaryMark,
    Tail,
    CrossReference,
    Entry,
    Spacing,
    StreamLength,
    StreamLines,
    OddHex,
    BadHex,
}

impl Fault {
    /// The rule that the fault violates in PDF/A-1, and the rule that it violates in PDF/A-2 and -3. `None` if PDF/A
    /// has no rule for the fault.
    const fn rules(self) -> (Option<Test>, Option<Test>) {
        match self {
            Self::Header => (Some(("6.1.2", "1")), Some(("6.1.2", "1"))),
            Self::BinaryMark => (Some(("6.1.2", "2")), Some(("6.1.2", "2"))),
            Self::Tail => (Some(("6.1.3", "3")), Some(("6.1.3", "3"))),
            Self::Spacing => (Some(("6.1.8", "1")), Some(("6.1.9", "1"))),
            Self::StreamLength => (Some(("6.1.7", "1")), Some(("6.1.7.1", "1"))),
            Self::StreamLines => (Some(("6.1.7", "2")), Some(("6.1.7.1", "2"))),
            Self::OddHex => (Some(("6.1.6", "1")), Some(("6.1.6", "1"))),
            Self::BadHex => (Some(("6.1.6", "2")), Some(("6.1.6", "2"))),
            Self::CrossReference | Self::Entry => (None, None),
        }
    }

    /// The sentence that describes the fault, and the clause of ISO 32000-1 that requires otherwise. `None` if this
    /// version of PDF allows the fault.
    const fn plain(self, version: Version) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Header => Some(("The file does not begin with a header %PDF-n.m", "7.5.2")),
            Self::BinaryMark => match version {
                Version::V17 | Version::V20 => Some((
                    "The header is not followed by a comment of at least four bytes above 127, which marks the file as binary",
                    "7.5.2",
                )),
                _ => None,
            },
            Self::Tail => Some(("The last line of the file is not the end-of-file marker %%EOF", "7.5.5")),
            Self::CrossReference => Some((
                "The cross-reference table is missing or damaged, so that readers must rebuild it",
                "7.5.4",
            )),
            Self::Entry => {
                Some(("An entry of the cross-reference table does not point to its object", "7.5.4"))
            }
            Self::StreamLength => Some(("The Length of a stream is not the length of its data", "7.3.8.2")),
            Self::StreamLines => Some(("The keyword stream is not followed by a line end", "7.3.8.1")),
            Self::BadHex => {
                Some(("A hexadecimal string contains a character that is not a hexadecimal digit", "7.3.4.3"))
            }
            Self::Spacing | Self::OddHex => None,
        }
    }
}

struct Report {
    standard: Standard,
    findings: Vec<Finding>,
}

impl Report {
    fn add(&mut self, fault: Fault, place: Option<String>) {
        let finding = match self.standard {
            Standard::Archive { part, .. } => {
                let (first, later) = fault.rules();
                match if part == 1 { first } else { later } {
                    Some((clause, test)) => Finding::of(rules::sentence(part, clause, test))
                        .clause(rules::clause(part, clause))
                        .rule(format!("{clause}-{test}")),
                    // PDF/A has no rule for this fault, and validators of PDF/A repair it silently.
                    None => return,
                }
            }
            Standard::Plain(version) => {
                let Some((sentence, clause)) = fault.plain(version) else { return };
                Finding::of(sentence).clause(format!("ISO 32000-1, {clause}"))
            }
        };
        self.findings.push(match place {
            Some(place) => finding.at(place),
            None => finding,
        });
    }
}

struct File<'a> {
    bytes: &'a [u8],
    document: Option<&'a Document>,
    report: Report,
}

impl File<'_> {
    /// Checks the header and the comment after the header. Returns the offset of the header in the file.
    fn header(&mut self) -> usize {
        let window = self.bytes.get(..1024).unwrap_or(self.bytes);
        let at = window.windows(5).position(|word| word == b"%PDF-");
        let start = at.unwrap_or(0);
        let line = self.bytes.get(start..).unwrap_or_default();
        let end = line.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
        let has_version = line.get(5..8).is_some_and(|version| match version {
            [major, b'.', minor] => major.is_ascii_digit() && minor.is_ascii_digit(),
            _ => false,
        });
        if at != Some(0) || !has_version {
            let place = at.filter(|&at| at > 0).map(|at| format!("it begins at byte {at}"));
            self.report.add(Fault::Header, place);
        }
        let after = end.map(|end| {
            let rest = line.get(end..).unwrap_or_default();
            rest.strip_prefix(b"\r\n").or(rest.get(1..)).unwrap_or_default()
        });
        let has_binary_mark = after.is_some_and(|line| {
            let text = line.split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
            text.first() == Some(&b'%')
                && text.get(1..5).is_some_and(|bytes| bytes.iter().all(|&byte| byte > 127))
        });
        // PDF requires the comment after the header only if the file contains binary data. PDF/A always requires the
        // comment.
        let is_required = matches!(self.report.standard, Standard::Archive { .. })
            || self.bytes.iter().any(|&byte| byte > 127);
        if !has_binary_mark && is_required {
            self.report.add(Fault::BinaryMark, None);
        }
        start
    }

    /// Checks the bytes that follow the last end-of-file marker.
    fn tail(&mut self) {
        let Some(at) = self.bytes.windows(5).rposition(|word| word == b"%%EOF") else {
            self.report.add(Fault::Tail, Some("the file has no %%EOF".to_owned()));
            return;
        };
        let rest = self.bytes.get(at + 5..).unwrap_or_default();
        let clean = match self.report.standard {
            Standard::Archive { .. } => matches!(rest, b"" | b"\n" | b"\r" | b"\r\n"),
            Standard::Plain(_) => rest.iter().all(|&byte| is_white_space(byte)),
        };
        if !clean {
            self.report.add(Fault::Tail, Some(format!("{} bytes follow the marker", rest.len())));
        }
    }

    /// Checks that `startxref` gives the offset of a cross-reference table or stream.
    fn cross_reference(&mut self, document: &Document, header: usize) {
        if document.xref_recovery == Some(XrefRecovery::Reconstructed) {
            self.report.add(Fault::CrossReference, None);
            return;
        }
        let Some(at) = self.bytes.windows(9).rposition(|word| word == b"startxref") else {
            self.report.add(Fault::CrossReference, Some("startxref is missing".to_owned()));
            return;
        };
        let rest = self.bytes.get(at + 9..).unwrap_or_default().trim_ascii_start();
        let digits: &[u8] = rest.split(|byte| !byte.is_ascii_digit()).next().unwrap_or_default();
        let offset: Option<usize> = std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok());
        let is_cross_reference = |offset: usize| {
            let there = self.bytes.get(offset..).unwrap_or_default();
            there.starts_with(b"xref") || object_head(there).is_some()
        };
        let good = offset.is_some_and(|offset| {
            is_cross_reference(offset) || header > 0 && is_cross_reference(offset + header)
        });
        if !good {
            self.report.add(Fault::CrossReference, Some("startxref does not give its offset".to_owned()));
        }
    }

    fn objects(&mut self, document: &Document, header: usize, job: &Job) -> Result<(), EngineError> {
        for (&number, entry) in &document.reference_table.entries {
            let XrefEntry::Normal { offset, generation } = entry else { continue };
            job.proceed()?;
            let place = || Some(format!("object {number}"));
            let offset = usize::try_from(*offset).unwrap_or(usize::MAX);
            let found = [offset, offset.saturating_add(header)]
                .into_iter()
                .find_map(|at| Some((at, object_head(self.bytes.get(at..)?)?)))
                .filter(|(_, found)| found.number == number && found.generation == *generation);
            let Some((at, head)) = found else {
                // A wrong entry does no harm if the document does not have the object of the entry.
                if document.objects.contains_key(&(number, *generation)) {
                    self.report.add(Fault::Entry, place());
                }
                continue;
            };
            let scanned = object(self.bytes, at + head.length);
            if scanned.odd_hex {
                self.report.add(Fault::OddHex, place());
            }
            if scanned.bad_hex {
                self.report.add(Fault::BadHex, place());
            }
            let end = match scanned.end {
                Some((End::Object, end)) => Some(end),
                Some((End::Stream, keyword)) => self.stream(&scanned, keyword, number),
                None => None,
            };
            let after_obj = self.bytes.get(at + head.length).copied();
            let is_spaced_correctly = head.single_spaced
                && self.has_line_end_before(at)
                && after_obj.is_some_and(is_line_end)
                && end.is_none_or(|end| self.has_line_end_before(end) && self.has_line_end_at(end + 6));
            if !is_spaced_correctly {
                self.report.add(Fault::Spacing, place());
            }
        }
        Ok(())
    }

    /// Checks the keywords and the length of a stream. Returns the offset of the `endobj` after the stream. `None` if
    /// the length is wrong, or if no `endobj` follows `endstream`.
    fn stream(&mut self, scanned: &Scanned, keyword: usize, number: u32) -> Option<usize> {
        let place = || Some(format!("object {number}"));
        let after = self.bytes.get(keyword + 6..).unwrap_or_default();
        let start = match after {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => {
                self.report.add(Fault::StreamLines, place());
                usize::from(after.first() == Some(&b'\r'))
            }
        };
        let length = match scanned.length {
            Some(Length::Direct(length)) => Some(length),
            Some(Length::In(id)) => self
                .document
                .and_then(|document| document.get_object(id).and_then(Object::as_i64).ok())
                .and_then(|length| usize::try_from(length).ok()),
            None => None,
        };
        let data_end = length.and_then(|length| (keyword + 6 + start).checked_add(length));
        let rest = data_end.and_then(|end| self.bytes.get(end..)).unwrap_or_default();
        let line = match rest {
            [b'\r', b'\n', ..] => 2,
            [b'\n' | b'\r', ..] => 1,
            _ => 0,
        };
        let Some(tail) = rest.get(line..).and_then(|rest| rest.strip_prefix(b"endstream")) else {
            self.report.add(Fault::StreamLength, place());
            return None;
        };
        if line == 0 && matches!(self.report.standard, Standard::Archive { .. }) {
            self.report.add(Fault::StreamLines, place());
        }
        let gap = tail.iter().position(|&byte| !is_white_space(byte))?;
        let end = data_end? + line + 9 + gap;
        self.bytes.get(end..)?.starts_with(b"endobj").then_some(end)
    }

    fn has_line_end_before(&self, at: usize) -> bool {
        at.checked_sub(1).and_then(|at| self.bytes.get(at).copied()).is_none_or(is_line_end)
    }

    fn has_line_end_at(&self, at: usize) -> bool {
        self.bytes.get(at).copied().is_none_or(is_line_end)
    }
}

const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// The start of an indirect object, such as `12 0 obj`.
struct Head {
    number: u32,
    generation: u16,
    single_spaced: bool,
    length: usize,
}

fn object_head(bytes: &[u8]) -> Option<Head> {
    let (number, first) = digits(bytes)?;
    let (gap, rest) = spaces(first)?;
    let (generation, second) = digits(rest)?;
    let (gap_2, rest) = spaces(second)?;
    let rest = rest.strip_prefix(b"obj")?;
    Some(Head {
        number,
        generation: u16::try_from(generation).ok()?,
        single_spaced: gap == 1 && gap_2 == 1,
        length: bytes.len() - rest.len(),
    })
}

fn digits(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let end = bytes.iter().take(11).position(|byte| !byte.is_ascii_digit())?;
    let (text, rest) = bytes.split_at_checked(end)?;
    Some((std::str::from_utf8(text).ok()?.parse().ok()?, rest))
}

fn spaces(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let end = bytes.iter().take(256).position(|&byte| !is_white_space(byte)).filter(|&end| end > 0)?;
    Some((end, bytes.get(end..)?))
}
