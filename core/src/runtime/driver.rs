//! Drives the runtime of this process: a call drives it on the calling thread, and a background thread drives it
//! between calls.
//!
//! A request costs much less if the calling thread drives the runtime than if a runtime thread passes the bytes to
//! the calling thread. But then nothing would drive the runtime between two calls. So a background thread drives the
//! runtime when there has been no call for a while: it drops connections that the server closed, closes idle
//! connections, and finishes tasks of cancelled calls.

use super::per_process::PerProcess;
use crate::error::Error;
use futures_util::task::AtomicWaker;
use once_cell::sync::OnceCell;
use std::future::{Future, poll_fn};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::task::Poll;
use std::thread::Thread;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, EnterGuard, Runtime};

/// How long there must be no calls before the background thread drives the runtime.
const IDLE: Duration = Duration::from_millis(100);

/// For how long after the last call the known state of the connections is taken as current, in microseconds.
const FRESH: u64 = 1000;

pub(super) struct Driver {
    runtime: Runtime,
    began: Instant,
    /// The number of running calls that drive the runtime on their own thread.
    driving: AtomicUsize,
    /// How many calls have driven the runtime on their own thread so far.
    driving_total: AtomicUsize,
    /// The number of running calls that cannot drive the runtime on their own thread.
    waiting: AtomicUsize,
    /// The time at which the last call ended, in microseconds since `began`.
    last_end: AtomicU64,
    background: OnceCell<Thread>,
    /// Whether the background thread drives the runtime.
    in_background: AtomicBool,
    /// Wakes the background thread, so that it checks whether it still has to drive the runtime.
    recheck: AtomicWaker,
}

impl Driver {
    /// The driver of this process.
    pub(super) fn of_this_process() -> Result<&'static Self, Error> {
        static DRIVER: PerProcess<Driver> = PerProcess::new();
        let driver = DRIVER.get_or_try_init(Self::new).and_then(|driver| {
            driver.background.get_or_try_init(|| driver.start_background())?;
            Ok(driver)
        });
        driver.map_err(|error| {
            Error::io("cannot start the threads of the client", error)
                .advise("Raise the limits on threads and open files")
        })
    }

    fn new() -> io::Result<Self> {
        Ok(Self {
            runtime: Builder::new_current_thread().thread_name("recto").enable_all().build()?,
            began: Instant::now(),
            driving: AtomicUsize::new(0),
            driving_total: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            last_end: AtomicU64::new(0),
            background: OnceCell::new(),
            in_background: AtomicBool::new(false),
            recheck: AtomicWaker::new(),
        })
    }

    /// Enters the runtime, so that timers and sockets that this thread creates belong to the runtime.
    pub(super) fn enter(&self) -> EnterGuard<'_> {
        self.runtime.enter()
    }

    /// Begins a call that drives the runtime on its own thread.
    pub(super) fn driving_call(&self) -> DrivingCall<'_> {
        self.driving_total.fetch_add(1, SeqCst);
        let others = self.driving.fetch_add(1, SeqCst);
        if self.in_background.load(SeqCst) {
            self.recheck.wake();
        } else if others == 0 && self.now().saturating_sub(self.last_end.load(SeqCst)) > FRESH {
            self.catch_up();
        }
        DrivingCall(self)
    }

    /// Begins a call on a thread that must not drive the runtime. The background thread drives the runtime until the
    /// call ends.
    pub(super) fn waiting_call(&self) -> WaitingCall<'_> {
        self.waiting.fetch_add(1, SeqCst);
        if let Some(background) = self.background.get() {
            background.unpark();
        }
        WaitingCall(self)
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

    fn start_background(&'static self) -> io::Result<Thread> {
        let background =
            std::thread::Builder::new().name("recto".to_owned()).spawn(|| self.run_background())?;
        Ok(background.thread().clone())
    }

    /// Runs on the background thread: drives the runtime while no call does so, or while there are waiting calls that
    /// cannot drive it.
    fn run_background(&self) {
        let mut seen = 0;
        loop {
            let idle = self.driving.load(SeqCst) == 0 && self.driving_total.load(SeqCst) == seen;
            if idle || self.waiting.load(SeqCst) > 0 {
                self.in_background.store(true, SeqCst);
                self.runtime.block_on(poll_fn(|context| {
                    self.recheck.register(context.waker());
                    let leave = self.waiting.load(SeqCst) == 0 && self.driving_total.load(SeqCst) != seen;
                    if leave { Poll::Ready(()) } else { Poll::Pending }
                }));
                self.in_background.store(false, SeqCst);
            }
            seen = self.driving_total.load(SeqCst);
            std::thread::park_timeout(IDLE);
        }
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
