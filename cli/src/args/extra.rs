//! Headers and options that the command adds to its requests: `--header NAME:VALUE` and `--option NAME=VALUE`.
//!
//! No input or output. No message contains a value, because it may be a secret.

use clap::{Arg, ArgAction, ArgMatches};
use serde_json::{Map, Value};

/// The id of the argument `--header`.
pub const HEADER: &str = "header";
/// The id of the argument `--option`. It differs from the name of every option of an operation.
const OPTION: &str = "extra-option";
/// How deep an option may be inside objects.
const DEPTH: usize = 16;

/// `--header`, which every command has.
pub fn header_argument() -> Arg {
    Arg::new(HEADER)
        .long("header")
        .global(true)
        .value_name("NAME:VALUE")
        .action(ArgAction::Append)
        .help("Add a header to the requests to the service, such as traceparent:00-…; may be repeated. @FILE reads such lines from FILE, so that a secret value is not on the command line")
}

/// `--option`, for commands that start an operation.
pub fn option_argument() -> Arg {
    Arg::new(OPTION)
        .long("option")
        .value_name("NAME=VALUE")
        .action(ArgAction::Append)
        .help("Send an option that this version does not know, without a check; may be repeated. A dot in NAME separates an object from its field (textStyle.weight=700). VALUE is JSON; other text is a string")
}

/// Reads `NAME:VALUE`.
///
/// # Errors
/// A message if there is no name before a colon.
pub fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("a header is NAME:VALUE, such as traceparent:00-…".to_owned()),
    }
}

/// The options of the command line that are sent without a check; `null` if there are none.
///
/// # Errors
/// A message about an option that is not `NAME=VALUE`, or that contradicts another one.
pub fn options(matches: &ArgMatches) -> Result<Value, String> {
    let mut options = Map::new();
    for text in matches.get_many::<String>(OPTION).into_iter().flatten() {
        let (path, value) =
            text.split_once('=').ok_or_else(|| "--option takes NAME=VALUE, such as quality=80".to_owned())?;
        let names: Vec<_> = path.split('.').collect();
        if names.len() > DEPTH || names.iter().any(|name| name.is_empty()) {
            return Err(format!("--option: {path:?} is not the name of an option"));
        }
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        insert(&mut options, &names, value).map_err(|()| format!("--option: {path} is given twice"))?;
    }
    Ok(if options.is_empty() { Value::Null } else { Value::Object(options) })
}

fn insert(into: &mut Map<String, Value>, names: &[&str], value: Value) -> Result<(), ()> {
    match names {
        [] => Err(()),
        [name] if into.contains_key(*name) => Err(()),
        [name] => {
            into.insert((*name).to_owned(), value);
            Ok(())
        }
        [name, rest @ ..] => {
            let inner = into.entry(*name).or_insert_with(|| Value::Object(Map::new()));
            insert(inner.as_object_mut().ok_or(())?, rest, value)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(line: &[&str]) -> Result<Value, String> {
        let command = clap::Command::new("x").no_binary_name(true).arg(option_argument());
        options(&command.try_get_matches_from(line).unwrap())
    }

    #[test]
    fn options_are_json_or_text_and_lead_into_objects() {
        let line = ["--option", "a=80", "--option=b=fast", "--option", "c.d=true", "--option", "c.e=[1]"];
        assert_eq!(parse(&line), Ok(json!({"a": 80, "b": "fast", "c": {"d": true, "e": [1]}})));
        assert_eq!(parse(&["--option", "t=\"80\""]), Ok(json!({"t": "80"})));
        assert_eq!(parse(&["--option", "t=a=b"]), Ok(json!({"t": "a=b"})));
        assert_eq!(parse(&["--option", "t="]), Ok(json!({"t": ""})));
        assert_eq!(parse(&[]), Ok(Value::Null));
    }

    #[test]
    fn a_message_does_not_contain_the_value() {
        for line in [
            &["--option", "hunter2"][..],
            &["--option", "=hunter2"],
            &["--option", "a..b=hunter2"],
            &["--option", "a=1", "--option", "a=hunter2"],
            &["--option", "a=1", "--option", "a.b=hunter2"],
            &["--option", "a.b=1", "--option", "a=hunter2"],
        ] {
            let why = parse(line).unwrap_err();
            assert!(why.contains("--option") && !why.contains("hunter2"), "{why}");
        }
        assert!(!header("hunter2").unwrap_err().contains("hunter2"));
    }

    #[test]
    fn a_header_has_a_name_and_a_value() {
        let pair = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(header("traceparent: 00-1"), pair("traceparent", "00-1"));
        assert_eq!(header("X-Url:http://a:1"), pair("X-Url", "http://a:1"));
        assert_eq!(header("X-Empty:"), pair("X-Empty", ""));
        assert!(header(": 1").is_err() && header("a").is_err());
    }
}
