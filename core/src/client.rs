//! The client: what calls are made on.

use crate::call::{Call, Running};
use crate::cancel::Cancel;
use crate::config::{ClientBuilder, Config};
use crate::deadline::Deadline;
use crate::error::{Error, Phase};
use crate::exchange::{Ask, Memory, TwoPaths};
use crate::files::Files;
use crate::operation::Operation;
use crate::redact::Scrubber;
use crate::runtime::{self, PerProcess};
use crate::source::{Document, FileId, Kind, Source};
use crate::token::Token;
use crate::transport::{Http, Scope};
use http::Method;
use recto_interface::{
    Input, OperationHandle, OperationKind, OperationType, Options, Secret, StartRequest, endpoint,
};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// A client of the service. Clones are the same client; it may be used from many threads at once, and after a
/// fork. Calls block the thread they are made on.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    config: Config,
    http: PerProcess<Http>,
    closed: Cancel,
}

impl Client {
    /// A builder that knows nothing yet, and does not read the environment.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    /// A client of the service that `RECTO_BASE_URL`, `RECTO_API_KEY` and `RECTO_TIMEOUT` tell of.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) without a base URL, or for one of them that cannot be used.
    pub fn from_env() -> Result<Self, Error> {
        Self::builder().from_env()?.build()
    }

    pub(crate) fn new(config: Config) -> Result<Self, Error> {
        let client = Self(Arc::new(Inner { config, http: PerProcess::new(), closed: Cancel::new() }));
        // What cannot work is said now and not at the first request.
        client.http()?;
        Ok(client)
    }

    /// The files in the service.
    pub fn files(&self) -> Files {
        Files::new(self.clone())
    }

    /// Starts an operation on `source`, which is uploaded first unless it is in the service already.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest), before anything is sent, for options that
    /// the service could only refuse and for an input whose extension the operation does not take (unless the
    /// call has [`force`](Call::force)); [`ErrorKind::Io`](crate::ErrorKind::Io) for a document that cannot be
    /// read; [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) where nobody knows whether the
    /// operation was started; and those of any request.
    pub fn start(
        &self,
        source: impl Into<Source>,
        options: impl Into<Options>,
        call: &Call<'_>,
    ) -> Result<Operation, Error> {
        let (source, options) = (source.into(), options.into());
        let (kind, document) = (options.kind(), source.label());
        let mut scrubber = self.config().scrubber.clone();
        password(&options).into_iter().for_each(|password| scrubber.add(password));
        let _span = tracing::info_span!("start", kind = %kind).entered();
        let started = self.run(call, Phase::Start, self.deadline(call), async |scope| {
            options.check()?;
            if !call.force {
                accepted(kind, &source)?;
            }
            let file = match source.0 {
                Kind::File(id) => id,
                _ => {
                    let upload = Scope { phase: Phase::Upload, ..scope };
                    let mut document =
                        Document::open(source).await.map_err(|error| error.in_phase(Phase::Upload))?;
                    upload.upload(&mut document).await?
                }
            };
            let started = self.start_on(&scope, file, &options, scrubber.clone()).await?;
            Ok(started.on(document.clone()))
        });
        started.map_err(|error| error.of_document(Some(&document)).scrubbed(&scrubber))
    }

    /// [`start`](Self::start) with the options as JSON, as the specification has them; `null` is none.
    ///
    /// # Errors
    /// Those of [`start`](Self::start); an option that is unknown, missing or of the wrong type is an
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

    /// The operation that `token` tells of: see [`Operation::token`]. Asks nothing of the service.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for what is no token,
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) for one of another service.
    pub fn resume(&self, token: &str) -> Result<Operation, Error> {
        let (token, kind) = Token::read(token)?;
        let base = self.config().base.as_str();
        if token.base != base {
            let message = format!(
                "the operation runs on {}, and this client talks to {base}",
                crate::redact::address(&token.base)
            );
            return Err(Error::config(message).advise("Make a client with the base URL of the operation"));
        }
        Ok(Operation::resumed(self, token.id, kind))
    }

    /// The service's address, without userinfo.
    pub fn base_url(&self) -> &str {
        self.config().base.as_str()
    }

    /// Ends the running calls of all threads with [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled), within
    /// 50 ms. Later calls are refused. Operations in the service go on.
    pub fn close(&self) {
        self.0.closed.trigger();
    }

    /// Whether [`close`](Self::close) was called.
    pub fn is_closed(&self) -> bool {
        self.0.closed.is_triggered()
    }

    async fn start_on(
        &self,
        scope: &Scope<'_>,
        file: FileId,
        options: &Options,
        scrubber: Scrubber,
    ) -> Result<Operation, Error> {
        let kind = options.kind();
        let input = Some(Input { file_id: Some(file.into()) });
        let request = StartRequest { input, options: options.to_json() };
        let build = |path: &str| Ok(Ask::new(Method::POST, path).with_json(&request)?.starting_work());
        let answer = match kind.beta_path() {
            Some(beta) => {
                let paths = TwoPaths { first: kind.path(), beta, memory: Memory::PowerArchive };
                scope.ask_two_paths(paths, build).await?
            }
            None => scope.ask(&build(kind.path())?, &[]).await?,
        };
        let handle: OperationHandle = answer.json()?;
        if !endpoint::is_segment(&handle.operation_id) {
            return Err(answer.nonsense("its answer to the start names no operation"));
        }
        let operation_type = handle.operation_type.unwrap_or(OperationType::Known(kind));
        tracing::debug!(id = %handle.operation_id, "started");
        Ok(Operation::started(self, handle.operation_id, kind, operation_type, scrubber))
    }

    pub(crate) fn closed(&self) -> &Cancel {
        &self.0.closed
    }

    pub(crate) fn config(&self) -> &Config {
        &self.0.config
    }

    /// The end of a call's time: its own, or else the client's.
    pub(crate) fn deadline(&self, call: &Call<'_>) -> Deadline {
        call.timeout.or(self.config().timeout).map_or(Deadline::NEVER, Deadline::after)
    }

    /// Runs one call to its end, on this thread.
    pub(crate) fn run<T>(
        &self,
        call: &Call<'_>,
        phase: Phase,
        deadline: Deadline,
        work: impl AsyncFnOnce(Scope<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.is_closed() {
            return Err(Error::config("the client is closed").advise("Make a new one"));
        }
        let running = Running::new(call, &self.0.closed);
        let scope = Scope { http: self.http()?, config: self.config(), running: &running, phase, deadline };
        let done = runtime::wait(&running, work(scope));
        done.map_err(|error| error.in_phase(phase).scrubbed(&self.config().scrubber))
    }

    fn http(&self) -> Result<&Http, Error> {
        self.0.http.get_or_try_init(|| Http::new(&self.0.config))
    }
}

/// Refuses an input whose extension the operation does not take. A file in the service has no name here.
pub(crate) fn accepted(kind: OperationKind, source: &Source) -> Result<(), Error> {
    match source.name() {
        Some(name) if !kind.accepts_name(&name) => {
            let accepts: Vec<_> = kind.accepts().iter().map(|extension| format!(".{extension}")).collect();
            Err(Error::invalid(format!("{kind} does not take {name}: it takes {}", accepts.join(", ")))
                .advise("Use force to send it anyway"))
        }
        _ => Ok(()),
    }
}

/// The password among the options, which no error may repeat.
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
