//! The paths of a batch's results: each result is named after its source, and no two results have the same path.

use super::source::BatchDocument;
use super::step::DocumentProgress;
use crate::error::Error;
use crate::io::result_name::{ResultName, path_of};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The directory of the results, and the paths that results already have there.
#[derive(Debug)]
pub(super) struct ResultPaths {
    to: Option<PathBuf>,
    relative_to: Option<PathBuf>,
    /// The paths in lower case, without the extension: some file systems do not distinguish `A.pdf` from `a.pdf`.
    taken: HashSet<String>,
}

impl ResultPaths {
    /// Starts with the paths that earlier runs gave to their results. For a watch, those of finished documents do not
    /// count: its results replace no file, and other programs may take its results away.
    pub(super) fn new(
        to: Option<PathBuf>,
        relative_to: Option<PathBuf>,
        progress: &HashMap<PathBuf, DocumentProgress>,
        is_watch: bool,
    ) -> Self {
        let counted = progress.values().filter(|progress| !is_watch || progress.finished.is_none());
        let taken = counted.filter_map(|progress| progress.target.as_deref().map(folded)).collect();
        Self { to, relative_to, taken }
    }

    /// The directory of the results.
    pub(super) fn to(&self) -> Option<&Path> {
        self.to.as_deref()
    }

    /// The path of the result of `document`, without the extension. If `earlier`, the path from an earlier run, is
    /// below the directory of the results, it is used again. With `is_new`, another path is not that of a file.
    pub(super) fn target(
        &mut self,
        document: &BatchDocument,
        earlier: Option<&Path>,
        is_new: bool,
    ) -> Result<Option<PathBuf>, Error> {
        let Some(to) = &self.to else { return Ok(None) };
        if let Some(earlier) = earlier.filter(|earlier| earlier.starts_with(to)) {
            return Ok(Some(earlier.to_owned()));
        }
        let stem = document.stem().ok_or_else(|| {
            Error::invalid(format!("{} is not the path of a file", document.label.display()))
        })?;
        let below = self.relative_to.as_deref().and_then(|root| document.folder()?.strip_prefix(root).ok());
        let folder = match below {
            // A path with `..` would lead out of the directory of the results.
            Some(below) if below.components().all(|part| matches!(part, std::path::Component::Normal(_))) => {
                to.join(below)
            }
            _ => to.clone(),
        };
        let is_new = is_new || document.is_address();
        let numbered = |number: u64| {
            let mut numbered = stem.clone();
            if number > 1 {
                numbered.push(format!("-{number}"));
            }
            folder.join(numbered)
        };
        let is_taken = |path: PathBuf| self.taken.contains(&folded(&path)) || (is_new && has_file(&path));
        let wanted = numbered(free_number(|number| is_taken(numbered(number))));
        self.taken.insert(folded(&wanted));
        Ok(Some(wanted))
    }

    /// Allows other documents to use a path that [`target`](Self::target) has returned, if no file has it.
    pub(super) fn release(&mut self, target: &Path) {
        self.taken.remove(&folded(target));
    }
}

/// The first number from 1 that is not taken, or another one if numbers before it are free: a name that is used very
/// often needs few checks.
pub(super) fn free_number(is_taken: impl Fn(u64) -> bool) -> u64 {
    // Names are rarely used more often than this, and low numbers are easier to read.
    if let Some(number) = (1..=16).find(|number| !is_taken(*number)) {
        return number;
    }
    let (mut taken, mut free) = (16_u64, 32_u64);
    while is_taken(free) {
        (taken, free) = (free, free.saturating_mul(2));
    }
    while free - taken > 1 {
        let middle = taken + (free - taken) / 2;
        if is_taken(middle) {
            taken = middle;
        } else {
            free = middle;
        }
    }
    free
}

/// Whether a result with this path, without the extension, would replace a file.
fn has_file(target: &Path) -> bool {
    let (Some(folder), Some(stem)) = (target.parent(), target.file_name()) else { return false };
    ResultName::default()
        .extensions()
        .any(|extension| path_of(folder, stem, extension).symlink_metadata().is_ok())
}

fn folded(path: &Path) -> String {
    path.to_string_lossy().to_lowercase()
}

pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_named_after_their_sources_without_duplicates() {
        let mut names = ResultPaths::new(Some("/out".into()), None, &HashMap::new(), false);
        let mut target =
            |source: &str| names.target(&BatchDocument::of(source.into()), None, false).unwrap().unwrap();
        assert_eq!(target("/in/a.pdf"), Path::new("/out/a"));
        assert_eq!(target("/in/x/A.pdf"), Path::new("/out/A-2"));
        assert_eq!(target("/in/y/a.docx"), Path::new("/out/a-3"));
        assert_eq!(target("/in/b.tar.gz"), Path::new("/out/b.tar"));
    }

    #[test]
    fn a_result_of_an_address_is_named_after_the_path_of_the_address() {
        let mut names = ResultPaths::new(Some("/out".into()), None, &HashMap::new(), false);
        let mut target =
            |source: &str| names.target(&BatchDocument::of(source.into()), None, false).unwrap().unwrap();
        assert_eq!(target("https://h/x/annual%20report.pdf?sig=s"), Path::new("/out/annual report"));
        assert_eq!(target("https://h/..%2f..%2fetc%2fpasswd?sig=t"), Path::new("/out/passwd"));
        assert_eq!(target("https://h?sig=s"), Path::new("/out/document"));
    }

    #[test]
    fn a_free_number_is_found_with_few_checks() {
        let checks = std::cell::Cell::new(0);
        for taken in [0, 1, 15, 16, 17, 31, 32, 33, 100_000] {
            checks.set(0);
            let free = free_number(|number| {
                checks.set(checks.get() + 1);
                number <= taken
            });
            assert_eq!(free, taken + 1);
            assert!(checks.get() < 50);
        }
    }

    #[test]
    fn a_new_name_is_not_that_of_a_file_and_a_released_name_is_used_again() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.pdf"), "x").unwrap();
        let mut names = ResultPaths::new(Some(folder.path().to_owned()), None, &HashMap::new(), false);
        let target = |names: &mut ResultPaths| {
            names.target(&BatchDocument::of("/in/a.pdf".into()), None, true).unwrap().unwrap()
        };
        assert_eq!(target(&mut names), folder.path().join("a-2"));
        assert_eq!(target(&mut names), folder.path().join("a-3"));
        names.release(&folder.path().join("a-2"));
        assert_eq!(target(&mut names), folder.path().join("a-2"));
    }

    #[test]
    fn folders_are_recreated_if_requested() {
        let mut names = ResultPaths::new(Some("/out".into()), Some("/in".into()), &HashMap::new(), false);
        let mut target =
            |source: &str| names.target(&BatchDocument::of(source.into()), None, false).unwrap().unwrap();
        assert_eq!(target("/in/x/a.pdf"), Path::new("/out/x/a"));
        assert_eq!(target("/in/y/a.pdf"), Path::new("/out/y/a"));
        assert_eq!(target("/elsewhere/a.pdf"), Path::new("/out/a"));
        assert_eq!(target("/in/../../etc/a.pdf"), Path::new("/out/a-2"));
    }

    #[test]
    fn a_source_keeps_the_result_name_of_an_earlier_run() {
        let earlier = DocumentProgress { target: Some("/out/a".into()), ..DocumentProgress::default() };
        let progress = HashMap::from([("/in/x/a.pdf".into(), earlier)]);
        let mut names = ResultPaths::new(Some("/out".into()), None, &progress, false);
        let mut target = |source: &str, earlier: Option<&str>| {
            names.target(&BatchDocument::of(source.into()), earlier.map(Path::new), false).unwrap().unwrap()
        };
        assert_eq!(target("/in/a.pdf", None), Path::new("/out/a-2"));
        assert_eq!(target("/in/x/a.pdf", Some("/out/a")), Path::new("/out/a"));
        assert_eq!(target("/in/y/b.pdf", Some("/before/b")), Path::new("/out/b"));
    }
}
