//! Descriptions from the C header, in words that fit every language: names of C functions and macros are replaced.

use serde_json::Value;

/// What the header says in terms of C, and the same for any language.
const REPLACED: &[(&str, &str)] = &[
    (
        "It continues in the service, and recto_resume() resumes it by its token.",
        "It continues in the service; the token of the error resumes it.",
    ),
    ("the call ends with RECTO_E_WAIT_TIMEOUT", "the call ends with WaitTimeout"),
    ("otherwise recto_client_new() fails", "otherwise no client is created"),
    (
        "Default: see WORKERS at the top.",
        "Default: the program of the environment variable RECTO_WORKER, or else the one that is installed with the \
         library or with this program.",
    ),
    (
        "whether the embedded service keeps the files of an operation when its handle is freed: see FILES at the top.",
        "whether the embedded service keeps the files of an operation when its handle is freed.",
    ),
    ("the ports that recto_upload_url() may use", "the ports from which the service may download documents"),
    (
        "whether recto_upload_url() may use addresses of private networks",
        "whether the service may download documents from addresses of private networks",
    ),
    (", as in recto_call_set_extra_options()", ""),
    (
        "The client was created before fork() and is used in the child.",
        "The client was created before a fork, and is used in the child process.",
    ),
];

/// The description without names of C. Its first letter is a capital.
pub fn text(of_header: &str) -> String {
    let mut text = of_header.replace("\\#", "#");
    for (of_c, neutral) in REPLACED {
        text = text.replace(of_c, neutral);
    }
    sentence(&text)
}

/// The text as a sentence: with a capital at the beginning and a full stop at the end.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let text = first + letters.as_str();
    if text.is_empty() || text.ends_with('.') { text } else { text + "." }
}

/// Fails if a description still contains a name of C, except in `statuses`, which are C.
pub fn check(value: &Value) {
    match value {
        Value::Object(fields) => {
            fields.iter().filter(|(name, _)| *name != "statuses").for_each(|(name, value)| {
                if let ("about" | "default", Some(text)) = (name.as_str(), value.as_str()) {
                    let of_c = ["recto_", "RECTO_E_", "NULL", "at the top"]
                        .iter()
                        .find(|name| text.contains(**name));
                    assert_eq!(of_c, None, "a name of C is in the description {text:?}: add it to REPLACED");
                }
                check(value);
            })
        }
        Value::Array(items) => items.iter().for_each(check),
        _ => {}
    }
}
