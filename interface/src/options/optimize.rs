//! Options of `optimize`.

use super::json::OperationOptions;
use crate::closed_set::closed_set;
use crate::field::{Field, FieldKind, Need};
use serde::{Deserialize, Serialize};

closed_set! {
    /// What a document is optimized for.
    exact Profile {
        /// For the screen: images downsampled, fonts subset, colours RGB, linearized.
        Web = "web",
        /// For archiving: lossless, and prepared for conversion to PDF/A.
        Archive = "archive",
        /// For printing: images downsampled less, colours CMYK.
        Print = "print",
        /// The smallest file: metadata and output intents removed.
        MinimalFileSize = "minimalFileSize",
    }
}

/// Options of [`Optimize`](crate::OperationKind::Optimize).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OptimizeOptions {
    /// The profile; the service's default is [`Profile::MinimalFileSize`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

impl OperationOptions for OptimizeOptions {
    const FIELDS: &'static [Field] = &[Field::new(
        "profile",
        FieldKind::Choice(Profile::SET),
        Need::Optional,
        "what the document is optimized for",
    )
    .or("minimalFileSize")];
}
