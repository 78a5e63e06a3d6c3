//! A started operation: waiting for it, and fetching what came of it.

use crate::address::Address;
use crate::call::Call;
use crate::client::Client;
use crate::deadline::Deadline;
use crate::error::{Error, ErrorKind, Phase};
use crate::exchange::{Answer, Ask};
use crate::files::Downloaded;
use crate::poll;
use crate::problem;
use crate::redact::Scrubber;
use crate::result::{Look, OperationResult, OutputFile};
use crate::retry;
use crate::runtime;
use crate::sink::{Sink, Writing};
use crate::token::Token;
use crate::transport::{Scope, seconds};
use http::Method;
use recto_interface::{OperationKind, OperationStatus, OperationType, Yields, endpoint};
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A started operation. Clones are the same operation; it keeps its client alive.
#[derive(Clone)]
pub struct Operation(Arc<Inner>);

struct Inner {
    client: Client,
    id: String,
    kind: OperationKind,
    operation_type: OperationType,
    /// What the caller calls the document; unknown where another client started it.
    document: Option<String>,
    /// When this client started it; `None` where another one did.
    started: Option<Instant>,
    /// Takes the key and the operation's password out of what the service says.
    scrubber: Scrubber,
    result: OnceLock<OperationResult>,
}

impl Operation {
    pub(crate) fn started(
        client: &Client,
        id: String,
        kind: OperationKind,
        of: OperationType,
        scrubber: Scrubber,
    ) -> Self {
        Self::new(client, id, kind, of, Some(Instant::now()), scrubber)
    }

    pub(crate) fn resumed(client: &Client, id: String, kind: OperationKind) -> Self {
        let scrubber = client.config().scrubber.clone();
        Self::new(client, id, kind, OperationType::Known(kind), None, scrubber)
    }

    fn new(
        client: &Client,
        id: String,
        kind: OperationKind,
        operation_type: OperationType,
        started: Option<Instant>,
        scrubber: Scrubber,
    ) -> Self {
        let client = client.clone();
        let result = OnceLock::new();
        let document = None;
        Self(Arc::new(Inner { client, id, kind, operation_type, document, started, scrubber, result }))
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
        &self.0.id
    }

    /// Which operation it is.
    pub fn kind(&self) -> OperationKind {
        self.0.kind
    }

    /// `operationType`, as the service's answer to the start had it.
    pub fn operation_type(&self) -> &OperationType {
        &self.0.operation_type
    }

    /// What [`Client::resume`] takes to go on with it, in another process too: base64url text that holds the
    /// identifier, the kind and the base URL, but no key and no presigned address.
    pub fn token(&self) -> String {
        Token::new(&self.0.id, self.0.kind, self.0.client.config().base.as_str()).write()
    }

    /// Asks the service once how far it is. A failed operation has a failed status here, and is no error.
    ///
    /// # Errors
    /// Those of any request.
    pub fn status(&self, call: &Call<'_>) -> Result<OperationStatus, Error> {
        self.run(call, self.0.client.deadline(call), async |scope| {
            let answer = scope.ask(&self.ask(None), PENDING).await?;
            if PENDING.contains(&answer.status) && !self.may_be_pending(&answer) {
                return Err(answer.refusal());
            }
            if PENDING.contains(&answer.status) {
                return Ok(OperationStatus::InProgress);
            }
            Ok(match Look::read(&answer, &self.0.operation_type)? {
                Look::Finished(result) => result.status,
                Look::Pending(status) | Look::Failed(status, _) => status,
                Look::Empty => OperationStatus::Finished,
            })
        })
    }

    /// Waits until it has ended, and returns what came of it. A document that does not conform is a result.
    ///
    /// # Errors
    /// [`ErrorKind::WaitTimeout`] when it has not ended in time: it goes on, and the error carries its token.
    /// [`ErrorKind::OperationFailed`] when the service could not do the work.
    pub fn wait(&self, call: &Call<'_>) -> Result<OperationResult, Error> {
        self.run(call, waiting(call), async |scope| self.finished(&scope).await.cloned())
    }

    /// Waits, and writes the result file to `path`; into it, where it is a directory, under the result's own name,
    /// made safe. The file appears whole or not at all. Returns where it is.
    ///
    /// # Errors
    /// Those of [`wait`](Self::wait), those of the transfer, and [`ErrorKind::Io`] where it cannot be written.
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
    /// Those of [`wait`](Self::wait), those of the transfer, and [`ErrorKind::Io`] for the writer's. A transfer
    /// that breaks off can only be continued here where the service supports it.
    pub fn write_to(&self, writer: &mut dyn Write, call: &Call<'_>) -> Result<u64, Error> {
        Ok(self.fetch(Sink::writer(writer), call)?.length)
    }

    /// Waits, and gives the result file to `sink`: what [`save`](Self::save), [`read`](Self::read) and
    /// [`write_to`](Self::write_to) come to.
    ///
    /// # Errors
    /// Those of [`wait`](Self::wait), those of the transfer, and [`ErrorKind::Io`] for the sink's.
    pub fn fetch(&self, sink: Sink<'_>, call: &Call<'_>) -> Result<Downloaded, Error> {
        if self.0.kind.yields() == Yields::Report {
            return Err(Error::invalid(format!("{} makes no file to save", self.0.kind))
                .in_phase(Phase::Download)
                .advise("Wait for its result and read the validation report"));
        }
        sink.check().map_err(|error| error.in_phase(Phase::Download))?;
        self.run(call, waiting(call), async |mut scope| {
            let result = self.finished(&scope).await?;
            scope.phase = Phase::Download;
            scope.deadline = scope.deadline.or(self.0.client.deadline(call));
            let output = result
                .output
                .as_ref()
                .ok_or_else(|| Error::protocol("the operation's result names no file"))?;
            let mut writing =
                sink.open(output.name.as_deref()).map_err(|error| error.in_phase(Phase::Download))?;
            self.download(&scope, output, &mut writing).await?;
            let length = writing.position();
            let path = writing.finish().map_err(|error| error.in_phase(Phase::Download))?;
            Ok(Downloaded { length, path })
        })
    }

    async fn download(
        &self,
        scope: &Scope<'_>,
        output: &OutputFile,
        into: &mut Writing<'_>,
    ) -> Result<(), Error> {
        let address = address_of(scope, output)?;
        scope
            .download(address, into, async || {
                // The address has expired: the result, asked for again, has a fresh one.
                let answer = scope.ask(&self.ask(None), &[]).await?;
                match Look::read(&answer, &self.0.operation_type)? {
                    Look::Finished(result) => match &result.output {
                        Some(output) => address_of(scope, output).map(Some),
                        None => Ok(None),
                    },
                    _ => Ok(None),
                }
            })
            .await
    }

    /// The result, waited for if it is not known yet.
    async fn finished(&self, scope: &Scope<'_>) -> Result<&OperationResult, Error> {
        if let Some(result) = self.0.result.get() {
            return Ok(result);
        }
        let result = self.poll(scope).await?;
        Ok(self.0.result.get_or_init(|| result))
    }

    async fn poll(&self, scope: &Scope<'_>) -> Result<OperationResult, Error> {
        scope.running.begin(Phase::Wait, None)?;
        let limit = scope.running.wait_timeout.unwrap_or(scope.config.wait_timeout);
        let scope =
            &Scope { deadline: scope.deadline.or(limit.map_or(Deadline::NEVER, Deadline::after)), ..*scope };
        let began = Instant::now();
        let born = self.0.started.unwrap_or(began);
        let (mut requests, mut failures, mut empty_since) = (0_u32, 0_u32, None::<Instant>);
        // A service that holds its answer is asked at once: it tells the moment the work is done.
        if self.0.started.is_some() && !scope.http.holds_answers.load(Ordering::Relaxed) {
            pause(scope.deadline, poll::FIRST.saturating_sub(born.elapsed())).await;
        }
        loop {
            let left = scope.deadline.left();
            let last = left.is_some_and(|left| left.is_zero());
            let hold = if last { None } else { poll::hold(left, scope.config.stall_timeout) };
            let asked = born.elapsed();
            requests += 1;
            let looked = self.look(scope, last, hold).await;
            let delay = match looked {
                Seen::Finished(result) => {
                    scope.running.end()?;
                    return Ok(*result);
                }
                Seen::Ended(error) => return Err(error.after_attempts(requests)),
                Seen::Empty(error) => {
                    let since = *empty_since.get_or_insert_with(Instant::now);
                    if since.elapsed() >= poll::MAY_BE_EMPTY {
                        return Err(error.after_attempts(requests));
                    }
                    poll::gap(since.elapsed(), retry::chance()).max(Duration::from_millis(100))
                }
                Seen::Pending(after) => {
                    failures = 0;
                    let hold = hold.map(Duration::from_secs);
                    poll::Pending { asked, answered: born.elapsed(), hold, retry_after: after }
                        .delay(retry::chance())
                }
                Seen::Trouble(error) => {
                    failures += 1;
                    tracing::info!(kind = %error.kind(), failures, "a request for the result failed; the wait goes on");
                    if last {
                        return Err(self.late(began.elapsed(), requests, Some(&error)));
                    }
                    poll::after_failure(failures, error.retry_after(), retry::chance())
                }
            };
            if last {
                return Err(self.late(began.elapsed(), requests, None));
            }
            pause(scope.deadline, delay).await;
        }
    }

    /// One request for the result. The last one, at the deadline, has a moment of its own to be answered.
    async fn look(&self, scope: &Scope<'_>, last: bool, hold: Option<u64>) -> Seen {
        let deadline =
            if last { Deadline::after(LAST_LOOK.min(scope.config.stall_timeout)) } else { scope.deadline };
        let answer = match (Scope { deadline, ..*scope }).ask_once(&self.ask(hold)).await {
            Ok(answer) => answer,
            Err(trouble) if trouble.error.kind() == ErrorKind::Protocol => return Seen::Ended(trouble.error),
            Err(trouble) => return Seen::Trouble(trouble.error),
        };
        if problem::holds_answers(&answer.headers) {
            scope.http.holds_answers.store(true, Ordering::Relaxed);
        }
        let retry_after = problem::retry_after(&answer.headers);
        if self.may_be_pending(&answer) {
            return Seen::Pending(retry_after);
        }
        if !answer.is_success() {
            let error = answer.refusal();
            return match error.kind() {
                ErrorKind::RateLimited | ErrorKind::Server | ErrorKind::RequestTimeout => {
                    Seen::Trouble(error)
                }
                _ => Seen::Ended(error),
            };
        }
        match Look::read(&answer, &self.0.operation_type) {
            Ok(Look::Finished(result)) => Seen::Finished(result),
            Ok(Look::Pending(_)) => Seen::Pending(retry_after),
            Ok(Look::Failed(_, error)) | Err(error) => Seen::Ended(error),
            Ok(Look::Empty) => {
                Seen::Empty(answer.nonsense("it says that the operation is finished, and shows no result"))
            }
        }
    }

    /// Whether a status that is no success only means "not yet".
    fn may_be_pending(&self, answer: &Answer) -> bool {
        let young = self.0.started.is_some_and(|started| started.elapsed() < poll::MAY_BE_UNKNOWN);
        matches!(answer.status, 409 | 425) || (answer.status == 404 && young)
    }

    fn late(&self, waited: Duration, requests: u32, last: Option<&Error>) -> Error {
        let mut message = format!("the operation has not ended within {} s; it goes on", seconds(waited));
        if let Some(last) = last {
            message.push_str(&format!(" (the last request for its result failed: {})", last.message()));
        }
        Error::new(ErrorKind::WaitTimeout, message)
            .advise("Wait again, with more time (wait_timeout), or resume later with the error's token")
            .after_attempts(requests)
            .retry_in(last.and_then(Error::retry_after))
            .resumable(self.token())
    }

    fn ask(&self, hold: Option<u64>) -> Ask {
        Ask { prefer_wait: hold, ..Ask::new(Method::GET, endpoint::result(&self.0.id)) }
    }

    /// Runs one call on this operation, within `deadline`.
    fn run<T>(
        &self,
        call: &Call<'_>,
        deadline: Deadline,
        work: impl AsyncFnOnce(Scope<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _span = tracing::info_span!("operation", kind = %self.0.kind, id = %self.0.id).entered();
        let done = self.0.client.run(call, Phase::Wait, deadline, work);
        let (id, document) = (&self.0.id, self.0.document.as_deref());
        done.map_err(|error| error.of_operation(id).of_document(document).scrubbed(&self.0.scrubber))
    }
}

/// A call that waits has the time it was given itself; the client's own limit is for requests and transfers.
fn waiting(call: &Call<'_>) -> Deadline {
    call.timeout.map_or(Deadline::NEVER, Deadline::after)
}

/// What one request for the result showed.
enum Seen {
    Finished(Box<OperationResult>),
    Pending(Option<Duration>),
    Empty(Error),
    /// The request failed, the operation perhaps not.
    Trouble(Error),
    Ended(Error),
}

const PENDING: &[u16] = &[404, 409, 425];
/// How long the last request of a wait may take.
const LAST_LOOK: Duration = Duration::from_secs(5);

/// Sleeps, but not beyond the deadline.
async fn pause(deadline: Deadline, delay: Duration) {
    runtime::sleep(deadline.left().map_or(delay, |left| left.min(delay))).await;
}

fn address_of(scope: &Scope<'_>, output: &OutputFile) -> Result<Address, Error> {
    let url = output.url.as_ref().ok_or_else(|| {
        Error::protocol("the operation's result has no address to download it from").in_phase(Phase::Download)
    })?;
    scope.presigned(url.expose()).map_err(|why| {
        Error::protocol(format!("the result's address cannot be used: {why}")).in_phase(Phase::Download)
    })
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation")
            .field("id", &self.0.id)
            .field("kind", &self.0.kind)
            .finish_non_exhaustive()
    }
}
