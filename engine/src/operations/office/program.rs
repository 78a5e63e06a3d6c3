//! Finding LibreOffice, running it, and ending it.

use super::format::Family;
use crate::{EngineError, Job};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

const NAMES: &[&str] = &["soffice", "libreoffice", "soffice.exe"];

/// Where installers put it without adding it to `PATH`.
const PLACES: &[&str] = &[
    "/usr/lib/libreoffice/program/soffice",
    "/opt/libreoffice/program/soffice",
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    r"C:\Program Files\LibreOffice\program\soffice.exe",
];

/// How often a waiting job looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// What runs a program without a network and ends it with the thread that started it, whatever ends that: programs of
/// util-linux, and namespaces of the user's own (Linux).
const APART: &[&str] = &[
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

/// Whether that can be had here.
static IS_APART: LazyLock<bool> = LazyLock::new(|| {
    let mut probe = apart(Path::new("true"));
    probe.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    cfg!(target_os = "linux") && probe.status().is_ok_and(|status| status.success())
});

fn apart(program: &Path) -> Command {
    let mut words = APART.iter();
    let mut command = Command::new(words.next().copied().unwrap_or_default());
    command.args(words).arg(program);
    command
}

/// The program that the job names, or the one that is installed.
pub(super) fn find(job: &Job, family: Family) -> Result<PathBuf, EngineError> {
    if let Some(program) = job.office_program() {
        let missing =
            || EngineError::MissingProgram(format!("there is no LibreOffice at {}", program.display()));
        return program.is_file().then(|| program.to_owned()).ok_or_else(missing);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path =
        std::env::split_paths(&path).flat_map(|folder| NAMES.iter().map(move |name| folder.join(name)));
    let found = on_path.chain(PLACES.iter().map(PathBuf::from)).find(|candidate| candidate.is_file());
    found.ok_or_else(|| {
        EngineError::MissingProgram(format!(
            "Office documents are converted by LibreOffice, which is not installed; on Debian and Ubuntu: \
             apt-get install --no-install-recommends {}",
            family.package()
        ))
    })
}

/// Converts `document` to `result/document.pdf` in `directory`, which holds the profile too.
///
/// # Errors
/// [`EngineError::Internal`] when the program does not start, and [`Job::proceed`]'s; then it has been ended.
pub(super) fn convert(
    program: &Path,
    directory: &Path,
    document: &Path,
    filter: &str,
    job: &Job,
) -> Result<(), EngineError> {
    // Programs in the caller's group are the caller's to shut in and to end.
    let in_group = job.has_programs_in_group();
    let mut command = if !in_group && *IS_APART { apart(program) } else { Command::new(program) };
    command.arg(format!("-env:UserInstallation={}", file_address(&directory.join("profile"))));
    command.args(["--headless", "--invisible", "--norestore", "--nolockcheck", "--nodefault", "--nologo"]);
    command.arg(format!("--infilter={filter}"));
    command.args(["--convert-to", "pdf", "--outdir"]).arg(directory.join("result")).arg(document);
    // Nothing of the caller's surroundings (keys, proxies, displays) is handed on.
    command.env_clear().envs(kept_environment());
    command.env("HOME", directory).env("TMPDIR", directory).env("SAL_USE_VCLPLUGIN", "svp");
    command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if !in_group {
        in_own_group(&mut command);
    }
    let mut child = command.spawn().map_err(|error| {
        EngineError::Internal(format!("LibreOffice ({}) does not start: {error}", program.display()))
    })?;
    loop {
        if let Err(error) = job.proceed() {
            end(&mut child);
            return Err(error);
        }
        match child.try_wait() {
            // The status is 0 for failures too, and not 0 for some successes.
            Ok(Some(_)) => return Ok(()),
            Ok(None) => thread::sleep(LOOK),
            Err(error) => {
                end(&mut child);
                return Err(EngineError::Internal(format!("waiting for LibreOffice: {error}")));
            }
        }
    }
}

/// The variables that the program needs to run at all, and the language.
fn kept_environment() -> impl Iterator<Item = (&'static str, std::ffi::OsString)> {
    let kept = ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "SystemRoot", "windir", "ProgramFiles", "TEMP", "TMP"];
    kept.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)))
}

/// A path as an address of the `file` scheme.
fn file_address(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let mut address = String::from(if text.starts_with('/') { "file://" } else { "file:///" });
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b':' | b'-' | b'_' | b'.' | b'~' => {
                address.push(byte.into())
            }
            other => address.push_str(&format!("%{other:02X}")),
        }
    }
    address
}

#[cfg(unix)]
fn in_own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn in_own_group(_: &mut Command) {}

/// Ends the program with the processes that it started: what is started is a script, the work is done below it.
fn end(child: &mut Child) {
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
    fn paths_become_addresses() {
        assert_eq!(file_address(Path::new("/tmp/a b/ü")), "file:///tmp/a%20b/%C3%BC");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let job = Job::default().with_office_program("/nowhere/soffice");
        let error = find(&job, Family::Calc).unwrap_err();
        assert!(
            matches!(error, EngineError::MissingProgram(_)) && error.to_string().contains("/nowhere/soffice")
        );
    }
}
