//! Runs operations on every document below some folders. Each document is processed in a separate process.
//!
//! ```sh
//! cargo run --release -p recto-benches --bin sweep -- \
//!     [-o OPERATION[=OPTIONS]]... [-k FOLDER] [-s SECONDS] FOLDER...
//! ```
//!
//! For each run, a line is written to standard output: document, operation, outcome, seconds, peak memory in MiB, and
//! message. At the end, a table is written to standard error. Without `-o`, a document is passed to each operation of
//! the list `OPERATIONS` that accepts its extension. `-k` keeps the result files in a folder. A run is ended if it
//! takes longer than `-s` seconds (default: 30) or more than 6 GiB of memory. A run in which a panic occurs has the
//! outcome `PANIC`, even if the engine catches the panic.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr)]

use recto_benches::process;
use recto_engine::{Cancel, EngineError, Input, Job, Limits, Output, run};
use recto_interface::{OperationKind, Options};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The operations that run if the command line names none, with valid options.
const OPERATIONS: &[&str] = &[
    "pdf-to-jpeg",
    "pdf-to-png",
    "pdf-to-tiff",
    "pdf-to-tiff-fax",
    "image-to-pdf",
    "doc-to-pdf",
    "presentation-to-pdf",
    "spreadsheet-to-pdf",
    r#"encrypt={"password":"sweep"}"#,
    "decrypt",
    r#"stamp-text={"text":"Seen","margin":{"top":1,"right":1,"unit":"cm"}}"#,
    r#"stamp-watermark={"text":"Seen"}"#,
    r#"stamp-barcode={"type":"code128","value":"Seen-1"}"#,
    r#"stamp-data-matrix={"value":"Seen-1"}"#,
    r#"stamp-qr={"value":"Seen-1"}"#,
];

/// The largest address space of the process of one document, in KiB.
const MEMORY: u64 = 6 << 20;

fn main() -> Outcome<()> {
    let mut settings = Settings { operations: Vec::new(), keep: None, seconds: 30 };
    let mut folders = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "-o" => settings.operations.push(value()?),
            "-k" => settings.keep = Some(value()?.into()),
            "-s" => settings.seconds = value()?.parse()?,
            "--one" => {
                let path = value()?;
                return one_document(Path::new(&path), &settings);
            }
            _ => folders.push(PathBuf::from(&argument)),
        }
    }
    if settings.operations.is_empty() {
        settings.operations = OPERATIONS.iter().map(|operation| (*operation).to_owned()).collect();
    }
    let mut files = Vec::new();
    folders.iter().try_for_each(|folder| collect(folder, &mut files))?;
    let mut table: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for file in &files {
        for run in outcomes_of(file, &settings)? {
            println!("{}\t{run}", file.display());
            let mut fields = run.split('\t');
            let (operation, outcome) = (fields.next().unwrap_or(""), fields.next().unwrap_or(""));
            *table.entry(operation.to_owned()).or_default().entry(outcome.to_owned()).or_default() += 1;
        }
    }
    report(&table);
    Ok(())
}

struct Settings {
    operations: Vec<String>,
    keep: Option<PathBuf>,
    seconds: u64,
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Outcome<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<Outcome<_>>()?;
    entries.sort();
    entries.iter().try_for_each(|entry| collect(entry, files))
}

fn kind(operation: &str) -> Outcome<OperationKind> {
    let name = operation.split('=').next().unwrap_or(operation);
    Ok(name.parse()?)
}

/// Runs all operations on one document in a child process. Returns one line for each run: the line that the process
/// printed, or the way in which the process ended (killed after the time limit, out of memory, or died).
fn outcomes_of(file: &Path, settings: &Settings) -> Outcome<Vec<String>> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let takes = |operation: &&String| kind(operation).is_ok_and(|kind| kind.accepts_name(&name));
    let mut left: VecDeque<&String> = settings.operations.iter().filter(takes).collect();
    let mut runs = Vec::new();
    while !left.is_empty() {
        let mut command = Command::new("sh");
        command.args(["-c", r#"ulimit -v "$0" && exec "$@""#, &MEMORY.to_string()]);
        command.arg(std::env::current_exe()?);
        for operation in &left {
            command.arg("-o").arg(operation);
        }
        if let Some(keep) = &settings.keep {
            command.arg("-k").arg(keep);
        }
        command.args(["-s", &settings.seconds.to_string(), "--one"]).arg(file);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (sender, lines) = channel();
        let said = child.stdout.take().ok_or("no output")?;
        thread::spawn(move || {
            BufReader::new(said).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let complaints = child.stderr.take().ok_or("no output")?;
        let complaints = thread::spawn(move || {
            BufReader::new(complaints).lines().map_while(Result::ok).last().unwrap_or_default()
        });
        // The engine itself ends a job after the time limit. If the engine does not, the process is killed 5 s later.
        let patience = Duration::from_secs(settings.seconds + 5);
        let ended = loop {
            match lines.recv_timeout(patience) {
                Ok(line) => {
                    left.pop_front();
                    runs.push(line);
                }
                Err(RecvTimeoutError::Timeout) => {
                    child.kill()?;
                    break "TIMEOUT";
                }
                Err(RecvTimeoutError::Disconnected) => break "DIED",
            }
        };
        let status = child.wait()?;
        let complaint = complaints.join().unwrap_or_default();
        if let Some(operation) = left.pop_front() {
            let memory = complaint.contains("memory allocation");
            let ended = if memory { "MEMORY" } else { ended };
            let name = operation.split('=').next().unwrap_or(operation);
            runs.push(format!("{name}\t{ended}\t\t\t{status}: {complaint}"));
        }
    }
    Ok(runs)
}

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// Runs the operations on one document, and prints the line of each run as soon as the run has ended.
fn one_document(file: &Path, settings: &Settings) -> Outcome<()> {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |about| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        usual(about);
    }));
    let bytes = std::fs::read(file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    for operation in &settings.operations {
        let kind = kind(operation)?;
        let json =
            operation.split_once('=').map_or(Ok(Value::Null), |(_, json)| serde_json::from_str(json))?;
        let options = Options::from_json(kind, &json)?;
        let limits = Limits { time: Duration::from_secs(settings.seconds), ..Limits::default() };
        let job = Job::new(limits, Cancel::default());
        // If the kernel cannot reset the peak memory, the printed peak is the highest of all runs so far.
        let _ = process::forget_peak();
        let began = Instant::now();
        let panics = PANICS.load(Ordering::Relaxed);
        let made =
            catch_unwind(AssertUnwindSafe(|| run(&options, Input { bytes: &bytes, name: &name }, &job)));
        let seconds = began.elapsed().as_secs_f64();
        let (mut outcome, message) = match &made {
            Ok(Ok(Output::File(file))) => ("ok", file.notes.join("; ")),
            Ok(Ok(Output::Report(report))) => ("ok", report.conformance.clone().unwrap_or_default()),
            Ok(Err(EngineError::Limit { what: "time", .. })) => ("time", String::new()),
            Ok(Err(error)) => (error.code(), error.to_string()),
            Err(_) => ("PANIC", String::new()),
        };
        if PANICS.load(Ordering::Relaxed) > panics {
            outcome = "PANIC";
        }
        if let (Some(folder), Ok(Ok(Output::File(made)))) = (&settings.keep, &made) {
            std::fs::create_dir_all(folder)?;
            std::fs::write(folder.join(format!("{name}.{}.{}", kind.name(), made.extension)), &made.bytes)?;
        }
        let peak = process::peak() >> 20;
        let message = message.replace(['\t', '\n', '\r'], " ");
        println!("{}\t{outcome}\t{seconds:.3}\t{peak}\t{message}", kind.name());
        std::io::stdout().flush()?;
    }
    // `exit` does not wait for threads that are still rendering.
    std::process::exit(0);
}

fn report(table: &BTreeMap<String, BTreeMap<String, usize>>) {
    let mut outcomes: Vec<&String> = table.values().flat_map(BTreeMap::keys).collect();
    outcomes.sort();
    outcomes.dedup();
    let row = |cells: Vec<String>| eprintln!("| {} |", cells.join(" | "));
    let names = outcomes.iter().map(|outcome| (*outcome).clone());
    row(std::iter::once("operation".to_owned()).chain(names).collect());
    eprintln!("{}|", "|---".repeat(outcomes.len() + 1));
    for (operation, counts) in table {
        let counts =
            outcomes.iter().map(|outcome| counts.get(*outcome).map_or(String::new(), usize::to_string));
        row(std::iter::once(operation.clone()).chain(counts).collect());
    }
}
