//! Oracles: other programs that check the engine's results.
//!
//! If an oracle is not installed, its checks are skipped with a message; if the variable `CI` is set, the test fails.

#![allow(dead_code, clippy::print_stderr)]

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whether the program is installed. Fails the test if the program is missing and `CI` is set. `package` is the name of
/// the Debian package of the program.
pub fn present(program: &str, package: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        let ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
        assert!(!ci, "{program} is missing; install it with: apt-get install {package}");
        eprintln!("SKIPPED: {program} is missing; install it with: apt-get install {package}");
    }
    found
}

/// A temporary directory for a test, which is removed at the end.
pub struct Bench(PathBuf);

static BENCHES: AtomicUsize = AtomicUsize::new(0);

impl Bench {
    pub fn new(name: &str) -> Self {
        let number = BENCHES.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("recto-engine-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Writes a file in the directory and returns its path.
    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Runs a program in the directory.
    pub fn run(&self, program: &str, arguments: &[&str]) -> Output {
        Command::new(program).args(arguments).current_dir(&self.0).output().unwrap()
    }

    /// Runs a program in the directory. The program must succeed. Returns its standard output, followed by its standard
    /// error.
    pub fn output(&self, program: &str, arguments: &[&str]) -> String {
        let done = self.run(program, arguments);
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success(), "{program} {arguments:?}: {text}{errors}");
        text + &errors
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The names of the files in the directory, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Asserts that qpdf reports no error and no warning about the file.
pub fn check_structure(bytes: &[u8], name: &str) {
    if present("qpdf", "qpdf") {
        let bench = Bench::new("qpdf");
        bench.file("it.pdf", bytes);
        let done = bench.run("qpdf", &["--check", "it.pdf"]);
        let output = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
        assert!(done.status.success() && !output.contains("WARNING"), "{name}: {output}");
    }
}
