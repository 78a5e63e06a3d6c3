//! The syntax of the file itself: header, cross-reference, spacing, streams, strings, and what stands at the end.
//!
//! Parsers repair or skip such faults, so they are looked for in the bytes, from the cross-reference's offsets on.

use super::finding::Finding;
use super::rules;
use super::scan::{End, Length, Scanned, is_space, object};
use super::standard::{Standard, Version};
use crate::{EngineError, Job};
use lopdf::xref::{XrefEntry, XrefRecovery};
use lopdf::{Document, Object};

/// Looks at the file's syntax as the standard asked for wants it.
///
/// # Errors
/// That the job was cancelled or is out of time.
pub(super) fn check(
    bytes: &[u8],
    document: Option<&Document>,
    asked: Standard,
    job: &Job,
) -> Result<Vec<Finding>, EngineError> {
    let report = Report { asked, findings: Vec::new() };
    let mut file = File { bytes, document, report };
    let header = file.header();
    file.tail();
    if let Some(document) = document {
        file.cross_reference(document, header);
        file.objects(document, header, job)?;
    }
    Ok(file.report.findings)
}

/// A clause and the number of its test.
type Test = (&'static str, &'static str);

/// The faults of the syntax, each with its clause in ISO 32000-1 and in PDF/A-1, -2 and -3.
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
    /// The rule of PDF/A-1, of PDF/A-2 and -3, and the clause and sentence of ISO 32000-1; none where only one has it.
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

    /// What it is in PDF itself, and the clause of ISO 32000-1; nothing where PDF allows it.
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
            Self::Tail => Some(("The last line of the file is not its end-of-file marker", "7.5.5")),
            Self::CrossReference => Some((
                "The cross-reference table cannot be found or is damaged, so that readers must rebuild it",
                "7.5.4",
            )),
            Self::Entry => Some(("The cross-reference does not lead to an object", "7.5.4")),
            Self::StreamLength => Some(("The Length of a stream is not the length of its data", "7.3.8.2")),
            Self::StreamLines => Some(("The keyword stream is not followed by a line end", "7.3.8.1")),
            Self::BadHex => {
                Some(("A hexadecimal string has a character that is no hexadecimal digit", "7.3.4.3"))
            }
            Self::Spacing | Self::OddHex => None,
        }
    }
}

struct Report {
    asked: Standard,
    findings: Vec<Finding>,
}

impl Report {
    fn add(&mut self, fault: Fault, place: Option<String>) {
        let finding = match self.asked {
            Standard::Archive { part, .. } => {
                let (first, later) = fault.rules();
                match if part == 1 { first } else { later } {
                    Some((clause, test)) => Finding::of(rules::sentence(part, clause, test))
                        .clause(rules::clause(part, clause))
                        .rule(format!("{clause}-{test}")),
                    // PDF/A has no rule of its own for it, and validators of PDF/A repair it without a word.
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
    /// The header and the comment after it; where the header is.
    fn header(&mut self) -> usize {
        let window = self.bytes.get(..1024).unwrap_or(self.bytes);
        let at = window.windows(5).position(|word| word == b"%PDF-");
        let start = at.unwrap_or(0);
        let line = self.bytes.get(start..).unwrap_or_default();
        let end = line.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
        let form = line.get(5..8).is_some_and(|version| match version {
            [major, b'.', minor] => major.is_ascii_digit() && minor.is_ascii_digit(),
            _ => false,
        });
        if at != Some(0) || !form {
            let place = at.filter(|&at| at > 0).map(|at| format!("it stands at byte {at}"));
            self.report.add(Fault::Header, place);
        }
        let after = end.map(|end| {
            let rest = line.get(end..).unwrap_or_default();
            rest.strip_prefix(b"\r\n").or(rest.get(1..)).unwrap_or_default()
        });
        let marked = after.is_some_and(|line| {
            let text = line.split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
            text.first() == Some(&b'%')
                && text.get(1..5).is_some_and(|bytes| bytes.iter().all(|&byte| byte > 127))
        });
        // PDF asks for the mark where the file has such bytes, PDF/A always.
        let wanted = matches!(self.report.asked, Standard::Archive { .. })
            || self.bytes.iter().any(|&byte| byte > 127);
        if !marked && wanted {
            self.report.add(Fault::BinaryMark, None);
        }
        start
    }

    /// What follows the last end-of-file marker.
    fn tail(&mut self) {
        let Some(at) = self.bytes.windows(5).rposition(|word| word == b"%%EOF") else {
            self.report.add(Fault::Tail, Some("there is none".to_owned()));
            return;
        };
        let rest = self.bytes.get(at + 5..).unwrap_or_default();
        let clean = match self.report.asked {
            Standard::Archive { .. } => matches!(rest, b"" | b"\n" | b"\r" | b"\r\n"),
            Standard::Plain(_) => rest.iter().all(|&byte| is_space(byte)),
        };
        if !clean {
            self.report.add(Fault::Tail, Some(format!("{} bytes follow it", rest.len())));
        }
    }

    /// Whether `startxref` leads to a cross-reference.
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
        let leads = |offset: usize| {
            let there = self.bytes.get(offset..).unwrap_or_default();
            there.starts_with(b"xref") || numbers_of(there).is_some()
        };
        let good = offset.is_some_and(|offset| leads(offset) || header > 0 && leads(offset + header));
        if !good {
            self.report.add(Fault::CrossReference, Some("startxref leads elsewhere".to_owned()));
        }
    }

    fn objects(&mut self, document: &Document, header: usize, job: &Job) -> Result<(), EngineError> {
        for (&number, entry) in &document.reference_table.entries {
            let XrefEntry::Normal { offset, generation } = entry else { continue };
            job.proceed()?;
            let place = || Some(format!("object {number}"));
            let there = usize::try_from(*offset).unwrap_or(usize::MAX);
            let found = [there, there.saturating_add(header)]
                .into_iter()
                .find_map(|at| Some((at, numbers_of(self.bytes.get(at..)?)?)))
                .filter(|(_, found)| found.number == number && found.generation == *generation);
            let Some((at, head)) = found else {
                // An entry that nothing refers to harms nobody.
                if document.objects.contains_key(&(number, *generation)) {
                    self.report.add(Fault::Entry, place());
                }
                continue;
            };
            let seen = object(self.bytes, at + head.length);
            if seen.odd_hex {
                self.report.add(Fault::OddHex, place());
            }
            if seen.bad_hex {
                self.report.add(Fault::BadHex, place());
            }
            let end = match seen.end {
                Some((End::Object, end)) => Some(end),
                Some((End::Stream, keyword)) => self.stream(&seen, keyword, number),
                None => None,
            };
            let after_obj = self.bytes.get(at + head.length).copied();
            let well = head.single_spaced
                && self.line_before(at)
                && after_obj.is_some_and(is_line_end)
                && end.is_none_or(|end| self.line_before(end) && self.line_at(end + 6));
            if !well {
                self.report.add(Fault::Spacing, place());
            }
        }
        Ok(())
    }

    /// The keywords and the length of a stream; where its `endobj` is, if all is well until there.
    fn stream(&mut self, seen: &Scanned, keyword: usize, number: u32) -> Option<usize> {
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
        let length = match seen.length {
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
        if line == 0 && matches!(self.report.asked, Standard::Archive { .. }) {
            self.report.add(Fault::StreamLines, place());
        }
        let gap = tail.iter().position(|&byte| !is_space(byte))?;
        let end = data_end? + line + 9 + gap;
        self.bytes.get(end..)?.starts_with(b"endobj").then_some(end)
    }

    fn line_before(&self, at: usize) -> bool {
        at.checked_sub(1).and_then(|at| self.bytes.get(at).copied()).is_none_or(is_line_end)
    }

    fn line_at(&self, at: usize) -> bool {
        self.bytes.get(at).copied().is_none_or(is_line_end)
    }
}

const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// `12 0 obj` at the start of these bytes.
struct Head {
    number: u32,
    generation: u16,
    single_spaced: bool,
    length: usize,
}

fn numbers_of(bytes: &[u8]) -> Option<Head> {
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
    let end = bytes.iter().take(256).position(|&byte| !is_space(byte)).filter(|&end| end > 0)?;
    Some((end, bytes.get(end..)?))
}
