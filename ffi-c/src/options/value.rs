//! Converts the value of an option as C gives it to the JSON value that the option takes.

use recto::interface::{Field, FieldKind};
use serde_json::{Number, Value};

/// A value as C gives it.
#[derive(Clone, Copy)]
pub(super) enum Given<'a> {
    /// A text that may stand for a value of any type.
    Any(&'a str),
    Text(&'a str),
    Int(i64),
    Double(f64),
    Bool(bool),
}

impl Given<'_> {
    /// The value as the option takes it.
    ///
    /// # Errors
    /// A message with the value, unless it may be a password, and what is allowed.
    pub(super) fn for_field(self, field: &Field) -> Result<Value, String> {
        let converted = match (field.kind, self) {
            (FieldKind::Text | FieldKind::Secret, Self::Any(text) | Self::Text(text)) => Some(text.into()),
            (FieldKind::Choice(set), Self::Any(text) | Self::Text(text)) => {
                set.texts.contains(&text).then(|| text.into())
            }
            (FieldKind::Bool, Self::Bool(value)) => Some(value.into()),
            (FieldKind::Bool, Self::Any(text)) => text.parse::<bool>().ok().map(Value::from),
            (FieldKind::Integer { min, max }, Self::Int(value)) => integer(value, min, max),
            (FieldKind::Integer { min, max }, Self::Any(text)) => {
                text.parse().ok().and_then(|value| integer(value, min, max))
            }
            (FieldKind::Number, Self::Int(value)) => Some(value.into()),
            (FieldKind::Number, Self::Double(value)) => number(value),
            (FieldKind::Number, Self::Any(text)) => text.parse().ok().and_then(number),
            _ => None,
        };
        converted.ok_or_else(|| {
            let given = match (field.kind, self) {
                (FieldKind::Secret, _) => String::new(),
                (_, given) => format!("{} is not allowed; ", given.shown()),
            };
            format!("{given}give {}", expected(field.kind))
        })
    }

    fn shown(self) -> String {
        match self {
            Self::Any(text) | Self::Text(text) => format!("{text:?}"),
            Self::Int(value) => value.to_string(),
            Self::Double(value) => value.to_string(),
            Self::Bool(value) => value.to_string(),
        }
    }
}

fn integer(value: i64, min: u32, max: u32) -> Option<Value> {
    (i64::from(min)..=i64::from(max)).contains(&value).then(|| value.into())
}

/// A finite number. One without a fraction becomes an integer, as it is written in JSON by hand.
fn number(value: f64) -> Option<Value> {
    let whole = value as i64;
    if value.abs() < 1e15 && whole as f64 == value {
        return Some(whole.into());
    }
    Number::from_f64(value).map(Value::Number)
}

/// What an option of this type takes.
fn expected(kind: FieldKind) -> String {
    match kind {
        FieldKind::Text | FieldKind::Secret => "a text".to_owned(),
        FieldKind::Bool => "true or false".to_owned(),
        FieldKind::Integer { min, max } => format!("a whole number from {min} to {max}"),
        FieldKind::Number => "a number".to_owned(),
        FieldKind::Choice(set) => format!("one of {}", set.texts.join(", ")),
    }
}
