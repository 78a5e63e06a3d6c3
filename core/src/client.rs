//! The client: starts operations, resumes them, and gives access to the files in the service.

pub(crate) mod start;

use crate::call::Call;
use crate::error::{Error, Phase};
use crate::files::Files;
use crate::io::source::Source;
use crate::operation::Operation;
use crate::operation::name::OperationName;
use crate::operation::token::ResumeToken;
use crate::session::Session;
use recto_interface::{OperationKind, Options};
use serde_json::Value;
use start::{Input, Work, merged};
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

    /// Starts an operation on `input`: a document, a file in the service, or another operation, whose result is waited
    /// for. A document that is not in the service yet is uploaded first, or downloaded by the service if its source is
    /// an address.
    ///
    /// # Errors
    /// Before anything is sent: [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for invalid options
    /// and for an extension that the operation does not accept (unless the call has [`force`](Call::force));
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) for a document that cannot be read. Later:
    /// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if it is unknown whether the operation
    /// started; and the errors of any request.
    pub fn start(
        &self,
        input: impl Into<Input>,
        options: impl Into<Options>,
        call: &Call<'_>,
    ) -> Result<Operation, Error> {
        self.start_work(input.into(), &Work::of(self, &options.into(), call)?, call)
    }

    /// [`start`](Self::start) with the options as JSON, in the form of the specification; `null` means no options. A
    /// length may also be a text such as `"1.5cm"`.
    ///
    /// # Errors
    /// The errors of [`start`](Self::start). An option that is unknown, missing or of the wrong type is an
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest).
    pub fn start_json(
        &self,
        kind: OperationKind,
        input: impl Into<Input>,
        options: &Value,
        call: &Call<'_>,
    ) -> Result<Operation, Error> {
        self.start(input, Options::from_user_json(kind, options)?, call)
    }

    /// Starts an operation that this version may not know. `operation` is the name of an operation of the table, or
    /// the end of an endpoint: `convert/pdf-to-webp` for `POST /v1/operations/convert/pdf-to-webp`. The options, a
    /// JSON object or `null`, are sent without a check; so is an input with any extension.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for a name that cannot be an endpoint, and the
    /// errors of [`start`](Self::start).
    pub fn run(
        &self,
        operation: &str,
        input: impl Into<Input>,
        options: &Value,
        call: &Call<'_>,
    ) -> Result<Operation, Error> {
        let name = OperationName::read(operation).ok_or_else(|| {
            Error::invalid(format!("{operation:?} cannot be the name of an operation"))
                .in_phase(Phase::Start)
                .advise(
                    "Give a name such as optimize, or the end of the endpoint, such as convert/pdf-to-webp",
                )
        })?;
        let options = merged(None, options)?;
        self.start_work(input.into(), &Work::new(self, name, options, call)?, call)
    }

    /// Returns the operation that `token` identifies (see [`Operation::token`]). Sends no request.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for an invalid token,
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) for a token of another service.
    pub fn resume(&self, token: &str) -> Result<Operation, Error> {
        let (token, name) = ResumeToken::read(token)?;
        let base = self.0.config().base.as_str();
        if token.base != base {
            let message = format!(
                "the operation runs on {}, but this client's base URL is {base}",
                crate::redact::address(&token.base)
            );
            return Err(Error::config(message).advise("Create a client with the base URL of the operation"));
        }
        Ok(Operation::resumed(&self.0, token.id, name))
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

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.base_url())
            .field("closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}
