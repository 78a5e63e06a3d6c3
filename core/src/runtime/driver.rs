//! This process's runtime: driven by whoever waits, and by a keeper while nobody does.
//!
//! A request costs a fraction of what it would cost if its bytes went from a thread of the runtime's to the caller's.
//! The price is that nothing moves on its own between two calls. So a thread keeps the runtime when it has lain idle:
//! connections that a peer closed are dropped, idle ones closed in time, and what a cancelled call left is ended.

use super::process::PerProcess;
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

/// How long nobody must have called before the keeper takes over.
const IDLE: Duration = Duration::from_millis(100);

/// How long what is known of the connections is trusted, in microseconds.
const FRESH: u64 = 1000;

pub(super) struct Home {
    runtime: Runtime,
    began: Instant,
    /// Calls that drive the runtime themselves, now and ever.
    callers: AtomicUsize,
    calls: AtomicUsize,
    /// Calls that cannot.
    guests: AtomicUsize,
    /// When the last call ended, in microseconds from the beginning.
    rested: AtomicU64,
    keeper: OnceCell<Thread>,
    /// Whether the keeper drives, and how it is told to look whether it still should.
    keeping: AtomicBool,
    look: AtomicWaker,
}

impl Home {
    /// This process's.
    pub(super) fn here() -> Result<&'static Self, Error> {
        static HOME: PerProcess<Home> = PerProcess::new();
        let home = HOME.get_or_try_init(Self::new).and_then(|home| {
            home.keeper.get_or_try_init(|| home.start_keeper())?;
            Ok(home)
        });
        home.map_err(|error| {
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
            keeper: OnceCell::new(),
            keeping: AtomicBool::new(false),
            look: AtomicWaker::new(),
        })
    }

    /// Makes the runtime the one that timers and sockets of this thread belong to.
    pub(super) fn enter(&self) -> EnterGuard<'_> {
        self.runtime.enter()
    }

    /// A call that drives the runtime itself.
    pub(super) fn caller(&self) -> Caller<'_> {
        self.calls.fetch_add(1, SeqCst);
        let others = self.callers.fetch_add(1, SeqCst);
        if self.keeping.load(SeqCst) {
            self.look.wake();
        } else if others == 0 && self.now().saturating_sub(self.rested.load(SeqCst)) > FRESH {
            self.catch_up();
        }
        Caller(self)
    }

    /// A call on a thread that must not drive the runtime; the keeper does until it ends.
    pub(super) fn guest(&self) -> Guest<'_> {
        self.guests.fetch_add(1, SeqCst);
        if let Some(keeper) = self.keeper.get() {
            keeper.unpark();
        }
        Guest(self)
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

    fn start_keeper(&'static self) -> io::Result<Thread> {
        let keeper = std::thread::Builder::new().name("recto".to_owned()).spawn(|| self.keep())?;
        Ok(keeper.thread().clone())
    }

    fn keep(&self) {
        let mut calls = 0;
        loop {
            let idle = self.callers.load(SeqCst) == 0 && self.calls.load(SeqCst) == calls;
            if idle || self.guests.load(SeqCst) > 0 {
                self.keeping.store(true, SeqCst);
                self.runtime.block_on(poll_fn(|context| {
                    self.look.register(context.waker());
                    let leave = self.guests.load(SeqCst) == 0 && self.calls.load(SeqCst) != calls;
                    if leave { Poll::Ready(()) } else { Poll::Pending }
                }));
                self.keeping.store(false, SeqCst);
            }
            calls = self.calls.load(SeqCst);
            std::thread::park_timeout(IDLE);
        }
    }
}

/// A running call that drives the runtime itself.
pub(super) struct Caller<'h>(&'h Home);

impl Caller<'_> {
    /// Drives the runtime until `future` has ended.
    pub(super) fn drive<T>(&self, future: impl Future<Output = T>) -> T {
        self.0.runtime.block_on(future)
    }

    /// Lets the runtime end what this call has left.
    pub(super) fn leave_nothing(&self) {
        self.0.catch_up();
    }
}

impl Drop for Caller<'_> {
    fn drop(&mut self) {
        self.0.rested.store(self.0.now(), SeqCst);
        self.0.callers.fetch_sub(1, SeqCst);
    }
}

/// A running call that the keeper drives the runtime for.
pub(super) struct Guest<'h>(&'h Home);

impl Drop for Guest<'_> {
    fn drop(&mut self) {
        if self.0.guests.fetch_sub(1, SeqCst) == 1 {
            self.0.look.wake();
        }
    }
}
