//! PidNamespace of the worker's own: with a worker that starts programs, they all end, whatever it is that ends it.
//!
//! The process that the service started stays outside and waits; the worker is its child, the first process of a
//! namespace. It dies with its parent, and when it dies, the kernel ends all others in there.

use super::namespaces::{self, Failure};
use crate::isolation::protocol::{PidNamespace, SandboxReport, SandboxSettings};
use nix::sys::signal::{Signal, raise};
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

/// The variable by which the worker inside learns what the one outside was told.
const SETTINGS_VARIABLE: &str = "RECTO_WORKER_SANDBOX";

/// What the process outside hands on, if this is the worker inside.
pub(in crate::isolation) fn from_parent() -> Option<SandboxSettings> {
    let settings = serde_json::from_str(&std::env::var(SETTINGS_VARIABLE).ok()?).ok()?;
    // If the parent was quicker, the service sees it, and closes standard input.
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL).ok()?;
    Some(settings)
}

/// Starts this program anew inside and waits for its end, which gives the exit code. `None` where the worker is this
/// process; `settings` says why.
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
    let from_parent = serde_json::to_string(settings)?;
    let status = Command::new(program).args(command).env(SETTINGS_VARIABLE, from_parent).status()?;
    if let Some(signal) = status.signal().and_then(|number| Signal::try_from(number).ok()) {
        // The service reads from the signal what went wrong.
        raise(signal)?;
    }
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(3))
}
