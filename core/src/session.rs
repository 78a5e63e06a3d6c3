//! A session: everything that the calls of one client need. `Client`, `Files` and `Operation` share a session.

use crate::call::cancel::Cancel;
use crate::call::deadline::Deadline;
use crate::call::{Call, RunningCall};
use crate::error::{Error, Phase};
use crate::http::config::Config;
use crate::http::context::RequestContext;
use crate::http::extra_headers;
use crate::http::http_client::HttpClient;
use crate::io::owned_file::OwnedFile;
use crate::io::same_file::WrittenResults;
use crate::io::source::FileId;
use crate::runtime::PerProcess;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The settings of a client, its connections, and the `Cancel` that is triggered when the client is closed. Clones
/// share these values.
#[derive(Clone)]
pub(crate) struct Session(Arc<Shared>);

struct Shared {
    config: Config,
    http: Arc<PerProcess<HttpClient>>,
    closed: Cancel,
    written: WrittenResults,
}

impl Session {
    pub(crate) fn new(config: Config) -> Result<Self, Error> {
        let session = Self(Arc::new(Shared {
            config,
            http: Arc::default(),
            closed: Cancel::new(),
            written: WrittenResults::default(),
        }));
        // Settings that cannot work are reported when the client is built, not at the first request.
        session.http()?;
        Ok(session)
    }

    /// A session with other settings and the same connections. Closing one of them closes both.
    pub(crate) fn with_config(&self, config: Config) -> Self {
        let (http, closed) = (Arc::clone(&self.0.http), self.0.closed.clone());
        Self(Arc::new(Shared { config, http, closed, written: self.0.written.clone() }))
    }

    pub(crate) fn config(&self) -> &Config {
        &self.0.config
    }

    /// The `Cancel` that ends all running calls. Once it is triggered, later calls fail.
    pub(crate) fn closed(&self) -> &Cancel {
        &self.0.closed
    }

    /// A file of the embedded service that belongs to a handle. `None` for a file that is not deleted with its handle.
    pub(crate) fn owned(&self, id: &FileId) -> Option<OwnedFile> {
        let delete = self.config().delete_unused.as_ref().filter(|_| !self.config().keep_files)?;
        Some(OwnedFile::new(id.clone(), Arc::clone(delete)))
    }

    /// The results that calls of this session wrote to files.
    pub(crate) fn written(&self) -> &WrittenResults {
        &self.0.written
    }

    /// The deadline of a call: given by the time limits of the call, or else by the time limit of the client.
    pub(crate) fn deadline(&self, call: &Call<'_>) -> Deadline {
        let of_client = || self.config().timeout.filter(|_| call.until.is_none());
        let limit = call.timeout.or_else(of_client).map_or(Deadline::NEVER, Deadline::after);
        limit.earlier(call.until.map_or(Deadline::NEVER, Deadline::at))
    }

    /// Runs one call on this thread until the call ends.
    pub(crate) fn run<T>(
        &self,
        call: &Call<'_>,
        phase: Phase,
        work: impl AsyncFnOnce(RequestContext<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.run_until(call, phase, self.deadline(call), work)
    }

    /// [`run`](Self::run) with the deadline of a call that has several parts.
    pub(crate) fn run_until<T>(
        &self,
        call: &Call<'_>,
        phase: Phase,
        deadline: Deadline,
        work: impl AsyncFnOnce(RequestContext<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.closed().is_triggered() {
            return Err(Error::config("the client is closed").advise("Create a new client"));
        }
        let headers = extra_headers::read(&call.headers).map_err(|error| error.in_phase(phase))?;
        let mut scrubber = Cow::Borrowed(&self.config().scrubber);
        if !headers.is_empty() {
            extra_headers::add_secrets(&headers, scrubber.to_mut());
        }
        let running = RunningCall::new(call, self.closed()).with_headers(headers);
        let context =
            RequestContext { http: self.http()?, config: self.config(), running: &running, phase, deadline };
        let outcome = running.wait(work(context));
        outcome.map_err(|error| error.in_phase(phase).scrubbed(&scrubber))
    }

    fn http(&self) -> Result<&HttpClient, Error> {
        self.0.http.get_or_try_init(|| HttpClient::new(&self.0.config))
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("base_url", &self.config().base.as_str())
            .field("closed", &self.closed().is_triggered())
            .finish_non_exhaustive()
    }
}
