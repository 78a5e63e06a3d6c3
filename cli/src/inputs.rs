//! Finds the documents that the inputs of a command line stand for. An input is a file, a folder, a glob pattern that
//! the shell did not expand, or an address that the service downloads.

use crate::exit::Failure;
use recto::Source;
use recto_interface::OperationKind;
use std::path::{Path, PathBuf};

/// The documents of a batch.
#[derive(Debug, Default, PartialEq)]
pub struct Documents {
    /// The documents in the order of the command line. The documents of one folder are ordered by name.
    pub paths: Vec<PathBuf>,
    /// The only input, if it is a folder and its subfolders are processed too. The same subfolders are created in the
    /// folder of the results.
    pub root: Option<PathBuf>,
}

/// Whether a path stands for standard input or standard output.
pub fn is_standard_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether an input is an `http(s)://` address.
pub fn is_address(path: &Path) -> bool {
    Source::path(path).is_url()
}

/// The text that messages use for an input: an address is shown without its query, which may be a signature.
pub fn label(path: &Path) -> String {
    Source::path(path).label()
}

/// Whether `inputs` can stand for more than one document.
pub fn are_many(inputs: &[PathBuf]) -> bool {
    match inputs {
        [one] => one.is_dir() || is_pattern(one),
        _ => true,
    }
}

/// The documents that `inputs` stand for. A folder stands for all its documents whose format the operation accepts.
/// With `recursive`, a folder also stands for the documents in its subfolders. Documents in the folder `output` are
/// left out, because they are results.
pub fn documents(
    kind: OperationKind,
    inputs: &[PathBuf],
    recursive: bool,
    output: Option<&Path>,
) -> Result<Documents, Failure> {
    let mut documents = Documents::default();
    for input in inputs {
        if input.is_dir() {
            let found = in_folder(kind, input, recursive, output)?;
            if found.is_empty() {
                return Err(Failure::file(nothing_in(kind, input, recursive)));
            }
            documents.paths.extend(found);
        } else if is_pattern(input) {
            documents.paths.extend(matching(input)?);
        } else {
            documents.paths.push(input.clone());
        }
    }
    documents.root = match inputs {
        [folder] if recursive && folder.is_dir() => Some(folder.clone()),
        _ => None,
    };
    Ok(documents)
}

fn in_folder(
    kind: OperationKind,
    folder: &Path,
    recursive: bool,
    output: Option<&Path>,
) -> Result<Vec<PathBuf>, Failure> {
    let output = output.and_then(|output| output.canonicalize().ok());
    let is_output = |path: &Path| {
        output.as_ref().is_some_and(|output| path.canonicalize().is_ok_and(|path| path == *output))
    };
    let is_hidden = |entry: &walkdir::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
    let depth = if recursive { usize::MAX } else { 1 };
    let entries = walkdir::WalkDir::new(folder)
        .max_depth(depth)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || !(is_hidden(entry) || is_output(entry.path())));
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| Failure::file(format!("{}: {error}", folder.display())))?;
        let is_taken = kind.accepts_name(&entry.file_name().to_string_lossy());
        // A link to a file counts as a file. Links to folders are not followed, because such links can form a cycle.
        if is_taken && entry.path().is_file() {
            found.push(entry.into_path());
        }
    }
    Ok(found)
}

fn nothing_in(kind: OperationKind, folder: &Path, recursive: bool) -> String {
    let takes = kind.accepts().join(", ");
    let below = if recursive { "" } else { "; give --recursive to search its subfolders, too" };
    format!("{}: this folder has no document that {kind} takes ({takes}){below}", folder.display())
}

/// Whether the path is a glob pattern. If a file with exactly this name exists, the path is not a pattern.
fn is_pattern(path: &Path) -> bool {
    let has_wildcard = path.to_str().is_some_and(|text| text.contains(['*', '?', '[']));
    has_wildcard && !is_address(path) && path.symlink_metadata().is_err()
}

fn matching(pattern: &Path) -> Result<Vec<PathBuf>, Failure> {
    let shown = pattern.display();
    let entries = glob::glob(&pattern.to_string_lossy())
        .map_err(|error| Failure::usage(format!("{shown} is not a valid pattern: {error}")))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| Failure::file(error.to_string()))?;
        if path.is_file() {
            found.push(path);
        }
    }
    if found.is_empty() {
        return Err(Failure::file(format!("{shown}: no file matches the pattern")));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(documents: &Documents, root: &Path) -> Vec<String> {
        let relative = |path: &PathBuf| path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        documents.paths.iter().map(relative).collect()
    }

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("sub/deep")).unwrap();
        fs::create_dir_all(root.join("out")).unwrap();
        for name in [
            "b.pdf",
            "a.PDF",
            "notes.txt",
            ".hidden.pdf",
            "sub/c.pdf",
            "sub/deep/d.pdf",
            "out/b.pdf",
            "[x].pdf",
        ] {
            fs::write(root.join(name), "x").unwrap();
        }
        folder
    }

    #[test]
    fn a_folder_stands_for_the_documents_in_it() {
        let folder = folder();
        let root = folder.path();
        let inputs = [root.to_owned()];
        let of = |recursive, output: Option<&Path>| {
            documents(OperationKind::Optimize, &inputs, recursive, output).unwrap()
        };
        assert_eq!(names(&of(false, None), root), ["[x].pdf", "a.PDF", "b.pdf"]);
        let all = of(true, Some(&root.join("out")));
        assert_eq!(names(&all, root), ["[x].pdf", "a.PDF", "b.pdf", "sub/c.pdf", "sub/deep/d.pdf"]);
        assert_eq!(all.root.as_deref(), Some(root));
        assert!(are_many(&inputs) && !are_many(&[root.join("b.pdf")]));
    }

    #[test]
    fn a_pattern_stands_for_the_files_it_matches_unless_a_file_has_that_name() {
        let folder = folder();
        let root = folder.path();
        let of = |name: &str| documents(OperationKind::Optimize, &[root.join(name)], false, None);
        assert_eq!(names(&of("*.pdf").unwrap(), root), [".hidden.pdf", "[x].pdf", "b.pdf"]);
        assert_eq!(
            names(&of("**/?.pdf").unwrap(), root),
            ["b.pdf", "out/b.pdf", "sub/c.pdf", "sub/deep/d.pdf"]
        );
        assert_eq!(names(&of("[x].pdf").unwrap(), root), ["[x].pdf"]);
        assert!(of("*.docx").unwrap_err().message.contains("no file matches"));
    }

    #[test]
    fn an_address_is_one_document_and_is_shown_without_its_query() {
        let address = Path::new("https://documents.test/a.pdf?sig=secret[*");
        assert!(!are_many(&[address.to_owned()]));
        let found = documents(OperationKind::Optimize, &[address.to_owned()], false, None).unwrap();
        assert_eq!(found.paths, [address]);
        assert_eq!(label(address), "https://documents.test/a.pdf?[redacted]");
    }

    #[test]
    fn a_folder_without_documents_is_an_error_that_says_what_to_do() {
        let folder = folder();
        let error =
            documents(OperationKind::ImageToPdf, &[folder.path().to_owned()], false, None).unwrap_err();
        assert!(error.message.contains("--recursive") && error.message.contains("png"), "{}", error.message);
    }
}
