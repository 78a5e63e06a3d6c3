//! `recto watch`: runs one operation on the documents that arrive in a folder.

use super::batch::Counts;
use crate::args::extra;
use crate::exit::{self, Failure};
use crate::{connect, inputs, interrupt, output, report};
use clap::ArgMatches;
use recto::{BatchBuilder, Call, Cancel, Watch};
use recto_interface::{OperationKind, Yields};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// `matches` are those of `watch`; those of the operation have its options and the arguments of every command.
pub fn run(matches: &ArgMatches) -> Result<u8, Failure> {
    let Some((name, operation)) = matches.subcommand() else {
        return Err(Failure::usage("the name of the operation is missing: recto watch in --to out optimize"));
    };
    let kind: OperationKind = name.parse().map_err(|error| Failure::usage(format!("{error}")))?;
    let options = super::options(kind, operation)?;
    let extra_options = extra::options(operation).map_err(Failure::usage)?;
    let folder = path(matches, "folder").unwrap_or(Path::new("."));
    let to = path(matches, "to");
    if to.is_none() && kind.yields() == Yields::File {
        return Err(Failure::usage(
            "--to is missing: give the folder of the results, as in recto watch in --to out optimize",
        ));
    }
    let client = connect::client(operation)?;
    let deadline = connect::timeout(operation)?.and_then(|timeout| Instant::now().checked_add(timeout));
    let is_late = move || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let (stop, cancel) = interrupt::stop_and_cancel();
    let batch = client
        .batch(options)
        .extra_options(extra_options)
        .force(operation.get_flag("force"))
        .delete_after(output::deletes(matches))
        .until(&stop);
    let mut batch = configure(batch, to, matches).watch(watch(folder, matches))?;
    let speaks = !operation.get_flag("quiet") && !operation.get_flag("json");
    if speaks {
        let results = to.map_or_else(String::new, |to| format!(", results in {}", inputs::label(to)));
        report::note(&format!("watching {}: {kind}{results} (Ctrl-C ends)", inputs::label(folder)));
    }
    let call = call(&cancel, stop, speaks, is_late);
    let mut counts = Counts::default();
    let ended = loop {
        match batch.next_item(&call) {
            Ok(Some(item)) => counts.report(&item, false, operation),
            Ok(None) => break Ok(exit::OK),
            Err(_) if is_late() => break Err(Failure::timeout("the time limit of the watch expired")),
            Err(error) => break Err(error.into()),
        }
    };
    if speaks {
        report::note(&counts.summary_of_watch());
    }
    ended
}

/// Announces once that the watch is about to end, and cancels it at its time limit.
fn call(cancel: &Cancel, stop: Cancel, speaks: bool, is_late: impl Fn() -> bool + 'static) -> Call<'static> {
    let mut is_announced = !speaks;
    Call::new().cancel(cancel).tick(move || {
        if stop.is_triggered() && !is_announced {
            is_announced = true;
            report::note(
                "no further documents are taken; those in progress are finished (again: cancel them)",
            );
        }
        if is_late() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}

fn configure(mut batch: BatchBuilder, to: Option<&Path>, matches: &ArgMatches) -> BatchBuilder {
    if let Some(to) = to {
        batch = batch.to(to);
    }
    if let Some(jobs) = matches.get_one::<u16>("jobs") {
        batch = batch.concurrency(usize::from(*jobs));
    }
    if let Some(journal) = path(matches, "journal") {
        batch = batch.journal(journal);
    }
    batch
}

fn watch(folder: &Path, matches: &ArgMatches) -> Watch {
    let mut watch = Watch::folder(folder)
        .recursive(matches.get_flag("recursive"))
        .delete_originals(matches.get_flag("delete-originals"));
    if let Some(folder) = path(matches, "move-originals") {
        watch = watch.move_originals(folder);
    }
    if let Some(folder) = path(matches, "failed") {
        watch = watch.failed(folder);
    }
    if let Some(settle) = matches.get_one::<Duration>("settle") {
        watch = watch.settle(*settle);
    }
    watch
}

fn path<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m Path> {
    matches.get_one::<PathBuf>(name).map(PathBuf::as_path)
}
