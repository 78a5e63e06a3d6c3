//! Started operations: status, waiting, and downloading the result.

mod delete;
pub(crate) mod name;
mod not_yet;
mod owned_files;
pub(crate) mod poll_schedule;
pub(crate) mod result;
pub(crate) mod stream;
pub(crate) mod token;
mod wait;

use crate::call::Call;
use crate::call::deadline::Deadline;
use crate::error::{Error, Phase};
use crate::http::address::Address;
use crate::http::context::RequestContext;
use crate::io::owned_file::OwnedFile;
use crate::io::result_name::ResultName;
use crate::io::sink::{OpenSink, Sink};
use crate::io::source::FileId;
use crate::io::target_file::Rules;
use crate::log;
use crate::redact::Scrubber;
use crate::session::Session;
use crate::transfer::download::{self, Downloaded};
use name::OperationName;
use owned_files::OwnedFiles;
use recto_interface::{OperationKind, OperationStatus, OperationType, Yields};
use result::{OperationResult, OutputFile, ResultState, reported_failure};
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use wait::{NOT_FINISHED, StartedOperation};

/// A started operation. Clones refer to the same operation. The value keeps the client's connections alive.
#[derive(Clone)]
pub struct Operation(Arc<Inner>);

struct Inner {
    session: Session,
    started: StartedOperation,
    /// The caller's name for the document; `None` if another client started the operation.
    document: Option<String>,
    /// The file that this client uploaded for the operation; `None` for a file that was in the service before.
    uploaded: Option<FileId>,
    /// The identifier under which the service logged the start.
    request_id: Option<String>,
    /// Removes the key and the operation's password from the service's texts.
    scrubber: Scrubber,
    result: OnceLock<OperationResult>,
    files: OwnedFiles,
    /// What the result is named after in a folder.
    name: ResultName,
    /// When this client started or resumed the operation.
    began: Instant,
    /// Whether the outcome was logged.
    logged: AtomicBool,
}

impl Operation {
    /// An operation that this client has just started.
    pub(crate) fn started(
        session: &Session,
        id: String,
        name: OperationName,
        operation_type: OperationType,
        scrubber: Scrubber,
    ) -> Self {
        let started = StartedOperation { id, name, operation_type, started: Some(Instant::now()) };
        Self::new(session, started, scrubber)
    }

    /// An operation that another client, or an earlier process, started.
    pub(crate) fn resumed(session: &Session, id: String, name: OperationName) -> Self {
        let operation_type = type_of(&name);
        let started = StartedOperation { id, name, operation_type, started: None };
        let resumed = Self::new(session, started, session.config().scrubber.clone());
        // The files of an operation whose token was taken are kept.
        resumed.keep();
        resumed
    }

    fn new(session: &Session, started: StartedOperation, scrubber: Scrubber) -> Self {
        let name = ResultName {
            kind: started.name.kind(),
            operation_id: started.id.clone(),
            ..ResultName::default()
        };
        Self(Arc::new(Inner {
            session: session.clone(),
            started,
            document: None,
            uploaded: None,
            request_id: None,
            scrubber,
            result: OnceLock::new(),
            files: OwnedFiles::default(),
            name,
            began: Instant::now(),
            logged: AtomicBool::new(false),
        }))
    }

    /// The same operation with the caller's name for its document, and the file if it was uploaded for the operation.
    pub(crate) fn on(mut self, document: String, uploaded: Option<FileId>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            (inner.document, inner.uploaded) = (Some(document), uploaded);
        }
        self
    }

    /// The same operation, whose document is deleted with its handles.
    pub(crate) fn owning(mut self, document: Option<OwnedFile>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.files.document = document;
        }
        self
    }

    /// The same operation with the identifier of the request that started it.
    pub(crate) fn started_by(mut self, request_id: Option<String>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.request_id = request_id;
        }
        self
    }

    /// The same operation, whose result in a folder is named after `source`.
    pub(crate) fn named(mut self, source: ResultName) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            let ResultName { stem, is_callers, source, .. } = source;
            inner.name = ResultName { stem, is_callers, source, ..std::mem::take(&mut inner.name) };
        }
        self
    }

    /// The identifier of the operation in the service.
    pub fn id(&self) -> &str {
        &self.0.started.id
    }

    /// The kind of operation; `None` for one that this version does not know (see
    /// [`Client::run`](crate::Client::run)).
    pub fn kind(&self) -> Option<OperationKind> {
        self.0.started.name.kind()
    }

    /// The name of the operation, such as `stamp-qr`.
    pub fn name(&self) -> &str {
        self.0.started.name.as_str()
    }

    /// The identifier under which the service logged the request that started the operation. `None` if the service
    /// sent no identifier, and for a resumed operation.
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// The `operationType` in the response to the start of the operation.
    pub fn operation_type(&self) -> &OperationType {
        &self.0.started.operation_type
    }

    /// The token with which [`Client::resume`](crate::Client::resume) continues this operation, also in another
    /// process: base64url text with the identifier, the kind and the base URL, without the API key and without
    /// presigned addresses. An embedded service then [keeps](Self::keep) the files of the operation.
    pub fn token(&self) -> String {
        self.keep();
        self.0.started.token(self.0.session.config().base.as_str())
    }

    /// Keeps the document and the result of the operation in an embedded service until they expire, even if the handles
    /// of the operation are dropped: see [`ClientBuilder::delete_unused`](crate::ClientBuilder::delete_unused). Other
    /// services keep them in any case. [`delete`](Self::delete) still deletes them.
    pub fn keep(&self) {
        self.0.files.keep();
    }

    /// Requests the status once. A failed operation is not an error here: it has a failed status.
    ///
    /// # Errors
    /// The errors of any request.
    pub fn status(&self, call: &Call<'_>) -> Result<OperationStatus, Error> {
        self.run(call, async |context| {
            let response = self.0.started.result_request(None).send(&context, NOT_FINISHED).await?;
            if let Some((status, _)) = reported_failure(&response) {
                return Ok(status);
            }
            if !response.is_success() {
                return match self.0.started.may_be_pending(&response) {
                    true => Ok(OperationStatus::InProgress),
                    false => Err(response.error()),
                };
            }
            Ok(match self.0.started.read(&response)? {
                ResultState::Finished(result) => result.status,
                ResultState::Pending(status) | ResultState::Failed(status, _) => status,
                ResultState::Empty => OperationStatus::Finished,
            })
        })
    }

    /// Waits until the operation has ended, and returns its result. A document that does not conform is a result, not
    /// an error.
    ///
    /// # Errors
    /// [`ErrorKind::WaitTimeout`](crate::ErrorKind::WaitTimeout) if it has not ended in time. It then continues, and
    /// the error contains its token. [`ErrorKind::OperationFailed`](crate::ErrorKind::OperationFailed) if the service
    /// could not process the document.
    pub fn wait(&self, call: &Call<'_>) -> Result<OperationResult, Error> {
        self.wait_until(call, self.0.session.deadline(call))
    }

    /// [`wait`](Self::wait) with a deadline of its own.
    pub(crate) fn wait_until(&self, call: &Call<'_>, deadline: Deadline) -> Result<OperationResult, Error> {
        let result = self.run_until(call, deadline, async |context| self.finished(&context).await.cloned());
        self.log(result)
    }

    /// Waits, and writes the result file to `path`. The file is written completely or not at all. Returns the path of
    /// the file.
    ///
    /// If `path` is a directory, the file is named after the source, with the extension of the operation's result. It
    /// replaces neither the source nor another result of this client: see [`Sink::path`]. A file that is replaced keeps
    /// its mode. [`Call::overwrite`] forbids any replacement.
    ///
    /// # Errors
    /// The errors of [`wait`](Self::wait) and of the transfer, [`ErrorKind::Io`](crate::ErrorKind::Io) if it cannot be
    /// written, and [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) if it would replace its source or
    /// another result.
    pub fn save(&self, path: impl AsRef<Path>, call: &Call<'_>) -> Result<PathBuf, Error> {
        let path = path.as_ref();
        let written = self.fetch(Sink::path(path), call)?;
        Ok(written.path.unwrap_or_else(|| path.to_owned()))
    }

    /// Waits, and returns the result file's bytes.
    ///
    /// # Errors
    /// The errors of [`wait`](Self::wait) and of the transfer.
    pub fn read(&self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.fetch(Sink::memory(&mut bytes), call)?;
        Ok(bytes)
    }

    /// Waits, and streams the result file to `writer` on the caller's thread. Returns its length in bytes.
    ///
    /// # Errors
    /// The errors of [`wait`](Self::wait) and of the transfer, and [`ErrorKind::Io`](crate::ErrorKind::Io) for an error
    /// of the writer. An interrupted transfer can resume here only if the service supports it.
    pub fn write_to(&self, writer: &mut dyn Write, call: &Call<'_>) -> Result<u64, Error> {
        Ok(self.fetch(Sink::writer(writer), call)?.length)
    }

    /// Waits, and writes the result file to `sink`. [`save`](Self::save), [`read`](Self::read) and
    /// [`write_to`](Self::write_to) use this.
    ///
    /// # Errors
    /// The errors of [`wait`](Self::wait) and of the transfer, and [`ErrorKind::Io`](crate::ErrorKind::Io) for an error
    /// of the sink.
    pub fn fetch(&self, sink: Sink<'_>, call: &Call<'_>) -> Result<Downloaded, Error> {
        if self.0.started.name.yields() == Yields::Report {
            return Err(Error::invalid(format!("{} has no result file", self.0.started.name))
                .in_phase(Phase::Download)
                .advise("Wait for its result and read the validation report"));
        }
        let fetched = self.fetch_until(sink, call, self.0.session.deadline(call))?;
        if call.delete_after {
            self.delete(call).map_err(|error| delete::saved_but(error, fetched.path.as_deref()))?;
        }
        Ok(fetched)
    }

    /// [`fetch`](Self::fetch) with a deadline of its own; it deletes nothing.
    pub(crate) fn fetch_until(
        &self,
        sink: Sink<'_>,
        call: &Call<'_>,
        deadline: Deadline,
    ) -> Result<Downloaded, Error> {
        let rules = Rules {
            name: self.0.name.clone(),
            keep_existing: call.keep_existing,
            written: self.0.session.written().clone(),
        };
        sink.check(&rules).map_err(|error| error.in_phase(Phase::Download))?;
        let fetched = self.run_until(call, deadline, async |mut context| {
            let result = self.finished(&context).await?;
            context.phase = Phase::Download;
            let output = result
                .output
                .as_ref()
                .ok_or_else(|| Error::protocol("the result of the operation has no file"))?;
            let mut sink =
                sink.open(output.name.as_deref(), rules).map_err(|error| error.in_phase(Phase::Download))?;
            self.download(&context, output, &mut sink).await?;
            let length = sink.position();
            let path = sink.finish().map_err(|error| error.in_phase(Phase::Download))?;
            self.use_result();
            Ok(Downloaded { length, path })
        });
        self.log(fetched)
    }

    async fn download(
        &self,
        context: &RequestContext<'_>,
        output: &OutputFile,
        sink: &mut OpenSink<'_>,
    ) -> Result<(), Error> {
        let address = address_of(context, output)?;
        download::download(context, address, sink, async || {
            // The address has expired: a new request for the result returns a new one.
            let response = self.0.started.result_request(None).send(context, &[]).await?;
            match self.0.started.read(&response)? {
                ResultState::Finished(result) => match &result.output {
                    Some(output) => address_of(context, output).map(Some),
                    None => Ok(None),
                },
                _ => Ok(None),
            }
        })
        .await
    }

    /// Logs the outcome of the operation when it becomes known: one line for each operation.
    fn log<T>(&self, outcome: Result<T, Error>) -> Result<T, Error> {
        let document = self.0.document.as_deref();
        match &outcome {
            Ok(_) if self.0.logged.swap(true, Ordering::Relaxed) => {}
            Ok(_) => log::finished(self.name(), document, self.id(), self.0.began.elapsed()),
            Err(error) => log::failed(self.name(), document, error),
        }
        outcome
    }

    /// The result, waited for if it is not known yet.
    async fn finished(&self, context: &RequestContext<'_>) -> Result<&OperationResult, Error> {
        if let Some(result) = self.0.result.get() {
            return Ok(result);
        }
        let result = self.0.started.wait(context).await?;
        self.0.files.finished();
        Ok(self.0.result.get_or_init(|| result))
    }

    /// Records that the result was downloaded, or is the document of another operation. Returns the result file if it
    /// belongs to the handles.
    pub(crate) fn use_result(&self) -> Option<OwnedFile> {
        let output = self.0.result.get()?.output.as_ref()?;
        let id = FileId::new(output.file_id.clone()?);
        let file = self.0.files.result(|| self.0.session.owned(&id))?;
        file.mark_used();
        Some(file)
    }

    /// What the result is named after in a folder.
    pub(crate) fn result_name(&self) -> ResultName {
        self.0.name.clone()
    }

    /// The base URL of the service that the operation belongs to.
    pub(crate) fn base_url(&self) -> &str {
        self.0.session.config().base.as_str()
    }

    /// Runs one call on this operation.
    fn run<T>(
        &self,
        call: &Call<'_>,
        work: impl AsyncFnOnce(RequestContext<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.run_until(call, self.0.session.deadline(call), work)
    }

    /// [`run`](Self::run) with a deadline of its own.
    fn run_until<T>(
        &self,
        call: &Call<'_>,
        deadline: Deadline,
        work: impl AsyncFnOnce(RequestContext<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _span =
            tracing::info_span!("operation", kind = %self.0.started.name, id = %self.0.started.id).entered();
        let done = self.0.session.run_until(call, Phase::Wait, deadline, work);
        if done.as_ref().is_err_and(|error| error.token().is_some()) {
            self.0.files.keep_for_token();
        }
        let (id, document) = (&self.0.started.id, self.0.document.as_deref());
        done.map_err(|error| error.of_operation(id).of_document(document).scrubbed(&self.0.scrubber))
    }
}

/// The type of an operation that another client started.
pub(crate) fn type_of(name: &OperationName) -> OperationType {
    match name {
        OperationName::Known(kind) => OperationType::Known(*kind),
        OperationName::Other(name) => OperationType::Other(name.clone()),
    }
}

fn address_of(context: &RequestContext<'_>, output: &OutputFile) -> Result<Address, Error> {
    let url = output.url.as_ref().ok_or_else(|| {
        Error::protocol("the result of the operation has no download address").in_phase(Phase::Download)
    })?;
    context.presigned(url.expose()).map_err(|why| {
        Error::protocol(format!("invalid download address of the result: {why}")).in_phase(Phase::Download)
    })
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation")
            .field("id", &self.0.started.id)
            .field("kind", &self.0.started.name.as_str())
            .finish_non_exhaustive()
    }
}
