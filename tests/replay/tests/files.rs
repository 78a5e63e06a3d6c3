//! Tests of the recording files: they match the schema, contain no secrets and are formatted, and the generated files
//! are up to date.

#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // Tests state what they expect.

use recto_replay::{Suite, format, generate, load, secrets};
use serde_json::Value;
use std::path::PathBuf;

fn files() -> Vec<(PathBuf, String)> {
    let paths = load::files(&Suite::default_folder()).unwrap();
    paths
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect()
}

#[test]
fn every_recording_fits_the_schema() {
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(Suite::default_folder().join("schema.json")).unwrap())
            .unwrap();
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    for (path, text) in files() {
        let recording: Value = serde_json::from_str(&text).unwrap();
        let faults: Vec<String> =
            schema.iter_errors(&recording).map(|fault| format!("{}: {fault}", fault.instance_path)).collect();
        assert!(faults.is_empty(), "{}: {}", path.display(), faults.join("\n"));
    }
}

#[test]
fn the_schema_refuses_what_the_loader_refuses() {
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(Suite::default_folder().join("schema.json")).unwrap())
            .unwrap();
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    let good = r#"{"id": "a.b", "about": "A.", "origin": {"kind": "fault"}, "call": {"op": "list"}, "expect": {"ok": {}}}"#;
    assert!(schema.is_valid(&serde_json::from_str(good).unwrap()) && load::parse(good).is_ok());
    for (from, to) in [
        (r#""about""#, r#""abuot""#),
        (r#""op": "list""#, r#""op": "list", "colour": 1"#),
        (r#""op": "list""#, r#""op": "lists""#),
        (r#"{"ok": {}}"#, r#"{"ok": {}, "elapsed": {}}"#),
        (r#""kind": "fault""#, r#""kind": "fault", "service": "yes""#),
    ] {
        let bad = good.replace(from, to);
        assert_ne!(bad, good);
        assert!(!schema.is_valid(&serde_json::from_str(&bad).unwrap()), "{bad}");
        assert!(load::parse(&bad).is_err(), "{bad}");
    }
}

#[test]
fn an_error_is_reported_with_line_and_path() {
    let error = load::parse("{\n  \"id\": \"a.b\",\n  \"call\": {\"op\": \"list\",\n  \"colour\": 1}\n}")
        .unwrap_err();
    assert!(error.starts_with("4:") && error.contains("call") && error.contains("colour"), "{error}");
}

#[test]
fn no_recording_contains_a_secret() {
    let folder = Suite::default_folder();
    for name in ["behaviour.json", "README.md"] {
        assert_eq!(
            secrets::faults_of(&std::fs::read_to_string(folder.join(name)).unwrap()),
            Vec::<String>::new(),
            "{name}"
        );
    }
    for (path, text) in files() {
        assert_eq!(secrets::faults_of(&text), Vec::<String>::new(), "{}", path.display());
    }
}

#[test]
fn every_recording_is_formatted() {
    for (path, text) in files() {
        assert!(format::format(&text).unwrap() == text, "{}: run `recto-replay format`", path.display());
    }
}

#[test]
fn the_generated_recordings_are_current() {
    let generated = generate::files().unwrap();
    let folder = Suite::default_folder();
    let committed = files().into_iter().filter(|(path, _)| path.starts_with(folder.join(generate::AREA)));
    let names: Vec<String> = committed
        .map(|(path, text)| {
            let name = path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
            assert!(generated.get(&name) == Some(&text), "{name}: run `recto-replay generate`");
            name
        })
        .collect();
    assert_eq!(names.len(), generated.len(), "run `recto-replay generate`");
}

#[test]
fn every_recording_loads_without_errors() {
    let suite = Suite::load(&Suite::default_folder()).unwrap_or_else(|faults| panic!("{faults}"));
    assert!(suite.scenarios.len() >= 150);
}
