//! Exit codes, and the type [`Failure`], which contains an exit code.

use recto::{Error, ErrorKind, Phase};

/// The command succeeded.
pub const OK: u8 = 0;
/// The document was refused, or the operation failed, or the document that `validate` has checked does not conform, or
/// the documents that `compare` has compared differ.
pub const FAILED: u8 = 1;
/// The command line is wrong.
pub const USAGE: u8 = 2;
/// A local file cannot be read or written.
pub const FILE: u8 = 3;
/// The service cannot be reached, or refused the request.
pub const SERVICE: u8 = 4;
/// A time limit expired.
pub const TIMEOUT: u8 = 5;
/// The user interrupted the command. The code is 128 + the number of SIGINT.
pub const INTERRUPTED: u8 = 130;

/// The exit codes, as `--help` shows them.
pub const HELP: &str = "\
Exit codes:
  0    done
  1    the document was refused, or the operation failed; validate: it does not conform; compare: they differ
  2    the command line or an option is wrong
  3    a local file cannot be read or written
  4    the service cannot be reached, or refused the request
  5    the time limit expired
  130  interrupted";

/// Why a command failed, as one line of text, and the exit code.
#[derive(Debug)]
pub struct Failure {
    /// The exit code of the command.
    pub code: u8,
    /// What happened, and what the user can do.
    pub message: String,
}

impl Failure {
    /// The failure for a wrong command line.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { code: USAGE, message: message.into() }
    }

    /// The failure for a local file that cannot be read or written.
    pub fn file(message: impl Into<String>) -> Self {
        Self { code: FILE, message: message.into() }
    }

    /// The failure for a time limit that expired.
    pub fn timeout(message: impl Into<String>) -> Self {
        Self { code: TIMEOUT, message: message.into() }
    }

    /// The failure for a service that cannot be started.
    #[cfg(feature = "local")]
    pub fn service(message: impl Into<String>) -> Self {
        Self { code: SERVICE, message: message.into() }
    }
}

impl Failure {
    /// The failure for a failed call. `subject` names the document or the operation of the call.
    ///
    /// The message has the service's explanation and the advice. The message contains the id of the request only for
    /// errors that the operator of the service has to look up.
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
            message.push_str(&format!(" (to resume: `recto fetch {token} -o OUT`)"));
        }
        Self { code: code_of(error), message }
    }
}

impl From<recto_compare::Error> for Failure {
    fn from(error: recto_compare::Error) -> Self {
        use recto_compare::Error as E;
        match &error {
            E::Call { document, error } => Self::of(error, document),
            E::Settings(_) => Self::usage(error.to_string()),
            E::Pages { .. } => Self { code: FAILED, message: error.to_string() },
            E::File { .. } => Self::file(error.to_string()),
            // The service sent an unexpected result.
            _ => Self { code: SERVICE, message: error.to_string() },
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        // The message of an error in the settings is complete. For an error of a request, `Display` also names the
        // request.
        let message = match (error.phase(), error.advice()) {
            (Some(Phase::Configure), Some(advice)) => format!("{}. {advice}", error.message()),
            (Some(Phase::Configure), None) => error.message().to_owned(),
            _ => error.to_string(),
        };
        Self { code: code_of(&error), message }
    }
}

/// Why a file operation failed. The result is part of a message that already names the file.
pub fn io_reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

fn code_of(error: &Error) -> u8 {
    match error.kind() {
        // The service can refuse an option value that the command line cannot check.
        ErrorKind::OperationFailed if error.code() == Some("invalid_option") => USAGE,
        ErrorKind::Config | ErrorKind::InvalidRequest => USAGE,
        ErrorKind::Io => FILE,
        ErrorKind::OperationFailed | ErrorKind::PayloadTooLarge => FAILED,
        ErrorKind::RequestTimeout | ErrorKind::WaitTimeout => TIMEOUT,
        ErrorKind::Cancelled => INTERRUPTED,
        _ => SERVICE,
    }
}
