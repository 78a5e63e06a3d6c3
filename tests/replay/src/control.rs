//! The control connection: a runner in any programming language uses it to play scenarios. It carries lines of JSON
//! over a loopback socket.
//!
//! ```text
//! -> {"do": "list"}
//! <- {"scenarios": ["files.get", ...]}
//! -> {"do": "start", "id": "files.get"}
//! <- {"run": 1, "id": "files.get", "client": {...}, "calls": [{...}]}
//! -> {"do": "finish", "run": 1, "outcome": {"steps": [{"ok": {...}, "elapsedMs": 3}], "log": ""}}
//! <- {"pass": true, "report": "..."}
//! ```
//! The reply to an invalid line is `{"fault": "..."}`. Connections are independent: to play several scenarios at the
//! same time, a runner opens several connections, or starts several runs on one connection.

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

/// A request that a runner sends.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase", deny_unknown_fields)]
enum Request {
    List,
    Start { id: String },
    Finish { run: u64, outcome: Outcome },
}

/// The reply to a request of a runner.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Reply {
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

/// Plays scenarios for runners, and keeps the result of each scenario.
#[derive(Debug)]
pub struct Control {
    suite: Suite,
    certificates: Certificates,
    runs: Mutex<BTreeMap<u64, Run>>,
    verdicts: Mutex<BTreeMap<String, Verdict>>,
    next: AtomicU64,
}

impl Control {
    /// Creates the control for a suite.
    ///
    /// # Errors
    /// If the certificates cannot be created.
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

    /// The suite that is played.
    pub fn suite(&self) -> &Suite {
        &self.suite
    }

    /// The scenarios that no runner has passed, with a report for each of them. Scenarios that were not run are
    /// included.
    pub fn open(&self) -> BTreeMap<String, String> {
        let verdicts = lock(&self.verdicts);
        let open = self.suite.scenarios.iter().filter_map(|scenario| match verdicts.get(&scenario.id) {
            None => Some((scenario.id.clone(), format!("{}\n  - was not run\n", scenario.id))),
            Some(verdict) if !verdict.is_pass() => Some((scenario.id.clone(), verdict.report())),
            Some(_) => None,
        });
        open.collect()
    }

    /// Listens on a free loopback port until the returned future is dropped.
    ///
    /// # Errors
    /// If no port is available.
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

    fn answer(&self, line: &str) -> Reply {
        match serde_json::from_str(line) {
            Err(error) => Reply::Fault { fault: format!("not a request: {error}") },
            Ok(Request::List) => Reply::List {
                scenarios: self.suite.scenarios.iter().map(|scenario| scenario.id.clone()).collect(),
            },
            Ok(Request::Start { id }) => {
                self.start(&id).unwrap_or_else(|error| Reply::Fault { fault: error.to_string() })
            }
            Ok(Request::Finish { run, outcome }) => self.finish(run, &outcome),
        }
    }

    fn start(&self, id: &str) -> Result<Reply, Box<dyn std::error::Error + Send + Sync>> {
        let scenario = self.suite.get(id).ok_or_else(|| format!("unknown scenario {id:?}"))?;
        let run = Run::start(&self.suite, scenario, &self.certificates)?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let prepared = run.prepared().clone();
        lock(&self.runs).insert(number, run);
        Ok(Reply::Started { run: number, prepared: Box::new(prepared) })
    }

    fn finish(&self, run: u64, outcome: &Outcome) -> Reply {
        let Some(run) = lock(&self.runs).remove(&run) else {
            return Reply::Fault { fault: format!("unknown run {run}") };
        };
        let verdict = run.finish(outcome);
        let answer = Reply::Finished {
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
