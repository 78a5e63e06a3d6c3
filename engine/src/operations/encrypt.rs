//! `encrypt`: protects a document with a password by AES-256 as PDF 2.0 defines it (revision 6).

use crate::conformance::{Standard, declared_pdf_a};
use crate::document::{SaveOptions, load, save};
use crate::notes::invalid_signatures;
use crate::{EngineError, Input, Job, Output, OutputFile};
use lopdf::encryption::crypt_filters::{Aes256CryptFilter, CryptFilter};
use lopdf::{EncryptionState, EncryptionVersion, Permissions};
use recto_interface::options::{EncryptOptions, InvalidOption};
use std::collections::BTreeMap;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The maximum length of a password in bytes of UTF-8. The standard ignores all further bytes.
const MAX_PASSWORD_BYTES: usize = 127;

/// Runs the operation.
///
/// The password becomes both the user password and the owner password: if the owner password were random, nobody could
/// remove the protection in a viewer. Users who open the document have all permissions. The metadata is encrypted too.
pub(super) fn run(options: &EncryptOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let password = password(options)?;
    let mut document = load(input.bytes, job)?;
    if document.encryption_state.is_some() {
        return Err(already_encrypted());
    }
    let mut notes: Vec<String> = invalid_signatures(&document).into_iter().collect();
    if let Some(Standard::Archive { part, level }) = declared_pdf_a(&document) {
        notes.push(format!(
            "the document declares PDF/A-{part}{}, which does not allow encryption; the encrypted document no longer conforms",
            level.letter()
        ));
    }
    document.encryption_state = Some(encryption(password)?);
    job.proceed()?;
    let bytes = save(&document, &SaveOptions::default())?;
    Ok(Output::File(OutputFile { bytes, extension: "pdf", notes }))
}

/// The password to encrypt with.
///
/// # Errors
/// [`InvalidOption`] if it is missing, empty or too long.
pub(super) fn password(options: &EncryptOptions) -> Result<&str, InvalidOption> {
    let password = options.password.as_ref().map(|password| password.expose()).unwrap_or_default();
    if password.is_empty() {
        return Err(InvalidOption::new("password", "give the password that will open the document"));
    }
    if password.len() > MAX_PASSWORD_BYTES {
        let reason =
            format!("it has {} bytes of UTF-8; PDF allows at most {MAX_PASSWORD_BYTES}", password.len());
        return Err(InvalidOption::new("password", reason));
    }
    Ok(password)
}

fn already_encrypted() -> EngineError {
    EngineError::Unsupported(
        "the document is already encrypted; remove its password first with the operation decrypt".to_owned(),
    )
}

/// The state that encrypts a document with a password.
pub(super) fn encryption(password: &str) -> Result<EncryptionState, EngineError> {
    let mut key = Zeroizing::new([0; 32]);
    getrandom::fill(key.as_mut()).map_err(|error| {
        EngineError::Internal(format!("the operating system returned no random numbers: {error}"))
    })?;
    let filter: Arc<dyn CryptFilter> = Arc::new(Aes256CryptFilter);
    let version = EncryptionVersion::V5 {
        encrypt_metadata: true,
        crypt_filters: BTreeMap::from([(b"StdCF".to_vec(), filter)]),
        file_encryption_key: key.as_ref(),
        stream_filter: b"StdCF".to_vec(),
        string_filter: b"StdCF".to_vec(),
        owner_password: password,
        user_password: password,
        permissions: Permissions::all(),
    };
    // Only SASLprep can fail here. The error of SASLprep is not passed on, because its message could quote the
    // password.
    EncryptionState::try_from(version).map_err(|_| {
        InvalidOption::new(
            "password",
            "it contains a character that is not allowed in PDF passwords, such as a control character",
        )
        .into()
    })
}
