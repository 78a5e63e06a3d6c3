//! Compares the report of a runner with what the scenario expects. The comparison is the same for all faces.

use crate::outcome::{Outcome, Report, Step, StepError};
use crate::scenario::{ErrorExpect, Expect, FileExpect, ProgressExpect};
use crate::variables::{ANY, matches};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Adds the differences between the outcome of the calls and the expected outcome to `differences`.
pub fn calls(expected: &[Expect], outcome: &Outcome, differences: &mut Vec<String>) {
    if expected.len() != outcome.steps.len() {
        differences.push(format!("calls: expected {} outcomes, got {}", expected.len(), outcome.steps.len()));
    }
    for (index, (expect, step)) in expected.iter().zip(&outcome.steps).enumerate() {
        let place = format!("call {index}");
        match (&expect.ok, &expect.error, &step.ok, &step.error) {
            (Some(expected), _, Some(actual), None) => {
                for (name, expected) in expected {
                    json(
                        &format!("{place}: ok.{name}"),
                        expected,
                        actual.get(name).unwrap_or(&Value::Null),
                        differences,
                    );
                }
            }
            (_, Some(expected), None, Some(actual)) => error(&place, expected, actual, differences),
            (Some(_), _, _, Some(actual)) => {
                differences.push(format!(
                    "{place}: expected success, got {}: {} {}",
                    actual.kind,
                    actual.message,
                    Value::from(actual.fields.clone())
                ));
            }
            (_, Some(expected), Some(actual), _) => {
                differences.push(format!(
                    "{place}: expected {}, got success: {}",
                    expected.kind,
                    Value::from(actual.clone())
                ));
            }
            _ => differences.push(format!("{place}: the outcome has neither ok nor error")),
        }
        elapsed(&place, expect, step, differences);
        progress(&place, &expect.progress, &step.progress, differences);
    }
}

/// Adds the differences between the files in `folder` and the expected files to `differences`.
pub fn files(
    expected: &BTreeMap<String, FileExpect>,
    folder: &Path,
    read: impl Fn(&str) -> Result<Vec<u8>, String>,
    differences: &mut Vec<String>,
) {
    let present = match names(folder) {
        Ok(present) => present,
        Err(error) => return differences.push(format!("files: {error}")),
    };
    let mut others = present.iter().filter(|name| !expected.contains_key(*name));
    // `*` stands for one file whose name the client chooses.
    let chosen = expected.get("*").and_then(|_| others.next());
    for name in others {
        differences.push(format!("files: {name:?} is not expected"));
    }
    for (name, expect) in expected {
        let name = if name == "*" { chosen.unwrap_or(name) } else { name };
        match std::fs::read(folder.join(name)) {
            Err(error) => differences.push(format!("files: {name:?}: {error}; there is {present:?}")),
            Ok(bytes) => file(name, expect, &bytes, &read, differences),
        }
    }
}

/// Adds a difference for every secret that is found in an error, a token, a path or the log. Only the address of a
/// result may contain a secret.
pub fn leaks(secrets: &[(&'static str, String)], outcome: &Outcome, differences: &mut Vec<String>) {
    let mut places = vec![("the log".to_owned(), outcome.log.clone())];
    for (index, step) in outcome.steps.iter().enumerate() {
        let error = step.error.as_ref().map(|error| serde_json::to_string(error).unwrap_or_default());
        let shown = step
            .ok
            .iter()
            .flat_map(|ok| ok.iter().filter(|(name, _)| !["output", "raw"].contains(&name.as_str())));
        let shown: String = shown.map(|(_, value)| value.to_string()).collect();
        let tokens = step.ok.iter().chain(step.error.iter().map(|error| &error.fields));
        let tokens: String = tokens.filter_map(|fields| fields.get("token")?.as_str()).map(decoded).collect();
        places.push((format!("call {index}"), error.unwrap_or_default() + &shown + &tokens));
    }
    for (name, secret) in secrets {
        let found = places.iter().filter(|(_, text)| text.contains(secret.as_str()));
        differences.extend(found.map(|(place, _)| format!("secret: {place} contains {name}")));
    }
}

/// The content of a token that is base64; empty if the token is not base64.
fn decoded(token: &str) -> String {
    let bytes = URL_SAFE_NO_PAD.decode(token.trim_end_matches('=')).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether two JSON values are equal. 2 and 2.0 count as equal.
pub fn same_json(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| a.to_bits() == b.to_bits())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_json(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same_json(a, b)))
        }
        (Value::String(a), Value::String(b)) => matches(a, b),
        _ => a == b,
    }
}

/// Adds the differences between two JSON values to `differences`. Fields of objects that are not expected are
/// ignored.
pub fn json(place: &str, expected: &Value, actual: &Value, differences: &mut Vec<String>) {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            for (name, expected) in expected {
                json(
                    &format!("{place}.{name}"),
                    expected,
                    actual.get(name).unwrap_or(&Value::Null),
                    differences,
                );
            }
        }
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                json(&format!("{place}[{index}]"), expected, actual, differences);
            }
        }
        (Value::String(expected), Value::String(actual)) if same_instant(expected, actual) => {}
        (Value::String(expected), actual) if expected == ANY && !actual.is_null() => {}
        _ if same_json(expected, actual) => {}
        _ => differences.push(format!("{place}: expected {expected}, got {actual}")),
    }
}

fn error(place: &str, expected: &ErrorExpect, actual: &StepError, differences: &mut Vec<String>) {
    if expected.kind != actual.kind {
        differences
            .push(format!("{place}: expected {}, got {}: {}", expected.kind, actual.kind, actual.message));
    }
    for (name, value) in &expected.fields {
        json(
            &format!("{place}: error.{name}"),
            value,
            actual.fields.get(name).unwrap_or(&Value::Null),
            differences,
        );
    }
    let message = actual.message.to_lowercase();
    for text in expected.message_has.iter().filter(|text| !message.contains(&text.to_lowercase())) {
        differences.push(format!("{place}: the message does not contain {text:?}: {}", actual.message));
    }
    if actual.message.trim().is_empty() {
        differences.push(format!("{place}: the error has no message"));
    }
    let whole = serde_json::to_string(actual).unwrap_or_default();
    for text in expected.never.iter().filter(|text| whole.contains(text.as_str())) {
        differences.push(format!("{place}: the error contains {text:?}: {whole}"));
    }
}

fn elapsed(place: &str, expect: &Expect, step: &Step, differences: &mut Vec<String>) {
    let Some(bounds) = expect.elapsed_ms else { return };
    if bounds.min.is_some_and(|min| step.elapsed_ms < min)
        || bounds.max.is_some_and(|max| step.elapsed_ms > max)
    {
        differences.push(format!(
            "{place}: took {} ms, expected {:?} to {:?}",
            step.elapsed_ms, bounds.min, bounds.max
        ));
    }
}

fn progress(
    place: &str,
    expected: &BTreeMap<String, ProgressExpect>,
    reports: &[Report],
    differences: &mut Vec<String>,
) {
    let mut last: BTreeMap<&str, &Report> = BTreeMap::new();
    for report in reports {
        if let Some(before) = last.insert(&report.phase, report).filter(|before| report.done < before.done) {
            differences.push(format!(
                "{place}: progress of {} goes back from {} to {}",
                report.phase, before.done, report.done
            ));
        }
        if report.total.is_some_and(|total| report.done > total) {
            differences.push(format!("{place}: progress of {} passes its total: {report:?}", report.phase));
        }
    }
    for (phase, expected) in expected {
        let Some(report) = last.get(phase.as_str()) else {
            differences.push(format!("{place}: no progress of phase {phase} was reported"));
            continue;
        };
        if expected.done.is_some_and(|done| done != report.done)
            || expected.total.is_some_and(|total| report.total != Some(total))
        {
            differences
                .push(format!("{place}: progress of {phase} ends with {report:?}, expected {expected:?}"));
        }
    }
}

fn file(
    name: &str,
    expect: &FileExpect,
    bytes: &[u8],
    read: impl Fn(&str) -> Result<Vec<u8>, String>,
    differences: &mut Vec<String>,
) {
    if let Some(other) = &expect.same_as {
        match read(other) {
            Err(error) => differences.push(format!("files: {error}")),
            Ok(wanted) if wanted == bytes => {}
            Ok(wanted) => {
                let at = wanted
                    .iter()
                    .zip(bytes)
                    .position(|(a, b)| a != b)
                    .unwrap_or(wanted.len().min(bytes.len()));
                differences.push(format!(
                    "files: {name:?} is not {other}: {} bytes for {}, different from byte {at}",
                    bytes.len(),
                    wanted.len()
                ));
            }
        }
    }
    if let Some(wanted) = &expect.sha256 {
        let actual = sha256(bytes);
        if *wanted != actual {
            differences.push(format!("files: {name:?} has SHA-256 {actual}, expected {wanted}"));
        }
    }
    if expect.begins.as_ref().is_some_and(|text| !bytes.starts_with(text.as_bytes())) {
        differences.push(format!("files: {name:?} does not begin with {:?}", expect.begins));
    }
}

/// The SHA-256 of `bytes`, in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files in a folder and its subfolders, as paths relative to the folder.
pub(crate) fn names(folder: &Path) -> std::io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(name) = path.strip_prefix(folder) {
                names.insert(name.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    Ok(names)
}

/// Whether two texts mean the same instant. Faces write `Z` or `+00:00`, and different numbers of fractional digits.
fn same_instant(a: &str, b: &str) -> bool {
    matches!((instant(a), instant(b)), (Some(a), Some(b)) if a == b)
}

fn instant(text: &str) -> Option<(&str, String)> {
    let text = text.strip_suffix('Z').or_else(|| text.strip_suffix("+00:00"))?;
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    if seconds.len() != 19
        || seconds.as_bytes().get(10) != Some(&b'T')
        || !fraction.bytes().all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    Some((seconds, fraction.chars().chain("000000".chars()).take(6).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn differences_of(expected: Value, actual: Value) -> Vec<String> {
        let mut differences = Vec::new();
        json("x", &expected, &actual, &mut differences);
        differences
    }

    #[test]
    fn objects_are_compared_by_the_expected_fields() {
        assert!(differences_of(json!({"a": 2}), json!({"a": 2.0, "b": 1})).is_empty());
        assert_eq!(
            differences_of(json!({"a": {"b": 1}}), json!({"a": {"b": 2}})),
            ["x.a.b: expected 1, got 2"]
        );
        assert_eq!(differences_of(json!({"a": null}), json!({"a": 1})).len(), 1);
        assert!(differences_of(json!({"a": null}), json!({})).is_empty());
        assert_eq!(differences_of(json!({"a": "{{any}}"}), json!({})).len(), 1);
    }

    #[test]
    fn instants_are_compared_to_the_microsecond() {
        assert!(same_instant("2024-05-06T07:08:09.1234567Z", "2024-05-06T07:08:09.123456+00:00"));
        assert!(!same_instant("2024-05-06T07:08:09.1Z", "2024-05-06T07:08:09.2Z"));
        assert!(!same_instant("a.pdf", "a.pdfZ"));
    }

    #[test]
    fn progress_that_goes_back_is_a_difference() {
        let report = |done| Report { phase: "upload".into(), done, total: Some(10) };
        let mut differences = Vec::new();
        progress("call 0", &BTreeMap::new(), &[report(5), report(3), report(11)], &mut differences);
        assert_eq!(differences.len(), 2);
    }
}
