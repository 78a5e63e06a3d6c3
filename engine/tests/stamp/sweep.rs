//! Long tests that only run on request: stamps on real documents, and many random values for every type of barcode.
//!
//! `RECTO_SWEEP_DOCUMENTS=folder cargo test -p recto-engine --test stamp sweep -- --nocapture` stamps the PDFs below a
//! folder. With `RECTO_SWEEP_VALUES=200` instead, the tests write 200 codes of each type and read them back.

use crate::codes::barcode;
use crate::documents::Builder;
use crate::oracles::{OnDisk, Region, difference, dmtx, zbar, zxing};
use crate::{stamp, stamped};
use lopdf::dictionary;
use recto_interface::Options;
use recto_interface::options::{
    CodeMargin, Margin, SquareSize, StampBarcodeOptions, StampQrOptions, StampSize, StampTextOptions,
    StampWatermarkOptions, TextStyle, Unit,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const DPI: u32 = 144;
const WORDS: &str = "Geprüft ΟΚ Да";

/// The stamps of these tests. Each stamp is half an inch from two edges of the page.
fn stamps() -> [Options; 3] {
    let unit = Some(Unit::In);
    let half = Some(0.5);
    let qr = StampQrOptions {
        value: "https://example.org/sweep".to_owned(),
        margin: Some(CodeMargin { left: half, bottom: half, unit }),
        stamp_size: Some(SquareSize { side: Some(1.0), unit: unit.map(|unit| unit.to_string()) }),
    };
    let text = StampTextOptions {
        text: WORDS.to_owned(),
        margin: Some(Margin { right: half, top: half, unit, ..Margin::default() }),
        text_style: Some(TextStyle { font_size: Some(14.0), ..TextStyle::default() }),
    };
    let mark = StampWatermarkOptions {
        text: WORDS.to_owned(),
        margin: Some(Margin { left: half, top: half, unit, ..Margin::default() }),
        text_style: Some(TextStyle {
            font_size: Some(20.0),
            text_color: Some("#ff00c8".to_owned()),
            ..TextStyle::default()
        }),
    };
    [qr.into(), text.into(), mark.into()]
}

/// Stamps a document and returns the faults of the result. The list is empty if the result is correct.
///
/// # Errors
/// If the document cannot be checked; the error is the reason.
fn faults(bytes: &[u8], options: &Options) -> Result<Vec<String>, String> {
    let file = stamp(options.clone(), bytes).map_err(|error| error.to_string())?;
    if file.notes.iter().any(|note| note.contains("visible area of")) {
        return Err("a page is too small for the stamp, as its note says".to_owned());
    }
    // Poppler ignores user units, so the position of a stamp cannot be checked.
    if String::from_utf8_lossy(&file.bytes).contains("/UserUnit") {
        return Err("it has pages with a unit of their own".to_owned());
    }
    let (before, after) = (OnDisk::new(bytes), OnDisk::new(&file.bytes));
    let mut faults = Vec::new();
    let (old, new) = (before.complaints(), after.complaints());
    if old.is_empty() && !new.is_empty() {
        faults.push(format!("qpdf: {}", new.join("; ")));
    }
    let words = WORDS.split(' ').all(|word| after.text().contains(word));
    if matches!(options, Options::StampText(_)) && !words {
        faults.push("pdftotext does not find the text".to_owned());
    }
    let (old, new) = (before.first_pages(DPI, 3), after.first_pages(DPI, 3));
    if old.len() != new.len() {
        faults.push(format!("poppler shows {} pages instead of {}", new.len(), old.len()));
    }
    for (page, (old, new)) in old.iter().zip(&new).enumerate() {
        if old.dimensions() != new.dimensions() {
            faults.push(format!("page {} changed its size", page + 1));
            continue;
        }
        let points = |pixels: u32| f64::from(pixels) * 72.0 / f64::from(DPI);
        let (width, height) = (points(old.width()), points(old.height()));
        let Some(found) = difference(old, new, DPI) else {
            faults.push(format!("page {}: nothing changed", page + 1));
            continue;
        };
        let (right, top) = (width - found.left - found.width, height - found.bottom - found.height);
        let exact = |distance: f64| (distance - 36.0).abs() <= 1.0;
        let good = match options {
            // On a light background, only the dark modules of the QR code change pixels: the region can be smaller than
            // the code.
            Options::StampQr(_) => {
                found.left >= 35.0
                    && found.bottom >= 35.0
                    && found.left + found.width <= 109.0
                    && found.bottom + found.height <= 109.0
            }
            Options::StampText(_) => exact(right) && exact(top) && found.width < 220.0 && found.height < 40.0,
            _ => exact(found.left) && exact(top) && found.width < 220.0 && found.height < 220.0,
        };
        if !good {
            let Region { left, bottom, .. } = found;
            faults.push(format!(
                "page {} ({width} x {height}) changed from the left {left}, right {right}, top {top}, bottom {bottom}",
                page + 1
            ));
        }
        if matches!(options, Options::StampQr(_))
            && !zbar(new).iter().any(|(_, value)| value.ends_with("/sweep"))
        {
            faults.push(format!("page {}: zbar does not read the code", page + 1));
        }
    }
    Ok(faults)
}

#[test]
fn sweep_of_documents() {
    let Some(folder) = std::env::var_os("RECTO_SWEEP_DOCUMENTS") else { return };
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files);
    let (mut checked, mut failed, mut refused) = (0, 0, 0);
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        for options in stamps() {
            match faults(&bytes, &options) {
                Ok(faults) if faults.is_empty() => checked += 1,
                Ok(faults) => {
                    checked += 1;
                    failed += 1;
                    println!("FAULT {} {}: {}", file.display(), options.kind(), faults.join(" | "));
                }
                Err(reason) => {
                    refused += 1;
                    println!("NOT CHECKED {}: {reason}", file.display());
                    break;
                }
            }
        }
    }
    println!("{checked} stamps checked, {failed} with faults, {refused} documents not checked");
    assert_eq!(failed, 0);
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pdf")) {
            files.push(path);
        }
    }
}

/// A generator of pseudo-random numbers, which are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn text(&mut self, alphabet: &str, lengths: (usize, usize)) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        let length = lengths.0 + self.below(lengths.1 - lengths.0 + 1);
        (0..length).map(|_| letters[self.below(letters.len())]).collect()
    }
}

const DIGITS: &str = "0123456789";
const ASCII: &str =
    " !#$%&()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~";
const UNICODE: &str = "abcABC012 äöüßéñçÄÖÜ€ąęłőΑΒΓαβγδωЖжЯяЮюДд漢字かなカナ한글🎉✓—“”";

/// A type of code, the characters of its values, the smallest and largest length of a value, the program that reads the
/// code, and a function that returns whether a value agrees with the text that was read.
type Case = (&'static str, &'static str, (usize, usize), Reader, fn(&str, &str) -> bool);

#[derive(Clone, Copy)]
enum Reader {
    Zbar,
    Dmtx,
    Zxing,
}

const CASES: [Case; 19] = [
    ("code128", ASCII, (1, 30), Reader::Zbar, same),
    ("code39", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ -.$/+%", (1, 20), Reader::Zbar, same),
    ("code93", ASCII, (1, 16), Reader::Zbar, same),
    ("codabar", "0123456789-$:/.+", (3, 20), Reader::Zbar, |value, read| read == format!("A{value}A")),
    // zbar reads an EAN-13 code that begins with 0 as UPC-A, without the 0.
    ("ean13", DIGITS, (12, 12), Reader::Zbar, |value, read| format!("0{read}").contains(value)),
    ("ean8", DIGITS, (7, 7), Reader::Zbar, |value, read| read.get(..7) == Some(value)),
    ("upca", DIGITS, (11, 11), Reader::Zbar, |value, read| read.contains(value)),
    ("upce", DIGITS, (6, 6), Reader::Zbar, |value, read| read.contains(value)),
    ("itf", DIGITS, (14, 14), Reader::Zbar, same),
    ("telepen", ASCII, (2, 20), Reader::Zxing, same),
    ("pdf417", ASCII, (1, 120), Reader::Zxing, same),
    ("pdf417", UNICODE, (1, 60), Reader::Zxing, same),
    ("aztec", ASCII, (1, 120), Reader::Zxing, same),
    ("aztec", UNICODE, (1, 60), Reader::Zxing, same),
    ("datamatrix", ASCII, (1, 80), Reader::Dmtx, same),
    ("datamatrix", ASCII, (1, 200), Reader::Zxing, same),
    ("datamatrix", UNICODE, (1, 60), Reader::Zxing, same),
    ("qr", ASCII, (1, 200), Reader::Zbar, same),
    ("qr", UNICODE, (1, 80), Reader::Zbar, same),
];

fn same(value: &str, read: &str) -> bool {
    value == read
}

#[test]
fn sweep_of_values() {
    let Some(count) = std::env::var("RECTO_SWEEP_VALUES").ok().and_then(|count| count.parse::<usize>().ok())
    else {
        return;
    };
    let only = std::env::var("RECTO_SWEEP_TYPE").ok();
    let mut random = Random(7);
    let mut table = BTreeMap::new();
    for (at, (kind, alphabet, lengths, reader, agrees)) in CASES.into_iter().enumerate() {
        if only.as_deref().is_some_and(|only| only != kind) {
            continue;
        }
        let mut read = 0;
        let values: Vec<String> = (0..count)
            .map(|_| random.text(alphabet, lengths).trim().to_owned())
            .map(|value| if value.is_empty() { "1".to_owned() } else { value })
            .collect();
        for group in values.chunks(PER_SHEET) {
            let mut document = sheet();
            for (place, value) in group.iter().enumerate() {
                document = stamped(at_place(kind, value, place), &document);
            }
            let read_all = |document: &[u8], symbols: usize| -> Vec<String> {
                let page = OnDisk::new(document).pages(150).remove(0);
                match reader {
                    Reader::Zbar => zbar(&page).into_iter().map(|(_, value)| value).collect(),
                    Reader::Dmtx => dmtx(&page, symbols),
                    Reader::Zxing => zxing(&page),
                }
            };
            let found = read_all(&document, group.len());
            // zbar sometimes does not find a small symbol among many: try again with this symbol alone on a page.
            let alone = |value: &str| read_all(&stamped(at_place(kind, value, 0), &sheet()), 1);
            for value in group {
                let seen = |found: &[String]| found.iter().any(|found| agrees(value, found));
                if seen(&found) || seen(&alone(value)) {
                    read += 1;
                } else {
                    println!("{kind}: {value:?} is not among {found:?}");
                }
            }
        }
        println!("{kind} by {}: {read} of {count}", ["zbar", "libdmtx", "zxing-cpp"][reader as usize]);
        table.insert((at, kind), read);
    }
    assert!(table.values().all(|read| *read == count), "{table:?}");
}

/// The number of symbols on one page.
const PER_SHEET: usize = 10;

/// The options for a symbol at position `place` of a page.
fn at_place(kind: &str, value: &str, place: usize) -> StampBarcodeOptions {
    let unit = Some(Unit::In);
    let square = matches!(kind, "aztec" | "datamatrix" | "qr");
    let (left, bottom, width, height) = if square {
        (0.2 + 3.6 * (place % 2) as f64, 0.2 + 3.6 * (place / 2) as f64, 3.4, 3.4)
    } else {
        (0.2, 0.2 + 1.8 * place as f64, 7.0, 1.5)
    };
    StampBarcodeOptions {
        margin: Some(CodeMargin { left: Some(left), bottom: Some(bottom), unit }),
        stamp_size: Some(StampSize {
            width: Some(width),
            height: Some(height),
            unit: unit.map(|unit| unit.to_string()),
        }),
        ..barcode(kind, value)
    }
}

fn sheet() -> Vec<u8> {
    let mut builder = Builder::new("1.4");
    builder.page("", dictionary! { "MediaBox" => crate::documents::numbers([0, 0, 540, 1340]) });
    builder.finish()
}
