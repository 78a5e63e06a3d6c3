//! The client: starts operations, resumes them, and gives access to the files in the service.

use crate::call::Call;
use crate::error::{Error, Phase};
use crate::files::Files;
use crate::http::context::RequestContext;
use crate::http::request::{ApiRequest, PathMemory, TwoPaths};
use crate::io::source::{FileId, Source, SourceKind};
use crate::operation::Operation;
use crate::operation::result::failed_start;
use crate::operation::token::ResumeToken;
use crate::redact::Scrubber;
use crate::session::Session;
use crate::transfer::import;
use http::Method;
use recto_interface::{
    Input, OperationHandle, OperationKind, OperationType, Options, Secret, StartRequest, endpoint,
};
use serde_json::Value;
use std::fmt;

/// A client of the service. Clones share one session: closing one clone closes all of them. A client can be used from
/// many threads at the same time, and after a fork. Calls block the calling thread.
#[derive(Clone)]
pub struct Client(Session);

impl Client {
    /// Creates a client with its own session.
    pub(crate) fn new(session: Session) -> Self {
        Self(session)
    }

    /// Gives access to the files in the service.
    pub fn files(&self) -> Files {
        Files::new(self.0.clone())
    }

    /// Starts an operation on `source`. A document that is not in the service yet is uploaded first, or downloaded by the
    /// service if its source is an address.
    ///
    /// # Errors
    /// Before anything is sent: [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for invalid options
    /// and for an extension that the operation does not accept (unless the call has [`force`](Call::force));
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) for a document that cannot be read. Later:
    /// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if it is unknown whether the operation
    /// started; and the errors of any request.
    pub fn start(
        &self,
        source: impl Into<Source>,
        options: impl Into<Options>,
        call: &Call<'_>,
    ) -> Result<Operation, Error> {
        let (source, options) = (source.into(), options.into());
        let (kind, document, name) = (options.kind(), source.label(), source.result_name());
        let mut scrubber = self.0.config().scrubber.clone();
        password(&options).into_iter().for_each(|password| scrubber.add(password));
        let _span = tracing::info_span!("start", kind = %kind).entered();
        let started = self.0.run(call, Phase::Start, async |context| {
            options.check()?;
            if !call.force {
                accepted(kind, &source)?;
            }
            let file = match source.0 {
                SourceKind::File(id) => id,
                _ => import::place(&context.in_phase(Phase::Upload), source)
                    .await
                    .map_err(|error| error.in_phase(Phase::Upload))?,
            };
            let started = self.start_on(&context, file, &options, scrubber.clone()).await?;
            Ok(started.on(document.clone()).named(name))
        });
        started.map_err(|error| error.of_document(Some(&document)).scrubbed(&scrubber))
    }

    /// [`start`](Self::start) with the options as JSON, in the form of the specification; `null` means no options.
    ///
    /// # Errors
    /// The errors of [`start`](Self::start). An option that is unknown, missing or of the wrong type is an
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest).
    pub fn start_json(
        &self,
        kind: OperationKind,
        source: impl Into<Source>,
        options: &Value,
        call: &Call<'_>,
    ) -> Result<Operation, Error> {
        self.start(source, Options::from_json(kind, options)?, call)
    }

    /// Returns the operation that `token` identifies (see [`Operation::token`]). Sends no request.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for an invalid token,
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) for a token of another service.
    pub fn resume(&self, token: &str) -> Result<Operation, Error> {
        let (token, kind) = ResumeToken::read(token)?;
        let base = self.0.config().base.as_str();
        if token.base != base {
            let message = format!(
                "the operation runs on {}, but this client's base URL is {base}",
                crate::redact::address(&token.base)
            );
            return Err(Error::config(message).advise("Create a client with the base URL of the operation"));
        }
        Ok(Operation::resumed(&self.0, token.id, kind))
    }

    /// The base URL of the service, without user name and password.
    pub fn base_url(&self) -> &str {
        self.0.config().base.as_str()
    }

    /// Ends the running calls of all threads with [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled), within 50
    /// ms. Later calls fail. Operations that were started continue in the service.
    pub fn close(&self) {
        self.0.closed().trigger();
    }

    /// Whether [`close`](Self::close) was called.
    pub fn is_closed(&self) -> bool {
        self.0.closed().is_triggered()
    }

    async fn start_on(
        &self,
        context: &RequestContext<'_>,
        file: FileId,
        options: &Options,
        scrubber: Scrubber,
    ) -> Result<Operation, Error> {
        let kind = options.kind();
        let input = Some(Input { file_id: Some(file.into()) });
        let request = StartRequest { input, options: options.to_json() };
        let build = |path: &str| Ok(ApiRequest::new(Method::POST, path).with_json(&request)?.starting_work());
        let response = match kind.beta_path() {
            Some(beta) => {
                let paths = TwoPaths { first: kind.path(), beta, memory: PathMemory::PowerArchive };
                paths.send(context, build).await?
            }
            None => build(kind.path())?.send(context, &[]).await?,
        };
        let handle: OperationHandle = response.json()?;
        if !endpoint::is_segment(&handle.operation_id) {
            return Err(response.unexpected("the response to the start has no operation id"));
        }
        if let Some(error) = failed_start(&response, &handle) {
            return Err(error.of_operation(&handle.operation_id));
        }
        let operation_type = handle.operation_type.unwrap_or(OperationType::Known(kind));
        tracing::debug!(id = %handle.operation_id, "started");
        Ok(Operation::started(&self.0, handle.operation_id, kind, operation_type, scrubber))
    }

    /// The session, which this client shares with its `Files` and `Operation` values.
    pub(crate) fn session(&self) -> &Session {
        &self.0
    }
}

/// Returns an error for an input with an extension that the operation does not accept. An input that is already in
/// the service, or that the service downloads, is accepted, because its name is not known here.
pub(crate) fn accepted(kind: OperationKind, source: &Source) -> Result<(), Error> {
    match source.name() {
        Some(name) if !kind.accepts_name(&name) => {
            let accepts: Vec<_> = kind.accepts().iter().map(|extension| format!(".{extension}")).collect();
            Err(Error::invalid(format!("{kind} does not accept {name}: it accepts {}", accepts.join(", ")))
                .advise("Use force to send it anyway"))
        }
        _ => Ok(()),
    }
}

/// The password in `options`, if the operation has one. No error may contain the password.
pub(crate) fn password(options: &Options) -> Option<&Secret> {
    match options {
        Options::Encrypt(options) => options.password.as_ref(),
        Options::Decrypt(options) => options.password.as_ref(),
        _ => None,
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.base_url())
            .field("closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}
