//! How a runner in any language plays scenarios: lines of JSON over a loopback connection.
//!
//! ```text
//! -> {"do": "list"}
//! <- {"scenarios": ["files.get", ...]}
//! -> {"do": "start", "id": "files.get"}
//! <- {"run": 1, "id": "files.get", "client": {...}, "calls": [{...}]}
//! -> {"do": "finish", "run": 1, "outcome": {"steps": [{"ok": {...}, "elapsedMs": 3}], "log": ""}}
//! <- {"pass": true, "report": "..."}
//! ```
//! A fault of the runner's own is answered with `{"fault": "..."}`. Connections are independent: a runner that
//! plays several scenarios at once opens several, or starts several on one.

use crate::load::Suite;
use crate::outcome::Outcome;
use crate::run::{Prepared, Run, Verdict};
use crate::server::Certificates;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What a runner asks.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase", deny_unknown_fields)]
enum Ask {
    List,
    Start { id: String },
    Finish { run: u64, outcome: Outcome },
}

/// What it is answered.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Answer {
    List {
        scenarios: Vec<String>,
    },
    Started {
        run: u64,
        #[serde(flatten)]
        prepared: Box<Prepared>,
    },
    Finished {
        pass: bool,
        report: String,
    },
    Fault {
        fault: String,
    },
}

/// Plays scenarios for runners, and remembers how each ended.
#[derive(Debug)]
pub struct Control {
    suite: Suite,
    certificates: Certificates,
    runs: Mutex<BTreeMap<u64, Run>>,
    verdicts: Mutex<BTreeMap<String, Verdict>>,
    next: AtomicU64,
}

impl Control {
    /// A control over a suite.
    ///
    /// # Errors
    /// When no certificates can be made.
    pub fn new(suite: Suite) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let certificates = Certificates::make()?;
        Ok(Self {
            suite,
            certificates,
            runs: Mutex::default(),
            verdicts: Mutex::default(),
            next: AtomicU64::new(1),
        })
    }

    /// The suite.
    pub fn suite(&self) -> &Suite {
        &self.suite
    }

    /// The scenarios that no runner has passed, with what is known of each: the suite has no skips.
    pub fn open(&self) -> BTreeMap<String, String> {
        let verdicts = lock(&self.verdicts);
        let open = self.suite.scenarios.iter().filter_map(|scenario| match verdicts.get(&scenario.id) {
            None => Some((scenario.id.clone(), format!("{}\n  - was not run\n", scenario.id))),
            Some(verdict) if !verdict.is_pass() => Some((scenario.id.clone(), verdict.report())),
            Some(_) => None,
        });
        open.collect()
    }

    /// Listens on a free port of the loopback until the future is dropped.
    ///
    /// # Errors
    /// When the port cannot be had.
    pub async fn listen(self: &Arc<Self>) -> std::io::Result<(SocketAddr, impl Future<Output = ()> + use<>)> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let control = Arc::clone(self);
        let serving = async move {
            while let Ok((stream, _)) = listener.accept().await {
                let control = Arc::clone(&control);
                tokio::spawn(async move { control.converse(stream).await });
            }
        };
        Ok((address, serving))
    }

    async fn converse(&self, stream: TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let (reader, mut writer) = stream.into_split();
        let mut lines = BufReader::new(reader).lines();
        while let Some(line) = lines.next_line().await? {
            let answer = self.answer(&line);
            let mut text = serde_json::to_string(&answer).unwrap_or_default();
            text.push('\n');
            writer.write_all(text.as_bytes()).await?;
        }
        Ok(())
    }

    fn answer(&self, line: &str) -> Answer {
        match serde_json::from_str(line) {
            Err(error) => Answer::Fault { fault: format!("not a request: {error}") },
            Ok(Ask::List) => Answer::List {
                scenarios: self.suite.scenarios.iter().map(|scenario| scenario.id.clone()).collect(),
            },
            Ok(Ask::Start { id }) => {
                self.start(&id).unwrap_or_else(|error| Answer::Fault { fault: error.to_string() })
            }
            Ok(Ask::Finish { run, outcome }) => self.finish(run, &outcome),
        }
    }

    fn start(&self, id: &str) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
        let scenario = self.suite.get(id).ok_or_else(|| format!("there is no scenario {id:?}"))?;
        let run = Run::start(&self.suite, scenario, &self.certificates)?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let prepared = run.prepared().clone();
        lock(&self.runs).insert(number, run);
        Ok(Answer::Started { run: number, prepared: Box::new(prepared) })
    }

    fn finish(&self, run: u64, outcome: &Outcome) -> Answer {
        let Some(run) = lock(&self.runs).remove(&run) else {
            return Answer::Fault { fault: format!("there is no run {run}") };
        };
        let verdict = run.finish(outcome);
        let answer = Answer::Finished {
            pass: verdict.is_pass(),
            report: if verdict.is_pass() { String::new() } else { verdict.report() },
        };
        lock(&self.verdicts).insert(verdict.id.clone(), verdict);
        answer
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
