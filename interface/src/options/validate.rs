//! Options of `validate`, `archive-pdfa` and `power-archive`: the operations with a conformance level.

use super::json::OperationOptions;
use crate::closed_set::closed_set;
use crate::field::{Field, FieldKind, Need};
use serde::{Deserialize, Serialize};

closed_set! {
    /// A PDF/A level.
    exact Conformance {
        /// PDF/A-2b (ISO 19005-2): basic archival conformance.
        PdfA2b = "pdf_a2_b",
        /// PDF/A-3b (ISO 19005-3): the same, and files of any kind may be embedded.
        PdfA3b = "pdf_a3_b",
    }
}

/// Options of [`ArchivePdfA`](crate::OperationKind::ArchivePdfA).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ArchivePdfAOptions {
    /// The level to convert to.
    pub conformance: Conformance,
}

/// Options of [`Validate`](crate::OperationKind::Validate).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ValidateOptions {
    /// The standard and level to check against, such as `pdf13`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conformance: Option<String>,
}

/// Options of [`PowerArchive`](crate::OperationKind::PowerArchive).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PowerArchiveOptions {
    /// The PDF/A level to convert to, such as `pdf_a2_b`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conformance: Option<String>,
}

impl OperationOptions for ArchivePdfAOptions {
    const FIELDS: &'static [Field] = &[Field::new(
        "conformance",
        FieldKind::Choice(Conformance::SET),
        Need::Required,
        "the PDF/A level to convert to",
    )];
}

impl OperationOptions for ValidateOptions {
    const FIELDS: &'static [Field] = &[Field::new(
        "conformance",
        FieldKind::Text,
        Need::Optional,
        "the standard and level to check against, such as pdf13 or pdf_a2_b",
    )];
}

impl OperationOptions for PowerArchiveOptions {
    const FIELDS: &'static [Field] = &[Field::new(
        "conformance",
        FieldKind::Text,
        Need::Optional,
        "the PDF/A level to convert to, such as pdf_a2_b",
    )];
}
