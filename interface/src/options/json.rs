//! What all options types share: the trait, reading from JSON and writing to JSON, and the error for an invalid option.

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

    /// The checks that need no service: closed sets are enums, so these are the ranges and the finite numbers.
    ///
    /// # Errors
    /// [`InvalidOption`] names the option, the value and what is allowed.
    fn check(&self) -> Result<(), InvalidOption> {
        Ok(())
    }

    /// The same options with what the specification requires together filled in from its defaults.
    #[must_use]
    fn completed(&self) -> Self {
        self.clone()
    }
}

/// Keeps [`OperationOptions`] to the types of the table.
pub trait Sealed {}

/// An option that the service could only refuse.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("option {field}: {reason}")]
pub struct InvalidOption {
    /// The option's place, as on the wire: `options.pageMargin.unit`.
    pub field: String,
    /// What is wrong with it: the value, and what is allowed.
    pub reason: String,
    /// The values allowed, where they are a closed set.
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
    objects_where_objects_belong(O::FIELDS, json)?;
    let options: O = serde_path_to_error::deserialize(json).map_err(|error| {
        let (path, sentence) = (error.path().to_string(), error.inner().to_string());
        let (path, reason) = match missing(&sentence) {
            Some(name) if path == "." => (name.to_owned(), GIVE_IT.to_owned()),
            Some(name) => (format!("{path}.{name}"), GIVE_IT.to_owned()),
            None => (path, reason(O::FIELDS, sentence)),
        };
        InvalidOption { reason, allowed: closed_set_of(O::FIELDS, &path), field: below_options(&path) }
    })?;
    options.check()?;
    Ok(options)
}

pub(crate) fn write<O: OperationOptions>(options: &O) -> Option<Value> {
    // The types hold texts, numbers and maps with text keys: serializing them cannot fail.
    serde_json::to_value(options.completed())
        .ok()
        .filter(|json| json.as_object().is_some_and(|object| !object.is_empty()))
}

/// serde would also read an array as an object's values in order, which no interface means.
fn objects_where_objects_belong(fields: &[Field], json: &Value) -> Result<(), InvalidOption> {
    let refuse = |path| Err(InvalidOption::new(path, "it must be an object with named values"));
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

const GIVE_IT: &str = "it must be given, as it has no default";

/// The option that serde's sentence says is not there.
fn missing(sentence: &str) -> Option<&str> {
    sentence.strip_prefix("missing field `")?.split('`').next()
}

/// serde's own sentence, except where it could quote a value that must not be seen: among options with a
/// password, a text in the wrong place may well be the password.
fn reason(fields: &[Field], sentence: String) -> String {
    let quotes_a_value = sentence.starts_with("invalid");
    let has_secret = fields.iter().any(|field| field.kind == FieldKind::Secret);
    if has_secret && quotes_a_value { "the value is not of the right type".to_owned() } else { sentence }
}

fn closed_set_of(fields: &[Field], path: &str) -> &'static [&'static str] {
    fields.iter().find(|field| field.path == path).map_or(&[], |field| match field.kind {
        FieldKind::Choice(set) => set.texts,
        _ => &[],
    })
}
