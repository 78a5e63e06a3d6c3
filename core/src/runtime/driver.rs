//! Drives the runtime of this process: a call drives it on the calling thread, and a background thread drives it
//! between calls.
//!
//! A request costs much less if the calling thread drives the runtime than if a runtime thread passes the bytes to
//! the calling thread. But then nothing would drive the runtime between two calls. So a background thread drives the
//! runtime when there has been no call for a while: it drops connections that the server closed, closes idle
//! connections, and finishes tasks of cancelled calls.

use super::per_process::PerProcess;
use super::signals;
use crate::error::Error;
use futures_util::task::AtomicWaker;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::task::Poll;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, EnterGuard, Runtime};

/// How long there must be no calls before the background thread drives the runtime.
const IDLE: Duration = Duration::from_millis(100);

/// How long there must be no calls and no tasks, such as open connections, before the background thread ends.
const LINGER: Duration = Duration::from_secs(10);

/// For how long after the last call the known state of the connections is taken as current, in microseconds.
const FRESH: u64 = 1000;

pub(super) struct Driver {
    runtime: Runtime,
    began: Instant,
    /// The number of calls that use this driver.
    users: AtomicUsize,
    /// The number of running calls that drive the runtime on their own thread.
    driving: AtomicUsize,
    /// How many calls have driven the runtime on their own thread so far.
    driving_total: AtomicUsize,
    /// The number of running calls that cannot drive the runtime on their own thread.
    waiting: AtomicUsize,
    /// The time at which the last call ended, in microseconds since `began`.
    last_end: AtomicU64,
    background: Mutex<Option<JoinHandle<()>>>,
    /// Whether the background thread exists. It changes only while `background` is locked.
    has_background: AtomicBool,
    /// Whether the background thread has to end.
    stopping: AtomicBool,
    /// Whether the background thread drives the runtime.
    in_background: AtomicBool,
    /// Wakes the background thread, so that it checks whether it still has to drive the runtime.
    recheck: AtomicWaker,
}

/// The driver of each process. `None` before the first call, and after [`shut_down`].
static DRIVER: PerProcess<RwLock<Option<Arc<Driver>>>> = PerProcess::new();

fn of_this_process() -> &'static RwLock<Option<Arc<Driver>>> {
    let Ok(place) = DRIVER.get_or_try_init(|| Ok::<_, Infallible>(RwLock::new(None)));
    place
}

/// Closes all connections, ends the background thread, and returns when this is done. The next call starts all of this
/// again. Returns `false`, and does nothing, if calls are running.
pub fn shut_down() -> bool {
    let mut place = of_this_process().write().unwrap_or_else(PoisonError::into_inner);
    let Some(driver) = place.take() else { return true };
    if driver.users.load(SeqCst) > 0 {
        *place = Some(driver);
        return false;
    }
    driver.stop_background();
    // The background thread has ended, and no call uses the driver: this is the last reference.
    if let Ok(driver) = Arc::try_unwrap(driver) {
        driver.runtime.shutdown_timeout(LONGEST_SHUTDOWN);
    }
    true
}

/// How long a thread that waits for the system, such as for a name lookup, may delay [`shut_down`].
const LONGEST_SHUTDOWN: Duration = Duration::from_secs(1);

/// The driver, as long as a call uses it.
pub(super) struct DriverInUse(Arc<Driver>);

impl Deref for DriverInUse {
    type Target = Arc<Driver>;

    fn deref(&self) -> &Arc<Driver> {
        &self.0
    }
}

impl Drop for DriverInUse {
    fn drop(&mut self) {
        self.0.users.fetch_sub(1, SeqCst);
    }
}

impl Driver {
    /// The driver of this process.
    pub(super) fn of_this_process() -> Result<DriverInUse, Error> {
        Self::get().map_err(super::unstartable)
    }

    fn get() -> io::Result<DriverInUse> {
        // `users` is incremented while `place` is locked, so that `shut_down` sees the new value.
        let in_use = |driver: &Arc<Self>| {
            driver.users.fetch_add(1, SeqCst);
            DriverInUse(Arc::clone(driver))
        };
        let place = of_this_process();
        if let Some(driver) = &*place.read().unwrap_or_else(PoisonError::into_inner) {
            return Ok(in_use(driver));
        }
        let mut place = place.write().unwrap_or_else(PoisonError::into_inner);
        let driver = match place.take() {
            Some(driver) => driver,
            None => Arc::new(Self::new()?),
        };
        Ok(in_use(place.insert(driver)))
    }

    fn new() -> io::Result<Self> {
        Ok(Self {
            runtime: Builder::new_current_thread()
                .thread_name("recto")
                // Blocking threads, for example for name lookups, are also started by the threads of callers.
                .on_thread_start(signals::block_all)
                .enable_all()
                .build()?,
            began: Instant::now(),
            users: AtomicUsize::new(0),
            driving: AtomicUsize::new(0),
            driving_total: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            last_end: AtomicU64::new(0),
            background: Mutex::new(None),
            has_background: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            in_background: AtomicBool::new(false),
            recheck: AtomicWaker::new(),
        })
    }

    /// Enters the runtime, so that timers and sockets that this thread creates belong to the runtime.
    pub(super) fn enter(&self) -> EnterGuard<'_> {
        self.runtime.enter()
    }

    /// Begins a call that drives the runtime on its own thread.
    pub(super) fn driving_call(self: &Arc<Self>) -> io::Result<DrivingCall<'_>> {
        self.driving_total.fetch_add(1, SeqCst);
        let others = self.driving.fetch_add(1, SeqCst);
        let call = DrivingCall(self);
        self.ensure_background()?;
        if self.in_background.load(SeqCst) {
            self.recheck.wake();
        } else if others == 0 && self.now().saturating_sub(self.last_end.load(SeqCst)) > FRESH {
            self.catch_up();
        }
        Ok(call)
    }

    /// Begins a call on a thread that must not drive the runtime. The background thread drives the runtime until the
    /// call ends.
    pub(super) fn waiting_call(self: &Arc<Self>) -> io::Result<WaitingCall<'_>> {
        self.waiting.fetch_add(1, SeqCst);
        let call = WaitingCall(self);
        self.ensure_background()?;
        if let Some(background) = &*self.background() {
            background.thread().unpark();
        }
        Ok(call)
    }

    /// Gives the tasks of the runtime time to process data that has arrived and connections that were closed.
    fn catch_up(&self) {
        self.runtime.block_on(async {
            for _ in 0..2 {
                tokio::task::yield_now().await;
            }
        });
    }

    /// Microseconds since `began`.
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn background(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.background.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the background thread, if there is none. To be called after the call was counted: see
    /// [`may_end`](Self::may_end).
    fn ensure_background(self: &Arc<Self>) -> io::Result<()> {
        if self.has_background.load(SeqCst) {
            return Ok(());
        }
        let mut background = self.background();
        if !self.has_background.load(SeqCst) {
            let driver = Arc::clone(self);
            *background = Some(signals::spawn("recto", move || driver.run_background())?);
            self.has_background.store(true, SeqCst);
        }
        Ok(())
    }

    /// Ends the background thread, and waits for its end.
    fn stop_background(&self) {
        self.stopping.store(true, SeqCst);
        self.recheck.wake();
        let background = self.background().take();
        if let Some(background) = background {
            background.thread().unpark();
            // The thread does not panic.
            let _ = background.join();
        }
    }

    /// Runs on the background thread: drives the runtime while no call does so, or while there are waiting calls that
    /// cannot drive it.
    fn run_background(&self) {
        let mut seen = 0;
        while !self.stopping.load(SeqCst) {
            let idle = self.driving.load(SeqCst) == 0 && self.driving_total.load(SeqCst) == seen;
            if idle || self.waiting.load(SeqCst) > 0 {
                self.in_background.store(true, SeqCst);
                let lingered = self.drive_in_background(seen);
                self.in_background.store(false, SeqCst);
                if lingered && self.may_end(seen) {
                    return;
                }
            }
            seen = self.driving_total.load(SeqCst);
            if !self.stopping.load(SeqCst) {
                std::thread::park_timeout(IDLE);
            }
        }
    }

    /// Drives the runtime until a call does so. Returns `true` if there was no call for [`LINGER`].
    fn drive_in_background(&self, seen: usize) -> bool {
        let relieved = poll_fn(|context| {
            self.recheck.register(context.waker());
            let relieved = self.waiting.load(SeqCst) == 0 && self.driving_total.load(SeqCst) != seen;
            if relieved || self.stopping.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }
        });
        self.runtime.block_on(async { tokio::time::timeout(LINGER, relieved).await }).is_err()
    }

    /// Whether the background thread may end: there is nothing to drive. A call that begins at the same time either is
    /// counted before this check, or finds that there is no background thread and starts another one.
    fn may_end(&self, seen: usize) -> bool {
        if self.runtime.metrics().num_alive_tasks() > 0 {
            return false;
        }
        let _background = self.background();
        self.has_background.store(false, SeqCst);
        let busy = self.waiting.load(SeqCst) > 0 || self.driving_total.load(SeqCst) != seen;
        self.has_background.store(busy, SeqCst);
        !busy
    }
}

/// A running call that drives the runtime on its own thread.
pub(super) struct DrivingCall<'d>(&'d Driver);

impl DrivingCall<'_> {
    /// Drives the runtime until `future` has ended.
    pub(super) fn drive<T>(&self, future: impl Future<Output = T>) -> T {
        self.0.runtime.block_on(future)
    }

    /// Lets the runtime finish the tasks that this call has left behind.
    pub(super) fn finish_dropped_work(&self) {
        self.0.catch_up();
    }
}

impl Drop for DrivingCall<'_> {
    fn drop(&mut self) {
        self.0.last_end.store(self.0.now(), SeqCst);
        self.0.driving.fetch_sub(1, SeqCst);
    }
}

/// A running call that waits while the background thread drives the runtime.
pub(super) struct WaitingCall<'d>(&'d Driver);

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        if self.0.waiting.fetch_sub(1, SeqCst) == 1 {
            self.0.recheck.wake();
        }
    }
}
