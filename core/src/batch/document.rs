//! One document of a batch: placed, worked on, fetched, and each step written down before the next.

use super::journal::{self, Journal};
use super::names;
use super::step::{Like, Progress, Step};
use super::{BatchBuilder, Done, Job};
use crate::call::Call;
use crate::cancel::Cancel;
use crate::client::{self, Client};
use crate::error::{Error, ErrorKind, Phase};
use crate::operation::Operation;
use crate::redact::Scrubber;
use crate::result::OperationResult;
use crate::source::{FileId, Source};
use recto_interface::{Options, Yields};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// What all documents of a batch have in common.
pub(super) struct Work {
    pub(super) client: Client,
    pub(super) cancel: Cancel,
    pub(super) delete_after: bool,
    options: Options,
    force: bool,
    journal: Journal,
    scrubber: Scrubber,
}

/// What a document has in the service.
struct Held {
    file_id: Option<String>,
    result_id: Option<String>,
}

impl Work {
    pub(super) fn new(builder: &BatchBuilder, journal: Journal) -> Self {
        let mut scrubber = builder.client.config().scrubber.clone();
        client::password(&builder.options).into_iter().for_each(|password| scrubber.add(password));
        Self {
            client: builder.client.clone(),
            cancel: Cancel::new(),
            delete_after: builder.delete_after,
            options: builder.options.clone(),
            force: builder.force,
            journal,
            scrubber,
        }
    }

    /// Brings one document to its end. The second value is why the service still holds files of it.
    pub(super) fn run(&self, job: Job) -> (Result<Done, Error>, Option<Error>) {
        let (key, source) = (job.key.clone(), job.source.clone());
        let label = source.display().to_string();
        let _span = tracing::info_span!("document", source = %label).entered();
        match self.finish(job) {
            Ok((done, held)) => {
                let left = if self.delete_after { self.delete(&key, &held).err() } else { None };
                (Ok(done), left.map(|error| error.of_document(Some(&label))))
            }
            Err(error) => {
                let error = error.of_document(Some(&label)).scrubbed(&self.scrubber);
                // What was cancelled goes on where it was; it did not fail.
                if error.kind() != ErrorKind::Cancelled {
                    let (error, message) = (error.kind().name().to_owned(), error.message().to_owned());
                    // A journal that cannot be written to is what failed, or says so with the next document.
                    let _ = self.journal.write(&key, Step::Failed { error, message });
                }
                (Err(error), None)
            }
        }
    }

    fn finish(&self, job: Job) -> Result<(Done, Held), Error> {
        let Job { source, key, target, mut progress, .. } = job;
        if let (Some(done), Some(finished)) = (progress.done(), &progress.finished) {
            // Only its files in the service are left to be deleted.
            return Ok((done, Held { file_id: progress.file_id, result_id: finished.result_id.clone() }));
        }
        if let Some(target) = &target {
            refuse_own_source(&source, &names::with_extension_of(target, None, "pdf"))?;
        }
        let mut resumed = progress.file_id.is_some() || progress.operation_id.is_some();
        loop {
            let done = self.work(&source, &key, target.as_deref(), &mut progress);
            match done {
                // What an earlier run left in the service may have been deleted there since.
                Err(error) if resumed && is_gone(&error) => {
                    tracing::info!(kind = %error.kind(), "what an earlier run left is gone; beginning anew");
                    (resumed, progress) = (false, Progress::default());
                }
                Err(error) => return Err(error),
                Ok((done, result_id)) => {
                    return Ok((done, Held { file_id: progress.file_id, result_id }));
                }
            }
        }
    }

    fn work(
        &self,
        source: &Path,
        key: &Path,
        target: Option<&Path>,
        progress: &mut Progress,
    ) -> Result<(Done, Option<String>), Error> {
        let operation = self.started(source, key, target, progress)?;
        let result = operation.wait(&self.call())?;
        let path = match target {
            Some(target) if self.options.kind().yields() == Yields::File => {
                Some(self.saved(source, target, &operation, &result)?)
            }
            _ => None,
        };
        let length = path.as_deref().and_then(|path| std::fs::metadata(path).ok()).map(|found| found.len());
        let result_id = result.output.as_ref().and_then(|output| output.file_id.clone());
        let validation = result.validation.clone();
        let step = Step::Finished {
            path: path.clone(),
            length,
            validation: validation.clone(),
            result_id: result_id.clone(),
        };
        self.journal.write(key, step)?;
        let operation_id = operation.id().to_owned();
        Ok((Done { path, validation, operation_id, result: Some(result), resumed: false }, result_id))
    }

    /// The operation: one that was started before, or a new one on the document that is in the service or is placed now.
    fn started(
        &self,
        source: &Path,
        key: &Path,
        target: Option<&Path>,
        progress: &mut Progress,
    ) -> Result<Operation, Error> {
        let kind = self.options.kind();
        if let Some(id) = &progress.operation_id {
            return Ok(Operation::resumed(&self.client, id.clone(), kind));
        }
        let file_id = match &progress.file_id {
            Some(id) => FileId::new(id),
            None => {
                let document = Source::path(source);
                if !self.force {
                    client::accepted(kind, &document).map_err(|error| error.in_phase(Phase::Upload))?;
                }
                let like = like(key).unwrap_or(Like { size: 0, modified: 0 });
                let id = self.client.files().upload(document, &self.call())?;
                let (file_id, target) = (id.as_str().to_owned(), target.map(Path::to_owned));
                self.journal.write(key, Step::Uploaded { file_id, like, target })?;
                id
            }
        };
        progress.file_id = Some(file_id.as_str().to_owned());
        let operation = self.client.start(file_id, self.options.clone(), &self.call())?;
        self.journal.write(key, Step::Started { operation_id: operation.id().to_owned() })?;
        progress.operation_id = Some(operation.id().to_owned());
        Ok(operation)
    }

    fn saved(
        &self,
        source: &Path,
        target: &Path,
        operation: &Operation,
        result: &OperationResult,
    ) -> Result<PathBuf, Error> {
        let name = result.output.as_ref().and_then(|output| output.name.as_deref());
        let path = names::with_extension_of(target, name, "pdf");
        refuse_own_source(source, &path)?;
        let cannot = |error| {
            Error::io(format_args!("cannot write {}", path.display()), error).in_phase(Phase::Download)
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(cannot)?;
        }
        let path = operation.save(&path, &self.call())?;
        if self.journal.is_kept() {
            // The journal must not know of a file that a crash can still take back.
            File::open(&path)
                .and_then(|file| file.sync_all())
                .and_then(|()| journal::synchronize_directory(&path))
                .map_err(|error| Error::io(format_args!("cannot write {}", path.display()), error))?;
        }
        Ok(path)
    }

    fn delete(&self, key: &Path, held: &Held) -> Result<(), Error> {
        for id in [&held.file_id, &held.result_id].into_iter().flatten() {
            match self.client.files().delete(&FileId::new(id), &self.call()) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.journal.write(key, Step::Deleted)
    }

    fn call(&self) -> Call<'static> {
        Call::new().cancel(&self.cancel).force(self.force).patient()
    }
}

/// What can no longer be found in the service: the interface does not say how a start refuses a file that is gone.
fn is_gone(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::NotFound => true,
        ErrorKind::InvalidRequest => error.phase() == Some(Phase::Start) && error.status().is_some(),
        ErrorKind::PermissionDenied => error.phase() == Some(Phase::Download),
        _ => false,
    }
}

/// Takes from what earlier runs did what is not so any more: a source that has changed, a result that is gone or
/// is wanted elsewhere.
pub(super) fn still_true(key: &Path, to: Option<&Path>, mut progress: Progress) -> Progress {
    if like(key).is_some_and(|now| progress.like.is_some_and(|then| now != then)) {
        return Progress { target: progress.target, ..Progress::default() };
    }
    let is_there = progress.finished.as_ref().is_none_or(|finished| match (&finished.path, to) {
        (Some(path), Some(to)) => {
            path.starts_with(to)
                && std::fs::metadata(path).is_ok_and(|found| Some(found.len()) == finished.length)
        }
        (None, Some(_)) => finished.validation.is_some(),
        _ => true,
    });
    if !is_there {
        if progress.deleted {
            return Progress { target: progress.target, ..Progress::default() };
        }
        progress.finished = None;
    }
    progress
}

fn like(path: &Path) -> Option<Like> {
    let found = std::fs::metadata(path).ok()?;
    let since = found.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(Like { size: found.len(), modified: u64::try_from(since.as_nanos()).unwrap_or(u64::MAX) })
}

fn refuse_own_source(source: &Path, target: &Path) -> Result<(), Error> {
    let same = matches!((source.canonicalize(), target.canonicalize()), (Ok(one), Ok(two)) if one == two);
    if same {
        return Err(Error::invalid(format!("the result would replace its own source {}", source.display()))
            .in_phase(Phase::Configure)
            .advise("Give the results a directory of their own"));
    }
    Ok(())
}
