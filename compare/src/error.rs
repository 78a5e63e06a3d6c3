//! Why a comparison failed.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a comparison failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A setting is outside its range.
    Settings(String),
    /// A call of the client failed: the document was refused, or the service could not be reached.
    Call {
        /// The document, as messages name it.
        document: String,
        /// The error of the call.
        error: recto::Error,
    },
    /// The result of the service is not what a comparison needs: its pictures cannot be read, or are too large.
    Pictures {
        /// The document, as messages name it.
        document: String,
        /// What is wrong with the result.
        reason: String,
    },
    /// A document has more pages than the settings allow, or than fit into the chosen form of the report.
    Pages {
        /// The document, as messages name it.
        document: String,
        /// The number of its pages.
        pages: usize,
        /// How many pages are allowed.
        most: usize,
        /// What to do.
        advice: &'static str,
    },
    /// A file of the report, or a temporary file, cannot be written.
    File {
        /// The file; `None` for a temporary one.
        path: Option<PathBuf>,
        /// The error of the system.
        error: io::Error,
    },
}

impl Error {
    pub(crate) fn file(path: &Path, error: io::Error) -> Self {
        Self::File { path: Some(path.to_owned()), error }
    }

    pub(crate) fn temporary(error: io::Error) -> Self {
        Self::File { path: None, error }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings(reason) => f.write_str(reason),
            Self::Call { document, error } => write!(f, "{document}: {error}"),
            Self::Pictures { document, reason } => {
                write!(f, "{document}: unexpected result of pdf-to-png: {reason}")
            }
            Self::Pages { document, pages, most, advice } => {
                let allowed = if *most == 1 { "1 page is".to_owned() } else { format!("{most} pages are") };
                write!(f, "{document} has {pages} pages, and {allowed} allowed: {advice}")
            }
            Self::File { path: Some(path), error } => write!(f, "cannot write {}: {error}", path.display()),
            Self::File { path: None, error } => write!(f, "cannot use a temporary file: {error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Call { error, .. } => Some(error),
            Self::File { error, .. } => Some(error),
            _ => None,
        }
    }
}
