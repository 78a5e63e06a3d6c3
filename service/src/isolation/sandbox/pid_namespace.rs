//! A PID namespace for a worker that starts programs: all these programs end with the worker, for whatever reason the
//! worker ends.
//!
//! The process that the service started stays outside the namespace, and waits for the worker. The worker is the child
//! of that process, and the first process of the namespace. The worker is killed when its parent ends. When the worker
//! ends, the kernel kills all other processes in the namespace.

use super::namespaces::{self, Failure};
use crate::isolation::protocol::{PidNamespace, SandboxReport, SandboxSettings};
use nix::sys::signal::{Signal, raise};
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

/// The environment variable that passes the sandbox settings to the worker inside the namespace.
const SETTINGS_VARIABLE: &str = "RECTO_WORKER_SANDBOX";

/// The sandbox settings that the parent process has passed on. `None` if this process is not a worker inside a PID
/// namespace.
pub(in crate::isolation) fn from_parent() -> Option<SandboxSettings> {
    let settings = serde_json::from_str(&std::env::var(SETTINGS_VARIABLE).ok()?).ok()?;
    // If the parent has ended before this call, the signal is not sent. Then the service notices the end of the parent,
    // and closes the standard input of this process.
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL).ok()?;
    Some(settings)
}

/// Starts this program again inside a PID namespace, waits until the new process ends, and returns its exit code.
/// `None` if this process itself must be the worker. Then `settings.pid_namespace` contains the reason.
pub(in crate::isolation) fn start_in_pid_namespace(settings: &mut SandboxSettings) -> Option<u8> {
    if !settings.programs || !settings.namespaces {
        return None;
    }
    match namespaces::prepare_pid() {
        Ok(()) => {}
        Err(Failure::Refused(why)) => {
            settings.pid_namespace = PidNamespace::Refused(why);
            return None;
        }
        Err(Failure::Incomplete) => {
            settings.pid_namespace = PidNamespace::Unusable;
            return None;
        }
    }
    settings.pid_namespace = PidNamespace::Own;
    match start_inside(settings) {
        Ok(code) => Some(code),
        Err(_) => {
            settings.pid_namespace = PidNamespace::Unusable;
            None
        }
    }
}

fn start_inside(settings: &SandboxSettings) -> io::Result<u8> {
    super::limits(settings, &mut SandboxReport::default());
    let mut command = std::env::args_os();
    let program = command.next().ok_or(io::ErrorKind::NotFound)?;
    let json = serde_json::to_string(settings)?;
    let status = Command::new(program).args(command).env(SETTINGS_VARIABLE, json).status()?;
    if let Some(signal) = status.signal().and_then(|number| Signal::try_from(number).ok()) {
        // This process ends by the same signal as the worker, because the service concludes from the signal why the
        // worker ended.
        raise(signal)?;
    }
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(3))
}
