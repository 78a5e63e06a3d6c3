//! The options of an operation as flags of the command line, and the flags as the JSON object `options`.
//!
//! No input or output: the fields of the table become clap's arguments, and clap's matches become JSON.

use clap::{Arg, ArgMatches, value_parser};
use recto_interface::options::Unit;
use recto_interface::{Field, FieldKind, Need, OperationKind};
use serde_json::{Map, Number, Value};
use std::path::PathBuf;

/// The flag of a field, without its dashes: `maxSizeInPixels.width` is `max-width`, `textStyle.isBold` is `bold`.
pub fn name(path: &str) -> String {
    match path.split_once('.') {
        None => kebab(path),
        Some(("pageMargin", "margin")) => "page-margin".to_owned(),
        Some(("textStyle", leaf)) => kebab(leaf.strip_prefix("is").unwrap_or(leaf)),
        Some(("maxSizeInPixels", leaf)) => format!("max-{}", kebab(leaf)),
        Some(("stampSize", leaf)) => format!("stamp-{}", kebab(leaf)),
        Some((parent, leaf)) => format!("{}-{}", kebab(parent), kebab(leaf)),
    }
}

/// The arguments for an operation's options.
pub fn arguments(kind: OperationKind) -> impl Iterator<Item = Arg> {
    kind.fields().iter().flat_map(move |field| {
        let from_file = (field.kind == FieldKind::Secret).then(|| secret_file(field));
        std::iter::once(argument(kind, field)).chain(from_file)
    })
}

fn argument(kind: OperationKind, field: &'static Field) -> Arg {
    let flag = name(field.path);
    let mut help = sentence(field.about);
    if has_unit(kind, field) {
        help.push_str("; may be followed by a unit, as in 1.5cm");
    }
    if let Some(default) = field.default {
        help.push_str(&format!(" [default: {default}]"));
    }
    let arg = Arg::new(field.path).long(flag).help(help).required(field.need == Need::Required);
    match field.kind {
        FieldKind::Choice(set) => arg
            .value_name("WORD")
            .ignore_case(true)
            .value_parser(clap::builder::PossibleValuesParser::new(set.texts)),
        FieldKind::Bool => arg
            .value_name("true|false")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(value_parser!(bool)),
        FieldKind::Integer { .. } => {
            arg.value_name("N").value_parser(value_parser!(u32)).allow_negative_numbers(true)
        }
        FieldKind::Number => arg.value_name("NUMBER").allow_negative_numbers(true),
        FieldKind::Text => arg.value_name("TEXT"),
        FieldKind::Secret => arg.value_name("TEXT").help(format!(
            "{} (other users of this machine can see it in the process list; --{}-file is safer)",
            sentence(field.about),
            name(field.path)
        )),
    }
}

fn secret_file(field: &'static Field) -> Arg {
    Arg::new(file_id(field.path))
        .long(format!("{}-file", name(field.path)))
        .value_name("FILE")
        .help("A file whose first line is the password; `-` reads it from standard input")
        .value_parser(value_parser!(PathBuf))
        .conflicts_with(field.path)
}

/// The id of the argument that names the file of a secret.
pub fn file_id(path: &str) -> String {
    format!("{path}-file")
}

/// The JSON object `options` with the values of the flags.
///
/// # Errors
/// A message about a flag whose value is not a number, or whose unit is unknown or contradicts the unit of another
/// flag.
pub fn options(kind: OperationKind, matches: &ArgMatches) -> Result<Value, String> {
    let mut options = Map::new();
    for field in kind.fields() {
        if let Some(value) = value(kind, field, matches, &mut options)? {
            insert(&mut options, field.path, value)?;
        }
    }
    Ok(Value::Object(options))
}

fn value(
    kind: OperationKind,
    field: &'static Field,
    matches: &ArgMatches,
    options: &mut Map<String, Value>,
) -> Result<Option<Value>, String> {
    let text = || matches.get_one::<String>(field.path);
    Ok(match field.kind {
        FieldKind::Bool => matches.get_one::<bool>(field.path).copied().map(Value::Bool),
        FieldKind::Integer { .. } => matches.get_one::<u32>(field.path).copied().map(Value::from),
        // The spelling of the table, since case is ignored.
        FieldKind::Choice(set) => text().map(|typed| {
            Value::from(
                set.texts.iter().copied().find(|value| value.eq_ignore_ascii_case(typed)).unwrap_or(typed),
            )
        }),
        FieldKind::Text | FieldKind::Secret => text().cloned().map(Value::String),
        FieldKind::Number => match text() {
            None => None,
            Some(typed) => {
                let flag = name(field.path);
                let (number, unit) = number_and_unit(typed)
                    .ok_or_else(|| format!("--{flag} takes a number such as 1.5 or 1.5cm, not {typed:?}"))?;
                if let Some(unit) = unit {
                    let unit_path = unit_path(kind, field)
                        .ok_or_else(|| format!("--{flag} takes a number without a unit, not {typed:?}"))?;
                    insert(options, &unit_path, Value::from(unit.as_str()))?;
                }
                Some(Value::Number(number))
            }
        },
    })
}

/// Splits `1.5cm` into its number and its unit.
fn number_and_unit(typed: &str) -> Option<(Number, Option<Unit>)> {
    let typed = typed.trim();
    let unit = Unit::ALL.iter().copied().find(|unit| typed.ends_with(unit.as_str()));
    let digits = unit.map_or(typed, |unit| typed.trim_end_matches(unit.as_str()).trim_end());
    let number = digits.parse::<f64>().ok().and_then(Number::from_f64)?;
    Some((number, unit))
}

fn has_unit(kind: OperationKind, field: &Field) -> bool {
    field.kind == FieldKind::Number && unit_path(kind, field).is_some()
}

/// The path of the field that has the unit of this field.
fn unit_path(kind: OperationKind, field: &Field) -> Option<String> {
    let (parent, _) = field.path.split_once('.')?;
    let unit = format!("{parent}.unit");
    kind.fields().iter().any(|other| other.path == unit).then_some(unit)
}

/// Puts a value at its path. A second value for the same path must be equal to the first.
fn insert(options: &mut Map<String, Value>, path: &str, value: Value) -> Result<(), String> {
    let (object, leaf) = match path.split_once('.') {
        None => (options, path),
        Some((parent, leaf)) => {
            let parent = options.entry(parent).or_insert_with(|| Value::Object(Map::new()));
            (parent.as_object_mut().ok_or_else(|| format!("{path} is not inside an object"))?, leaf)
        }
    };
    match object.get(leaf) {
        Some(other) if *other != value => {
            Err(format!("{path} is given as both {other} and {value}; give one unit for all flags"))
        }
        _ => {
            object.insert(leaf.to_owned(), value);
            Ok(())
        }
    }
}

fn kebab(camel: &str) -> String {
    let mut kebab = String::with_capacity(camel.len() + 4);
    for letter in camel.chars() {
        if letter.is_ascii_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.push(letter.to_ascii_lowercase());
    }
    kebab
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(kind: OperationKind, line: &[&str]) -> Result<Value, String> {
        let command = clap::Command::new("x").no_binary_name(true).args(arguments(kind));
        options(kind, &command.try_get_matches_from(line).map_err(|error| error.to_string())?)
    }

    #[test]
    fn every_field_has_a_flag_of_its_own() {
        for kind in OperationKind::ALL {
            let mut names: Vec<_> = kind.fields().iter().map(|field| name(field.path)).collect();
            names.sort();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count, "{kind}: {names:?}");
        }
    }

    #[test]
    fn flags_have_short_names() {
        let names: Vec<_> = [
            "profile",
            "pageMargin.margin",
            "pageMargin.unit",
            "maxSizeInPixels.width",
            "margin.top",
            "textStyle.textColor",
            "textStyle.isBold",
            "stampSize.side",
        ]
        .into_iter()
        .map(name)
        .collect();
        assert_eq!(
            names.join(" "),
            "profile page-margin page-margin-unit max-width margin-top text-color bold stamp-side"
        );
    }

    #[test]
    fn flags_become_the_options_object() {
        let line = [
            "--text",
            "DRAFT",
            "--margin-top",
            "2cm",
            "--margin-right=-1.5",
            "--bold",
            "--italic=false",
            "--font-size",
            "24",
        ];
        let expected = json!({"text": "DRAFT", "margin": {"top": 2.0, "right": -1.5, "unit": "cm"},
            "textStyle": {"isBold": true, "isItalic": false, "fontSize": 24.0}});
        assert_eq!(parse(OperationKind::StampText, &line), Ok(expected));
        assert_eq!(
            parse(OperationKind::ImageToPdf, &["--strategy", "auto"]),
            Ok(json!({"strategy": "Auto"}))
        );
        assert_eq!(parse(OperationKind::Optimize, &[]), Ok(json!({})));
    }

    #[test]
    fn all_flags_of_an_object_share_one_known_unit() {
        let two =
            parse(OperationKind::StampText, &["--text", "a", "--margin-top", "2cm", "--margin-left", "1in"]);
        assert!(two.unwrap_err().contains("give one unit"));
        let same = parse(OperationKind::ImageToPdf, &["--page-margin", "2 cm", "--page-margin-unit", "cm"]);
        assert_eq!(same, Ok(json!({"pageMargin": {"margin": 2.0, "unit": "cm"}})));
        for bad in ["2mm", "cm", "", "nan", "1e999"] {
            assert!(
                parse(OperationKind::ImageToPdf, &["--page-margin", bad])
                    .unwrap_err()
                    .contains("page-margin"),
                "{bad}"
            );
        }
        let size = parse(OperationKind::StampText, &["--text", "a", "--font-size", "2cm"]);
        assert!(size.unwrap_err().contains("without a unit"));
    }
}
