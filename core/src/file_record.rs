//! Reads the service's records of files. A field of the wrong type does not make the whole list unreadable.

use recto_interface::FileRecord;
use serde_json::{Map, Value};

/// Reads a record. A field of the wrong type counts as missing; its value is kept in `extra` under the name that it has
/// in the JSON. A number as identifier is read as text. Returns `None` if the record has no identifier: without it,
/// nothing can be done with the file.
pub(crate) fn read(record: Value) -> Option<FileRecord> {
    let Value::Object(mut fields) = record else { return None };
    let id = match fields.remove("id")? {
        Value::String(id) => id,
        Value::Number(id) => id.to_string(),
        _ => return None,
    };
    let (created_at, origin) = (text(&mut fields, "createdAt"), text(&mut fields, "origin"));
    let (name, extension) = (text(&mut fields, "name"), text(&mut fields, "extension"));
    Some(FileRecord { id, created_at, origin, name, extension, extra: fields })
}

/// Takes a text out of `fields`. Another value stays there; null is the same as a missing field.
fn text(fields: &mut Map<String, Value>, name: &str) -> Option<String> {
    match fields.remove(name)? {
        Value::String(text) => Some(text),
        Value::Null => None,
        odd => {
            fields.insert(name.to_owned(), odd);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_regular_record_is_read_as_the_interface_describes_it() {
        for record in [
            json!({"id": "f", "createdAt": "2026-01-01T00:00:00Z", "origin": "fromUrl", "name": "a.pdf", "extension": "pdf"}),
            json!({"id": "f", "name": null, "other": [1], "origin": "x"}),
            json!({"id": ""}),
        ] {
            let expected: FileRecord = serde_json::from_value(record.clone()).unwrap();
            assert_eq!(read(record), Some(expected));
        }
    }

    #[test]
    fn values_of_the_wrong_type_are_kept() {
        let odd = json!({"id": 17, "createdAt": 1_700_000_000, "name": ["a"], "extension": true, "origin": {"a": 1}});
        let record = read(odd).unwrap();
        assert_eq!((record.id.as_str(), &record.created_at, &record.name), ("17", &None, &None));
        assert_eq!(
            Value::Object(record.extra),
            json!({"createdAt": 1_700_000_000, "name": ["a"], "extension": true, "origin": {"a": 1}})
        );
    }

    #[test]
    fn a_record_without_an_identifier_is_none() {
        for record in [json!(null), json!("f"), json!([]), json!({}), json!({"id": null}), json!({"id": {}})]
        {
            assert_eq!(read(record.clone()), None, "{record}");
        }
    }
}
