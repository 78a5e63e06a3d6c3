//! A run of a scenario: creates its folder, variables and origins, and returns the verdict at the end.

use crate::body::{Folders, generated};
use crate::outcome::Outcome;
use crate::scenario::{Call, ClientSettings, Exchange, Host, Scenario};
use crate::script::Script;
use crate::server::{Certificates, Origins, Play, Stage};
use crate::upstream::Failure;
use crate::variables::Variables;
use crate::{compare, load::Suite};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The input of a runner, with the values of all variables.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Prepared {
    /// The scenario's id.
    pub id: String,
    /// The settings of the client. The base URL and the key are always set, unless the scenario sets `environment`.
    pub client: ClientSettings,
    /// The calls that the runner must make, in order.
    pub calls: Vec<Call>,
}

/// The folder and variables of a run or a recording.
#[derive(Debug)]
pub(crate) struct Setup {
    /// The folders. The folder of the run is deleted when this value is dropped.
    pub(crate) folders: Folders,
    /// The variables of the run, with their values.
    pub(crate) variables: Variables,
    /// The input of the runner.
    pub(crate) prepared: Prepared,
    secrets: Vec<(&'static str, String)>,
    _folder: tempfile::TempDir,
}

impl Setup {
    /// Creates the folder of the run, its files and its variables.
    pub(crate) fn create(
        recordings: &Path,
        scenario: &Scenario,
        origins: &Origins,
        certificates: &Certificates,
    ) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("replay-").tempdir()?;
        let folders = Folders { recordings: recordings.to_owned(), run: folder.path().to_owned() };
        create_files(scenario, &folders, folder.path(), certificates)?;
        let secrets = [("signature", random()?), ("apiKey", random()?), ("password", random()?)];
        let variables = variables_of(scenario, origins, &folders, &secrets)?;
        let prepared = prepared(scenario, &variables)?;
        Ok(Self { folders, variables, prepared, secrets: secrets.into(), _folder: folder })
    }
}

/// A run that is being played.
#[derive(Debug)]
pub struct Run {
    scenario: Scenario,
    ground: Setup,
    stage: Arc<Stage>,
    _play: Play,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The scenario's id.
    pub id: String,
    /// All differences from what is expected. The run passed if there are no differences.
    pub differences: Vec<String>,
    /// The requests that the origins received, in order.
    pub requests: Vec<String>,
}

impl Verdict {
    /// Whether everything was as expected.
    pub fn is_pass(&self) -> bool {
        self.differences.is_empty()
    }

    /// The differences and the received requests, as text.
    pub fn report(&self) -> String {
        let mut text = format!("{}\n", self.id);
        for difference in &self.differences {
            let _ = writeln!(text, "  - {difference}");
        }
        let _ = writeln!(text, "  received requests:");
        for (index, request) in self.requests.iter().enumerate() {
            let _ = writeln!(text, "    {index}: {request}");
        }
        text
    }
}

impl Run {
    /// Starts the origins of a scenario. It must be called within a tokio runtime with I/O and time.
    ///
    /// # Errors
    /// If a socket or a folder cannot be created, or a body cannot be read.
    pub fn start(suite: &Suite, scenario: &Scenario, certificates: &Certificates) -> Result<Self, Failure> {
        let origins = Origins::bind()?;
        let ground = Setup::create(&suite.folder, scenario, &origins, certificates)?;
        let exchanges = resolved(&filled(&scenario.exchanges, &ground.variables)?);
        let client = &ground.prepared.client;
        let api_key = client.api_key.as_ref().or(client.environment.get("RECTO_API_KEY")).cloned();
        let script = Script::new(exchanges, api_key.unwrap_or_default());
        let stage = Arc::new(Stage { script: Mutex::new(script), folders: ground.folders.clone() });
        let play = origins.play(Arc::clone(&stage), &scenario.listen, certificates)?;
        Ok(Self { scenario: scenario.clone(), ground, stage, _play: play })
    }

    /// The input of the runner.
    pub fn prepared(&self) -> &Prepared {
        &self.ground.prepared
    }

    /// The secrets that are searched for, with the names of their variables. Only the random part of a secret is
    /// listed, because no encoding changes it.
    pub fn secrets(&self) -> &[(&'static str, String)] {
        &self.ground.secrets
    }

    /// Ends the run, and compares the outcome with what the scenario expects.
    pub fn finish(self, outcome: &Outcome) -> Verdict {
        let mut differences = Vec::new();
        let expected: Result<Vec<_>, _> = filled(&self.scenario.expect.0, &self.ground.variables);
        match expected {
            Ok(expected) => compare::calls(&expected, outcome, &mut differences),
            Err(error) => differences.push(error.to_string()),
        }
        compare::leaks(self.secrets(), outcome, &mut differences);
        let folders = &self.stage.folders;
        compare::files(
            &self.scenario.files,
            &self.ground.folders.run.join("out"),
            |name| folders.read(name),
            &mut differences,
        );
        let mut script = self.stage.script();
        script.finish();
        differences.splice(0..0, script.differences.drain(..));
        Verdict { id: self.scenario.id.clone(), differences, requests: std::mem::take(&mut script.seen) }
    }
}

fn create_files(
    scenario: &Scenario,
    folders: &Folders,
    run: &Path,
    certificates: &Certificates,
) -> Result<(), Failure> {
    for folder in ["in", "out"] {
        std::fs::create_dir(run.join(folder))?;
    }
    std::fs::write(run.join("authority.pem"), &certificates.authority)?;
    std::fs::write(run.join("client.pem"), &certificates.client)?;
    for (name, length) in &scenario.inputs {
        std::fs::write(run.join("in").join(name), generated(*length))?;
    }
    for (name, body) in &scenario.before {
        std::fs::write(run.join("out").join(name), folders.read(body)?)?;
    }
    Ok(())
}

fn variables_of(
    scenario: &Scenario,
    origins: &Origins,
    folders: &Folders,
    secrets: &[(&str, String)],
) -> Result<Variables, Failure> {
    let mut variables = Variables::default();
    for host in Host::ALL {
        variables.set(host.name(), origins.url(host, &scenario.listen));
    }
    variables.set("refused", origins.refused_url());
    for name in ["fileId", "operationId", "resultId"] {
        variables.set(name, random()?);
    }
    for (name, secret) in secrets {
        variables.set(
            name,
            match *name {
                // These characters would change if the address were encoded again.
                "signature" => format!("{secret}%2B%2f~+%20%3D"),
                "password" => format!("pass \"word\" é {secret}"),
                _ => format!("key-{secret}"),
            },
        );
    }
    for (name, folder) in
        [("in", "in"), ("out", "out"), ("caBundle", "authority.pem"), ("clientCertificate", "client.pem")]
    {
        variables.set(name, folders.run.join(folder).to_string_lossy());
    }
    variables.set("bodies", folders.recordings.join("bodies").to_string_lossy());
    for (name, value) in &scenario.variables {
        let value = variables.fill(value);
        variables.set(name, value);
    }
    Ok(variables)
}

fn prepared(scenario: &Scenario, variables: &Variables) -> Result<Prepared, serde_json::Error> {
    let mut client: ClientSettings = filled(&scenario.client, variables)?;
    if client.environment.is_empty() {
        client.base_url.get_or_insert_with(|| variables.fill("{{api}}"));
        client.api_key.get_or_insert_with(|| variables.fill("{{apiKey}}"));
    }
    Ok(Prepared { id: scenario.id.clone(), client, calls: filled(&scenario.call.0, variables)? })
}

/// Returns the same value with the values of all variables filled in.
fn filled<T: Serialize + for<'de> Deserialize<'de>>(
    value: &T,
    variables: &Variables,
) -> Result<T, serde_json::Error> {
    serde_json::from_value(variables.fill_json(&serde_json::to_value(value)?))
}

/// Returns the exchanges. In an exchange with `same`, the request is replaced by the earlier request that `same`
/// refers to.
fn resolved(exchanges: &[Exchange]) -> Vec<Exchange> {
    let mut resolved: Vec<Exchange> = Vec::with_capacity(exchanges.len());
    for exchange in exchanges {
        let mut exchange = exchange.clone();
        if let Some(earlier) = exchange.request.same.and_then(|same| resolved.get(same)) {
            let own = std::mem::replace(&mut exchange.request, earlier.request.clone());
            exchange.request.headers.extend(own.headers);
            exchange.request.forbid_headers.extend(own.forbid_headers);
        }
        resolved.push(exchange);
    }
    resolved
}

fn random() -> Result<String, Failure> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
