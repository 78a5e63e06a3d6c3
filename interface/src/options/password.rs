//! Options of `encrypt` and `decrypt`.

use super::json::OperationOptions;
use crate::Secret;
use crate::field::{Field, FieldKind, Need};
use serde::{Deserialize, Serialize};

/// Options of [`Encrypt`](crate::OperationKind::Encrypt).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EncryptOptions {
    /// The password that will open the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<Secret>,
}

/// Options of [`Decrypt`](crate::OperationKind::Decrypt).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DecryptOptions {
    /// The document's user or owner password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<Secret>,
}

impl OperationOptions for EncryptOptions {
    const FIELDS: &'static [Field] = &[Field::new(
        "password",
        FieldKind::Secret,
        Need::Optional,
        "the password that will open the document",
    )];
}

impl OperationOptions for DecryptOptions {
    const FIELDS: &'static [Field] =
        &[Field::new("password", FieldKind::Secret, Need::Optional, "the document's user or owner password")];
}
