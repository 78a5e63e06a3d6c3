//! Oracles: other programs that check stamped documents. If an oracle is not installed, its tests are skipped with a
//! message; in CI they fail.

use image::RgbImage;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Whether a program is installed. Fails the test if the program is missing in CI. `package` is the name of the package
/// to install.
pub(crate) fn has(program: &str, package: &str) -> bool {
    let found = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()));
    if !found {
        assert!(std::env::var_os("CI").is_none(), "{program} is missing: install {package}");
        println!("SKIPPED: {program} is missing; install {package}");
    }
    found
}

/// Whether qpdf and poppler are installed.
pub(crate) fn has_pdf_tools() -> bool {
    has("qpdf", "qpdf") && has("pdftoppm", "poppler-utils")
}

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap_or_else(|error| panic!("{program}: {error}"))
}

/// A document that is stored in a temporary directory.
pub(crate) struct OnDisk {
    folder: tempfile::TempDir,
    file: PathBuf,
}

impl OnDisk {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("it.pdf");
        std::fs::write(&file, bytes).unwrap();
        Self { folder, file }
    }

    fn path(&self) -> &str {
        self.file.to_str().unwrap()
    }

    /// The errors and warnings that qpdf reports about the document.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let output = run("qpdf", &["--check", self.path()]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let complaints: Vec<String> = text
            .lines()
            .filter(|line| line.contains("WARNING") || line.contains("ERROR") || line.contains("rror"))
            .map(str::to_owned)
            .collect();
        if complaints.is_empty() && !output.status.success() {
            return vec![format!("{}: {text}", output.status)];
        }
        complaints
    }

    /// The visible part of each page, rendered by poppler at `dpi`.
    pub(crate) fn pages(&self, dpi: u32) -> Vec<RgbImage> {
        self.first_pages(dpi, u32::MAX >> 1)
    }

    /// The visible part of the pages up to page `last`, rendered by poppler at `dpi`.
    pub(crate) fn first_pages(&self, dpi: u32, last: u32) -> Vec<RgbImage> {
        let prefix = self.folder.path().join("page");
        let (dpi, last) = (dpi.to_string(), last.to_string());
        let arguments = ["-cropbox", "-png", "-r", &dpi, "-l", &last, self.path(), prefix.to_str().unwrap()];
        let output = run("pdftoppm", &arguments);
        assert!(output.status.success(), "pdftoppm: {}", String::from_utf8_lossy(&output.stderr));
        let mut files: Vec<PathBuf> = std::fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "png"))
            .collect();
        files.sort();
        // The rendered pages can be larger than the default limits of the crate image.
        let read = |file: &PathBuf| {
            let mut reader = image::ImageReader::open(file).unwrap();
            reader.no_limits();
            reader.decode().unwrap().to_rgb8()
        };
        let images = files.iter().map(read).collect();
        files.iter().for_each(|file| std::fs::remove_file(file).unwrap());
        images
    }

    /// The text of the document, extracted by poppler.
    pub(crate) fn text(&self) -> String {
        let output = run("pdftotext", &["-layout", self.path(), "-"]);
        String::from_utf8(output.stdout).unwrap()
    }
}

/// The errors and warnings that qpdf reports about a document.
pub(crate) fn complaints(bytes: &[u8]) -> Vec<String> {
    OnDisk::new(bytes).complaints()
}

/// The document, encrypted with an empty user password, so that it opens without a password.
pub(crate) fn with_empty_password(bytes: &[u8]) -> Vec<u8> {
    let disk = OnDisk::new(bytes);
    let encrypted = disk.folder.path().join("encrypted.pdf");
    let output =
        run("qpdf", &["--encrypt", "", "owner", "256", "--", disk.path(), encrypted.to_str().unwrap()]);
    assert!(output.status.success());
    std::fs::read(encrypted).unwrap()
}

/// The description of a document's encryption by qpdf.
pub(crate) fn encryption(bytes: &[u8]) -> String {
    let output = run("qpdf", &["--show-encryption", OnDisk::new(bytes).path()]);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A rectangle on a page, in points: the distances from the left and the bottom of the page, the width and the height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Region {
    pub(crate) left: f64,
    pub(crate) bottom: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// The smallest rectangle that contains all pixels in which two images of a page differ. `None` if the images are
/// equal.
pub(crate) fn difference(before: &RgbImage, after: &RgbImage, dpi: u32) -> Option<Region> {
    assert_eq!(before.dimensions(), after.dimensions());
    let mut bounds: Option<(u32, u32, u32, u32)> = None;
    for (x, y, pixel) in after.enumerate_pixels() {
        if pixel != before.get_pixel(x, y) {
            let (x0, y0, x1, y1) = bounds.unwrap_or((x, y, x, y));
            bounds = Some((x0.min(x), y0.min(y), x1.max(x), y1.max(y)));
        }
    }
    let (x0, y0, x1, y1) = bounds?;
    let points = |pixels: u32| f64::from(pixels) * 72.0 / f64::from(dpi);
    Some(Region {
        left: points(x0),
        bottom: points(after.height() - y1 - 1),
        width: points(x1 + 1 - x0),
        height: points(y1 + 1 - y0),
    })
}

/// The symbols that zbar reads in an image: the type and the value of each symbol.
pub(crate) fn zbar(image: &RgbImage) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let file = picture(image, folder.path());
    let output = run("zbarimg", &["-q", "-Sdisable", "-Senable", file.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(kind, value)| (kind.to_owned(), value.to_owned()))
        .collect()
}

/// The values of the symbols that zxing-cpp reads in an image. The Python packages zxing-cpp and Pillow are needed.
pub(crate) fn zxing(image: &RgbImage) -> Vec<String> {
    const READ: &str = "import json, sys, zxingcpp\nfrom PIL import Image\n\
        print(json.dumps([code.text for code in zxingcpp.read_barcodes(Image.open(sys.argv[1]))]))";
    let folder = tempfile::tempdir().unwrap();
    let file = picture(image, folder.path());
    let output = run("python3", &["-c", READ, file.to_str().unwrap()]);
    assert!(output.status.success(), "zxing-cpp: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The values that libdmtx reads in an image with `symbols` Data Matrix codes.
pub(crate) fn dmtx(image: &RgbImage, symbols: usize) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = picture(image, folder.path());
    let count = format!("-N{symbols}");
    let output = run("dmtxread", &[&count, "-n", "-m20000", file.to_str().unwrap()]);
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

fn picture(image: &RgbImage, folder: &Path) -> PathBuf {
    let file = folder.join("page.png");
    image.save(&file).unwrap();
    file
}
