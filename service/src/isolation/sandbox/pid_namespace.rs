//! A PID namespace for a worker that starts programs: all of them end with the worker, whatever ends it.
//!
//! The process that the service started stays outside and waits. The worker is its child, the first process of the
//! namespace. It is killed when its parent ends, and when it ends, the kernel kills all others in the namespace.

use super::namespaces::{self, Failure};
use crate::isolation::protocol::{PidNamespace, SandboxReport, SandboxSettings};
use nix::sys::signal::{Signal, raise};
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

/// The environment variable that passes the settings to the worker inside the namespace.
const SETTINGS_VARIABLE: &str = "RECTO_WORKER_SANDBOX";

/// The settings from the parent, if this is the worker inside the namespace.
pub(in crate::isolation) fn from_parent() -> Option<SandboxSettings> {
    let settings = serde_json::from_str(&std::env::var(SETTINGS_VARIABLE).ok()?).ok()?;
    // If the parent has ended before this call, the service notices and closes standard input.
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL).ok()?;
    Some(settings)
}

/// Starts this program again inside a PID namespace, waits for its end, and returns its exit code. `None` if this process
/// is to be the worker; `settings` then says why.
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
        // The service concludes from the signal why the worker ended.
        raise(signal)?;
    }
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(3))
}
