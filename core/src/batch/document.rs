//! Processes one document of a batch: upload, operation, download. Each step is written to the journal before the
//! next step begins.

use super::item::{BatchItem, Done};
use super::journal::{self, Journal};
use super::original::{Afterwards, Original, Originals};
use super::source::Content;
use super::step::{DocumentProgress, Fingerprint, Step};
use crate::call::Call;
use crate::call::cancel::Cancel;
use crate::client::start::{Input, add_passwords, merged};
use crate::client::{self, Client};
use crate::error::{Error, ErrorKind, Phase};
use crate::io::owned_file::OwnedFile;
use crate::io::result_name::ResultName;
use crate::io::sink::Sink;
use crate::io::source::{FileId, SourceKind};
use crate::io::target_file::Rules;
use crate::operation::Operation;
use crate::operation::name::OperationName;
use crate::redact::Scrubber;
use recto_interface::{Options, Yields};
use serde_json::Value;
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// A document that a thread of the batch has to process.
pub(super) struct Job {
    pub(super) index: usize,
    /// The path of the source, or the text that messages use for it.
    pub(super) label: PathBuf,
    pub(super) content: Content,
    /// Identifies the document in the journal.
    pub(super) key: PathBuf,
    /// What the result must not replace.
    pub(super) name: ResultName,
    /// The path of the document's result, without the extension.
    pub(super) target: Option<PathBuf>,
    pub(super) progress: DocumentProgress,
    /// The file, if it comes from a watched folder.
    pub(super) original: Option<Original>,
}

/// A document that has ended, and where its file is.
pub(super) struct Ended {
    pub(super) item: BatchItem,
    pub(super) original: Option<(Original, Afterwards)>,
}

/// The settings and connections that all documents of a batch share.
pub(super) struct BatchContext {
    pub(super) client: Client,
    pub(super) cancel: Cancel,
    pub(super) delete_after: bool,
    /// Whether a result must not replace a file.
    pub(super) keep_existing: bool,
    /// What becomes of the files of a watched folder.
    pub(super) originals: Option<Box<dyn Originals>>,
    options: Options,
    call: CallSettings,
    journal: Journal,
    scrubber: Scrubber,
}

/// The settings of the calls that process a document.
#[derive(Clone, Debug, Default)]
pub(super) struct CallSettings {
    pub(super) force: bool,
    pub(super) extra_options: Value,
    pub(super) headers: Vec<(String, String)>,
}

/// The identifiers of the input file and the result file of a document in the service.
struct ServiceFiles {
    file_id: Option<String>,
    result_id: Option<String>,
}

impl BatchContext {
    pub(super) fn new(
        client: Client,
        options: Options,
        delete_after: bool,
        call: CallSettings,
        journal: Journal,
    ) -> Self {
        let mut scrubber = client.session().config().scrubber.clone();
        if let Ok(Some(options)) = merged(options.to_json(), &call.extra_options) {
            add_passwords(&options, &mut scrubber, 16);
        }
        Self {
            client,
            cancel: Cancel::new(),
            delete_after,
            keep_existing: false,
            originals: None,
            options,
            call,
            journal,
            scrubber,
        }
    }

    /// Processes one document.
    pub(super) fn run(&self, mut job: Job) -> Ended {
        let label = job.label.display().to_string();
        let _span = tracing::info_span!("document", source = %label).entered();
        let (outcome, mut left_behind) = match self.finish(&mut job) {
            Ok((done, files)) => {
                let is_left = self.delete_after && !job.progress.deleted;
                let left = if is_left { self.delete(&job.key, &files).err() } else { None };
                job.progress.deleted |= is_left && left.is_none();
                (Ok(done), left)
            }
            Err(error) => {
                let error = error.of_document(Some(&label)).scrubbed(&self.scrubber);
                // A cancelled document did not fail: a later run resumes it.
                if error.kind() != ErrorKind::Cancelled {
                    let (error, message) = (error.kind().name().to_owned(), error.message().to_owned());
                    let step = Step::Failed { error, message };
                    job.progress.apply(step.clone());
                    // If the journal cannot be written, either `error` already reports that, or the next document
                    // reports it.
                    let _ = self.journal.write(&job.key, step);
                }
                (Err(error), None)
            }
        };
        let Job { index, label: source, key, target, mut progress, original, .. } = job;
        let original = original.map(|mut original| {
            let (afterwards, error) = self.afterwards(&key, &original, &outcome);
            left_behind = left_behind.take().or(error);
            progress.target = target;
            original.progress = Some(progress);
            (original, afterwards)
        });
        let moved_to = match &original {
            Some((_, Afterwards::Gone(to))) => to.clone(),
            _ => None,
        };
        let left_behind = left_behind.map(|error| error.of_document(Some(&label)));
        Ended { item: BatchItem { index, source, outcome, left_behind, moved_to }, original }
    }

    /// What becomes of the file of a document that has ended, and the error if the file could not be moved or deleted.
    fn afterwards(
        &self,
        key: &Path,
        original: &Original,
        outcome: &Result<Done, Error>,
    ) -> (Afterwards, Option<Error>) {
        let Some(originals) = &self.originals else { return (Afterwards::Kept, None) };
        if outcome.is_err() && self.journal.is_broken() {
            return (Afterwards::Ends, None);
        }
        match originals.ended(original, outcome) {
            Ok(Afterwards::Gone(to)) => {
                let written = self.journal.write(key, Step::SetAside { to: to.clone() });
                (Afterwards::Gone(to), written.err())
            }
            Ok(afterwards) => (afterwards, None),
            Err(error) => (Afterwards::Again, Some(error)),
        }
    }

    fn finish(&self, job: &mut Job) -> Result<(Done, ServiceFiles), Error> {
        let Job { key, name, target, content, progress, original, .. } = job;
        let content_then = original.as_ref().map(|original| original.content);
        // A file that was in the service before the batch stays there.
        let is_ours = match &*content {
            Content::File(_) => false,
            Content::Operation(previous) => previous.base_url() != self.client.base_url(),
            _ => true,
        };
        if let (Some(done), Some(finished)) = (progress.done(), &progress.finished) {
            // The document is complete: only its files in the service remain to be deleted.
            let file_id = progress.file_id.clone().filter(|_| is_ours);
            return Ok((done, ServiceFiles { file_id, result_id: finished.result_id.clone() }));
        }
        if let (Some(target), Yields::File) = (&*target, self.options.kind().yields()) {
            let sink = self.sink(key, name, target)?;
            sink.check(&self.rules()).map_err(|error| error.in_phase(Phase::Configure))?;
        }
        let mut resumed = progress.file_id.is_some() || progress.operation_id.is_some();
        loop {
            let done = self.work(content, content_then, (key, name), target.as_deref(), progress);
            match done {
                // The service may have deleted the file or the operation since the earlier run.
                Err(error) if resumed && is_gone(&error) => {
                    tracing::info!(kind = %error.kind(), "the file or operation of an earlier run no longer exists; starting again");
                    (resumed, *progress) = (false, DocumentProgress::default());
                }
                Err(error) => return Err(error),
                Ok((done, result_id)) => {
                    let file_id = progress.file_id.clone().filter(|_| is_ours);
                    return Ok((done, ServiceFiles { file_id, result_id }));
                }
            }
        }
    }

    fn work(
        &self,
        content: &mut Content,
        content_then: Option<Fingerprint>,
        (key, name): (&Path, &ResultName),
        target: Option<&Path>,
        progress: &mut DocumentProgress,
    ) -> Result<(Done, Option<String>), Error> {
        let operation = self.started(content, content_then, key, target, progress)?;
        let result = operation.wait(&self.call())?;
        let path = match target {
            Some(target) if self.options.kind().yields() == Yields::File => {
                Some(self.saved(key, name, target, &operation)?)
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
        self.journal.write(key, step.clone())?;
        progress.apply(step);
        let operation_id = operation.id().to_owned();
        Ok((Done { path, validation, operation_id, result: Some(result), resumed: false }, result_id))
    }

    /// The operation of this document: the operation that an earlier run started, or a new one. For a new operation,
    /// the document is uploaded unless an earlier run has uploaded it.
    fn started(
        &self,
        content: &mut Content,
        content_then: Option<Fingerprint>,
        key: &Path,
        target: Option<&Path>,
        progress: &mut DocumentProgress,
    ) -> Result<Operation, Error> {
        let kind = self.options.kind();
        if let Some(id) = &progress.operation_id {
            return Ok(Operation::resumed(self.client.session(), id.clone(), OperationName::Known(kind)));
        }
        let (file_id, owned) = match &progress.file_id {
            Some(id) => (FileId::new(id), None),
            None => {
                let (document, result) = match content.input()? {
                    Input::Source(source) => (source, None),
                    Input::Operation(previous) => {
                        let call = self.call();
                        self.client.result_of(&previous, &call, self.client.session().deadline(&call))?
                    }
                };
                if !self.call.force {
                    client::accepted(kind, &document).map_err(|error| error.in_phase(Phase::Upload))?;
                }
                let fingerprint =
                    content.path().and_then(fingerprint).unwrap_or(Fingerprint { size: 0, modified: 0 });
                let (id, owned) = match document.0 {
                    SourceKind::File(id) => (id, result),
                    _ => {
                        let id = self.client.files().upload(document, &self.call())?;
                        let owned = self.client.session().owned(&id);
                        owned.iter().for_each(OwnedFile::mark_used);
                        (id, owned)
                    }
                };
                if content_then.is_some_and(|then| content.path().and_then(self::fingerprint) != Some(then)) {
                    return Err(
                        Error::invalid("the file has changed while it was sent").in_phase(Phase::Upload)
                    );
                }
                let (file_id, target) = (id.as_str().to_owned(), target.map(Path::to_owned));
                self.journal.write(key, Step::Uploaded { file_id, fingerprint, target })?;
                (id, owned)
            }
        };
        progress.file_id = Some(file_id.as_str().to_owned());
        let operation = self.client.start(file_id, self.options.clone(), &self.call())?.owning(owned);
        self.journal.write(key, Step::Started { operation_id: operation.id().to_owned() })?;
        progress.operation_id = Some(operation.id().to_owned());
        Ok(operation)
    }

    fn saved(
        &self,
        key: &Path,
        name: &ResultName,
        target: &Path,
        operation: &Operation,
    ) -> Result<PathBuf, Error> {
        if let Some(folder) = target.parent() {
            std::fs::create_dir_all(folder).map_err(|error| {
                Error::io(format_args!("cannot create {}", folder.display()), error).in_phase(Phase::Download)
            })?;
        }
        let written = operation.fetch(self.sink(key, name, target)?, &self.call())?;
        let path = written.path.unwrap_or_else(|| target.to_owned());
        if self.journal.is_kept() {
            // The result is synchronized to disk before the journal lists it: the journal must not list a file that
            // a crash could still remove.
            File::open(&path)
                .and_then(|file| file.sync_all())
                .and_then(|()| journal::synchronize_directory(&path))
                .map_err(|error| Error::io(format_args!("cannot write {}", path.display()), error))?;
        }
        Ok(path)
    }

    /// The file of the document's result. `target` is its path without the extension.
    fn sink(&self, key: &Path, name: &ResultName, target: &Path) -> Result<Sink<'static>, Error> {
        let (Some(folder), Some(stem)) = (target.parent(), target.file_name()) else {
            return Err(Error::invalid(format!("{} is not the path of a file", target.display())));
        };
        let name = ResultName {
            stem: Some(stem.to_owned()),
            is_callers: true,
            kind: Some(self.options.kind()),
            operation_id: key.display().to_string(),
            ..name.clone()
        };
        Ok(Sink::named(folder.to_owned(), name))
    }

    fn rules(&self) -> Rules {
        let written = self.client.session().written().clone();
        Rules { written, keep_existing: self.keep_existing, ..Rules::default() }
    }

    fn delete(&self, key: &Path, files: &ServiceFiles) -> Result<(), Error> {
        for id in [&files.file_id, &files.result_id].into_iter().flatten() {
            match self.client.files().delete(&FileId::new(id), &self.call()) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.journal.write(key, Step::Deleted)
    }

    /// Whether the documents are recorded in a journal.
    pub(super) fn has_journal(&self) -> bool {
        self.journal.is_kept()
    }

    fn call(&self) -> Call<'static> {
        let call = Call::new().cancel(&self.cancel).force(self.call.force).patient();
        let call = call.overwrite(!self.keep_existing);
        let call = call.extra_options(self.call.extra_options.clone());
        self.call.headers.iter().fold(call, |call, (name, value)| call.header(name, value))
    }
}

/// Whether an error may mean that a file or operation no longer exists in the service. The specification does not
/// define the status of the response when an operation is started with a deleted file: any `InvalidRequest` response
/// to the start counts.
fn is_gone(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::NotFound => true,
        ErrorKind::InvalidRequest => error.phase() == Some(Phase::Start) && error.status().is_some(),
        ErrorKind::PermissionDenied => error.phase() == Some(Phase::Download),
        _ => false,
    }
}

/// The part of an earlier run's progress that is still valid. If the source has changed, only the path of the result
/// stays. If the result file is missing, or must now go to another directory, the result does not count as saved.
pub(super) fn still_valid(
    path: Option<&Path>,
    to: Option<&Path>,
    mut progress: DocumentProgress,
) -> DocumentProgress {
    if path.and_then(fingerprint).is_some_and(|now| progress.fingerprint.is_some_and(|then| now != then)) {
        return DocumentProgress { target: progress.target, ..DocumentProgress::default() };
    }
    let result_exists = progress.finished.as_ref().is_none_or(|finished| match (&finished.path, to) {
        (Some(path), Some(to)) => {
            path.starts_with(to)
                && std::fs::metadata(path).is_ok_and(|found| Some(found.len()) == finished.length)
        }
        (None, Some(_)) => finished.validation.is_some(),
        _ => true,
    });
    if !result_exists {
        if progress.deleted {
            return DocumentProgress { target: progress.target, ..DocumentProgress::default() };
        }
        progress.finished = None;
    }
    progress
}

pub(super) fn fingerprint(path: &Path) -> Option<Fingerprint> {
    fingerprint_of(&std::fs::metadata(path).ok()?)
}

pub(super) fn fingerprint_of(found: &Metadata) -> Option<Fingerprint> {
    let since = found.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(Fingerprint { size: found.len(), modified: u64::try_from(since.as_nanos()).unwrap_or(u64::MAX) })
}
