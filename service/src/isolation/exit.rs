//! How a worker process ended.

use super::start::StartError;
use std::process::ExitStatus;

/// The exit code of a worker that cannot start its threads.
pub(super) const CANNOT_START: u8 = 3;

/// How a process ended.
pub(super) struct Exit {
    /// The name of the signal that killed the process. `None` if the process was not killed by a signal.
    pub(super) signal: Option<String>,
    pub(super) description: String,
    pub(super) code: Option<i32>,
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.description)
    }
}

impl Exit {
    /// Why a worker that has ended like this was not ready.
    pub(super) fn before_ready(self) -> StartError {
        if self.signal.is_some() || self.code == Some(CANNOT_START.into()) {
            StartError::Ended(self.description)
        } else {
            StartError::NotAWorker(self.description)
        }
    }

    #[cfg(unix)]
    pub(super) fn of(status: ExitStatus) -> Self {
        use std::os::unix::process::ExitStatusExt as _;
        let signal = status.signal().and_then(|number| nix::sys::signal::Signal::try_from(number).ok());
        let signal = signal.map(|signal| signal.as_str().to_owned());
        let description = match &signal {
            Some(name) => format!("it was killed by {name}"),
            None => format!("it exited with {status}"),
        };
        Self { signal, description, code: status.code() }
    }

    #[cfg(not(unix))]
    pub(super) fn of(status: ExitStatus) -> Self {
        Self { signal: None, description: format!("it exited with {status}"), code: status.code() }
    }
}
