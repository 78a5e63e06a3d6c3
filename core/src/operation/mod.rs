//! A started operation: waiting for it, and fetching its result.

pub(crate) mod poll_schedule;
pub(crate) mod result;
pub(crate) mod token;
mod wait;

use crate::call::Call;
use crate::call::deadline::Deadline;
use crate::error::{Error, Phase};
use crate::http::address::Address;
use crate::http::context::RequestContext;
use crate::io::sink::{OpenSink, Sink};
use crate::redact::Scrubber;
use crate::session::Session;
use crate::transfer::download::{self, Downloaded};
use recto_interface::{OperationKind, OperationStatus, OperationType, Yields};
use result::{OperationResult, OutputFile, ResultState};
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use wait::{PENDING, StartedOperation};

/// A started operation. Clones are the same operation; it keeps its client alive.
#[derive(Clone)]
pub struct Operation(Arc<Inner>);

struct Inner {
    session: Session,
    started: StartedOperation,
    /// The caller's name for the document; `None` where another client started the operation.
    document: Option<String>,
    /// Removes the key and the operation's password from the service's texts.
    scrubber: Scrubber,
    result: OnceLock<OperationResult>,
}

impl Operation {
    /// An operation that this client has just started.
    pub(crate) fn started(
        session: &Session,
        id: String,
        kind: OperationKind,
        operation_type: OperationType,
        scrubber: Scrubber,
    ) -> Self {
        let started = StartedOperation { id, kind, operation_type, started: Some(Instant::now()) };
        Self::new(session, started, scrubber)
    }

    /// An operation that another client, or an earlier process, started.
    pub(crate) fn resumed(session: &Session, id: String, kind: OperationKind) -> Self {
        let operation_type = OperationType::Known(kind);
        let started = StartedOperation { id, kind, operation_type, started: None };
        Self::new(session, started, session.config().scrubber.clone())
    }

    fn new(session: &Session, started: StartedOperation, scrubber: Scrubber) -> Self {
        let (session, document, result) = (session.clone(), None, OnceLock::new());
        Self(Arc::new(Inner { session, started, document, scrubber, result }))
    }

    /// The operation, knowing what the caller calls its document.
    pub(crate) fn on(mut self, document: String) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.document = Some(document);
        }
        self
    }

    /// The identifier that the service gave it.
    pub fn id(&self) -> &str {
        &self.0.started.id
    }

    /// Which operation it is.
    pub fn kind(&self) -> OperationKind {
        self.0.started.kind
    }

    /// `operationType`, as the service's answer to the start had it.
    pub fn operation_type(&self) -> &OperationType {
        &self.0.started.operation_type
    }

    /// What [`Client::resume`] takes to go on with it, in another process too: base64url text that holds the
    /// identifier, the kind and the base URL, but no key and no presigned address.
    pub fn token(&self) -> String {
        self.0.started.token(self.0.session.config().base.as_str())
    }

    /// Asks the service once how far it is. A failed operation has a failed status here, and is no error.
    ///
    /// # Errors
    /// Those of any request.
    pub fn status(&self, call: &Call<'_>) -> Result<OperationStatus, Error> {
        self.run(call, self.0.session.deadline(call), async |context| {
            let response = self.0.started.result_request(None).send(&context, PENDING).await?;
            if PENDING.contains(&response.status) {
                return match self.0.started.may_be_pending(&response) {
                    true => Ok(OperationStatus::InProgress),
                    false => Err(response.error()),
                };
            }
            Ok(match ResultState::read(&response, &self.0.started.operation_type)? {
                ResultState::Finished(result) => result.status,
                ResultState::Pending(status) | ResultState::Failed(status, _) => status,
                ResultState::Empty => OperationStatus::Finished,
            })
        })
    }

    /// Waits until it has ended, and returns what came of it. A document that does not conform is a result.
    ///
    /// # Errors
    /// [`ErrorKind::WaitTimeout`](crate::ErrorKind::WaitTimeout) when it has not ended in time: it goes on, and the error carries its token.
    /// [`ErrorKind::OperationFailed`](crate::ErrorKind::OperationFailed) when the service could not do the work.
    pub fn wait(&self, call: &Call<'_>) -> Result<OperationResult, Error> {
        self.run(call, waiting(call), async |context| self.finished(&context).await.cloned())
    }

    /// Waits, and writes the result file to `path`; into it, where it is a directory, under the result's own name,
    /// made safe. The file appears whole or not at all. Returns where it is.
    ///
    /// # Errors
    /// Those of [`wait`](Self::wait), those of the transfer, and [`ErrorKind::Io`](crate::ErrorKind::Io) where it cannot be written.
    pub fn save(&self, path: impl AsRef<Path>, call: &Call<'_>) -> Result<PathBuf, Error> {
        let path = path.as_ref();
        let written = self.fetch(Sink::path(path), call)?;
        Ok(written.path.unwrap_or_else(|| path.to_owned()))
    }

    /// Waits, and returns the result file's bytes.
    ///
    /// # Errors
    /// Those of [`wait`](Self::wait) and of the transfer.
    pub fn read(&self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.fetch(Sink::memory(&mut bytes), call)?;
        Ok(bytes)
    }

    /// Waits, and streams the result file to `writer` on the caller's thread. Returns its length in bytes.
    ///
    /// # Errors
    /// Those of [`wait`](Self::wait), those of the transfer, and [`ErrorKind::Io`](crate::ErrorKind::Io) for the writer's. A transfer
    /// that breaks off can only be continued here where the service supports it.
    pub fn write_to(&self, writer: &mut dyn Write, call: &Call<'_>) -> Result<u64, Error> {
        Ok(self.fetch(Sink::writer(writer), call)?.length)
    }

    /// Waits, and gives the result file to `sink`: what [`save`](Self::save), [`read`](Self::read) and
    /// [`write_to`](Self::write_to) come to.
    ///
    /// # Errors
    /// Those of [`wait`](Self::wait), those of the transfer, and [`ErrorKind::Io`](crate::ErrorKind::Io) for the sink's.
    pub fn fetch(&self, sink: Sink<'_>, call: &Call<'_>) -> Result<Downloaded, Error> {
        if self.0.started.kind.yields() == Yields::Report {
            return Err(Error::invalid(format!("{} makes no file to save", self.0.started.kind))
                .in_phase(Phase::Download)
                .advise("Wait for its result and read the validation report"));
        }
        sink.check().map_err(|error| error.in_phase(Phase::Download))?;
        self.run(call, waiting(call), async |mut context| {
            let result = self.finished(&context).await?;
            context.phase = Phase::Download;
            context.deadline = context.deadline.earlier(self.0.session.deadline(call));
            let output = result
                .output
                .as_ref()
                .ok_or_else(|| Error::protocol("the operation's result names no file"))?;
            let mut sink =
                sink.open(output.name.as_deref()).map_err(|error| error.in_phase(Phase::Download))?;
            self.download(&context, output, &mut sink).await?;
            let length = sink.position();
            let path = sink.finish().map_err(|error| error.in_phase(Phase::Download))?;
            Ok(Downloaded { length, path })
        })
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
            match ResultState::read(&response, &self.0.started.operation_type)? {
                ResultState::Finished(result) => match &result.output {
                    Some(output) => address_of(context, output).map(Some),
                    None => Ok(None),
                },
                _ => Ok(None),
            }
        })
        .await
    }

    /// The result, waited for if it is not known yet.
    async fn finished(&self, context: &RequestContext<'_>) -> Result<&OperationResult, Error> {
        if let Some(result) = self.0.result.get() {
            return Ok(result);
        }
        let result = self.0.started.wait(context).await?;
        Ok(self.0.result.get_or_init(|| result))
    }

    /// Runs one call on this operation, within `deadline`.
    fn run<T>(
        &self,
        call: &Call<'_>,
        deadline: Deadline,
        work: impl AsyncFnOnce(RequestContext<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _span =
            tracing::info_span!("operation", kind = %self.0.started.kind, id = %self.0.started.id).entered();
        let done = self.0.session.run(call, Phase::Wait, deadline, work);
        let (id, document) = (&self.0.started.id, self.0.document.as_deref());
        done.map_err(|error| error.of_operation(id).of_document(document).scrubbed(&self.0.scrubber))
    }
}

/// A call that waits has the time it was given itself; the client's own limit is for requests and transfers.
fn waiting(call: &Call<'_>) -> Deadline {
    call.timeout.map_or(Deadline::NEVER, Deadline::after)
}

fn address_of(context: &RequestContext<'_>, output: &OutputFile) -> Result<Address, Error> {
    let url = output.url.as_ref().ok_or_else(|| {
        Error::protocol("the operation's result has no address to download it from").in_phase(Phase::Download)
    })?;
    context.presigned(url.expose()).map_err(|why| {
        Error::protocol(format!("the result's address cannot be used: {why}")).in_phase(Phase::Download)
    })
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation")
            .field("id", &self.0.started.id)
            .field("kind", &self.0.started.kind)
            .finish_non_exhaustive()
    }
}
