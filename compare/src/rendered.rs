//! The pages of a document as the service renders them: one PNG file, or a ZIP archive of PNG files.

use crate::Error;
use crate::picture::Picture;
use crate::settings::{MAX_SIDE, Settings};
use flate2::read::DeflateDecoder;
use recto::interface::options::PixelSize;
use recto::{Call, Client, DecryptOptions, Input, Operation, PdfToPngOptions};
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom, Write};
use zip::{CompressionMethod, ZipArchive};

/// The maximum size of the pictures of a document in bytes.
const MAX_BYTES: u64 = 8 << 30;
/// The maximum size of the PNG file of a page in bytes: that of [`MAX_SIDE`] squared pixels without compression.
const MAX_PAGE_BYTES: u64 = 4 * (MAX_SIDE as u64) * (MAX_SIDE as u64);

/// A document that the service is rendering.
pub struct Rendering {
    document: String,
    operations: Vec<Operation>,
}

impl Rendering {
    /// Starts the operations on a document: `decrypt` if there is a password, and `pdf-to-png`.
    pub fn start(client: &Client, input: Input, settings: &Settings, call: &Call<'_>) -> Result<Self, Error> {
        let document = label(&input);
        let failed = |error| Error::Call { document: document.clone(), error };
        let options = PdfToPngOptions {
            max_size_in_pixels: Some(PixelSize { width: MAX_SIDE, height: MAX_SIDE }),
            ..PdfToPngOptions::default()
        };
        let mut operations = Vec::new();
        let rendering = match &settings.password {
            None => client.start(input, options, call),
            Some(password) => {
                let decrypt = DecryptOptions { password: Some(password.clone()) };
                let decrypted = client.start(input, decrypt, call).map_err(failed)?;
                let rendering = client.start(&decrypted, options, call);
                operations.push(decrypted);
                rendering
            }
        };
        operations.push(rendering.map_err(failed)?);
        Ok(Self { document, operations })
    }

    /// Waits, and downloads the pictures to a temporary file.
    pub fn pages(self, settings: &Settings, call: &Call<'_>) -> Result<RenderedPages, Error> {
        let Self { document, operations } = self;
        let failed = |error| Error::Call { document: document.clone(), error };
        let mut file = Limited { file: tempfile::tempfile().map_err(Error::temporary)?, left: MAX_BYTES };
        if let Some(rendering) = operations.last() {
            rendering.write_to(&mut file, call).map_err(failed)?;
        }
        if settings.delete_after {
            for operation in operations.iter().rev() {
                operation.delete(call).map_err(failed)?;
            }
        }
        RenderedPages::open(document, file.file, settings.max_pages)
    }
}

/// The text that messages use for a document.
fn label(input: &Input) -> String {
    match input {
        Input::Source(source) => source.label(),
        Input::Operation(operation) => format!("the result of {}", operation.name()),
    }
}

/// A file of limited length.
struct Limited {
    file: File,
    left: u64,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::FileTooLarge,
                "the pictures of the document are too large to compare",
            )
        })?;
        self.file.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The pictures of the pages of a document.
pub struct RenderedPages {
    /// The document, as messages name it.
    pub document: String,
    pictures: Pictures,
}

enum Pictures {
    /// The picture of the only page.
    One(File),
    /// An archive, and the indices of its files in the order of the pages.
    Archive(ZipArchive<BufReader<File>>, Vec<usize>),
}

impl RenderedPages {
    /// Opens a result of `pdf-to-png`.
    pub fn open(document: String, mut file: File, most: usize) -> Result<Self, Error> {
        let mut magic = Vec::new();
        let read = |file: &mut File, magic: &mut Vec<u8>| -> io::Result<()> {
            file.seek(SeekFrom::Start(0))?;
            Read::take(&mut *file, 4).read_to_end(magic)?;
            file.seek(SeekFrom::Start(0)).map(drop)
        };
        read(&mut file, &mut magic).map_err(Error::temporary)?;
        if !magic.starts_with(b"PK") {
            return Ok(Self { document, pictures: Pictures::One(file) });
        }
        let unreadable = |error: zip::result::ZipError| Error::Pictures {
            document: document.clone(),
            reason: format!("the ZIP archive cannot be read: {error}"),
        };
        let archive = ZipArchive::new(BufReader::new(file)).map_err(unreadable)?;
        let pages = archive.len();
        if pages > most {
            let advice = "allow more with --max-pages (max_pages in programs)";
            return Err(Error::Pages { document, pages, most, advice });
        }
        let mut order = Vec::with_capacity(pages);
        for index in 0..pages {
            let name = archive.name_for_index(index).transpose().map_err(unreadable)?;
            order.push((page_number(name.as_deref().unwrap_or_default()), index));
        }
        // If the number of a page is not known, the order of the archive is kept.
        if order.iter().all(|(number, _)| number.is_some()) {
            order.sort();
        }
        let order = order.into_iter().map(|(_, index)| index).collect();
        Ok(Self { document, pictures: Pictures::Archive(archive, order) })
    }

    /// The number of pages.
    pub fn count(&self) -> usize {
        match &self.pictures {
            Pictures::One(_) => 1,
            Pictures::Archive(_, order) => order.len(),
        }
    }

    /// The picture of the page with this index; `None` after the last one.
    pub fn picture(&mut self, index: usize) -> Result<Option<Picture>, Error> {
        let picture = match &mut self.pictures {
            Pictures::One(_) if index > 0 => return Ok(None),
            Pictures::One(file) => {
                file.seek(SeekFrom::Start(0)).map_err(Error::temporary)?;
                Picture::read_png(BufReader::new(file), MAX_SIDE)
            }
            Pictures::Archive(archive, order) => match order.get(index) {
                None => return Ok(None),
                Some(at) => {
                    unpacked(archive, *at).and_then(|bytes| Picture::read_png(Cursor::new(bytes), MAX_SIDE))
                }
            },
        };
        let number = index + 1;
        picture.map(Some).map_err(|reason| Error::Pictures {
            document: self.document.clone(),
            reason: format!("page {number}: {reason}"),
        })
    }
}

fn unpacked(archive: &mut ZipArchive<BufReader<File>>, index: usize) -> Result<Vec<u8>, String> {
    let unreadable = |error: &dyn std::fmt::Display| format!("the ZIP archive cannot be read: {error}");
    // `zip` is built without decompression, because the archives of Recto's own service only store. Another service may
    // deflate. The PNG file has checksums, so that of the archive is not needed.
    let file = archive.by_index_raw(index).map_err(|error| unreadable(&error))?;
    let method = file.compression();
    let mut bytes = Vec::new();
    let read = match method {
        CompressionMethod::STORE => file.take(MAX_PAGE_BYTES + 1).read_to_end(&mut bytes),
        CompressionMethod::DEFLATE => {
            DeflateDecoder::new(file).take(MAX_PAGE_BYTES + 1).read_to_end(&mut bytes)
        }
        other => return Err(unreadable(&format!("the compression {other} is not supported"))),
    };
    read.map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > MAX_PAGE_BYTES {
        return Err(format!("its picture has more than {MAX_PAGE_BYTES} bytes"));
    }
    Ok(bytes)
}

/// The number of a page: the last digits of the name of its file, without the extension.
fn page_number(name: &str) -> Option<u64> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let end = stem.rfind(|c: char| c.is_ascii_digit())? + 1;
    let digits = stem.get(..end)?;
    let start = digits.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    // The character before the digits may have several bytes.
    let start = (start..end).find(|at| digits.is_char_boundary(*at))?;
    digits.get(start..)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::DeflateEncoder;
    use flate2::{Compression, Crc};
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    fn png(gray: u8) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 1, 1);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(&[gray]).unwrap();
        bytes
    }

    /// An archive that stores a file with one pixel for each name.
    fn archive(files: &[(&str, u8)]) -> File {
        let mut archive = ZipWriter::new(tempfile::tempfile().unwrap());
        for (name, gray) in files {
            let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
            archive.start_file(*name, options).unwrap();
            archive.write_all(&png(*gray)).unwrap();
        }
        archive.finish().unwrap()
    }

    /// An archive with one file, written by hand because the writer only stores (APPNOTE.TXT 4.3).
    fn with_method(method: u16, name: &str, content: &[u8]) -> File {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
        packed.write_all(content).unwrap();
        let packed = packed.finish().unwrap();
        let mut crc = Crc::new();
        crc.update(content);
        let mut common = Vec::new();
        for word in [20, 0, method, 0, 0x21] {
            common.extend(u16::to_le_bytes(word));
        }
        for long in [crc.sum(), packed.len() as u32, content.len() as u32] {
            common.extend(long.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        let mut bytes = [b"PK\x03\x04", &common[..], name.as_bytes(), &packed].concat();
        let directory = bytes.len() as u32;
        bytes.extend([b"PK\x01\x02\x14\x00", &common[..], &[0; 14], name.as_bytes()].concat());
        let size = bytes.len() as u32 - directory;
        bytes.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
        bytes.extend([size.to_le_bytes(), directory.to_le_bytes()].concat());
        bytes.extend([0, 0]);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        file
    }

    fn open(file: File, most: usize) -> Result<RenderedPages, Error> {
        RenderedPages::open("a.pdf".to_owned(), file, most)
    }

    fn grays(mut pages: RenderedPages) -> Vec<u8> {
        (0..).map_while(|index| pages.picture(index).unwrap()).map(|picture| picture.row(0)[0]).collect()
    }

    #[test]
    fn page_numbers_are_the_last_digits_of_a_name() {
        for (name, number) in [
            ("report-001.png", Some(1)),
            ("v2 é12.png", Some(12)),
            ("7.png", Some(7)),
            ("a1b.png", Some(1)),
            ("page.png", None),
            ("99999999999999999999999.png", None),
            ("", None),
        ] {
            assert_eq!(page_number(name), number, "{name}");
        }
    }

    #[test]
    fn one_picture_and_archives_are_read_in_the_order_of_pages() {
        let mut single = tempfile::tempfile().unwrap();
        single.write_all(&png(9)).unwrap();
        assert_eq!(grays(open(single, 1).unwrap()), [9]);
        let names = [("a-10.png", 3), ("a-2.png", 2), ("a-1.png", 1)];
        assert_eq!(grays(open(archive(&names), 9).unwrap()), [1, 2, 3]);
        let unnumbered = [("first.png", 1), ("second.png", 2), ("a-1.png", 3)];
        assert_eq!(grays(open(archive(&unnumbered), 9).unwrap()), [1, 2, 3]);
    }

    #[test]
    fn a_service_may_deflate_the_pictures() {
        assert_eq!(grays(open(with_method(8, "1.png", &png(5)), 9).unwrap()), [5]);
        let refused = open(with_method(12, "1.png", &png(5)), 9).unwrap().picture(0).unwrap_err();
        assert!(refused.to_string().contains("not supported"), "{refused}");
    }

    #[test]
    fn a_result_that_is_not_a_picture_or_has_too_many_pages_is_refused() {
        for bytes in [&b""[..], b"%PDF-1.7", b"PK\x03\x04 is not an archive"] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(bytes).unwrap();
            let read = open(file, 9).and_then(|mut pages| pages.picture(0));
            assert!(matches!(read, Err(Error::Pictures { .. })), "{read:?}");
        }
        let names = [("1.png", 1), ("2.png", 2)];
        let refused = open(archive(&names), 1).err().unwrap();
        assert!(matches!(refused, Error::Pages { pages: 2, most: 1, .. }), "{refused}");
    }
}
