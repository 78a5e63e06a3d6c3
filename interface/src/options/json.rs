//! What all options types share: the trait, reading from JSON and writing to JSON, and the error for an invalid
//! option.

use super::explain;
use crate::field::{Field, FieldKind, Object};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The options type of one operation.
pub trait OperationOptions: Sealed + Serialize + DeserializeOwned + Clone {
    /// Every option, as the specification's table gives it.
    const FIELDS: &'static [Field];

    /// The type of each option that is an object.
    const OBJECTS: &'static [Object] = &[];

    /// Checks the options without the service: whether numbers are finite and in range. The types ensure the rest.
    ///
    /// # Errors
    /// [`InvalidOption`] contains the option, its value and the allowed values.
    fn check(&self) -> Result<(), InvalidOption> {
        Ok(())
    }

    /// The same options, completed with the defaults of options that the specification requires together.
    #[must_use]
    fn completed(&self) -> Self {
        self.clone()
    }
}

/// Limits [`OperationOptions`] to the types in the table.
pub trait Sealed {}

/// An invalid option.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("option {field}: {reason}")]
pub struct InvalidOption {
    /// The path of the option in JSON: `options.pageMargin.unit`.
    pub field: String,
    /// What is wrong: the value, and what is allowed.
    pub reason: String,
    /// The allowed values, if they are a closed set.
    pub allowed: &'static [&'static str],
}

impl InvalidOption {
    /// An error about the option at `path` below `options`.
    pub fn new(path: &str, reason: impl Into<String>) -> Self {
        Self { field: below_options(path), reason: reason.into(), allowed: &[] }
    }
}

fn below_options(path: &str) -> String {
    if matches!(path, "" | ".") { "options".to_owned() } else { format!("options.{path}") }
}

pub(crate) fn read<O: OperationOptions>(json: &Value) -> Result<O, InvalidOption> {
    let empty = Value::Object(serde_json::Map::new());
    let json = if json.is_null() { &empty } else { json };
    require_objects(O::FIELDS, json)?;
    let options: O = serde_path_to_error::deserialize(json).map_err(|error| {
        let (path, message) = (error.path().to_string(), error.inner().to_string());
        let (path, reason) = match missing(&message) {
            Some(name) if path == "." => (name.to_owned(), REQUIRED.to_owned()),
            Some(name) => (format!("{path}.{name}"), REQUIRED.to_owned()),
            None => {
                let reason = explain::reason(O::FIELDS, json, &path, message);
                (path, reason)
            }
        };
        InvalidOption { reason, allowed: closed_set_of(O::FIELDS, &path), field: below_options(&path) }
    })?;
    options.check()?;
    Ok(options)
}

pub(crate) fn write<O: OperationOptions>(options: &O) -> Option<Value> {
    // The types contain strings, numbers and maps with string keys: serializing them cannot fail.
    serde_json::to_value(options.completed())
        .ok()
        .filter(|json| json.as_object().is_some_and(|object| !object.is_empty()))
}

/// Refuses arrays in place of objects: serde would read an array as the object's values in order.
fn require_objects(fields: &[Field], json: &Value) -> Result<(), InvalidOption> {
    let refuse = |path| Err(InvalidOption::new(path, explain::not_an_object(fields, path)));
    if !json.is_object() {
        return refuse("");
    }
    let parents = fields.iter().filter_map(|field| field.path.split_once('.').map(|(parent, _)| parent));
    for parent in parents {
        if json.get(parent).is_some_and(Value::is_array) {
            return refuse(parent);
        }
    }
    Ok(())
}

const REQUIRED: &str = "it is required and has no default";

/// The name of the missing option, if serde's message reports one.
fn missing(message: &str) -> Option<&str> {
    message.strip_prefix("missing field `")?.split('`').next()
}

fn closed_set_of(fields: &[Field], path: &str) -> &'static [&'static str] {
    fields.iter().find(|field| field.path == path).map_or(&[], |field| match field.kind {
        FieldKind::Choice(set) => set.texts,
        _ => &[],
    })
}
