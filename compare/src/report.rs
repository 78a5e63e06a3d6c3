//! Writes the report of a comparison: one HTML file, one PNG file, or a folder with a PNG file for each page. A file
//! gets its name only when it is complete.

use crate::compare::{ComparedPage, Comparison, Summary};
use crate::{Error, html};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What a report is written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// One HTML file with all pictures in it.
    Html(PathBuf),
    /// One PNG file, for documents of one page.
    Picture(PathBuf),
    /// A folder with a PNG file for each page: `page-001.png`.
    Folder(PathBuf),
}

impl Target {
    /// The target at this path: the extension `.html`, `.htm` or `.png` determines the form; any other path, and an
    /// existing folder, is a folder.
    pub fn of(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let extension =
            path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
        match extension.as_deref() {
            _ if path.is_dir() => Self::Folder(path),
            Some("html" | "htm") => Self::Html(path),
            Some("png") => Self::Picture(path),
            _ => Self::Folder(path),
        }
    }

    fn path(&self) -> &Path {
        match self {
            Self::Html(path) | Self::Picture(path) | Self::Folder(path) => path,
        }
    }
}

/// The rules by which a report is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// Whether pages that do not differ have no picture.
    pub only_differing: bool,
    /// Whether an existing file is an error.
    pub keep_existing: bool,
}

/// A report that is written page by page.
pub struct Report {
    target: Target,
    rules: Rules,
    html: Option<html::Pages>,
    digits: usize,
    labels: [String; 2],
}

impl Report {
    /// A report about these documents. A folder is created.
    ///
    /// # Errors
    /// [`Error::Pages`] if a single PNG file is to show documents of several pages; [`Error::File`] for a folder or a
    /// temporary file that cannot be created.
    pub fn new(target: Target, comparison: &Comparison, rules: Rules) -> Result<Self, Error> {
        let labels = comparison.labels();
        let (counts, mut page_html) = (comparison.page_counts(), None);
        match &target {
            Target::Picture(_) => {
                if let Some((document, pages)) = labels.iter().zip(counts).find(|(_, pages)| *pages > 1) {
                    let advice = "a PNG file shows one page; give a folder, or a file that ends with .html";
                    return Err(Error::Pages { document: (*document).to_owned(), pages, most: 1, advice });
                }
            }
            Target::Folder(folder) => {
                std::fs::create_dir_all(folder).map_err(|error| Error::file(folder, error))?;
            }
            Target::Html(_) => page_html = Some(html::Pages::new(labels).map_err(Error::temporary)?),
        }
        let digits = counts.iter().max().map_or(1, |count| count.to_string().len()).max(3);
        Ok(Self { target, rules, html: page_html, digits, labels: labels.map(str::to_owned) })
    }

    /// Adds a page. Returns the path of its picture, if the picture is a file.
    ///
    /// # Errors
    /// [`Error::File`] if a file cannot be written.
    pub fn add(&mut self, page: &ComparedPage) -> Result<Option<PathBuf>, Error> {
        let wanted = page.differs || !self.rules.only_differing;
        if let Some(html) = &mut self.html {
            html.add(page, wanted).map_err(Error::temporary)?;
            return Ok(None);
        }
        if !wanted {
            return Ok(None);
        }
        let path = match &self.target {
            Target::Folder(folder) => {
                folder.join(format!("page-{:0digits$}.png", page.number, digits = self.digits))
            }
            other => other.path().to_owned(),
        };
        self.write(&path, |writer| page.write_png(writer))?;
        Ok(Some(path))
    }

    /// Completes the report.
    ///
    /// # Errors
    /// [`Error::File`] if the HTML file cannot be written.
    pub fn finish(mut self, summary: &Summary) -> Result<PathBuf, Error> {
        let path = self.target.path().to_owned();
        if let Some(html) = self.html.take() {
            self.write(&path, |writer| html.finish(summary, writer))?;
        }
        Ok(path)
    }

    /// The documents, as messages name them.
    pub fn labels(&self) -> [&str; 2] {
        [&self.labels[0], &self.labels[1]]
    }

    fn write(
        &self,
        path: &Path,
        content: impl FnOnce(&mut BufWriter<&mut NamedTempFile>) -> std::io::Result<()>,
    ) -> Result<(), Error> {
        write_file(path, self.rules.keep_existing, content)
    }
}

/// Writes a file that gets its name only when it is complete. With `keep_existing`, an existing file is an error.
///
/// # Errors
/// [`Error::File`] if the file cannot be written.
pub fn write_file(
    path: &Path,
    keep_existing: bool,
    content: impl FnOnce(&mut BufWriter<&mut NamedTempFile>) -> std::io::Result<()>,
) -> Result<(), Error> {
    let failed = |error| Error::file(path, error);
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut part = new_file(folder).map_err(failed)?;
    let mut writer = BufWriter::new(&mut part);
    content(&mut writer).and_then(|()| writer.flush()).map_err(failed)?;
    drop(writer);
    let named = if keep_existing { part.persist_noclobber(path) } else { part.persist(path) };
    named.map(drop).map_err(|error| failed(error.error))
}

/// A temporary file with the mode that a new file of the user has.
fn new_file(folder: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".recto-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_determines_the_form_of_a_report() {
        let folder = tempfile::tempdir().unwrap();
        let named = folder.path().join("pages.png");
        std::fs::create_dir(&named).unwrap();
        assert_eq!(Target::of(&named), Target::Folder(named));
        assert_eq!(Target::of("a.HTML"), Target::Html("a.HTML".into()));
        assert_eq!(Target::of("a.png"), Target::Picture("a.png".into()));
        assert_eq!(Target::of("pages"), Target::Folder("pages".into()));
    }

    #[test]
    fn a_file_is_complete_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.html");
        let failed = write_file(&path, false, |writer| {
            writer.write_all(b"half")?;
            Err(std::io::Error::other("broken"))
        });
        assert!(failed.is_err() && std::fs::read_dir(folder.path()).unwrap().next().is_none());
        write_file(&path, true, |writer| writer.write_all(b"whole")).unwrap();
        assert!(write_file(&path, true, |writer| writer.write_all(b"other")).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
        write_file(&path, false, |writer| writer.write_all(b"other")).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
