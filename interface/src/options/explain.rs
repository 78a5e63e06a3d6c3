//! Explains why the value of an option is invalid: the value, and what is allowed instead.

use crate::field::{Field, FieldKind};
use serde_json::Value;

/// The most characters of an invalid value that a message shows.
const SHOWN: usize = 60;

/// The reason why the value at `path` is invalid. `message` is that of serde, which only Rust programmers understand.
pub(super) fn reason(fields: &[Field], json: &Value, path: &str, message: String) -> String {
    if message.starts_with("unknown field") {
        let (parent, what) = match path.rsplit_once('.') {
            Some((parent, _)) => (parent, "part"),
            None => ("", "option"),
        };
        let known = names(fields, parent);
        return match known.is_empty() {
            true => "the operation has no options".to_owned(),
            false => format!("there is no such {what}; known {what}s: {}", list(&known)),
        };
    }
    if !message.starts_with("invalid") {
        // A message of this crate, such as that of a closed set.
        return message;
    }
    let wanted = wanted(fields, path).unwrap_or(message);
    match value_at(json, path) {
        // A text in the wrong place may be the password.
        Some(value) if !fields.iter().any(|field| field.kind == FieldKind::Secret) => {
            format!("{} is not valid; give {wanted}", shown(value))
        }
        _ => format!("the value is not valid; give {wanted}"),
    }
}

/// The reason why a list is refused where an object belongs.
pub(super) fn not_an_object(fields: &[Field], path: &str) -> String {
    match wanted(fields, path) {
        Some(wanted) => format!("a list is not valid; give {wanted}"),
        None => "the options are not valid; give a JSON object".to_owned(),
    }
}

/// The values that the option at `path` accepts.
fn wanted(fields: &[Field], path: &str) -> Option<String> {
    if let Some(field) = fields.iter().find(|field| field.path == path) {
        return Some(match field.kind {
            FieldKind::Text | FieldKind::Secret => "a text".to_owned(),
            FieldKind::Bool => "true or false".to_owned(),
            FieldKind::Integer { min, max: u32::MAX } => format!("a whole number of at least {min}"),
            FieldKind::Integer { min, max } => format!("a whole number from {min} to {max}"),
            FieldKind::Number => "a number".to_owned(),
            FieldKind::Choice(set) => format!("one of {}", set.texts.join(", ")),
        });
    }
    let parts = names(fields, path);
    (!matches!(path, "" | ".") && !parts.is_empty()).then(|| format!("an object with {}", list(&parts)))
}

/// The names of the options, or of the parts of the option `parent`.
fn names(fields: &[Field], parent: &str) -> Vec<&'static str> {
    let mut names: Vec<_> = fields
        .iter()
        .filter_map(|field| match field.path.split_once('.') {
            Some((option, part)) if !parent.is_empty() => (option == parent).then_some(part),
            Some((option, _)) => Some(option),
            None => parent.is_empty().then_some(field.path),
        })
        .collect();
    names.dedup();
    names
}

/// The names between backquotes: bindings replace them by the names of their language.
fn list(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

fn value_at<'j>(json: &'j Value, path: &str) -> Option<&'j Value> {
    path.split('.').try_fold(json, |value, name| value.get(name))
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
