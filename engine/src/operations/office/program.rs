//! Finds the LibreOffice program, runs it, and kills it if the job ends early.

use super::format::Family;
use super::temporary_directory_failed;
use crate::{EngineError, Job};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

const NAMES: &[&str] = &["soffice", "libreoffice", "soffice.exe"];

/// The paths at which installers place LibreOffice without adding it to `PATH`.
const LOCATIONS: &[&str] = &[
    "/usr/lib/libreoffice/program/soffice",
    "/opt/libreoffice/program/soffice",
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    r"C:\Program Files\LibreOffice\program\soffice.exe",
];

/// How often a waiting job checks whether it was cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The command prefix that runs a program without network access, and kills the program when the thread that started
/// the program ends. The prefix uses programs of util-linux and user namespaces, so it works on Linux only.
const ISOLATION: &[&str] = &[
    "setpriv",
    "--pdeathsig",
    "KILL",
    "--",
    "unshare",
    "--user",
    "--map-current-user",
    "--net",
    "--pid",
    "--fork",
    "--kill-child",
    "--",
];

/// Whether [`ISOLATION`] works on this computer.
static CAN_ISOLATE: LazyLock<bool> = LazyLock::new(|| {
    let mut probe = isolated(Path::new("true"));
    probe.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    cfg!(target_os = "linux") && probe.status().is_ok_and(|status| status.success())
});

fn isolated(program: &Path) -> Command {
    let mut words = ISOLATION.iter();
    let mut command = Command::new(words.next().copied().unwrap_or_default());
    command.args(words).arg(program);
    command
}

/// The LibreOffice program that the job names. If the job names none, the program that is installed.
pub(super) fn find(job: &Job, family: Family) -> Result<PathBuf, EngineError> {
    if let Some(program) = job.office_program() {
        let missing =
            || EngineError::MissingProgram(format!("LibreOffice was not found at {}", program.display()));
        return program.is_file().then(|| program.to_owned()).ok_or_else(missing);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path =
        std::env::split_paths(&path).flat_map(|folder| NAMES.iter().map(move |name| folder.join(name)));
    let found = on_path.chain(LOCATIONS.iter().map(PathBuf::from)).find(|candidate| candidate.is_file());
    found.ok_or_else(|| {
        EngineError::MissingProgram(format!(
            "LibreOffice, which converts Office documents, is not installed; on Debian and Ubuntu: \
             apt-get install --no-install-recommends {}",
            family.package()
        ))
    })
}

/// What LibreOffice writes to standard error if it cannot load a document. The text is not translated.
const REFUSAL: &[u8] = b"source file could not be loaded";

/// How many bytes of standard error are searched for [`REFUSAL`].
const MESSAGE_BYTES: u64 = 64 << 10;

/// How LibreOffice ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// It said that it cannot load the document.
    RefusedTheDocument,
    /// It did not say so. It may have written a result.
    Silently,
}

/// Converts `document` to `result/document.pdf` in `directory`, which contains the profile too.
///
/// # Errors
/// [`EngineError::Internal`] when the program does not start, and the errors of [`Job::proceed`]. The program is killed
/// before an error of [`Job::proceed`] is returned.
pub(super) fn convert(
    program: &Path,
    directory: &Path,
    document: &Path,
    filter: &str,
    job: &Job,
) -> Result<Ended, EngineError> {
    let messages = directory.join("messages");
    let file = File::create(&messages).map_err(temporary_directory_failed)?;
    // If the program is started in the process group of the caller, the caller isolates and stops the program.
    let in_group = job.has_programs_in_group();
    let mut command = if !in_group && *CAN_ISOLATE { isolated(program) } else { Command::new(program) };
    command.arg(format!("-env:UserInstallation={}", file_url(&directory.join("profile"))));
    command.args(["--headless", "--invisible", "--norestore", "--nolockcheck", "--nodefault", "--nologo"]);
    command.arg(format!("--infilter={filter}"));
    command.args(["--convert-to", "pdf", "--outdir"]).arg(directory.join("result")).arg(document);
    // Other environment variables are not passed on: they may contain keys, proxies and displays.
    command.env_clear().envs(kept_environment());
    command.env("HOME", directory).env("TMPDIR", directory).env("SAL_USE_VCLPLUGIN", "svp");
    command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
    if !in_group {
        in_own_group(&mut command);
    }
    let mut child = command.spawn().map_err(|error| {
        EngineError::Internal(format!("LibreOffice ({}) could not be started: {error}", program.display()))
    })?;
    loop {
        if let Err(error) = job.proceed() {
            kill(&mut child);
            return Err(error);
        }
        match child.try_wait() {
            // The exit status is not checked, because it is unreliable: it is 0 after some failures, and not 0 after
            // some successes.
            Ok(Some(_)) => return Ok(ended(&messages)),
            Ok(None) => thread::sleep(POLL_INTERVAL),
            Err(error) => {
                kill(&mut child);
                return Err(EngineError::Internal(format!("cannot wait for LibreOffice: {error}")));
            }
        }
    }
}

fn ended(messages: &Path) -> Ended {
    let mut text = Vec::new();
    // A file that cannot be read says nothing.
    let _ = File::open(messages).and_then(|file| file.take(MESSAGE_BYTES).read_to_end(&mut text));
    if memchr::memmem::find(&text, REFUSAL).is_some() { Ended::RefusedTheDocument } else { Ended::Silently }
}

/// The environment variables that the program needs, and the variables that set the language.
fn kept_environment() -> impl Iterator<Item = (&'static str, std::ffi::OsString)> {
    let kept = ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "SystemRoot", "windir", "ProgramFiles", "TEMP", "TMP"];
    kept.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)))
}

/// A path as a `file` URL.
fn file_url(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let mut url = String::from(if text.starts_with('/') { "file://" } else { "file:///" });
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b':' | b'-' | b'_' | b'.' | b'~' => {
                url.push(byte.into())
            }
            other => url.push_str(&format!("%{other:02X}")),
        }
    }
    url
}

#[cfg(unix)]
fn in_own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn in_own_group(_: &mut Command) {}

/// Kills the program and its child processes. The program is a script that starts the actual converter as a child
/// process.
fn kill(child: &mut Child) {
    let id = child.id();
    let mut killer = if cfg!(windows) {
        let mut killer = Command::new("taskkill");
        killer.args(["/F", "/T", "/PID", &id.to_string()]);
        killer
    } else {
        let mut killer = Command::new("kill");
        killer.args(["-KILL", "--", &format!("-{id}")]);
        killer
    };
    killer.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = killer.status();
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_urls() {
        assert_eq!(file_url(Path::new("/tmp/a b/ü")), "file:///tmp/a%20b/%C3%BC");
    }

    #[test]
    fn the_message_names_a_missing_program() {
        let job = Job::default().with_office_program("/nowhere/soffice");
        let error = find(&job, Family::Calc).unwrap_err();
        assert!(
            matches!(error, EngineError::MissingProgram(_)) && error.to_string().contains("/nowhere/soffice")
        );
    }
}
