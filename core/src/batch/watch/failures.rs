//! Decides whose failure an error is: the document's, the settings', or that of the service and this machine. No input
//! or output.

use crate::error::{Error, ErrorKind, Phase};

/// What a watch does after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::batch) enum Failure {
    /// The document cannot be processed: its file is set aside.
    OfDocument,
    /// The document is not the cause: it is tried again.
    Passing,
    /// Every other document would fail too: the watch ends.
    OfSettings,
    /// The batch was cancelled.
    Cancelled,
}

impl Failure {
    pub(in crate::batch) fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::Cancelled => Self::Cancelled,
            ErrorKind::Config => Self::OfSettings,
            // A presigned address of the storage that has expired is no failure of the API key.
            ErrorKind::Auth | ErrorKind::PermissionDenied if is_of_storage(error) => Self::Passing,
            ErrorKind::Auth | ErrorKind::PermissionDenied => Self::OfSettings,
            ErrorKind::OperationFailed => match error.code() {
                Some("worker_unavailable" | "storage_full") => Self::Passing,
                _ => Self::OfDocument,
            },
            ErrorKind::InvalidRequest | ErrorKind::PayloadTooLarge => Self::OfDocument,
            _ => Self::Passing,
        }
    }
}

/// Whether the storage sent the response: the client sends documents to it with PUT, and downloads results from it.
fn is_of_storage(error: &Error) -> bool {
    error.method() == Some("PUT") || error.phase() == Some(Phase::Download)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_error_has_its_consequence() {
        for kind in ErrorKind::ALL {
            let wanted = match kind {
                ErrorKind::Config | ErrorKind::Auth | ErrorKind::PermissionDenied => Failure::OfSettings,
                ErrorKind::InvalidRequest | ErrorKind::PayloadTooLarge | ErrorKind::OperationFailed => {
                    Failure::OfDocument
                }
                ErrorKind::Cancelled => Failure::Cancelled,
                _ => Failure::Passing,
            };
            assert_eq!(Failure::of(&Error::new(*kind, "x")), wanted, "{kind}");
        }
    }

    #[test]
    fn an_expired_address_and_a_full_service_are_not_the_documents_failure() {
        let error = |kind| Error::new(kind, "x");
        let put = error(ErrorKind::PermissionDenied).request("PUT", "http://s/u".to_owned());
        assert_eq!(Failure::of(&put), Failure::Passing);
        let get = error(ErrorKind::Auth).request("GET", "http://s/u".to_owned()).in_phase(Phase::Download);
        assert_eq!(Failure::of(&get), Failure::Passing);
        let full = error(ErrorKind::OperationFailed).described(Some("storage_full".into()), None, None, None);
        assert_eq!(Failure::of(&full), Failure::Passing);
        let damaged =
            error(ErrorKind::OperationFailed).described(Some("damaged_document".into()), None, None, None);
        assert_eq!(Failure::of(&damaged), Failure::OfDocument);
    }
}
