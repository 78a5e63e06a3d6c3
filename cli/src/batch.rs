//! One operation on many documents.

use crate::exit::{self, Failure};
use crate::progress::Overview;
use crate::{connect, inputs, operate, report};
use clap::ArgMatches;
use recto::{BatchItem, Call, Done};
use recto_interface::{OperationKind, Options};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How many documents of each outcome there were.
#[derive(Default)]
struct Count {
    done: usize,
    before: usize,
    not_conforming: usize,
    failed: usize,
    /// The exit code of the first failure.
    code: u8,
}

pub fn run(kind: OperationKind, options: Options, matches: &ArgMatches) -> Result<u8, Failure> {
    let given: Vec<PathBuf> = matches.get_many("input").into_iter().flatten().cloned().collect();
    if given.iter().any(|input| operate::is_standard(input)) {
        return Err(Failure::usage("standard input is one document; it cannot be one of many"));
    }
    let output = matches.try_get_one::<PathBuf>("output").ok().flatten();
    let recursive = matches.get_flag("recursive");
    let documents = inputs::documents(kind, &given, recursive, output.map(PathBuf::as_path))?;
    output.map_or(Ok(()), |output| may_be_folder(output))?;
    if matches.get_flag("dry-run") {
        return Ok(rehearse(kind, &documents, output, matches));
    }
    let client = connect::client(matches)?;
    let deadline = connect::timeout(matches)?.and_then(|timeout| Instant::now().checked_add(timeout));
    let is_late = move || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let call = Call::new().cancel(&crate::interrupt::cancel());
    let call = call.tick(move || if is_late() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
    let mut batch = client
        .batch(options)
        .stop_on_error(matches.get_flag("stop-on-error"))
        .delete_after(deletes(matches))
        .force(matches.get_flag("force"));
    if let Some(output) = output {
        batch = batch.to(output);
    }
    if let Some(root) = &documents.root {
        batch = batch.relative_to(root);
    }
    if let Some(jobs) = matches.get_one::<u16>("jobs") {
        batch = batch.concurrency(usize::from(*jobs));
    }
    if let Some(journal) = matches.get_one::<PathBuf>("journal") {
        batch = batch.journal(journal);
    }
    let total = documents.paths.len();
    let mut batch = batch.run(documents.paths)?;
    let overview = Overview::new(total, matches);
    let mut count = Count::default();
    let ended = loop {
        match batch.next_item(&call) {
            Ok(Some(item)) => overview.around(|| count.tell(&item, &overview, matches)),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
        overview.advance(count.failed);
    };
    overview.finish();
    if !matches.get_flag("quiet") && !matches.get_flag("json") {
        report::note(&count.summary(total));
    }
    if let Err(error) = ended {
        if is_late() {
            return Err(Failure::late("time ran out before all documents were done"));
        }
        return Err(error.into());
    }
    Ok(if count.failed > 0 {
        count.code
    } else if count.not_conforming > 0 {
        exit::FAILED
    } else {
        exit::OK
    })
}

/// The folder of the results. One that is missing is made, unless its name is that of a document.
fn may_be_folder(output: &Path) -> Result<(), Failure> {
    let wrong = |why: &str| {
        let shown = output.display();
        Failure::usage(format!(
            "{shown} {why}: the results of several documents need a folder, as in -o out/"
        ))
    };
    if operate::is_standard(output) {
        return Err(wrong("is one stream"));
    }
    if output.exists() && !output.is_dir() {
        return Err(wrong("is a file"));
    }
    if !output.exists() && output.extension().is_some_and(|extension| extension.len() <= 4) {
        return Err(wrong("reads like a file"));
    }
    Ok(())
}

/// Says what would be done, and what could not be.
fn rehearse(
    kind: OperationKind,
    documents: &inputs::Documents,
    output: Option<&PathBuf>,
    matches: &ArgMatches,
) -> u8 {
    let mut code = exit::OK;
    for path in &documents.paths {
        let shown = path.display();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let problem = match std::fs::File::open(path) {
            Err(error) => Some((exit::FILE, operate::reason(&error))),
            Ok(_) if !kind.accepts_name(&name) && !matches.get_flag("force") => {
                Some((exit::USAGE, format!("{kind} takes {}", kind.accepts().join(", "))))
            }
            Ok(_) => None,
        };
        match (problem, output) {
            (Some((problem_code, why)), _) => {
                code = problem_code;
                report::failure(&Failure { code, message: format!("{shown}: {why}") });
            }
            (None, Some(output)) => report::line(&format!("{kind}: {shown} -> {}", output.display())),
            (None, None) => report::line(&format!("{kind}: {shown}")),
        }
    }
    code
}

impl Count {
    /// Prints what became of a document, and counts it.
    fn tell(&mut self, item: &BatchItem, overview: &Overview, matches: &ArgMatches) {
        let source = item.source.display().to_string();
        match &item.outcome {
            Ok(done) => {
                if done.resumed {
                    self.before += 1
                } else {
                    self.done += 1
                }
                let conforms = done.validation.as_ref().map(|report| report.is_conforming == Some(true));
                self.not_conforming += usize::from(conforms == Some(false));
                // Who watches the overview is told of what is not as it should be.
                if !overview.is_watched() || conforms == Some(false) {
                    tell_done(&source, &item.source, done, matches);
                }
            }
            Err(error) => {
                let failure = Failure::of(error, &source);
                if self.failed == 0 {
                    self.code = failure.code;
                }
                self.failed += 1;
                if matches.get_flag("json") {
                    let outcome = json!({"input": source, "error": error.kind().name(),
                        "message": error.message(), "operationId": error.operation_id()});
                    report::line(&outcome.to_string());
                } else {
                    report::failure(&failure);
                }
            }
        }
        if let Some(error) = &item.left_behind {
            report::warning(&format!("{source}: its files are still in the service: {}", error.message()));
        }
    }

    fn summary(&self, total: usize) -> String {
        let documents = if total == 1 { "document" } else { "documents" };
        let mut summary = format!("{total} {documents}: {} done", self.done);
        let others = [
            (self.before, "done before"),
            (self.not_conforming, "not conforming"),
            (self.failed, "failed"),
            (total.saturating_sub(self.done + self.before + self.failed), "not tried"),
        ];
        for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
            summary.push_str(&format!(", {count} {what}"));
        }
        summary
    }
}

fn tell_done(label: &str, source: &Path, done: &Done, matches: &ArgMatches) {
    let before = std::fs::metadata(source).ok().map(|found| found.len());
    let after = done.path.as_deref().and_then(|path| std::fs::metadata(path).ok()).map(|found| found.len());
    if matches.get_flag("json") {
        let mut outcome = json!({"input": label, "operationId": done.operation_id, "resumed": done.resumed});
        if let Some(path) = &done.path {
            outcome["output"] = Value::from(path.display().to_string());
            (outcome["inputBytes"], outcome["outputBytes"]) = (json!(before), json!(after));
        }
        if let Some(report) = &done.validation {
            outcome["isConforming"] = json!(report.is_conforming);
            outcome["conformance"] = json!(report.conformance);
            outcome["errors"] = json!(report.errors);
        }
        return report::line(&outcome.to_string());
    }
    if matches.get_flag("quiet") {
        return;
    }
    if let Some(report) = &done.validation {
        return operate::tell_validation(label, report);
    }
    let was = if done.resumed {
        "done before".to_owned()
    } else {
        format!("was {}", report::size(before.unwrap_or(0)))
    };
    match (&done.path, after) {
        (Some(path), Some(after)) => {
            report::line(&format!("{}: {} ({was})", from_here(path).display(), report::size(after)));
        }
        _ => report::line(&format!("{label}: done")),
    }
}

/// The path from the working directory on, where it lies below it.
fn from_here(path: &Path) -> &Path {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path)
}

/// `--delete-after`, which an operation without a result file does not have.
fn deletes(matches: &ArgMatches) -> bool {
    matches.try_get_one::<bool>("delete-after").ok().flatten().copied().unwrap_or(false)
}

/// Whether the command line asks for a batch.
pub fn is_asked_for(matches: &ArgMatches) -> bool {
    let inputs: Vec<PathBuf> = matches.get_many("input").into_iter().flatten().cloned().collect();
    let of_batches = matches.get_one::<PathBuf>("journal").is_some() || deletes(matches);
    inputs::are_many(&inputs) || of_batches || matches.get_flag("dry-run")
}
