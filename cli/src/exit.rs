//! How a command ends: the exit codes, and the failure that carries one.

use recto::{Error, ErrorKind, Phase};

/// Done.
pub const OK: u8 = 0;
/// The document was refused or the operation failed; for `validate`: the document does not conform.
pub const FAILED: u8 = 1;
/// The command line is wrong.
pub const USAGE: u8 = 2;
/// A local file cannot be read or written.
pub const FILE: u8 = 3;
/// The service cannot be reached, or refuses.
pub const SERVICE: u8 = 4;
/// Time ran out.
pub const TIMEOUT: u8 = 5;
/// Interrupted (128 + SIGINT).
pub const INTERRUPTED: u8 = 130;

/// The codes, for `--help`.
pub const HELP: &str = "\
Exit codes:
  0    done
  1    the document was refused, or the operation failed; validate: it does not conform
  2    the command line or an option is wrong
  3    a local file cannot be read or written
  4    the service cannot be reached, or refuses
  5    time ran out
  130  interrupted";

/// Why a command failed, in one line, with its exit code.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: u8,
    /// What happened and what to do.
    pub message: String,
}

impl Failure {
    /// A wrong command line.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { code: USAGE, message: message.into() }
    }

    /// A local file that cannot be read or written.
    pub fn file(message: impl Into<String>) -> Self {
        Self { code: FILE, message: message.into() }
    }

    /// Time that ran out.
    pub fn late(message: impl Into<String>) -> Self {
        Self { code: TIMEOUT, message: message.into() }
    }

    /// A service that cannot be started.
    #[cfg(feature = "local")]
    pub fn service(message: impl Into<String>) -> Self {
        Self { code: SERVICE, message: message.into() }
    }
}

impl Failure {
    /// A failed call about `subject`: a document, or what the command is for.
    ///
    /// For people the words of whoever refused count, and what to do; the request matters only where somebody
    /// else's service has to look for it.
    pub fn of(error: &Error, subject: &str) -> Self {
        let mut message = match error.detail() {
            Some(detail) if error.kind() == ErrorKind::OperationFailed => format!("{subject}: {detail}"),
            _ => match error.advice() {
                Some(advice) => format!("{subject}: {}. {advice}", error.message()),
                None => format!("{subject}: {}", error.message()),
            },
        };
        if let (Some(request_id), ErrorKind::Server | ErrorKind::Protocol) =
            (error.request_id(), error.kind())
        {
            message.push_str(&format!(" (request {request_id})"));
        }
        if let Some(token) = error.token() {
            message.push_str(&format!(" (`recto fetch {token} -o OUT` goes on)"));
        }
        Self { code: code_of(error), message }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        // What is wrong with what was given says so itself; of a request, one needs to know which it was.
        let message = match (error.phase(), error.advice()) {
            (Some(Phase::Configure), Some(advice)) => format!("{}. {advice}", error.message()),
            (Some(Phase::Configure), None) => error.message().to_owned(),
            _ => error.to_string(),
        };
        Self { code: code_of(&error), message }
    }
}

fn code_of(error: &Error) -> u8 {
    match error.kind() {
        // Some values only the service can judge.
        ErrorKind::OperationFailed if error.code() == Some("invalid_option") => USAGE,
        ErrorKind::Config | ErrorKind::InvalidRequest => USAGE,
        ErrorKind::Io => FILE,
        ErrorKind::OperationFailed | ErrorKind::PayloadTooLarge => FAILED,
        ErrorKind::RequestTimeout | ErrorKind::WaitTimeout => TIMEOUT,
        ErrorKind::Cancelled => INTERRUPTED,
        _ => SERVICE,
    }
}
