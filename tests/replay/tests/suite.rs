//! Runs every recording as one test through the public API of `recto`, and prints the coverage table.
//!
//! `cargo test -p recto-replay --test suite -- start.` runs the scenarios of one area; `--list` prints the ids.

#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // Tests state what they expect.

use libtest_mimic::{Arguments, Trial};
use recto_replay::coverage::{Coverage, FACES};
use recto_replay::run::Prepared;
use recto_replay::server::Certificates;
use recto_replay::{Outcome, Run, Scenario, Suite, interpret};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// This variable is set in the child process that runs a scenario with environment variables.
const CHILD: &str = "RECTO_REPLAY_CHILD";
/// How many scenarios run at the same time: more than the machine has cores, because scenarios mostly wait.
const AT_ONCE: usize = 12;

static RUNTIME: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| tokio::runtime::Runtime::new().unwrap());
/// The log of all scenarios together. Each scenario has its own secrets.
static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_ansi(false)
        .with_writer(|| Log)
        .init();
    if std::env::var_os(CHILD).is_some() {
        return child();
    }
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(AT_ONCE);
    let suite = Arc::new(Suite::load(&Suite::default_folder()).unwrap_or_else(|faults| panic!("{faults}")));
    let certificates = Arc::new(Certificates::make().unwrap());
    let passed = Arc::new(Mutex::new(BTreeSet::new()));
    let trials = suite.scenarios.iter().map(|scenario| {
        let (suite, scenario, certificates, passed) =
            (Arc::clone(&suite), scenario.clone(), Arc::clone(&certificates), Arc::clone(&passed));
        Trial::test(scenario.id.clone(), move || {
            play(&suite, &scenario, &certificates)?;
            passed.lock().unwrap().insert(scenario.id);
            Ok(())
        })
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    let is_whole = conclusion.num_filtered_out == 0 && !arguments.list;
    let no_holes = !is_whole || covers(&suite, std::mem::take(&mut passed.lock().unwrap()));
    if no_holes { conclusion.exit_code() } else { ExitCode::FAILURE }
}

fn play(suite: &Suite, scenario: &Scenario, certificates: &Certificates) -> Result<(), String> {
    let logged = log().len();
    let run = {
        let _context = RUNTIME.enter();
        Run::start(suite, scenario, certificates).map_err(|error| error.to_string())?
    };
    let mut outcome = if run.prepared().client.environment.is_empty() {
        interpret::interpret(run.prepared())
    } else {
        in_child(run.prepared())?
    };
    outcome.log.push_str(&String::from_utf8_lossy(&log()[logged..]));
    let verdict = run.finish(&outcome);
    if verdict.is_pass() { Ok(()) } else { Err(verdict.report()) }
}

fn covers(suite: &Suite, passed: BTreeSet<String>) -> bool {
    let mut coverage = Coverage::of(suite).unwrap_or_else(|error| panic!("{error}"));
    coverage.add_face("rust", passed);
    println!("{coverage}");
    let mut holes = coverage.holes();
    let root = suite.folder.join("../..");
    let runners = FACES.iter().filter(|(_, runner)| !root.join(runner).is_file());
    holes.extend(runners.map(|(face, runner)| format!("{face} has no runner at {runner}")));
    holes.iter().for_each(|hole| println!("not covered: {hole}"));
    holes.is_empty()
}

/// Makes the calls in a separate process with the environment of the scenario, because all threads of this process
/// share one environment.
fn in_child(prepared: &Prepared) -> Result<Outcome, String> {
    let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
    command.env(CHILD, "1").envs(&prepared.client.environment).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let mut stdin = child.stdin.take().ok_or("no standard input")?;
    stdin.write_all(&serde_json::to_vec(prepared).unwrap()).map_err(|error| error.to_string())?;
    drop(stdin);
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("the child ended with {}: {error}", output.status))
}

fn child() -> ExitCode {
    let prepared: Prepared = serde_json::from_reader(std::io::stdin()).unwrap();
    let mut outcome = interpret::interpret(&prepared);
    outcome.log.push_str(&String::from_utf8_lossy(&log()));
    println!("{}", serde_json::to_string(&outcome).unwrap());
    ExitCode::SUCCESS
}

struct Log;

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        log().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn log() -> std::sync::MutexGuard<'static, Vec<u8>> {
    LOG.lock().unwrap_or_else(PoisonError::into_inner)
}
