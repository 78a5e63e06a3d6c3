//! The coverage of the suite: every endpoint, every operation with each of its options, and every sentence about the
//! client's behaviour.
//!
//! The exchanges and calls of a scenario show which endpoints and operations it covers. Only the sentences are listed
//! in the scenario itself (`shows`). Every row must be covered by a scenario, and every face must have passed that
//! scenario.

use crate::load::Suite;
use crate::scenario::{Op, Scenario};
use recto_interface::{Need, OperationKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

/// The faces that run the suite: the name, and the source file of the runner.
pub const FACES: &[(&str, &str)] = &[
    ("rust", "tests/replay/tests/suite.rs"),
    ("python", "tests/python/test_recordings.py"),
    ("c", "tests/c/recordings/main.c"),
    ("cpp", "tests/c/recordings_cpp/main.cpp"),
    ("node", "bindings/node/tests/recordings.mjs"),
    ("go", "bindings/go/internal/recordings/main.go"),
    ("java", "bindings/java/src/test/java/dev/recto/recordings/Recordings.java"),
];

const BEHAVIOUR: &str = "behaviour.json";

/// A sentence about the client's behaviour.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sentence {
    /// The identifier of the sentence.
    pub id: String,
    /// The text of the sentence.
    pub sentence: String,
    /// The file that tests the sentence, if it cannot be tested with HTTP exchanges.
    #[serde(default)]
    pub held_by: Option<String>,
}

/// The coverage table: which rows are covered by scenarios, and which scenarios each face has passed.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Each row, with the scenarios that cover it.
    rows: BTreeMap<String, BTreeSet<String>>,
    /// Each row that is tested outside the suite, with the file that tests it.
    elsewhere: BTreeMap<String, String>,
    /// Each face, with the scenarios that it has passed.
    faces: BTreeMap<String, BTreeSet<String>>,
    faults: Vec<String>,
}

impl Coverage {
    /// Creates the coverage table of a suite.
    ///
    /// # Errors
    /// If the list of sentences cannot be read.
    pub fn of(suite: &Suite) -> Result<Self, String> {
        let text = std::fs::read_to_string(suite.folder.join(BEHAVIOUR))
            .map_err(|error| format!("{BEHAVIOUR}: {error}"))?;
        let sentences: Vec<Sentence> =
            serde_json::from_str(&text).map_err(|error| format!("{BEHAVIOUR}: {error}"))?;
        let mut coverage = Self::default();
        for row in endpoint_rows().into_iter().chain(operation_rows()) {
            coverage.rows.insert(row, BTreeSet::new());
        }
        let root = suite.folder.join("../..");
        for sentence in &sentences {
            coverage.rows.insert(behaviour_row(&sentence.id), BTreeSet::new());
            if let Some(place) = &sentence.held_by {
                coverage.faults.extend(place_fault(&sentence.id, place, &root));
                coverage.elsewhere.insert(behaviour_row(&sentence.id), place.clone());
            }
        }
        for scenario in &suite.scenarios {
            for row in rows_of(scenario) {
                match coverage.rows.get_mut(&row) {
                    Some(covering) => {
                        covering.insert(scenario.id.clone());
                    }
                    None if row.starts_with("behaviour") => {
                        coverage.faults.push(format!("{}: unknown sentence {row:?}", scenario.id))
                    }
                    None => {}
                }
            }
        }
        Ok(coverage)
    }

    /// Adds a face with the scenarios that it has passed.
    pub fn add_face(&mut self, name: &str, passed: BTreeSet<String>) {
        self.faces.insert(name.to_owned(), passed);
    }

    /// The rows that no scenario covers, or for which a face has not passed a scenario.
    pub fn holes(&self) -> Vec<String> {
        let mut holes = self.faults.clone();
        for (row, covering) in &self.rows {
            if covering.is_empty() && !self.elsewhere.contains_key(row) {
                holes.push(format!("no scenario covers {row}"));
            }
            for (face, passed) in &self.faces {
                let missing = covering.difference(passed).count();
                if missing > 0 {
                    holes.push(format!("{face} has not passed {missing} of the scenarios that cover {row}"));
                }
            }
        }
        holes
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rows.keys().map(String::len).max().unwrap_or(0);
        write!(f, "{:width$}  scenarios", "covered")?;
        self.faces.keys().try_for_each(|face| write!(f, "  {face:>8}"))?;
        writeln!(f)?;
        for (row, covering) in &self.rows {
            write!(f, "{row:width$}  {:>9}", covering.len())?;
            for passed in self.faces.values() {
                write!(f, "  {:>8}", covering.intersection(passed).count())?;
            }
            writeln!(
                f,
                "{}",
                self.elsewhere.get(row).map_or(String::new(), |place| format!("  tested in {place}"))
            )?;
        }
        Ok(())
    }
}

const ENDPOINTS: &[(&str, &str)] = &[
    ("POST", "/v1/files/upload/fromLocal"),
    ("PUT", "{uploadUrl}"),
    ("POST", "/v1/files/upload/fromUrl"),
    ("POST", "/v1-beta/files/upload/fromUrl"),
    ("GET", "/v1/files"),
    ("GET", "/v1/files?onlyResultFiles=true"),
    ("GET", "/v1/files/{fileId}"),
    ("DELETE", "/v1/files/{fileId}"),
    ("GET", "/v1/operations/{operationId}/result"),
    ("GET", "{outputFile.url}"),
];

fn endpoint_rows() -> Vec<String> {
    let operations =
        OperationKind::ALL.iter().flat_map(|kind| std::iter::once(kind.path()).chain(kind.beta_path()));
    let operations = operations.map(|path| ("POST", path));
    ENDPOINTS
        .iter()
        .copied()
        .chain(operations)
        .map(|(method, path)| format!("endpoint {method} {path}"))
        .collect()
}

fn operation_rows() -> Vec<String> {
    let mut rows = Vec::new();
    for kind in OperationKind::ALL {
        let name = kind.name();
        rows.extend(
            ["(main job)", "(refuses other inputs)", "(refuses an unknown option)"]
                .map(|what| format!("operation {name} {what}")),
        );
        if kind.fields().iter().all(|field| field.need != Need::Required) {
            rows.push(format!("operation {name} (no option)"));
        }
        for field in kind.fields() {
            rows.push(format!("operation {name} {}", field.path));
            rows.push(format!("operation {name} {} (refused)", field.path));
        }
    }
    rows
}

fn behaviour_row(id: &str) -> String {
    format!("behaviour {id}")
}

fn place_fault(id: &str, place: &str, root: &Path) -> Option<String> {
    (!root.join(place).exists()).then(|| format!("behaviour {id}: its heldBy file {place} does not exist"))
}

fn rows_of(scenario: &Scenario) -> BTreeSet<String> {
    let mut rows: BTreeSet<String> = scenario.shows.iter().map(|id| behaviour_row(id)).collect();
    for exchange in &scenario.exchanges {
        let (Some(method), Some(path)) = (&exchange.request.method, &exchange.request.path) else { continue };
        rows.insert(format!("endpoint {method} {}", template(method, path)));
        let kind =
            OperationKind::ALL.iter().find(|kind| kind.path() == path || kind.beta_path() == Some(path));
        let (Some(kind), Some(body)) = (kind, &exchange.request.json) else { continue };
        match body.get("options") {
            None => drop(rows.insert(format!("operation {} (no option)", kind.name()))),
            Some(options) => rows.extend(
                leaves("", options).into_iter().map(|path| format!("operation {} {path}", kind.name())),
            ),
        }
    }
    rows.extend(call_rows(scenario));
    rows
}

/// The rows that the calls of a scenario cover. A refused call covers the row for invalid options or inputs; a
/// successful call covers the row for the main job.
fn call_rows(scenario: &Scenario) -> Vec<String> {
    let mut rows = Vec::new();
    let starts = scenario.call.0.iter().zip(&scenario.expect.0).filter(|(call, _)| call.op == Op::Start);
    for (call, expect) in starts {
        let operation = call.operation.as_deref().unwrap_or_default();
        let refused = expect.error.as_ref().filter(|error| error.kind == "InvalidRequest");
        let message_has = refused.map_or(&[][..], |error| &error.message_has);
        if message_has.iter().any(|text| text.contains(".xyz")) {
            rows.push(format!("operation {operation} (refuses other inputs)"));
        } else if message_has.iter().any(|text| text == "colour") {
            rows.push(format!("operation {operation} (refuses an unknown option)"));
        } else if let Some(kind) =
            OperationKind::ALL.iter().find(|kind| kind.name() == operation && refused.is_some())
        {
            let named = |field: &&recto_interface::Field| {
                message_has.iter().any(|text| text == field.path)
                    || field.path.split_once('.').is_some_and(|(parent, name)| {
                        message_has.len() >= 2 && message_has[0] == parent && message_has[1] == name
                    })
            };
            rows.extend(
                kind.fields()
                    .iter()
                    .filter(named)
                    .map(|field| format!("operation {operation} {} (refused)", field.path)),
            );
        }
        let goes_up =
            scenario.exchanges.iter().any(|exchange| exchange.request.method.as_deref() == Some("PUT"));
        let ends = scenario.call.0.iter().any(|call| matches!(call.op, Op::Save | Op::Wait));
        if goes_up && ends && refused.is_none() {
            rows.push(format!("operation {operation} (main job)"));
        }
    }
    rows
}

fn template(method: &str, path: &str) -> String {
    let known = ENDPOINTS.iter().any(|(other, template)| *other == method && *template == path);
    match path.strip_prefix("/v1/") {
        _ if known => path.to_owned(),
        _ if method == "PUT" => "{uploadUrl}".to_owned(),
        Some(rest) if rest.starts_with("operations/") && rest.ends_with("/result") => {
            "/v1/operations/{operationId}/result".to_owned()
        }
        Some(rest) if rest.starts_with("files/") && rest.matches('/').count() == 1 => {
            "/v1/files/{fileId}".to_owned()
        }
        Some(_) => path.to_owned(),
        None if method == "GET" && path.starts_with("/d/") => "{outputFile.url}".to_owned(),
        None => path.to_owned(),
    }
}

fn leaves(prefix: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let paths = fields.iter().map(|(name, value)| {
                leaves(&if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") }, value)
            });
            paths.flatten().collect()
        }
        _ => vec![prefix.to_owned()],
    }
}
