//! Overwrites the options of operations in memory, because the options may include a password.

use serde_json::Value;
use zeroize::Zeroize as _;

/// Overwrites every string in `json`.
pub(crate) fn wipe(json: &mut Value) {
    match json {
        Value::String(text) => text.zeroize(),
        Value::Array(items) => items.iter_mut().for_each(wipe),
        Value::Object(fields) => fields.values_mut().for_each(wipe),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
