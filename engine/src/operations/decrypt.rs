//! `decrypt`: removes the password and the restrictions of a document. All revisions (2 to 6) of the standard security
//! handler are supported.

use crate::document::{SaveOptions, load, load_with_password, save};
use crate::notes::invalid_signatures;
use crate::{EngineError, Input, Job, Output, OutputFile};
use recto_interface::options::{DecryptOptions, InvalidOption};

/// Runs the operation.
///
/// The password can be the user password or the owner password. A document that opens without a password but has
/// restrictions needs no password here; a document that is not encrypted is returned unchanged, with a note.
pub(super) fn run(options: &DecryptOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let password =
        options.password.as_ref().map(|password| password.expose()).filter(|password| !password.is_empty());
    let loaded = match password {
        Some(password) => load_with_password(input.bytes, password, job),
        None => load(input.bytes, job),
    };
    let document = match loaded {
        Err(EngineError::PasswordRequired) => {
            let reason = "the document does not open without a password; give its user or its owner password";
            return Err(InvalidOption::new("password", reason).into());
        }
        loaded => loaded?,
    };
    if document.encryption_state.is_none() {
        let notes = vec!["the document was not encrypted; it is returned unchanged".to_owned()];
        return Ok(Output::File(OutputFile { bytes: input.bytes.to_vec(), extension: "pdf", notes }));
    }
    job.proceed()?;
    let modern = !matches!(document.version.as_str(), "1.0" | "1.1" | "1.2" | "1.3" | "1.4");
    let bytes = save(&document, &SaveOptions { object_streams: modern, keep_encryption: false })?;
    let notes = invalid_signatures(&document).into_iter().collect();
    Ok(Output::File(OutputFile { bytes, extension: "pdf", notes }))
}
