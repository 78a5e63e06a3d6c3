//! Variables in the texts of a scenario (`{{name}}`), and their values in a run.

use serde_json::Value;
use std::collections::BTreeMap;

/// In an expected text, this matches any text of at least one character.
pub const ANY: &str = "{{any}}";
/// In a response header, `{{httpDate:2}}` is replaced by an HTTP date 2 seconds after the response is sent.
pub const HTTP_DATE: &str = "httpDate:";

/// The variables of one run, with their values.
#[derive(Clone, Debug, Default)]
pub struct Variables(BTreeMap<String, String>);

impl Variables {
    /// Names of variables that every scenario may use.
    pub const BUILT_IN: &[&str] = &[
        "api",
        "storage",
        "elsewhere",
        "refused",
        "apiKey",
        "password",
        "signature",
        "fileId",
        "operationId",
        "resultId",
        "in",
        "out",
        "bodies",
        "caBundle",
        "clientCertificate",
    ];
    /// Sets a variable.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Returns `text` with the value of each known variable. `{{any}}` and `{{httpDate:…}}` are not replaced.
    pub fn fill(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, name, after)) = next(rest) {
            filled.push_str(before);
            match self.0.get(name) {
                Some(value) => filled.push_str(value),
                None => filled.push_str(&format!("{{{{{name}}}}}")),
            }
            rest = after;
        }
        filled.push_str(rest);
        filled
    }

    /// Returns a JSON value with the values of all variables, also in the names of fields.
    pub fn fill_json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_json(item)).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| (self.fill(name), self.fill_json(value)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            other => other.clone(),
        }
    }

    /// The names of the variables in `text`.
    pub fn used_in(text: &str) -> Vec<&str> {
        let mut names = Vec::new();
        let mut rest = text;
        while let Some((_, name, after)) = next(rest) {
            names.push(name);
            rest = after;
        }
        names
    }
}

/// Replaces each `{{httpDate:…}}` in a response that is about to be sent.
pub fn fill_dates(text: &str, now: std::time::SystemTime) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, name, after)) = next(rest) {
        filled.push_str(before);
        let seconds = name.strip_prefix(HTTP_DATE).and_then(|seconds| seconds.parse().ok()).unwrap_or(0);
        filled.push_str(&httpdate::fmt_http_date(now + std::time::Duration::from_secs(seconds)));
        rest = after;
    }
    filled + rest
}

/// Whether `actual` matches `expected`. `{{any}}` in `expected` matches any text.
pub fn matches(expected: &str, actual: &str) -> bool {
    let mut pieces = expected.split(ANY);
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = actual.strip_prefix(first) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        let Some((gap, _)) = rest
            .char_indices()
            .nth(1)
            .map(|(at, _)| rest.split_at(at))
            .or_else(|| (!rest.is_empty()).then_some((rest, "")))
        else {
            return false;
        };
        let after_gap = &rest[gap.len()..];
        if pieces.peek().is_none() {
            return after_gap.ends_with(piece);
        }
        let Some(at) = after_gap.find(piece) else { return false };
        rest = &after_gap[at + piece.len()..];
    }
    true
}

fn next(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let (name, after) = rest.split_once("}}")?;
    Some((before, name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_are_filled_and_the_others_stay() {
        let mut variables = Variables::default();
        variables.set("fileId", "f-1");
        assert_eq!(variables.fill("/v1/files/{{fileId}}?x={{any}}"), "/v1/files/f-1?x={{any}}");
        assert_eq!(variables.fill("a {{ b"), "a {{ b");
    }

    #[test]
    fn any_stands_for_at_least_one_character() {
        assert!(matches("wait={{any}}", "wait=20") && !matches("wait={{any}}", "wait="));
        assert!(matches("{{any}}-{{any}}", "a-b") && !matches("{{any}}-{{any}}", "ab"));
        assert!(matches("*/*", "*/*") && !matches("a", "ab") && matches("{{any}}", "é"));
    }
}
