//! Reads JSON, and refuses an object that has the same name twice. serde_json alone would keep the last value, and the
//! first one would be lost without a message.

use crate::error::{Outcome, recto_error};
use crate::status::RECTO_E_INVALID;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Reads options as JSON.
pub(crate) fn read_json(text: &str) -> Outcome<Value> {
    without_duplicates(text).map_err(|error| {
        // The parser's message names the position and does not quote the text, which may contain a password.
        recto_error::new(RECTO_E_INVALID, format!("the options are not valid JSON: {error}"))
    })
}

/// Reads options as JSON. They must be an object.
pub(crate) fn read_json_object(text: &str) -> Outcome<Value> {
    match read_json(text)? {
        object @ Value::Object(_) => Ok(object),
        _ => Err(recto_error::new(RECTO_E_INVALID, "the options are not a JSON object")),
    }
}

/// Reads a JSON value in which no object has the same name twice.
///
/// # Errors
/// The position of the error. The message quotes a duplicate name, but never a value.
fn without_duplicates(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Unique>(text).map(|unique| unique.0)
}

struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Unique(item)) = items.next_element()? {
            values.push(item);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            if values.contains_key(&name) {
                return Err(A::Error::custom(format!("the name {name:?} occurs twice in one object")));
            }
            let Unique(value) = entries.next_value()?;
            values.insert(name, value);
        }
        Ok(Value::Object(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_as_serde_json_reads_it() {
        for text in ["{}", "null", "[1, -2, 3.5, true, \"a\\n\", {\"b\": {\"b\": 1}}]", "{\"a\": 1e300}"] {
            assert_eq!(without_duplicates(text).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        }
        for text in ["{", "{\"a\": }", "1e999", "{} x"] {
            assert!(without_duplicates(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_name_that_occurs_twice_is_refused_at_any_depth() {
        for text in ["{\"a\": 1, \"a\": 1}", "{\"x\": [{\"a\": 1, \"b\": 2, \"a\": 3}]}"] {
            let message = without_duplicates(text).unwrap_err().to_string();
            assert!(message.contains("\"a\" occurs twice") && message.contains("line 1"), "{message}");
        }
    }
}
