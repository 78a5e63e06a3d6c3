//! The errors, constants, settings and functions of the C interface, read from its headers.

use crate::neutral;
use serde::Serialize;

/// The kinds of errors: the end of the status, and the name that all faces give to the kind.
const KINDS: &[(&str, &str)] = &[
    ("CONFIG", "ConfigError"),
    ("INVALID", "InvalidRequest"),
    ("AUTH", "AuthError"),
    ("PERMISSION", "PermissionDenied"),
    ("NOT_FOUND", "NotFound"),
    ("RATE_LIMITED", "RateLimited"),
    ("TOO_LARGE", "PayloadTooLarge"),
    ("SERVER", "ServerError"),
    ("TRANSPORT", "TransportError"),
    ("TIMEOUT", "RequestTimeout"),
    ("WAIT_TIMEOUT", "WaitTimeout"),
    ("OPERATION_FAILED", "OperationFailed"),
    ("OUTCOME_UNKNOWN", "OutcomeUnknown"),
    ("PROTOCOL", "ProtocolError"),
    ("CANCELLED", "Cancelled"),
    ("IO", "IoError"),
];

/// The type of each setting: `milliseconds` are whole numbers above 0, and `limit` may also be -1 for no limit.
const TYPES: &[(&str, &[&str])] = &[
    ("text", &["base_url", "proxy", "user_agent", "isolation"]),
    ("secret", &["api_key"]),
    ("path", &["ca_bundle", "client_certificate", "worker", "data_dir", "to", "relative_to", "journal"]),
    ("limit", &["timeout_ms", "wait_timeout_ms"]),
    ("milliseconds", &["connect_timeout_ms", "stall_timeout_ms", "retention_ms"]),
    ("bytes", &["json_limit", "worker_memory", "in_process_bytes", "stored_bytes"]),
    ("integer", &["retries", "workers", "port", "concurrency"]),
    ("integers", &["fetch_ports"]),
    ("json", &["extra_options"]),
    (
        "bool",
        &[
            "retry_unknown",
            "allow_http",
            "environment",
            "keep_files",
            "overwrite",
            "stop_on_error",
            "delete_after",
            "force",
            "allow_private_urls",
        ],
    ),
];

/// The settings that a copy of a client can change.
const OF_COPIES: &[&str] = &["timeout_ms", "wait_timeout_ms", "stall_timeout_ms", "retries", "retry_unknown"];

#[derive(Serialize)]
pub struct Constant {
    constant: String,
    value: i64,
    about: String,
}

/// A constant that also has a name: a phase or a log level.
#[derive(Serialize)]
pub struct Named {
    name: String,
    constant: String,
    value: i64,
    about: String,
}

#[derive(Serialize)]
pub struct ErrorKind {
    /// The name in all faces: `WaitTimeout`.
    kind: &'static str,
    constant: String,
    status: i64,
    about: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Setting {
    /// The name as recto_config_set() takes it: `timeout_ms`.
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    /// Whether a copy of a client can change this setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    of_copies: Option<bool>,
    /// The default as text; `null` if the setting has no default.
    default: Option<String>,
    about: String,
}

#[derive(Serialize)]
pub struct Function {
    name: String,
    returns: String,
    parameters: Vec<Parameter>,
}

#[derive(Serialize)]
struct Parameter {
    name: String,
    #[serde(rename = "type")]
    kind: String,
}

/// Every `#define` of the header whose name begins with `prefix` and whose value is a number, with its comment.
fn constants(header: &str, prefix: &str) -> Vec<Constant> {
    let mut found = Vec::new();
    let define = format!("#define {prefix}");
    for (at, _) in header.match_indices(&define) {
        let line = header[at..].lines().next().unwrap();
        let [_, name, value] = line.split_whitespace().collect::<Vec<_>>()[..] else { continue };
        let Ok(value) = value.parse() else { continue };
        let comment = header[..at].rsplit_once("/**").unwrap().1;
        found.push(Constant { constant: name.to_owned(), value, about: neutral::text(&prose(comment)) });
    }
    found
}

pub fn statuses(header: &str) -> Vec<Constant> {
    ["RECTO_OK", "RECTO_DONE", "RECTO_PENDING", "RECTO_E_"]
        .iter()
        .flat_map(|prefix| constants(header, prefix))
        .collect()
}

/// The constants with this prefix, each named by the rest of the constant in lower case.
pub fn named(header: &str, prefix: &str) -> Vec<Named> {
    let named = |of: Constant| Named {
        name: of.constant[prefix.len()..].to_lowercase(),
        constant: of.constant,
        value: of.value,
        about: of.about,
    };
    constants(header, prefix).into_iter().map(named).collect()
}

pub fn errors(header: &str) -> Vec<ErrorKind> {
    let mut statuses = constants(header, "RECTO_E_");
    let kinds = KINDS.iter().map(|(end, kind)| {
        let constant = format!("RECTO_E_{end}");
        let at = statuses.iter().position(|status| status.constant == constant).unwrap();
        let status = statuses.remove(at);
        ErrorKind { kind, constant, status: status.value, about: status.about }
    });
    let kinds = kinds.collect();
    let others: Vec<_> = statuses.iter().map(|status| &status.constant["RECTO_E_".len()..]).collect();
    assert_eq!(others, ["NULL", "FORKED", "PANIC", "UNKNOWN"], "a status without a kind: add it to KINDS");
    kinds
}

pub fn client_settings(header: &str) -> Vec<Setting> {
    let mut settings = settings(header, "recto_config_set");
    for setting in &mut settings {
        setting.of_copies = Some(OF_COPIES.contains(&setting.name.as_str()));
    }
    settings
}

/// The settings of batches that only C and C++ have: the packages of other languages do not watch folders.
const OF_WATCHES: &[&str] =
    &["watch", "recursive", "settle_ms", "move_originals", "delete_originals", "failed"];

pub fn batch_settings(header: &str) -> Vec<Setting> {
    settings(header, "recto_batch_set")
}

/// The options of an embedded service. Those that it shares with a client have the description of the client's.
pub fn local_settings(header: &str) -> Vec<Setting> {
    let of_client = settings(header, "recto_config_set");
    let mut found = Vec::new();
    for (names, text) in items(header, "recto_local_start") {
        for name in names {
            let shared = of_client.iter().find(|setting| setting.name == name);
            let text = if text.starts_with("as in") { None } else { Some(&text) };
            let (about, default) = match (text, shared) {
                (Some(text), _) => with_default(text),
                (None, Some(setting)) => (setting.about.clone(), setting.default.clone()),
                (None, None) => panic!("{name} has no description"),
            };
            found.push(Setting { kind: kind_of(&name), name, of_copies: None, default, about });
        }
    }
    found
}

fn settings(header: &str, function: &str) -> Vec<Setting> {
    let items = items(header, function).into_iter();
    let found = items.filter(|(names, _)| !names.iter().any(|name| OF_WATCHES.contains(&&**name))).map(
        |(names, text)| {
            let (about, default) = with_default(&text);
            let [name] = names.try_into().unwrap();
            Setting { kind: kind_of(&name), name, of_copies: None, default, about }
        },
    );
    found.collect()
}

/// The list in the comment of a function: the names of each item, and its text.
fn items(header: &str, function: &str) -> Vec<(Vec<String>, String)> {
    let at = header.find(&format!("\nrecto_status {function}(")).unwrap();
    let comment = header[..at].rsplit_once("/**").unwrap().1.split("*/").next().unwrap();
    let list = comment.split_once("\n * - ").unwrap().1.split("\n *\n").next().unwrap();
    let items = list.split("\n * - ").map(|item| {
        let item = prose(item);
        let (names, text) = item.split_once(": ").unwrap();
        (names.split(", ").map(|name| name.trim_matches('`').to_owned()).collect(), text.to_owned())
    });
    items.collect()
}

fn kind_of(name: &str) -> &'static str {
    let found = TYPES.iter().find(|(_, names)| names.contains(&name));
    found.unwrap_or_else(|| panic!("the setting {name} has no type: add it to TYPES")).0
}

/// Takes the default from the end of a description.
fn with_default(text: &str) -> (String, Option<String>) {
    let text = neutral::text(text);
    match text.split_once(" Default: ") {
        Some((about, default)) => (about.to_owned(), Some(default.trim_end_matches('.').to_owned())),
        None => (text, None),
    }
}

/// The text of a comment on one line, without its stars.
fn prose(comment: &str) -> String {
    let comment = comment.split("*/").next().unwrap();
    let words = comment.lines().flat_map(|line| line.trim_start().trim_start_matches('*').split_whitespace());
    words.collect::<Vec<_>>().join(" ")
}

/// Every function of `recto_ffi.h`, with the types of its parameters as in C.
pub fn functions(declarations: &str) -> Vec<Function> {
    let code = declarations.rsplit_once("typedef ").unwrap().1.split_once(';').unwrap().1;
    let functions = code.split(';').map(|one| one.split_whitespace().collect::<Vec<_>>().join(" "));
    functions.filter(|one| one.contains('(')).map(|one| function(&one)).collect()
}

fn function(declaration: &str) -> Function {
    let (head, parameters) = declaration.trim_end_matches(')').split_once('(').unwrap();
    let (returns, name) = typed(head);
    let parameters = parameters.split(',').map(str::trim).filter(|one| !matches!(*one, "void" | ""));
    let parameters = parameters.map(|one| {
        let (kind, name) = typed(one);
        Parameter { name, kind }
    });
    Function { name, returns, parameters: parameters.collect() }
}

/// Splits `const char *name` into the type `const char *` and the name.
fn typed(declared: &str) -> (String, String) {
    let at = declared.rfind([' ', '*']).unwrap() + 1;
    (declared[..at].trim().to_owned(), declared[at..].to_owned())
}
