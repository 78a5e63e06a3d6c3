//! The drivers of this process, and the background thread.
//!
//! A call takes the driver that was returned last, or a new one if there is none, and returns it when it ends. Nothing
//! drives a driver between two calls. So the background thread lets the idle drivers catch up from time to time: it
//! drops connections that the server closed, closes idle connections, and finishes tasks of cancelled calls.
//!
//! A call on a thread of another runtime must not drive a runtime. The background thread does it for such calls, and for
//! those that are more than the limit of drivers, because each driver needs descriptors.

use super::driver::{Driver, runtime};
use super::per_process::PerProcess;
use super::signals;
use crate::error::Error;
use futures_util::task::AtomicWaker;
use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::task::Poll;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::runtime::{EnterGuard, Id, Runtime};

/// How often the background thread looks at the idle drivers while there are calls.
const PAUSE: Duration = Duration::from_millis(100);

/// How often it does so when there has been no call for a while.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// How long a driver must have no call and no tasks, such as open connections, before it is closed, and how long there
/// must be nothing to do before the background thread ends.
const LINGER: Duration = Duration::from_secs(10);

/// How many drivers there may be. Each needs four descriptors besides those of its connections.
pub(super) const MOST_DRIVERS: usize = 64;

/// How long a thread that waits for the system, such as for a name lookup, may delay [`shut_down`].
const LONGEST_SHUTDOWN: Duration = Duration::from_secs(1);

pub(super) struct Drivers {
    /// The number of calls that use these drivers.
    users: AtomicUsize,
    /// How many calls have begun so far.
    calls: AtomicUsize,
    /// The drivers that no call uses. The one that was used last is the last one.
    idle: Mutex<Vec<Arc<Driver>>>,
    /// The runtimes of all drivers.
    open: Mutex<Vec<Id>>,
    /// The runtime of the calls that cannot drive one on their own thread.
    waiting_runtime: Runtime,
    background: Mutex<Option<JoinHandle<()>>>,
    /// Whether the background thread exists. It changes only while `background` is locked.
    has_background: AtomicBool,
    /// Whether the background thread has to end.
    stopping: AtomicBool,
    /// Wakes the background thread, so that it checks `stopping`.
    recheck: AtomicWaker,
}

/// The drivers of each process. `None` before the first call, and after [`shut_down`].
static DRIVERS: PerProcess<RwLock<Option<Arc<Drivers>>>> = PerProcess::new();

fn of_this_process() -> &'static RwLock<Option<Arc<Drivers>>> {
    let Ok(place) = DRIVERS.get_or_try_init(|| Ok::<_, Infallible>(RwLock::new(None)));
    place
}

/// Closes all connections, ends the background thread, and returns when this is done. The next call starts all of this
/// again. Returns `false`, and does nothing, if calls are running.
pub fn shut_down() -> bool {
    let mut place = of_this_process().write().unwrap_or_else(PoisonError::into_inner);
    let Some(drivers) = place.take() else { return true };
    if drivers.users.load(SeqCst) > 0 {
        *place = Some(drivers);
        return false;
    }
    drivers.stop_background();
    // The background thread has ended, and no call uses the drivers: this is the last reference.
    if let Ok(drivers) = Arc::try_unwrap(drivers) {
        let until = Instant::now() + LONGEST_SHUTDOWN;
        drivers.waiting_runtime.shutdown_timeout(LONGEST_SHUTDOWN);
        for driver in drivers.idle.into_inner().unwrap_or_else(PoisonError::into_inner) {
            if let Some(driver) = Arc::into_inner(driver) {
                driver.runtime.shutdown_timeout(until.saturating_duration_since(Instant::now()));
            }
        }
    }
    true
}

/// Whether the runtime `id` belongs to an open driver.
pub(crate) fn is_open(id: Id) -> bool {
    let place = of_this_process().read().unwrap_or_else(PoisonError::into_inner);
    place.as_ref().is_some_and(|drivers| {
        drivers.waiting_runtime.handle().id() == id || lock(&drivers.open).contains(&id)
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The drivers, as long as a call uses them.
pub(super) struct DriversInUse(Arc<Drivers>);

impl Deref for DriversInUse {
    type Target = Arc<Drivers>;

    fn deref(&self) -> &Arc<Drivers> {
        &self.0
    }
}

impl Drop for DriversInUse {
    fn drop(&mut self) {
        self.0.users.fetch_sub(1, SeqCst);
    }
}

impl Drivers {
    /// The drivers of this process.
    pub(super) fn of_this_process() -> Result<DriversInUse, Error> {
        Self::get().map_err(super::unstartable)
    }

    fn get() -> io::Result<DriversInUse> {
        // `users` is incremented while `place` is locked, so that `shut_down` sees the new value.
        let in_use = |drivers: &Arc<Self>| {
            drivers.users.fetch_add(1, SeqCst);
            DriversInUse(Arc::clone(drivers))
        };
        let place = of_this_process();
        if let Some(drivers) = &*place.read().unwrap_or_else(PoisonError::into_inner) {
            return Ok(in_use(drivers));
        }
        let mut place = place.write().unwrap_or_else(PoisonError::into_inner);
        let drivers = match place.take() {
            Some(drivers) => drivers,
            None => Arc::new(Self::new()?),
        };
        Ok(in_use(place.insert(drivers)))
    }

    fn new() -> io::Result<Self> {
        Ok(Self {
            users: AtomicUsize::new(0),
            calls: AtomicUsize::new(0),
            idle: Mutex::new(Vec::new()),
            open: Mutex::new(Vec::new()),
            waiting_runtime: runtime()?,
            background: Mutex::new(None),
            has_background: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            recheck: AtomicWaker::new(),
        })
    }

    /// Begins a call. With `may_drive`, the call gets a driver for itself, unless there are too many.
    pub(super) fn begin_call(self: &Arc<Self>, may_drive: bool) -> io::Result<Option<DrivingCall<'_>>> {
        self.calls.fetch_add(1, SeqCst);
        self.ensure_background()?;
        if !may_drive {
            return Ok(None);
        }
        let idle = lock(&self.idle).pop();
        let Some(driver) = idle.or_else(|| self.open_driver()) else { return Ok(None) };
        driver.begin_call();
        Ok(Some(DrivingCall { drivers: self, driver }))
    }

    /// Opens a driver. Returns `None` if there are too many, and if the system has no descriptors left.
    fn open_driver(&self) -> Option<Arc<Driver>> {
        let mut open = lock(&self.open);
        if open.len() >= MOST_DRIVERS {
            return None;
        }
        let driver = Driver::new().ok()?;
        open.push(driver.runtime.handle().id());
        Some(Arc::new(driver))
    }

    /// Enters the runtime that the background thread drives, so that timers and sockets that this thread creates belong
    /// to this runtime.
    pub(super) fn enter(&self) -> EnterGuard<'_> {
        self.waiting_runtime.enter()
    }

    /// Starts the background thread, if there is none. To be called after the call was counted: see
    /// [`may_end`](Self::may_end).
    fn ensure_background(self: &Arc<Self>) -> io::Result<()> {
        if self.has_background.load(SeqCst) {
            return Ok(());
        }
        let mut background = lock(&self.background);
        if !self.has_background.load(SeqCst) {
            let drivers = Arc::clone(self);
            *background = Some(signals::spawn("recto", move || drivers.run_background())?);
            self.has_background.store(true, SeqCst);
        }
        Ok(())
    }

    /// Ends the background thread, and waits for its end.
    fn stop_background(&self) {
        self.stopping.store(true, SeqCst);
        self.recheck.wake();
        let background = lock(&self.background).take();
        if let Some(background) = background {
            // The thread does not panic.
            let _ = background.join();
        }
    }

    /// Runs on the background thread.
    fn run_background(&self) {
        let (mut seen, mut pause, mut quiet_since) = (0, PAUSE, Instant::now());
        while !self.stopping.load(SeqCst) {
            self.drive_for_waiting_calls(pause);
            // Read before the drivers are looked at: a call that ends in between returns a driver with connections.
            let in_use = self.users.load(SeqCst) > 0;
            let has_tasks = self.look_after_idle_drivers();
            let calls = self.calls.load(SeqCst);
            pause = if calls == seen { (2 * pause).min(LONGEST_PAUSE) } else { PAUSE };
            if calls != seen || in_use || has_tasks {
                quiet_since = Instant::now();
            } else if quiet_since.elapsed() > LINGER && self.may_end(seen) {
                return;
            }
            seen = calls;
        }
    }

    /// Drives the runtime of the waiting calls for the time `pause`.
    fn drive_for_waiting_calls(&self, pause: Duration) {
        let stopped = poll_fn(|context| {
            self.recheck.register(context.waker());
            if self.stopping.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }
        });
        // An error means that the time has passed.
        let _ = self.waiting_runtime.block_on(async { tokio::time::timeout(pause, stopped).await });
    }

    /// Lets the idle drivers catch up, and closes those that were not used for a while. Returns whether there are tasks,
    /// such as open connections.
    fn look_after_idle_drivers(&self) -> bool {
        let mut has_tasks = self.waiting_runtime.metrics().num_alive_tasks() > 0;
        let mut position = 0;
        loop {
            // Locked for one driver after the other, so that no call waits long.
            let mut idle = lock(&self.idle);
            let last = position + 1 == idle.len();
            let Some(driver) = idle.get(position) else { return has_tasks };
            if driver.has_tasks() && driver.idle() > PAUSE {
                driver.catch_up();
            }
            has_tasks |= driver.has_tasks();
            // The driver that was used last is kept for the next call.
            if last || driver.has_tasks() || driver.idle() < LINGER {
                position += 1;
                continue;
            }
            let closed = idle.remove(position);
            drop(idle);
            lock(&self.open).retain(|id| *id != closed.runtime.handle().id());
            if let Some(closed) = Arc::into_inner(closed) {
                closed.runtime.shutdown_background();
            }
        }
    }

    /// Whether the background thread may end: there is nothing to do. A call that begins at the same time either is
    /// counted before this check, or finds that there is no background thread and starts another one.
    fn may_end(&self, seen: usize) -> bool {
        let _background = lock(&self.background);
        self.has_background.store(false, SeqCst);
        let busy = self.calls.load(SeqCst) != seen;
        self.has_background.store(busy, SeqCst);
        !busy
    }
}

/// A running call that has a driver for itself.
pub(super) struct DrivingCall<'d> {
    drivers: &'d Drivers,
    driver: Arc<Driver>,
}

impl Deref for DrivingCall<'_> {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.driver
    }
}

impl Drop for DrivingCall<'_> {
    fn drop(&mut self) {
        self.driver.end_call();
        lock(&self.drivers.idle).push(Arc::clone(&self.driver));
    }
}
