//! Why an operation failed, in words for the user and a stable code for programs.

use recto_interface::InvalidOption;

/// Why an operation failed. The message names what is wrong with the document or the options, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The input is not a document of the kind the operation takes.
    #[error("the input is not {expected}: {found}")]
    WrongFormat {
        /// What the operation takes: `a PDF document`.
        expected: &'static str,
        /// What the input begins with or lacks.
        found: String,
    },
    /// The document is damaged beyond reading.
    #[error("the document is damaged: {0}")]
    Damaged(String),
    /// The document is encrypted and needs a password.
    #[error("the document is encrypted; remove its password first with the operation decrypt")]
    PasswordRequired,
    /// The password given does not open the document.
    #[error("the password does not open the document; give its user or its owner password")]
    WrongPassword,
    /// An option that the operation cannot follow.
    #[error(transparent)]
    InvalidOption(#[from] InvalidOption),
    /// A bound was met.
    #[error("the document exceeds the limit of {what}: {limit}")]
    Limit {
        /// What is bounded: `pages`.
        what: &'static str,
        /// The bound with its unit.
        limit: String,
    },
    /// The document asks for something that this engine does not do.
    #[error("{0}")]
    Unsupported(String),
    /// A program that the operation needs is not installed.
    #[error("{0}")]
    MissingProgram(String),
    /// The job was cancelled.
    #[error("the operation was cancelled")]
    Cancelled,
    /// A fault of the engine.
    #[error("the engine failed: {0}; please report the document")]
    Internal(String),
}

impl EngineError {
    /// A bound that was met.
    pub fn limit(what: &'static str, limit: impl Into<String>) -> Self {
        Self::Limit { what, limit: limit.into() }
    }

    /// A stable word for programs.
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
