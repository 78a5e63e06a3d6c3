//! Finds the `recto` program that is installed together with a library or a program.

use super::WorkerProgram;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

#[cfg(windows)]
const NAME: &str = "recto.exe";
#[cfg(not(windows))]
const NAME: &str = "recto";

impl WorkerProgram {
    /// The `recto` program that is installed together with `file`, which is a library or another program: in
    /// `libexec/recto` or `bin` of the same prefix, or in the folder of `file`. `None` if there is none.
    ///
    /// The program of this process itself is never returned: it is not necessarily Recto's, even if it has the name.
    pub fn installed_with(file: &Path) -> Option<Self> {
        // The system follows links to find a library, and the program is installed with the library, not with the link.
        let file = fs::canonicalize(file).ok()?;
        let own = std::env::current_exe().and_then(fs::canonicalize).ok();
        let usable =
            |found: &PathBuf| fs::canonicalize(found).ok() != own && Self::recto(found).check().is_ok();
        candidates(&file).into_iter().find(usable).map(Self::recto)
    }
}

/// The paths at which the program may be installed, in the order in which they are tried.
fn candidates(file: &Path) -> Vec<PathBuf> {
    let Some(folder) = file.parent() else { return Vec::new() };
    let mut paths = Vec::new();
    let mut add_prefix = |prefix: &Path| {
        paths.extend([prefix.join("libexec/recto").join(NAME), prefix.join("bin").join(NAME)]);
    };
    if let Some(prefix) = folder.parent() {
        add_prefix(prefix);
        // Some systems install libraries in a folder for the architecture: `lib/x86_64-linux-gnu`.
        if prefix.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with("lib"))
            && let Some(prefix) = prefix.parent()
        {
            add_prefix(prefix);
        }
    }
    paths.push(folder.join(NAME));
    paths
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn file(path: &Path, mode: u32) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn the_program_is_found_in_the_prefix_of_a_library() {
        let prefix = tempfile::tempdir().unwrap();
        let prefix = fs::canonicalize(prefix.path()).unwrap();
        let library = prefix.join("lib/x86_64-linux-gnu/librecto.so.0.1");
        file(&library, 0o644);
        assert_eq!(WorkerProgram::installed_with(&library), None);
        assert_eq!(WorkerProgram::installed_with(&prefix.join("lib/missing.so")), None);
        // A file that is not executable is not a program.
        file(&prefix.join("libexec/recto/recto"), 0o644);
        assert_eq!(WorkerProgram::installed_with(&library), None);
        for program in ["lib/x86_64-linux-gnu/recto", "bin/recto", "libexec/recto/recto"] {
            file(&prefix.join(program), 0o755);
            assert_eq!(
                WorkerProgram::installed_with(&library),
                Some(WorkerProgram::recto(prefix.join(program)))
            );
        }
    }

    #[test]
    fn the_folder_above_is_searched_only_for_a_folder_of_an_architecture() {
        let paths = candidates(Path::new("/opt/app/lib/librecto.so"));
        let expected = ["/opt/app/libexec/recto/recto", "/opt/app/bin/recto", "/opt/app/lib/recto"];
        assert_eq!(paths, expected.map(PathBuf::from));
    }
}
