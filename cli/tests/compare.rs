//! `recto compare` with documents that the tests make: what differs is found, marked and counted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // tests state what they expect
#![cfg(all(unix, feature = "local"))]

use serde_json::Value;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const RECTO: &str = env!("CARGO_BIN_EXE_recto");
const A4: (u32, u32) = (595, 842);

/// A document of these pages: the size in points and the content stream. `F` is Helvetica.
fn pdf(pages: &[((u32, u32), &str)]) -> Vec<u8> {
    let kids: Vec<_> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Count {}/Kids[{}]>>", pages.len(), kids.join(" ")),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    for (page, ((width, height), content)) in pages.iter().enumerate() {
        let contents = 5 + 2 * page;
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} {height}]/Contents {contents} 0 R/Resources<</Font<</F 3 0 R>>>>>>"
        ));
        objects.push(format!("<</Length {}>>stream\n{content}\nendstream", content.len()));
    }
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.extend(format!("{} 0 obj\n{object}\nendobj\n", number + 1).bytes());
    }
    let start = file.len();
    file.extend(table.bytes());
    file.extend(
        format!("trailer<</Size {}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1).bytes(),
    );
    file
}

fn text(x: u32, color: &str) -> String {
    format!("BT /F 12 Tf 0 g 72 700 Td (The quick brown) Tj ET BT /F 12 Tf {color} rg {x} 700 Td (fox) Tj ET")
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a document of A4 pages.
    fn document(&self, name: &str, pages: &[&str]) -> PathBuf {
        let pages: Vec<_> = pages.iter().map(|content| (A4, *content)).collect();
        self.file(name, &pdf(&pages))
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    /// Runs a command in the folder. Returns the exit code, standard output and standard error.
    fn recto(&self, arguments: &[&str]) -> (i32, String, String) {
        let run = Command::new(RECTO).args(arguments).current_dir(self.0.path()).output().unwrap();
        let Output { status, stdout, stderr } = run;
        (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
    }

    /// Compares two documents. Returns the exit code and the JSON.
    fn compare(&self, arguments: &[&str]) -> (i32, Value) {
        let (code, output, errors) = self.recto(&[&["compare", "--json"], arguments].concat());
        (code, serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output} {errors}")))
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// The size of a PNG file, and the number of its pixels that have the colour of the outline.
fn outline(path: &Path) -> ((u32, u32), usize) {
    let mut reader = png::Decoder::new(Cursor::new(fs::read(path).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(frame.color_type, png::ColorType::Rgb);
    let red = pixels.chunks_exact(3).filter(|pixel| *pixel == [220, 0, 0]).count();
    ((frame.width, frame.height), red)
}

#[test]
fn the_same_document_does_not_differ() {
    let folder = Folder::new();
    folder.document("a.pdf", &[&text(200, "0 0 0"), "0 0 300 300 re f"]);
    let (code, found) = folder.compare(&["a.pdf", "a.pdf", "-o", "pages"]);
    assert_eq!((code, &found["same"], &found["share"]), (0, &Value::Bool(true), &Value::from(0.0)));
    assert_eq!(found["pages"].as_array().unwrap().len(), 2);
    assert_eq!(folder.names("pages"), ["page-001.png", "page-002.png"]);
    assert_eq!(outline(&folder.path("pages/page-002.png")), ((1240 * 2 + 16, 1754), 0));
    let (_, shown, _) = folder.recto(&["compare", "a.pdf", "a.pdf"]);
    assert_eq!(shown, "a.pdf and a.pdf: the same, 2 pages\n");
}

#[test]
fn a_moved_word_and_a_changed_colour_are_found_and_marked() {
    let folder = Folder::new();
    let same = "0 0 300 300 re f";
    folder.document("a.pdf", &[same, &text(200, "0 0 0")]);
    folder.document("moved.pdf", &[same, &text(203, "0 0 0")]);
    folder.document("red.pdf", &[same, &text(200, "0.8 0 0")]);
    for other in ["moved.pdf", "red.pdf"] {
        let (code, found) = folder.compare(&["a.pdf", other, "-o", "pages", "--only-differing"]);
        assert_eq!((code, &found["differingPages"]), (1, &Value::from(1)), "{other}");
        assert_eq!(found["pages"][0]["share"], 0.0, "{other}");
        let share = found["pages"][1]["share"].as_f64().unwrap();
        // The word is about 18 x 12 points of 595 x 842.
        assert!((0.000_1..0.003).contains(&share), "{other}: {share}");
        assert_eq!(folder.names("pages"), ["page-002.png"]);
        assert!(outline(&folder.path("pages/page-002.png")).1 > 100, "{other}");
    }
    let (code, shown, _) = folder.recto(&["compare", "a.pdf", "moved.pdf"]);
    let lines: Vec<_> = shown.lines().collect();
    assert!(code == 1 && lines.len() == 2, "{shown}");
    assert!(lines[0].starts_with("page 2: 0.") && lines[0].ends_with(" % differs"), "{shown}");
    assert!(lines[1].starts_with("a.pdf and moved.pdf: 1 of 2 pages differ, 0."), "{shown}");
}

#[test]
fn the_threshold_and_the_tolerance_decide_what_counts() {
    let folder = Folder::new();
    folder.document("a.pdf", &[""]);
    // A quarter of the page, in a light grey.
    folder.document("b.pdf", &["0.97 g 0 0 297 421 re f"]);
    let code = |arguments: &[&str]| folder.compare(&[&["a.pdf", "b.pdf"], arguments].concat()).0;
    assert_eq!((code(&[]), code(&["--threshold", "20"]), code(&["--threshold", "30"])), (1, 1, 0));
    assert_eq!((code(&["--tolerance", "1"]), code(&["--tolerance", "5"])), (1, 0));
    for refused in
        [&["--threshold", "101"][..], &["--tolerance", "-1"], &["--threshold", "x"], &["--max-pages", "0"]]
    {
        let (code, _, errors) = folder.recto(&[&["compare", "a.pdf", "b.pdf"], refused].concat());
        assert_eq!(code, 2, "{refused:?}: {errors}");
    }
}

#[test]
fn an_added_page_and_another_size_of_a_page_differ() {
    let folder = Folder::new();
    folder.document("a.pdf", &[""]);
    folder.document("longer.pdf", &["", "0 0 9 9 re f"]);
    let (code, found) = folder.compare(&["a.pdf", "longer.pdf", "-o", "pages", "--threshold", "100"]);
    assert_eq!((code, &found["pages"][1]["share"]), (1, &Value::from(1.0)));
    assert_eq!(
        (&found["pages"][1]["inFirst"], &found["pages"][1]["inSecond"]),
        (&false.into(), &true.into())
    );
    let (_, shown, _) = folder.recto(&["compare", "longer.pdf", "a.pdf"]);
    assert!(shown.starts_with("page 2: only in longer.pdf\n"), "{shown}");

    folder.file("wide.pdf", &pdf(&[((700, 842), "")]));
    let (code, found) = folder.compare(&["a.pdf", "wide.pdf"]);
    let share = found["pages"][0]["share"].as_f64().unwrap();
    assert_eq!((code, &found["pages"][0]["sizeDiffers"]), (1, &Value::Bool(true)));
    assert!((share - 105.0 / 700.0).abs() < 0.01, "{share}");
}

#[test]
fn pages_that_are_too_large_for_the_pictures_still_differ_in_size() {
    let folder = Folder::new();
    // Both are rendered with the maximum number of pixels.
    folder.file("a.pdf", &pdf(&[((4000, 4000), "")]));
    folder.file("b.pdf", &pdf(&[((5000, 5000), "")]));
    let (code, found) = folder.compare(&["a.pdf", "b.pdf"]);
    assert_eq!((code, &found["pages"][0]["sizeDiffers"]), (1, &Value::Bool(true)));
}

#[test]
fn the_html_report_contains_its_pictures_and_escapes_names() {
    let folder = Folder::new();
    let name = "<script>alert(1)<\u{202e}&'\".pdf";
    folder.document("a.pdf", &["", ""]);
    folder.document(name, &["", "0 0 99 99 re f"]);
    let (code, _, errors) = folder.recto(&["compare", "a.pdf", name, "-o", "report.html", "--quiet"]);
    assert_eq!((code, errors.as_str()), (1, ""));
    let page = fs::read_to_string(folder.path("report.html")).unwrap();
    assert!(page.contains("&lt;script&gt;alert(1)&lt;\\u{202e}&amp;&#39;&quot;.pdf"));
    assert!(!page.contains("<script") && !page.contains('\u{202e}'));
    assert!(page.contains("default-src 'none'") && !page.contains("http:") && !page.contains("https:"));
    let pictures = page.matches("src=\"data:image/png;base64,iVBOR").count();
    assert_eq!((pictures, page.matches("src=").count(), page.matches("<section").count()), (2, 2, 2));
    assert!(page.contains("1 of 2 pages differ") && page.ends_with("</html>\n"));
    // A file is replaced only by a complete one, and not at all with --no-overwrite.
    let (code, _, _) = folder.recto(&["compare", "a.pdf", "a.pdf", "-o", "report.html", "--no-overwrite"]);
    assert_eq!((code, fs::read_to_string(folder.path("report.html")).unwrap()), (3, page));
}

#[test]
fn one_png_file_shows_documents_of_one_page_only() {
    let folder = Folder::new();
    folder.document("a.pdf", &[""]);
    folder.document("b.pdf", &["", ""]);
    let (code, found) = folder.compare(&["a.pdf", "a.pdf", "-o", "both.png"]);
    assert_eq!((code, &found["pages"][0]["picture"]), (0, &Value::from("both.png")));
    assert_eq!(outline(&folder.path("both.png")).0, (1240 * 2 + 16, 1754));
    let (code, _, errors) = folder.recto(&["compare", "a.pdf", "b.pdf", "-o", "other.png"]);
    assert!(code == 1 && errors.contains("b.pdf has 2 pages") && errors.contains(".html"), "{errors}");
    assert!(!folder.path("other.png").exists());
    let (code, _, errors) = folder.recto(&["compare", "a.pdf", "b.pdf", "--max-pages", "1"]);
    assert!(code == 1 && errors.contains("--max-pages"), "{errors}");
}

#[test]
fn encrypted_documents_need_their_password() {
    let folder = Folder::new();
    folder.document("a.pdf", &["0 0 99 99 re f"]);
    folder.file("password.txt", b"correct horse\n");
    let encrypt = ["encrypt", "a.pdf", "-o", "locked.pdf", "--password-file", "password.txt"];
    assert_eq!(folder.recto(&encrypt).0, 0);
    let (code, shown, errors) = folder.recto(&["compare", "a.pdf", "locked.pdf"]);
    assert!(code == 1 && shown.is_empty() && errors.contains("locked.pdf: "), "{errors}");
    let (code, found) = folder.compare(&["a.pdf", "locked.pdf", "--password-file", "password.txt"]);
    assert_eq!((code, &found["same"]), (0, &Value::Bool(true)));
    folder.file("wrong.txt", b"hunter2hunter2\n");
    let (code, _, errors) = folder.recto(&["compare", "a.pdf", "locked.pdf", "--password-file", "wrong.txt"]);
    assert!(code != 0 && errors.contains("locked.pdf: ") && !errors.contains("hunter2"), "{code} {errors}");
}

#[test]
fn a_document_that_cannot_be_read_is_named() {
    let folder = Folder::new();
    folder.document("a.pdf", &[""]);
    folder.file("broken.pdf", b"%PDF-1.4\nbroken");
    for (arguments, code, message) in [
        (&["a.pdf", "broken.pdf"][..], 1, "broken.pdf: "),
        (&["missing.pdf", "a.pdf"], 3, "missing.pdf: no such file"),
        (&["a.pdf", "."], 3, "is a directory"),
        (&["-", "a.pdf"], 2, "standard input"),
        (&["a.pdf", "a.pdf", "-o", "-"], 2, "standard output"),
        (&["a.pdf", "a.pdf", "-o", "missing/report.html"], 3, "missing"),
        (&["a.pdf", "a.pdf", "--timeout", "0.000001"], 5, "a.pdf"),
    ] {
        let (found, shown, errors) = folder.recto(&[&["compare"], arguments].concat());
        assert_eq!((found, shown.as_str(), errors.lines().count()), (code, "", 1), "{arguments:?}: {errors}");
        assert!(errors.contains(message), "{arguments:?}: {errors}");
    }
}
