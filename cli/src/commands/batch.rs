//! Runs one operation on many documents.

use crate::args::{FROM_TOKEN, extra};
use crate::exit::{self, Failure};
use crate::inputs::{self, is_standard_stream};
use crate::report::progress::BatchBar;
use crate::report::{self, outcome};
use crate::{connect, interrupt, output};
use clap::ArgMatches;
use recto::{BatchBuilder, BatchItem, Call, Done, ErrorKind};
use recto_interface::{OperationKind, Options};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Whether the command line requests a batch: the inputs are several paths, a folder or a pattern, or a flag for
/// batches is given.
pub fn is_requested(matches: &ArgMatches) -> bool {
    let inputs: Vec<PathBuf> = matches.get_many("input").into_iter().flatten().cloned().collect();
    let has_batch_flag = matches.get_one::<PathBuf>("journal").is_some() || matches.get_flag("dry-run");
    let is_document = matches.get_one::<String>(FROM_TOKEN).is_some();
    !is_document && (inputs::are_many(&inputs) || has_batch_flag)
}

pub fn run(kind: OperationKind, options: Options, matches: &ArgMatches) -> Result<u8, Failure> {
    let given: Vec<PathBuf> = matches.get_many("input").into_iter().flatten().cloned().collect();
    if given.iter().any(|input| is_standard_stream(input)) {
        return Err(Failure::usage(
            "standard input cannot be part of a batch: process it in a command of its own",
        ));
    }
    let extra_options = extra::options(matches).map_err(Failure::usage)?;
    let output = matches.try_get_one::<PathBuf>("output").ok().flatten().map(PathBuf::as_path);
    let recursive = matches.get_flag("recursive");
    let documents = inputs::documents(kind, &given, recursive, output)?;
    output.map_or(Ok(()), check_folder)?;
    if matches.get_flag("dry-run") {
        return Ok(dry_run(kind, &documents, output, matches));
    }
    let client = connect::client(matches)?;
    let deadline = connect::timeout(matches)?.and_then(|timeout| Instant::now().checked_add(timeout));
    let is_late = move || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let call = Call::new().cancel(&interrupt::cancel());
    let call = call.tick(move || if is_late() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
    let batch = client.batch(options).extra_options(extra_options);
    let batch = configure(batch, output, documents.root.as_deref(), matches);
    let total = documents.paths.len();
    let mut batch = batch.run(documents.paths)?;
    let bar = BatchBar::new(total, matches);
    let mut counts = Counts::default();
    let ended = loop {
        match batch.next_item(&call) {
            Ok(Some(item)) => bar.suspend(|| counts.report(&item, bar.is_visible(), matches)),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
        bar.advance(counts.failed);
    };
    bar.finish();
    if !matches.get_flag("quiet") && !matches.get_flag("json") {
        report::note(&counts.summary(total));
    }
    match ended {
        Err(_) if is_late() => {
            Err(Failure::timeout("the time limit expired before all documents were processed"))
        }
        Err(error) => Err(error.into()),
        Ok(()) => Ok(counts.exit_code()),
    }
}

/// Applies the command line's flags for batches to `batch`.
fn configure(
    batch: BatchBuilder,
    output: Option<&Path>,
    root: Option<&Path>,
    matches: &ArgMatches,
) -> BatchBuilder {
    let mut batch = batch
        .stop_on_error(matches.get_flag("stop-on-error"))
        .delete_after(output::deletes(matches))
        .force(matches.get_flag("force"))
        .overwrite(output::may_overwrite(matches));
    if let Some(output) = output {
        batch = batch.to(output);
    }
    if let Some(root) = root {
        batch = batch.relative_to(root);
    }
    if let Some(jobs) = matches.get_one::<u16>("jobs") {
        batch = batch.concurrency(usize::from(*jobs));
    }
    if let Some(journal) = matches.get_one::<PathBuf>("journal") {
        batch = batch.journal(journal);
    }
    batch
}

/// Checks that `output` can be the folder of the results. A missing folder is not an error, because it is created
/// later. But a missing folder whose name looks like a file name is an error, because the user probably meant a file.
fn check_folder(output: &Path) -> Result<(), Failure> {
    let wrong = |why: &str| {
        let shown = inputs::label(output);
        Failure::usage(format!(
            "{shown} {why}: give a folder for the results of several documents, as in -o out/"
        ))
    };
    if is_standard_stream(output) {
        return Err(wrong("is standard output"));
    }
    if inputs::is_address(output) {
        return Err(wrong("is an address"));
    }
    if output.exists() && !output.is_dir() {
        return Err(wrong("is a file"));
    }
    if !output.exists() && output.extension().is_some_and(|extension| extension.len() <= 4) {
        return Err(wrong("looks like the name of a file"));
    }
    Ok(())
}

/// Prints what a batch would do, and which documents the batch could not process.
fn dry_run(
    kind: OperationKind,
    documents: &inputs::Documents,
    output: Option<&Path>,
    matches: &ArgMatches,
) -> u8 {
    let mut code = exit::OK;
    for path in &documents.paths {
        let shown = inputs::label(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let problem = match std::fs::File::open(path) {
            _ if inputs::is_address(path) => None,
            Err(error) => Some((exit::FILE, exit::io_reason(&error))),
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

/// How many documents had each outcome.
#[derive(Default)]
pub struct Counts {
    done: usize,
    /// The documents that an earlier run with the same journal has processed.
    resumed: usize,
    not_conforming: usize,
    failed: usize,
    /// The exit code of the first failure, which becomes the exit code of the batch.
    failure_code: u8,
}

impl Counts {
    /// Prints the outcome of one document, and adds the document to the counts. While a progress bar is visible, only
    /// documents with a problem get a line.
    pub fn report(&mut self, item: &BatchItem, has_bar: bool, matches: &ArgMatches) {
        let source = item.source.display().to_string();
        match &item.outcome {
            Ok(done) => {
                if done.resumed {
                    self.resumed += 1
                } else {
                    self.done += 1
                }
                let conforms = done.validation.as_ref().map(|report| report.is_conforming == Some(true));
                self.not_conforming += usize::from(conforms == Some(false));
                if !has_bar || conforms == Some(false) {
                    print_done(&source, item.moved_to.as_deref().unwrap_or(&item.source), done, matches);
                }
            }
            Err(error) => {
                let mut failure = Failure::of(error, &source);
                let moved_to = item.moved_to.as_deref().map(|path| path.display().to_string());
                if let Some(path) = &moved_to {
                    failure.message.push_str(&format!(" (moved to {path})"));
                }
                if self.failed == 0 {
                    self.failure_code = failure.code;
                }
                self.failed += 1;
                if matches.get_flag("json") {
                    let mut outcome = json!({"input": source, "error": error.kind().name(),
                        "message": error.message(), "operationId": error.operation_id()});
                    if let Some(path) = moved_to {
                        outcome["movedTo"] = Value::from(path);
                    }
                    report::json(&outcome);
                } else {
                    report::failure(&failure);
                }
            }
        }
        if let Some(error) = &item.left_behind {
            let what = match error.kind() {
                ErrorKind::Io => "",
                _ => "its files could not be deleted from the service: ",
            };
            report::warning(&format!("{source}: {what}{}", error.message()));
        }
    }

    fn summary(&self, total: usize) -> String {
        let documents = if total == 1 { "document" } else { "documents" };
        let mut summary = format!("{total} {documents}: {} done", self.done);
        let others = [
            (self.resumed, "done before"),
            (self.not_conforming, "not conforming"),
            (self.failed, "failed"),
            (total.saturating_sub(self.done + self.resumed + self.failed), "not tried"),
        ];
        for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
            summary.push_str(&format!(", {count} {what}"));
        }
        summary
    }

    /// The counts of a watch, in which a document that is tried again fails several times.
    pub fn summary_of_watch(&self) -> String {
        let failed = if self.failed == 1 { "attempt" } else { "attempts" };
        format!("{} done, {} failed {failed}", self.done + self.resumed, self.failed)
    }

    fn exit_code(&self) -> u8 {
        if self.failed > 0 {
            self.failure_code
        } else if self.not_conforming > 0 {
            exit::FAILED
        } else {
            exit::OK
        }
    }
}

/// Prints the outcome of a document that succeeded.
fn print_done(label: &str, source: &Path, done: &Done, matches: &ArgMatches) {
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
        return report::json(&outcome);
    }
    if matches.get_flag("quiet") {
        return;
    }
    if let Some(report) = &done.validation {
        return outcome::print_validation(label, report);
    }
    let was = if done.resumed {
        "done before".to_owned()
    } else {
        format!("was {}", report::size(before.unwrap_or(0)))
    };
    match (&done.path, after) {
        (Some(path), Some(after)) => {
            report::line(&format!("{}: {} ({was})", relative_to_here(path).display(), report::size(after)));
        }
        _ => report::line(&format!("{label}: done")),
    }
}

/// The path relative to the working directory. A path that is not below the working directory is returned without
/// change.
fn relative_to_here(path: &Path) -> &Path {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path)
}
