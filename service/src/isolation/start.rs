//! Why a worker could not be started, and the decision whether the service tries again.

use std::io;
use std::time::Duration;

/// The pauses between the attempts to start a worker for one operation. After the last attempt, the operation returns
/// to the queue.
const PAUSES: [Duration; 4] = [
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
];

/// Why a worker could not be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// The operating system refused to start the process or to open its files.
    #[error("{0}")]
    System(#[from] io::Error),
    #[error("the worker was not ready in time")]
    Slow,
    /// The worker was killed, or could not start its threads.
    #[error("the worker ended before it was ready: {0}")]
    Ended(String),
    #[error("the program is not a worker of Recto: {0}")]
    NotAWorker(String),
    #[error(
        "the worker has version {0:?}, but the service has version {version}; use the same version for both",
        version = env!("CARGO_PKG_VERSION")
    )]
    OtherVersion(String),
    /// With strict isolation, a worker without one of its protections is not used.
    #[error("the worker lacks protections: {0}")]
    Unprotected(String),
    #[error("cannot find a program to start workers with; set RECTO_WORKER to the path of the recto program")]
    NoProgram,
}

impl StartError {
    /// Whether the reason is temporary, such as a lack of memory: it may disappear without a change of the settings.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::System(error) => is_shortage(error),
            Self::Slow | Self::Ended(_) => true,
            Self::NotAWorker(_) | Self::OtherVersion(_) | Self::Unprotected(_) | Self::NoProgram => false,
        }
    }

    /// Whether the process, or the system, has no free file descriptor.
    pub(crate) fn lacks_descriptors(&self) -> bool {
        matches!(self, Self::System(error) if lacks_descriptors(error))
    }

    /// The reason in words for a client. The log has the whole reason.
    pub(crate) fn for_clients(&self) -> &'static str {
        match self {
            Self::System(error) if is_shortage(error) => {
                "its machine lacks memory, processes or file descriptors"
            }
            Self::System(_) => "its program for workers cannot be started",
            Self::Slow => "a worker process was not ready in time",
            Self::Ended(_) => "a worker process ended before it was ready",
            Self::NotAWorker(_) => "its program for workers is another program",
            Self::OtherVersion(_) => "its program for workers has another version",
            Self::Unprotected(_) => "a worker process lacks a protection that the service requires",
            Self::NoProgram => "no program for workers is configured",
        }
    }
}

/// Whether an error comes from a lack of memory, processes, disk space or file descriptors, which may be temporary.
pub(crate) fn is_shortage(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    let kinds = [
        Kind::WouldBlock,
        Kind::OutOfMemory,
        Kind::Interrupted,
        Kind::TimedOut,
        Kind::ResourceBusy,
        Kind::ExecutableFileBusy,
        Kind::StorageFull,
        Kind::QuotaExceeded,
    ];
    kinds.contains(&error.kind()) || lacks_descriptors(error)
}

#[cfg(unix)]
fn lacks_descriptors(error: &io::Error) -> bool {
    use nix::errno::Errno;
    let code = error.raw_os_error().map(Errno::from_raw);
    matches!(code, Some(Errno::EMFILE | Errno::ENFILE | Errno::ENOBUFS))
}

#[cfg(not(unix))]
fn lacks_descriptors(_: &io::Error) -> bool {
    false
}

/// What follows a failed attempt to start a worker.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextStart {
    RetryAfter(Duration),
    GiveUp,
}

/// The attempts to start a worker for one operation.
#[derive(Default)]
pub(super) struct StartAttempts {
    failed: usize,
}

impl StartAttempts {
    /// Decides what follows an attempt that failed with `error`.
    pub(super) fn next(&mut self, error: &StartError) -> NextStart {
        let pause = PAUSES.get(self.failed).filter(|_| error.may_pass());
        self.failed += 1;
        pause.map_or(NextStart::GiveUp, |pause| NextStart::RetryAfter(*pause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_lack_of_resources_may_pass_and_a_wrong_program_does_not() {
        use nix::errno::Errno;
        for code in
            [Errno::EMFILE, Errno::ENFILE, Errno::EAGAIN, Errno::ENOMEM, Errno::ETXTBSY, Errno::ENOSPC]
        {
            let error = StartError::from(io::Error::from(code));
            assert!(error.may_pass(), "{error}");
            assert_eq!(error.lacks_descriptors(), matches!(code, Errno::EMFILE | Errno::ENFILE), "{error}");
        }
        for code in [Errno::ENOENT, Errno::EACCES, Errno::ENOEXEC, Errno::EISDIR] {
            assert!(!StartError::from(io::Error::from(code)).may_pass(), "{code}");
        }
        assert!(StartError::Slow.may_pass() && StartError::Ended(String::new()).may_pass());
        let lasting = [
            StartError::NotAWorker(String::new()),
            StartError::OtherVersion("0".to_owned()),
            StartError::Unprotected(String::new()),
            StartError::NoProgram,
        ];
        assert!(lasting.iter().all(|error| !error.may_pass()));
    }

    #[test]
    fn a_start_is_retried_with_growing_pauses_and_a_bounded_number_of_times() {
        let mut attempts = StartAttempts::default();
        let mut pauses = Vec::new();
        while let NextStart::RetryAfter(pause) = attempts.next(&StartError::Slow) {
            pauses.push(pause);
        }
        assert_eq!(pauses, PAUSES);
        assert!(pauses.is_sorted());
        assert_eq!(StartAttempts::default().next(&StartError::NoProgram), NextStart::GiveUp);
    }
}
