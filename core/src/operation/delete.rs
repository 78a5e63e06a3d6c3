//! Deletes the files of an operation from the service.

use super::Operation;
use super::result::{ResultState, reported_failure};
use super::wait::NOT_FINISHED;
use crate::call::Call;
use crate::error::{Error, ErrorKind};
use crate::files::Files;
use crate::io::source::FileId;
use crate::message::Message;
use std::path::Path;

impl Operation {
    /// Deletes from the service the result file of the operation, and the document if it was uploaded for the
    /// operation. A file that was in the service before stays, and so does a file that is deleted already.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if the operation has not ended; and the errors of any request.
    pub fn delete(&self, call: &Call<'_>) -> Result<(), Error> {
        let result = match self.0.result.get() {
            Some(result) => result.output.as_ref().and_then(|output| output.file_id.clone()),
            None => self.result_file(call)?,
        };
        let files = Files::new(self.0.session.clone());
        for id in self.0.uploaded.iter().cloned().chain(result.map(FileId::new)) {
            match files.delete(&id, call) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(error.of_operation(self.id()).of_document(self.0.document.as_deref()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Requests the result once, for the identifier of its file.
    fn result_file(&self, call: &Call<'_>) -> Result<Option<String>, Error> {
        self.run(call, async |context| {
            let running = || {
                Error::invalid("the operation has not ended, so its files cannot be deleted")
                    .advise("Wait for its result first")
            };
            let response = self.0.started.result_request(None).send(&context, NOT_FINISHED).await?;
            if reported_failure(&response).is_some() {
                return Ok(None);
            }
            if !response.is_success() {
                let pending = self.0.started.may_be_pending(&response);
                return Err(if pending { running() } else { response.error() });
            }
            match self.0.started.read(&response)? {
                ResultState::Finished(result) => Ok(result.output.and_then(|output| output.file_id)),
                ResultState::Failed(..) | ResultState::Empty => Ok(None),
                ResultState::Pending(_) => Err(running()),
            }
        })
    }
}

/// The error of a call that saved the result but could not delete the files of the operation.
pub(super) fn saved_but(error: Error, path: Option<&Path>) -> Error {
    let place = path.map_or_else(String::new, |path| format!(" to {}", path.display()));
    let message = Message::new(format!(
        "the result was saved{place}, but the files of the operation could not be deleted from the service: "
    ));
    let message = message.message(error.parts());
    let kind = error.kind();
    error.with_kind(kind, message)
}
