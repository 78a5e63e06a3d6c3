//! Processes of the worker's own: with a worker that starts programs, they all end, whatever it is that ends it.
//!
//! The process that the service started stays outside and waits; the worker is its child, the first process of a
//! namespace. It dies with its parent, and when it dies, the kernel ends all others in there.

use super::namespaces::{self, Failure};
use crate::isolation::protocol::{Confined, Confinement, Processes};
use nix::sys::signal::{Signal, raise};
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

/// The variable by which the worker inside learns what the one outside was told.
const HANDED_ON: &str = "RECTO_WORKER_CONFINEMENT";

/// What the process outside hands on, if this is the worker inside.
pub(in crate::isolation) fn handed_on() -> Option<Confinement> {
    let confinement = serde_json::from_str(&std::env::var(HANDED_ON).ok()?).ok()?;
    // If the parent was quicker, the service sees it, and closes standard input.
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL).ok()?;
    Some(confinement)
}

/// Starts this program anew inside and waits for its end, which gives the exit code. `None` where the worker is this
/// process; `confinement` says why.
pub(in crate::isolation) fn have_own(confinement: &mut Confinement) -> Option<u8> {
    if !confinement.programs || !confinement.namespaces {
        return None;
    }
    match namespaces::processes() {
        Ok(()) => {}
        Err(Failure::Refused(why)) => {
            confinement.processes = Processes::Shared(why);
            return None;
        }
        Err(Failure::HalfWay) => {
            confinement.processes = Processes::Broken;
            return None;
        }
    }
    confinement.processes = Processes::Own;
    match start_inside(confinement) {
        Ok(code) => Some(code),
        Err(_) => {
            confinement.processes = Processes::Broken;
            None
        }
    }
}

fn start_inside(confinement: &Confinement) -> io::Result<u8> {
    super::limits(confinement, &mut Confined::default());
    let mut command = std::env::args_os();
    let program = command.next().ok_or(io::ErrorKind::NotFound)?;
    let handed_on = serde_json::to_string(confinement)?;
    let status = Command::new(program).args(command).env(HANDED_ON, handed_on).status()?;
    if let Some(signal) = status.signal().and_then(|number| Signal::try_from(number).ok()) {
        // The service reads from the signal what went wrong.
        raise(signal)?;
    }
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(3))
}
