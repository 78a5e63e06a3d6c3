//! This process's runtime: driven by whoever waits, and by a background while nobody does.
//!
//! A request costs a fraction of what it would cost if its bytes went from a thread of the runtime's to the caller's.
//! The price is that nothing moves on its own between two calls. So a thread keeps the runtime when it has lain idle:
//! connections that a peer closed are dropped, idle ones closed in time, and what a cancelled call left is ended.

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

/// How long nobody must have called before the background takes over.
const IDLE: Duration = Duration::from_millis(100);

/// How long what is known of the connections is trusted, in microseconds.
const FRESH: u64 = 1000;

pub(super) struct Driver {
    runtime: Runtime,
    began: Instant,
    /// Calls that drive the runtime themselves, now and ever.
    callers: AtomicUsize,
    calls: AtomicUsize,
    /// Calls that cannot.
    guests: AtomicUsize,
    /// When the last call ended, in microseconds from the beginning.
    rested: AtomicU64,
    background: OnceCell<Thread>,
    /// Whether the background drives, and how it is told to look whether it still should.
    in_background: AtomicBool,
    look: AtomicWaker,
}

impl Driver {
    /// This process's.
    pub(super) fn of_this_process() -> Result<&'static Self, Error> {
        static DRIVER: PerProcess<Driver> = PerProcess::new();
        let driver = DRIVER.get_or_try_init(Self::new).and_then(|driver| {
            driver.background.get_or_try_init(|| driver.start_background())?;
            Ok(driver)
        });
        driver.map_err(|error| {
            Error::io("cannot start the threads of the client", error)
                .advise("Raise the limit of threads and open files")
        })
    }

    fn new() -> io::Result<Self> {
        Ok(Self {
            runtime: Builder::new_current_thread().thread_name("recto").enable_all().build()?,
            began: Instant::now(),
            callers: AtomicUsize::new(0),
            calls: AtomicUsize::new(0),
            guests: AtomicUsize::new(0),
            rested: AtomicU64::new(0),
            background: OnceCell::new(),
            in_background: AtomicBool::new(false),
            look: AtomicWaker::new(),
        })
    }

    /// Makes the runtime the one that timers and sockets of this thread belong to.
    pub(super) fn enter(&self) -> EnterGuard<'_> {
        self.runtime.enter()
    }

    /// A call that drives the runtime itself.
    pub(super) fn driving_call(&self) -> DrivingCall<'_> {
        self.calls.fetch_add(1, SeqCst);
        let others = self.callers.fetch_add(1, SeqCst);
        if self.in_background.load(SeqCst) {
            self.look.wake();
        } else if others == 0 && self.now().saturating_sub(self.rested.load(SeqCst)) > FRESH {
            self.catch_up();
        }
        DrivingCall(self)
    }

    /// A call on a thread that must not drive the runtime; the background does until it ends.
    pub(super) fn waiting_call(&self) -> WaitingCall<'_> {
        self.guests.fetch_add(1, SeqCst);
        if let Some(background) = self.background.get() {
            background.unpark();
        }
        WaitingCall(self)
    }

    /// Lets tasks see what has come in or was dropped, and act on it.
    fn catch_up(&self) {
        self.runtime.block_on(async {
            for _ in 0..2 {
                tokio::task::yield_now().await;
            }
        });
    }

    /// Microseconds since the beginning.
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn start_background(&'static self) -> io::Result<Thread> {
        let background = std::thread::Builder::new().name("recto".to_owned()).spawn(|| self.keep())?;
        Ok(background.thread().clone())
    }

    fn keep(&self) {
        let mut calls = 0;
        loop {
            let idle = self.callers.load(SeqCst) == 0 && self.calls.load(SeqCst) == calls;
            if idle || self.guests.load(SeqCst) > 0 {
                self.in_background.store(true, SeqCst);
                self.runtime.block_on(poll_fn(|context| {
                    self.look.register(context.waker());
                    let leave = self.guests.load(SeqCst) == 0 && self.calls.load(SeqCst) != calls;
                    if leave { Poll::Ready(()) } else { Poll::Pending }
                }));
                self.in_background.store(false, SeqCst);
            }
            calls = self.calls.load(SeqCst);
            std::thread::park_timeout(IDLE);
        }
    }
}

/// A running call that drives the runtime itself.
pub(super) struct DrivingCall<'d>(&'d Driver);

impl DrivingCall<'_> {
    /// Drives the runtime until `future` has ended.
    pub(super) fn drive<T>(&self, future: impl Future<Output = T>) -> T {
        self.0.runtime.block_on(future)
    }

    /// Lets the runtime end what this call has left.
    pub(super) fn finish_dropped_work(&self) {
        self.0.catch_up();
    }
}

impl Drop for DrivingCall<'_> {
    fn drop(&mut self) {
        self.0.rested.store(self.0.now(), SeqCst);
        self.0.callers.fetch_sub(1, SeqCst);
    }
}

/// A running call that the background drives the runtime for.
pub(super) struct WaitingCall<'d>(&'d Driver);

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        if self.0.guests.fetch_sub(1, SeqCst) == 1 {
            self.0.look.wake();
        }
    }
}
