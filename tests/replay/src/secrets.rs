//! Finds secrets in recordings: a text that looks like a secret must be replaced by a variable.

/// Prefixes of credentials that well-known issuers use.
const PREFIXES: &[&str] = &[
    "eyJ",
    "AKIA",
    "ASIA",
    "ghp_",
    "github_pat_",
    "glpat-",
    "sk_live_",
    "sk-",
    "xoxb-",
    "AIza",
    "-----BEGIN",
];
/// Names of headers and fields, in lower case. Their values must be variables.
const FIELDS: &[&str] =
    &["x-api-key", "authorization", "cookie", "set-cookie", "password", "apikey", "secret"];
/// Names of query parameters, in lower case. Their values must be variables.
const PARAMETERS: &[&str] = &[
    "sig",
    "signature",
    "token",
    "key",
    "x-amz-signature",
    "x-amz-credential",
    "x-amz-security-token",
    "awsaccesskeyid",
    "se",
    "skoid",
    "access_token",
];
/// A word with at least this many letters and digits looks random if it has upper case, lower case and digits.
const LONG: usize = 32;

/// The places in the text of a scenario that look like secrets.
pub fn faults_of(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (number, line) in text.lines().enumerate() {
        faults.extend(in_line(line).into_iter().map(|fault| format!("line {}: {fault}", number + 1)));
    }
    faults
}

fn in_line(line: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for word in line.split(|letter: char| !(letter.is_ascii_alphanumeric() || "_-+/.".contains(letter))) {
        if PREFIXES.iter().any(|prefix| word.starts_with(prefix) && word.len() >= 12) || looks_random(word) {
            faults.push(format!("{:?} looks like a secret: make it a variable", shortened(word)));
        }
    }
    for (name, value) in fields(line) {
        let literal = !value.is_empty() && !value.contains("{{");
        if literal && FIELDS.contains(&name.to_lowercase().as_str()) {
            faults.push(format!("the value of {name:?} must be a variable"));
        }
        faults.extend(parameter_faults(value));
    }
    faults
}

fn parameter_faults(value: &str) -> Vec<String> {
    let Some((_, query)) = value.split_once('?') else { return Vec::new() };
    let pairs = query.split(['&', ';']).filter_map(|pair| pair.split_once('='));
    let literal = pairs
        .filter(|(name, value)| PARAMETERS.contains(&name.to_lowercase().as_str()) && !value.contains("{{"));
    literal.map(|(name, _)| format!("the query parameter {name:?} must be a variable")).collect()
}

/// The fields on a line of JSON: `"name": "value"`, or a `"value"` without a name.
fn fields(line: &str) -> Vec<(&str, &str)> {
    let pieces: Vec<&str> = line.split('"').collect();
    let quoted = pieces.iter().enumerate().skip(1).step_by(2);
    quoted
        .map(|(at, value)| {
            let is_value = pieces.get(at - 1).is_some_and(|between| between.trim() == ":");
            let name = if is_value { at.checked_sub(2).and_then(|at| pieces.get(at)).copied() } else { None };
            (name.unwrap_or_default(), *value)
        })
        .collect()
}

fn looks_random(word: &str) -> bool {
    let longest = word
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .max_by_key(|run| run.len())
        .unwrap_or_default();
    let has = |kind: fn(&u8) -> bool| longest.as_bytes().iter().any(kind);
    longest.len() >= LONG
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
}

fn shortened(word: &str) -> String {
    word.chars().take(6).chain("…".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret_is_refused() {
        for line in [
            r#""headers": {"X-Api-Key": "abc"}"#,
            r#""password": "hunter2""#,
            r#""uploadUrl": "{{storage}}/u/1?sig=a%2Bb""#,
            r#""path": "/d/1?X-Amz-Signature=0a""#,
            r#""text": "eyJhbGciOiJIUzI1NiJ9.e30""#,
            r#""text": "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg""#,
        ] {
            assert!(!faults_of(line).is_empty(), "{line}");
        }
        for line in [
            r#""headers": {"x-api-key": "{{apiKey}}"}"#,
            r#""uploadUrl": "{{storage}}/u/{{fileId}}?sig={{signature}}&part=1""#,
            r#""sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08""#,
            r#""forbidHeaders": ["x-api-key"]"#,
            r#""about": "The password is sent to the service.""#,
        ] {
            assert_eq!(faults_of(line), Vec::<String>::new(), "{line}");
        }
    }
}
