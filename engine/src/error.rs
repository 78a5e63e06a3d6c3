//! The error of an operation: a message for the user, and a stable code for programs.

use recto_interface::InvalidOption;

/// Why an operation failed. The message states what is wrong with the document or the options, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The input is not a document of the kind that the operation takes.
    #[error("the input is not {expected}: {found}")]
    WrongFormat {
        /// The kind of document that the operation accepts, such as `a PDF document`.
        expected: &'static str,
        /// The kind of file that the input is instead.
        found: String,
    },
    /// The document is damaged and cannot be read.
    #[error("the document is damaged: {0}")]
    Damaged(String),
    /// The document is encrypted and needs a password.
    #[error("the document is encrypted; remove its password first with the operation decrypt")]
    PasswordRequired,
    /// The password does not open the document.
    #[error("the password does not open the document; give its user or its owner password")]
    WrongPassword,
    /// An option has an invalid value.
    #[error(transparent)]
    InvalidOption(#[from] InvalidOption),
    /// The document exceeds a limit.
    #[error("the document exceeds the limit of {what}: {limit}")]
    Limit {
        /// The thing that the limit restricts, such as `pages`.
        what: &'static str,
        /// The limit with its unit.
        limit: String,
    },
    /// The document requires a feature that the engine does not support.
    #[error("{0}")]
    Unsupported(String),
    /// A program that the operation needs is not installed.
    #[error("{0}")]
    MissingProgram(String),
    /// The job was cancelled.
    #[error("the operation was cancelled")]
    Cancelled,
    /// The engine itself failed.
    #[error("the engine failed: {0}; please report the document")]
    Internal(String),
}

impl EngineError {
    /// The error for a limit that the document exceeds.
    pub fn limit(what: &'static str, limit: impl Into<String>) -> Self {
        Self::Limit { what, limit: limit.into() }
    }

    /// A stable code of the error, for programs.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::WrongFormat { .. } => "wrong_format",
            Self::Damaged(_) => "damaged_document",
            Self::PasswordRequired => "password_required",
            Self::WrongPassword => "wrong_password",
            Self::InvalidOption(_) => "invalid_option",
            Self::Limit { .. } => "limit_exceeded",
            Self::Unsupported(_) => "unsupported",
            Self::MissingProgram(_) => "missing_program",
            Self::Cancelled => "cancelled",
            Self::Internal(_) => "internal",
        }
    }
}
