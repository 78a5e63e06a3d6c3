//! The settings of one call: time limits, cancellation and callbacks.

pub(crate) mod cancel;
pub(crate) mod deadline;
pub(crate) mod progress;

use crate::error::{Error, ErrorKind, Phase};
use crate::runtime;
use cancel::Cancel;
use http::HeaderMap;
use progress::{Meter, Progress};
use serde_json::Value;
use std::cell::RefCell;
use std::fmt;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Settings of one call; all of them are optional. `&Call::new()` is a call with the default settings.
///
/// Callbacks run on the caller's thread, during the call. If a callback returns [`ControlFlow::Break`], the call is
/// cancelled.
#[derive(Default)]
pub struct Call<'a> {
    pub(crate) cancel: Option<Cancel>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) until: Option<Instant>,
    pub(crate) wait_timeout: Option<Option<Duration>>,
    pub(crate) force: bool,
    pub(crate) keep_existing: bool,
    pub(crate) delete_after: bool,
    pub(crate) extra_options: Value,
    pub(crate) headers: Vec<(String, String)>,
    patient: bool,
    progress: RefCell<Option<ProgressFn<'a>>>,
    tick: RefCell<Option<TickFn<'a>>>,
}

type ProgressFn<'a> = Box<dyn FnMut(&Progress) -> ControlFlow<()> + 'a>;
type TickFn<'a> = Box<dyn FnMut() -> ControlFlow<()> + 'a>;

impl<'a> Call<'a> {
    /// A call with the default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the call when `cancel` is triggered. Any thread may trigger it.
    #[must_use]
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = Some(cancel.clone());
        self
    }

    /// The time limit of the whole call: upload, start, wait, download and retries. Default: the client's time limit.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the point in time at which the whole call ends, like [`timeout`](Self::timeout). Several calls can share
    /// this time limit.
    #[must_use]
    pub fn until(mut self, until: Instant) -> Self {
        self.until = Some(until);
        self
    }

    /// The time limit for waiting for the operation, within the time limit of the whole call. When it expires, the call
    /// ends with [`ErrorKind::WaitTimeout`], and the operation continues. `None` means that there is no limit. Default:
    /// the client's value. If the client has none: no limit if the whole call has a time limit, otherwise 15 minutes.
    #[must_use]
    pub fn wait_timeout(mut self, wait_timeout: Option<Duration>) -> Self {
        self.wait_timeout = Some(wait_timeout);
        self
    }

    /// Sends a document even if the operation does not accept its extension.
    #[must_use]
    pub fn force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    /// Whether a result may replace an existing file. Default: true. In a directory, a result never replaces its
    /// source, nor a result of another source or operation; see [`Sink::path`](crate::Sink::path).
    #[must_use]
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.keep_existing = !overwrite;
        self
    }

    /// Deletes the files of the operation from the service when its result is saved, as
    /// [`Operation::delete`](crate::Operation::delete) does. Calls that save no result ignore it.
    #[must_use]
    pub fn delete_after(mut self, delete: bool) -> Self {
        self.delete_after = delete;
        self
    }

    /// Options as a JSON object that are sent besides those of the operation, without a check: for options that this
    /// version does not know. Where both have a value for the same option, this one is sent.
    #[must_use]
    pub fn extra_options(mut self, options: Value) -> Self {
        self.extra_options = options;
        self
    }

    /// Adds a header to the requests of this call to the service, as
    /// [`ClientBuilder::header`](crate::ClientBuilder::header) does for all calls. It replaces a header of the client
    /// with the same name.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Repeats refused requests (429, or 503 with `Retry-After`) more often than other calls do.
    #[must_use]
    pub(crate) fn patient(mut self) -> Self {
        self.patient = true;
        self
    }

    /// Makes a call for another thread: with the same settings, but without the `Cancel` and the callbacks.
    pub(crate) fn settings(&self) -> impl FnOnce() -> Call<'static> + Send + use<> {
        let (timeout, wait_timeout, headers) = (self.timeout, self.wait_timeout, self.headers.clone());
        let (force, delete_after, patient) = (self.force, self.delete_after, self.patient);
        let extra_options = self.extra_options.clone();
        move || Call {
            timeout,
            wait_timeout,
            force,
            delete_after,
            extra_options,
            headers,
            patient,
            ..Call::default()
        }
    }

    /// Sets a callback for progress. It is called when a phase begins, when the phase ends, and at most every 50 ms
    /// in between.
    #[must_use]
    pub fn on_progress(mut self, callback: impl FnMut(&Progress) -> ControlFlow<()> + 'a) -> Self {
        self.progress = RefCell::new(Some(Box::new(callback)));
        self
    }

    /// Sets a callback that is called every 50 ms during the call, for example to check for signals or to redraw a
    /// screen.
    #[must_use]
    pub fn tick(mut self, callback: impl FnMut() -> ControlFlow<()> + 'a) -> Self {
        self.tick = RefCell::new(Some(Box::new(callback)));
        self
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("timeout", &self.timeout)
            .field("until", &self.until)
            .field("wait_timeout", &self.wait_timeout)
            .field("force", &self.force)
            .finish_non_exhaustive()
    }
}

/// The callbacks of a call. The returned value decides whether the call continues.
trait Callbacks {
    fn progress(&self, progress: &Progress) -> ControlFlow<()>;
    fn tick(&self) -> ControlFlow<()>;
}

/// If a callback makes another call with the same `Call`, that callback is not called again during the inner call.
impl Callbacks for Call<'_> {
    fn progress(&self, progress: &Progress) -> ControlFlow<()> {
        match self.progress.try_borrow_mut().as_deref_mut() {
            Ok(Some(callback)) => callback(progress),
            _ => ControlFlow::Continue(()),
        }
    }

    fn tick(&self) -> ControlFlow<()> {
        match self.tick.try_borrow_mut().as_deref_mut() {
            Ok(Some(callback)) => callback(),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// A running call: its callbacks, its progress, and the two values that can end it: the `Cancel` of the call and that
/// of the client.
pub(crate) struct RunningCall<'c> {
    callbacks: &'c dyn Callbacks,
    cancel: Option<&'c Cancel>,
    closed: &'c Cancel,
    pub(crate) wait_timeout: Option<Option<Duration>>,
    /// Whether the call itself has a time limit.
    pub(crate) is_limited: bool,
    pub(crate) patient: bool,
    /// Headers that the caller adds to the requests to the service.
    pub(crate) headers: HeaderMap,
    pub(crate) meter: Meter,
}

impl<'c> RunningCall<'c> {
    pub(crate) fn new(call: &'c Call<'_>, closed: &'c Cancel) -> Self {
        Self {
            callbacks: call,
            cancel: call.cancel.as_ref(),
            closed,
            wait_timeout: call.wait_timeout,
            is_limited: call.timeout.is_some() || call.until.is_some(),
            patient: call.patient,
            headers: HeaderMap::new(),
            meter: Meter::default(),
        }
    }

    /// The same call with headers that the caller adds to its requests.
    pub(crate) fn with_headers(self, headers: HeaderMap) -> Self {
        Self { headers, ..self }
    }

    /// Returns an error if the call was cancelled or the client was closed.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.cancel.is_some_and(Cancel::is_triggered) {
            return Err(cancelled("the call was cancelled"));
        }
        if self.closed.is_triggered() {
            return Err(cancelled("the client was closed while the call was running"));
        }
        Ok(())
    }

    /// Runs `future` to its end on this thread, and calls [`tick`](Self::tick) every 50 ms.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        self.check()?;
        runtime::wait(|| self.tick(), future)
    }

    /// Reports progress, calls the callback set with [`Call::tick`], and checks for cancellation. This method must be
    /// called every 50 ms.
    pub(crate) fn tick(&self) -> Result<(), Error> {
        if let Some(progress) = self.meter.current() {
            self.report(&progress)?;
        }
        if self.callbacks.tick().is_break() {
            return Err(cancelled("the call was cancelled by the callback that runs while it waits"));
        }
        self.check()
    }

    /// Begins a phase, and reports its progress.
    pub(crate) fn begin(&self, phase: Phase, total: Option<u64>) -> Result<(), Error> {
        self.report(&self.meter.begin(phase, total))
    }

    /// Ends a phase that succeeded, and reports its progress.
    pub(crate) fn end(&self) -> Result<(), Error> {
        self.meter.end().map_or(Ok(()), |progress| self.report(&progress))
    }

    fn report(&self, progress: &Progress) -> Result<(), Error> {
        debug_assert!(runtime::may_block());
        if self.callbacks.progress(progress).is_break() {
            return Err(cancelled("the call was cancelled by its progress callback"));
        }
        Ok(())
    }
}

fn cancelled(message: &str) -> Error {
    Error::new(ErrorKind::Cancelled, message)
}
