//! Oracles: other programs (qpdf, poppler, Ghostscript) that check the structure of documents and render them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs a program. If the program is not installed, returns `None`; in CI the test fails instead.
fn run(program: &str, arguments: &[&str], package: &str) -> Option<Output> {
    match Command::new(program).args(arguments).output() {
        Ok(output) => Some(output),
        Err(_) => {
            assert!(std::env::var_os("CI").is_none(), "{program} is missing: install the package {package}");
            eprintln!("SKIPPED: {program} is missing (package {package})");
            None
        }
    }
}

fn file(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Asserts that qpdf reports no error and no warning. If `linearized` is true, also asserts that the hint tables are
/// correct.
pub(crate) fn assert_sound(bytes: &[u8], linearized: bool) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "checked.pdf", bytes);
    let checks: &[&str] = if linearized { &["--check", "--check-linearization"] } else { &["--check"] };
    for check in checks {
        let Some(output) = run("qpdf", &[check, path.to_str().unwrap()], "qpdf") else { return };
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !text.contains("WARNING"), "{check}: {text}");
        if linearized && *check == "--check-linearization" {
            assert!(text.contains("no linearization errors"), "{text}");
        }
    }
}

/// The pages of a document, rendered by poppler: the width, the height and the gray samples of each page.
fn rendered(bytes: &[u8], resolution: u32) -> Option<Vec<(usize, usize, Vec<u8>)>> {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "rendered.pdf", bytes);
    let root = folder.path().join("page");
    let resolution = resolution.to_string();
    run(
        "pdftoppm",
        &["-gray", "-r", &resolution, path.to_str().unwrap(), root.to_str().unwrap()],
        "poppler-utils",
    )?;
    let mut pages: Vec<PathBuf> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "pgm"))
        .collect();
    pages.sort();
    Some(pages.iter().map(|page| pgm(&std::fs::read(page).unwrap())).collect())
}

fn pgm(data: &[u8]) -> (usize, usize, Vec<u8>) {
    let mut words = Vec::new();
    let mut at = 0;
    while words.len() < 4 {
        let start = at;
        while !data[at].is_ascii_whitespace() {
            at += 1;
        }
        words.push(std::str::from_utf8(&data[start..at]).unwrap());
        at += 1;
    }
    (words[1].parse().unwrap(), words[2].parse().unwrap(), data[at..].to_vec())
}

/// Asserts that both documents look alike. The samples are from 0 to 255. On every page, the mean difference of the
/// samples is at most `mean`, and the mean difference in each square of 16 x 16 pixels is at most `local`.
pub(crate) fn assert_alike(before: &[u8], after: &[u8], mean: f64, local: f64) {
    let (Some(before), Some(after)) = (rendered(before, 96), rendered(after, 96)) else { return };
    assert!(
        !before.is_empty() && before.len() == after.len(),
        "{} pages became {}",
        before.len(),
        after.len()
    );
    for (number, (a, b)) in before.iter().zip(&after).enumerate() {
        assert_eq!((a.0, a.1), (b.0, b.1), "page {} has another size", number + 1);
        let difference = |at: usize| f64::from(a.2[at].abs_diff(b.2[at]));
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let whole = (0..a.2.len()).map(difference).sum::<f64>() / a.2.len() as f64;
        assert!(whole <= mean, "page {}: mean difference {whole:.2}", number + 1);
        for top in (0..a.1.saturating_sub(15)).step_by(16) {
            for left in (0..a.0.saturating_sub(15)).step_by(16) {
                let square =
                    (0..256).map(|at| difference((top + at / 16) * a.0 + left + at % 16)).sum::<f64>()
                        / 256.0;
                assert!(square <= local, "page {}: difference {square:.1} at {left}, {top}", number + 1);
            }
        }
    }
}

/// The mean difference (of 255) of two documents rendered by Ghostscript, which shows CMYK through ICC profiles. `None`
/// if Ghostscript is not installed.
pub(crate) fn distance(before: &[u8], after: &[u8]) -> Option<f64> {
    let (before, after) = (colors(before)?, colors(after)?);
    assert_eq!(before.len(), after.len());
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    let mean =
        before.iter().zip(&after).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / before.len() as f64;
    Some(mean)
}

fn colors(bytes: &[u8]) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "document.pdf", bytes);
    let output = run(
        "gs",
        &["-q", "-sDEVICE=ppmraw", "-r60", "-sOutputFile=-", "-dBATCH", "-dNOPAUSE", path.to_str().unwrap()],
        "ghostscript",
    )?;
    assert!(output.status.success() && output.stdout.len() > 1000, "{output:?}");
    Some(output.stdout)
}

/// The document, converted to CMYK by Ghostscript. `None` if Ghostscript is not installed.
pub(crate) fn ghostscript_cmyk(bytes: &[u8]) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "document.pdf", bytes);
    let made = folder.path().join("print.pdf");
    let target = format!("-sOutputFile={}", made.to_str().unwrap());
    let strategy = "-sColorConversionStrategy=CMYK";
    let line = ["-q", "-sDEVICE=pdfwrite", strategy, &target, "-dBATCH", "-dNOPAUSE", path.to_str().unwrap()];
    run("gs", &line, "ghostscript")?;
    Some(std::fs::read(made).unwrap())
}

/// The text of a document, extracted by poppler. `None` if poppler is not installed.
pub(crate) fn text(bytes: &[u8]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "document.pdf", bytes);
    let output = run("pdftotext", &["-layout", path.to_str().unwrap(), "-"], "poppler-utils")?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
