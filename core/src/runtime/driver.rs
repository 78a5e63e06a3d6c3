//! A driver: a runtime that one call at a time drives on its own thread.
//!
//! A request costs much less if the calling thread drives the runtime than if a runtime thread passes the bytes to
//! the calling thread. The connections that a call opens belong to its driver. So calls of several threads use
//! several drivers, and never wait for each other.

use super::signals;
use std::future::Future;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

/// If the last call ended less than this time ago, in microseconds, the state of the connections counts as up to date.
const FRESH: u64 = 1000;

/// A runtime, and when it was used. Only one thread at a time uses a driver.
pub(super) struct Driver {
    pub(super) runtime: Runtime,
    began: Instant,
    /// The time at which the runtime was last driven, and that at which the last call ended, in microseconds since
    /// `began`.
    last_driven: AtomicU64,
    last_call: AtomicU64,
}

impl Driver {
    pub(super) fn new() -> io::Result<Self> {
        let runtime = runtime()?;
        Ok(Self {
            runtime,
            began: Instant::now(),
            last_driven: AtomicU64::new(0),
            last_call: AtomicU64::new(0),
        })
    }

    pub(super) fn begin_call(&self) {
        if self.now().saturating_sub(self.last_driven.load(Relaxed)) > FRESH {
            self.catch_up();
        }
    }

    pub(super) fn end_call(&self) {
        let now = self.now();
        self.last_driven.store(now, Relaxed);
        self.last_call.store(now, Relaxed);
    }

    /// How long there has been no call.
    pub(super) fn idle(&self) -> Duration {
        Duration::from_micros(self.now().saturating_sub(self.last_call.load(Relaxed)))
    }

    /// Whether there are tasks, such as open connections.
    pub(super) fn has_tasks(&self) -> bool {
        self.runtime.metrics().num_alive_tasks() > 0
    }

    /// Drives the runtime until `future` has ended.
    pub(super) fn drive<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Gives the tasks time to process data that has arrived, connections that were closed, and timers that are due.
    pub(super) fn catch_up(&self) {
        self.runtime.block_on(async {
            for _ in 0..2 {
                tokio::task::yield_now().await;
            }
        });
        self.last_driven.store(self.now(), Relaxed);
    }

    /// Microseconds since `began`.
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// Creates a runtime that has no thread of its own.
pub(super) fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread()
        .thread_name("recto")
        // Blocking threads, for example for name lookups, are also started by the threads of callers.
        .on_thread_start(signals::block_all)
        .enable_io()
        .enable_time()
        .build()
}
