//! `recto-replay`: runs the shared suite from the command line.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr)] // A command's output.

use recto_replay::check::{self, Report};
use recto_replay::control::Control;
use recto_replay::coverage::{Coverage, FACES};
use recto_replay::known::KnownFailures;
use recto_replay::scenario::OriginKind;
use recto_replay::upstream::Upstream;
use recto_replay::{Suite, format, generate, load, record as recorder};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus};
use std::sync::Arc;

const HELP: &str = "\
recto-replay: the shared suite of recorded exchanges

  recto-replay run [OPTION...] -- RUNNER [ARG...]
                                        plays the suite for a runner, which finds the control port in RECTO_REPLAY;
                                        fails unless every scenario was run and passed
      --known-failures FILE             scenarios that may fail, one on each line, with comments after #; fails if
                                        one of them passes
      --recordings FOLDER               plays the recordings in this folder instead of those of the repository
      --face NAME                       also prints the table of what the suite covers, for a face of this repository
                                        (rust, python, ...)
  recto-replay list                     prints the scenarios
  recto-replay serve                    prints the control port and plays until standard input ends
  recto-replay record ID... --at URL    makes the calls of the scenarios to a running service, whose key is in
                                        RECTO_API_KEY, and records the exchanges; without an ID, for all scenarios
                                        that were recorded before
  recto-replay fire --at URL            sends the requests of scenarios with origin.service to a running service, and
                                        prints how its responses differ from the recordings
  recto-replay check                    reads every recording and prints the errors in it
  recto-replay format                   formats every recording
  recto-replay generate                 writes the recordings that are generated from the table of operations
";

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["run", options @ ..] if options.contains(&"--") => {
            RunOptions::parse(options).and_then(|it| run(&it))
        }
        ["list"] => list(),
        ["serve"] => serve(),
        ["record", ids @ .., "--at", url] => record(ids, url),
        ["fire", "--at", url] => fire(url),
        ["check"] => suite().map(|suite| println!("{} scenarios", suite.scenarios.len())).map(|()| true),
        ["format"] => lay_out(),
        ["generate"] => write_generated(),
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("recto-replay: {error}");
            ExitCode::FAILURE
        }
    }
}

fn suite() -> Result<Suite, Failure> {
    Ok(Suite::load(&Suite::default_folder())?)
}

/// The arguments of `recto-replay run`.
struct RunOptions {
    suite: Suite,
    known: KnownFailures,
    face: Option<String>,
    runner: Vec<String>,
}

impl RunOptions {
    fn parse(mut words: &[&str]) -> Result<Self, Failure> {
        let (mut folder, mut known, mut face) = (Suite::default_folder(), String::new(), None);
        let runner = loop {
            words = match words {
                ["--recordings", given, rest @ ..] => {
                    folder = PathBuf::from(given);
                    rest
                }
                ["--known-failures", file, rest @ ..] => {
                    known = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
                    rest
                }
                ["--face", name, rest @ ..] => {
                    face = Some((*name).to_owned());
                    rest
                }
                ["--", runner @ ..] if !runner.is_empty() => break runner,
                ["--", ..] | [] => return Err("name a runner after --".into()),
                [unknown, ..] => {
                    return Err(format!("unknown option {unknown}, or its value is missing").into());
                }
            }
        };
        if let Some(face) = &face
            && !FACES.iter().any(|(known, _)| known == face)
        {
            let known: Vec<_> = FACES.iter().map(|(known, _)| *known).collect();
            return Err(format!("unknown face {face}; known faces: {}", known.join(", ")).into());
        }
        let suite = Suite::load(&folder)?;
        let known = KnownFailures::parse(&known, &suite)?;
        Ok(Self { suite, known, face, runner: runner.iter().map(|word| (*word).to_owned()).collect() })
    }
}

/// Plays the suite for a runner in another programming language.
fn run(options: &RunOptions) -> Result<bool, Failure> {
    let control = Arc::new(Control::new(options.suite.clone())?);
    let status = play(&control, &options.runner)?;
    let open = control.open();
    let ids = control.suite().scenarios.iter().map(|scenario| scenario.id.clone());
    let passed: BTreeSet<String> = ids.filter(|id| !open.contains_key(id)).collect();
    let compared = options.known.compare(open);
    compared.new.iter().for_each(|report| print!("{report}"));
    let all = control.suite().scenarios.len();
    println!("{} of {all} scenarios passed; the runner ended with {status}", passed.len());
    if !compared.known.is_empty() {
        println!("failed as expected: {}", compared.known.join(", "));
    }
    for id in &compared.passed {
        println!("{id} passes now: remove it from the known failures");
    }
    let covered = match &options.face {
        Some(face) => covers(control.suite(), face, |id| passed.contains(id))?,
        None => true,
    };
    Ok(compared.new.is_empty() && compared.passed.is_empty() && status.success() && covered)
}

/// Starts the runner and plays scenarios until it ends.
fn play(control: &Arc<Control>, runner: &[String]) -> Result<ExitStatus, Failure> {
    let (program, arguments) = runner.split_first().ok_or("name a runner after --")?;
    tokio::runtime::Runtime::new()?.block_on(async {
        let (address, serving) = control.listen().await?;
        tokio::spawn(serving);
        let mut command = tokio::process::Command::new(program);
        Ok(command.args(arguments).env("RECTO_REPLAY", address.to_string()).status().await?)
    })
}

/// Prints the identifier of each scenario, and what it is about.
fn list() -> Result<bool, Failure> {
    let mut output = std::io::stdout().lock();
    for scenario in suite()?.scenarios {
        writeln!(output, "{}  {}", scenario.id, scenario.about)?;
    }
    Ok(true)
}

/// Prints what the suite covers for one face. Returns `false` if something is not covered.
fn covers(suite: &Suite, face: &str, passed: impl Fn(&str) -> bool) -> Result<bool, Failure> {
    let mut coverage = Coverage::of(suite)?;
    let ids = suite.scenarios.iter().map(|scenario| scenario.id.clone());
    coverage.add_face(face, ids.filter(|id| passed(id)).collect());
    println!("{coverage}");
    let holes = coverage.holes();
    holes.iter().for_each(|hole| println!("not covered: {hole}"));
    Ok(holes.is_empty())
}

fn serve() -> Result<bool, Failure> {
    let control = Arc::new(Control::new(suite()?)?);
    tokio::runtime::Runtime::new()?.block_on(async {
        let (address, serving) = control.listen().await?;
        tokio::spawn(serving);
        println!("{address}");
        // The process that started this one keeps standard input open. When standard input is closed, this process
        // ends.
        tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink())).await??;
        Ok(true)
    })
}

fn upstream(url: &str) -> Result<Upstream, Failure> {
    Upstream::new(url, &std::env::var("RECTO_API_KEY").map_err(|_| "RECTO_API_KEY is not set")?)
}

/// Records scenarios of origin `recorded` from a running service. Existing recordings are replaced.
fn record(ids: &[&str], url: &str) -> Result<bool, Failure> {
    let folder = Suite::default_folder().canonicalize()?;
    let (upstream, runtime) = (upstream(url)?, tokio::runtime::Runtime::new()?);
    let mut recorded = 0;
    for path in load::files(&folder)? {
        // A scenario that is to be recorded may have missing or wrong exchanges, so the scenario is only parsed and
        // not checked.
        let scenario = load::parse(&std::fs::read_to_string(&path)?)?;
        if scenario.origin.kind != OriginKind::Recorded
            || !(ids.is_empty() || ids.contains(&scenario.id.as_str()))
        {
            continue;
        }
        let (made, documents) = recorder::record(&scenario, &folder, &upstream, &runtime)?;
        for (document, bytes) in documents {
            std::fs::write(folder.join(document), bytes)?;
        }
        std::fs::write(&path, format::format(&serde_json::to_string(&made)?)?)?;
        println!("{}: {} exchanges", made.id, made.exchanges.len());
        recorded += 1;
    }
    Ok(recorded > 0)
}

/// Sends the requests of the scenarios to a running service, and prints whether the service conforms.
fn fire(url: &str) -> Result<bool, Failure> {
    let (suite, upstream, runtime) = (suite()?, upstream(url)?, tokio::runtime::Runtime::new()?);
    let mut conforms = true;
    for scenario in suite.scenarios.iter().filter(|scenario| scenario.origin.service) {
        match runtime.block_on(check::check(scenario, &suite.folder, &upstream))? {
            Report::Conforms => println!("{}: conforms", scenario.id),
            Report::Failed(why) => println!("{}: the operation failed: {why}", scenario.id),
            Report::Differs(differences) => {
                conforms = false;
                differences.iter().for_each(|difference| println!("{}: {difference}", scenario.id));
            }
        }
    }
    Ok(conforms)
}

fn lay_out() -> Result<bool, Failure> {
    for path in load::files(&Suite::default_folder())? {
        let text = std::fs::read_to_string(&path)?;
        let laid_out = format::format(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        if laid_out != text {
            std::fs::write(&path, laid_out)?;
        }
    }
    Ok(true)
}

fn write_generated() -> Result<bool, Failure> {
    let folder = Suite::default_folder();
    let area = folder.join(generate::AREA);
    if area.exists() {
        std::fs::remove_dir_all(&area)?;
    }
    std::fs::create_dir_all(&area)?;
    let files = generate::files()?;
    for (path, text) in &files {
        std::fs::write(folder.join(path), text)?;
    }
    println!("{} files", files.len());
    Ok(true)
}
