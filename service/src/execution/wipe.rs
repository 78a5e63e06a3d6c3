//! Wipes options out of memory: one may be a password.

use serde_json::Value;
use zeroize::Zeroize as _;

/// Overwrites every text in `json`: one may be a password.
pub(crate) fn wipe(json: &mut Value) {
    match json {
        Value::String(text) => text.zeroize(),
        Value::Array(items) => items.iter_mut().for_each(wipe),
        Value::Object(fields) => fields.values_mut().for_each(wipe),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
