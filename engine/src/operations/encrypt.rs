//! `encrypt`: a password that the document asks for from then on, by AES-256 as PDF 2.0 defines it (revision 6).

use crate::document::{SaveOptions, load, save};
use crate::{EngineError, Input, Job, Output, OutputFile};
use lopdf::encryption::crypt_filters::{Aes256CryptFilter, CryptFilter};
use lopdf::{Document, EncryptionState, EncryptionVersion, Object, Permissions};
use recto_interface::options::{EncryptOptions, InvalidOption};
use std::collections::BTreeMap;
use std::sync::Arc;
use zeroize::Zeroizing;

/// What the standard keeps of a password, in bytes of UTF-8; the rest would be ignored in silence.
const LONGEST_PASSWORD: usize = 127;

/// Runs the operation.
///
/// The password is the user's and the owner's: with a random owner password nobody could ever lift the protection in
/// a viewer. Everything is permitted to who opens the document, and its metadata are encrypted too.
pub(super) fn run(options: &EncryptOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let password = options.password.as_ref().filter(|password| !password.is_empty());
    let Some(password) = password else {
        return Err(InvalidOption::new("password", "give the password that will open the document").into());
    };
    let mut document = match load(input.bytes, job) {
        Err(EngineError::PasswordRequired) => return Err(already_encrypted()),
        loaded => loaded?,
    };
    if document.encryption_state.is_some() {
        return Err(already_encrypted());
    }
    document.encryption_state = Some(encryption(password.expose())?);
    job.proceed()?;
    let bytes = save(&document, &SaveOptions::default())?;
    Ok(Output::File(OutputFile { bytes, extension: "pdf", notes: signature_note(&document) }))
}

fn already_encrypted() -> EngineError {
    EngineError::Unsupported(
        "the document is encrypted already; remove its password first with the operation decrypt".to_owned(),
    )
}

fn encryption(password: &str) -> Result<EncryptionState, EngineError> {
    if password.len() > LONGEST_PASSWORD {
        let reason =
            format!("it has {} bytes of UTF-8; PDF takes at most {LONGEST_PASSWORD}", password.len());
        return Err(InvalidOption::new("password", reason).into());
    }
    let mut key = Zeroizing::new([0; 32]);
    getrandom::fill(key.as_mut())
        .map_err(|error| EngineError::Internal(format!("the system gives no random numbers: {error}")))?;
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
    // All that can fail here is SASLprep, and its error must not quote the password.
    EncryptionState::try_from(version).map_err(|_| {
        InvalidOption::new(
            "password",
            "it has a character that PDF passwords cannot hold, such as a control character",
        )
        .into()
    })
}

/// What becomes of the signatures of a document that is written anew.
pub(super) fn signature_note(document: &Document) -> Vec<String> {
    let is_signature =
        |object: &Object| object.as_dict().is_ok_and(|dict| dict.has(b"ByteRange") && dict.has(b"Contents"));
    let count = document.objects.values().filter(|object| is_signature(object)).count();
    let note = "the document's digital signatures no longer verify, as its bytes have changed".to_owned();
    if count > 0 { vec![note] } else { Vec::new() }
}
