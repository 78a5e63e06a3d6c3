//! Removes the fields of a request body that the service does not know.
//!
//! The specification does not define what a service does with unknown fields. The service ignores unknown fields,
//! unless the setting `strict_fields` is on. The Rust types of the bodies refuse unknown fields. Therefore unknown
//! fields are removed before the JSON is converted to these types.

use crate::execution::wipe::wipe;
use serde_json::Value;

/// Removes every field of `json` whose path is not in `known`, and overwrites the value of each removed field. A path
/// with a dot, such as `input.fileId`, means the field `fileId` of the object `input`. If `known` has a field, but no
/// path below this field, the whole value of the field is kept. Values that are not objects are not changed: the Rust
/// type of the body refuses such values later.
pub(crate) fn remove_unknown_fields(json: &mut Value, known: &[&str]) {
    let Value::Object(fields) = json else { return };
    fields.retain(|name, value| {
        let below: Vec<&str> =
            known.iter().filter_map(|path| path.strip_prefix(name.as_str())?.strip_prefix('.')).collect();
        if !below.is_empty() {
            remove_unknown_fields(value, &below);
        } else if name.contains('.') || !known.contains(&name.as_str()) {
            wipe(value);
            return false;
        }
        true
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn known_part(mut json: Value, known: &[&str]) -> Value {
        remove_unknown_fields(&mut json, known);
        json
    }

    #[test]
    fn unknown_fields_are_removed_at_every_level() {
        let body =
            json!({"input": {"fileId": "f", "page": 1}, "options": {"anything": 1}, "priority": "high"});
        let expected = json!({"input": {"fileId": "f"}, "options": {"anything": 1}});
        assert_eq!(known_part(body, &["input.fileId", "options"]), expected);
        let options = json!({"margin": {"left": 1, "middle": 2}, "value": "x", "val": "y", "margi": {}});
        let expected = json!({"margin": {"left": 1}, "value": "x"});
        assert_eq!(known_part(options, &["margin.left", "margin.unit", "value"]), expected);
    }

    #[test]
    fn values_that_are_not_objects_are_left_as_they_are() {
        for json in [json!(null), json!("text"), json!([{"unknown": 1}]), json!({"input": ["x"]})] {
            assert_eq!(known_part(json.clone(), &["input.fileId"]), json);
        }
        assert_eq!(known_part(json!({"a": 1}), &[]), json!({}));
    }

    #[test]
    fn a_name_that_contains_a_dot_is_not_a_path() {
        assert_eq!(known_part(json!({"input.fileId": "f"}), &["input.fileId", "options"]), json!({}));
        assert_eq!(known_part(json!({"in": {"fileId": "f"}}), &["input.fileId"]), json!({}));
    }
}
