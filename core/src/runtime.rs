//! The shared runtime, and the one way to wait for something that runs on it.
//!
//! Fork: threads do not survive it, so a runtime or an HTTP client from before it would hang for ever. Each is
//! kept with the process id it was made in. A forked child never touches an inherited one, not even to drop it,
//! and makes its own. What is kept is found without a lock, since a lock that another thread of the parent held
//! at the fork stays locked in the child.

use crate::call::Running;
use crate::error::Error;
use once_cell::race::OnceBox;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Handle, Runtime};

/// How often a waiting call looks at its switches and calls back.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// A value for each process that asks for one.
pub(crate) struct PerProcess<T>(OnceBox<Node<T>>);

struct Node<T> {
    process: u32,
    /// Only taken by the drop, to leak it.
    value: Option<T>,
    next: PerProcess<T>,
}

impl<T> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        Self(OnceBox::new())
    }

    /// This process's value; `make` may run without need when two threads ask at once.
    pub(crate) fn get_or_try_init<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        let process = std::process::id();
        if let Some(found) = self.find(process) {
            return Ok(found);
        }
        let mut made = Box::new(Node { process, value: Some(make()?), next: Self::new() });
        let mut end = self;
        loop {
            match end.0.set(made) {
                Ok(()) => break,
                // Somebody else was there first: perhaps this process, and then its value stands.
                Err(again) => made = again,
            }
            match end.0.get() {
                Some(node) if node.process == process => break,
                Some(node) => end = &node.next,
                None => {}
            }
        }
        match self.find(process) {
            Some(found) => Ok(found),
            None => unreachable!("the node is in the list, and nothing takes it out"),
        }
    }

    fn find(&self, process: u32) -> Option<&T> {
        let mut list = self;
        while let Some(node) = list.0.get() {
            if node.process == process {
                return node.value.as_ref();
            }
            list = &node.next;
        }
        None
    }
}

impl<T> Drop for Node<T> {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            std::mem::forget(self.value.take());
        }
    }
}

/// The handle of this process's runtime.
fn handle() -> Result<Handle, Error> {
    static RUNTIME: PerProcess<Background> = PerProcess::new();
    let runtime = RUNTIME.get_or_try_init(Background::new).map_err(|error| {
        Error::io("cannot start the threads of the client", error)
            .advise("Raise the limit of threads and open files")
    })?;
    Ok(runtime.handle.clone())
}

/// A runtime whose drop waits for nothing.
struct Background {
    handle: Handle,
    runtime: Option<Runtime>,
}

impl Background {
    fn new() -> io::Result<Self> {
        let workers = std::thread::available_parallelism().map_or(2, |cores| cores.get().clamp(1, 4));
        let runtime =
            Builder::new_multi_thread().worker_threads(workers).thread_name("recto").enable_all().build()?;
        Ok(Self { handle: runtime.handle().clone(), runtime: Some(runtime) })
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Drives `future` to its end on the caller's thread, ticking every 50 ms. What ends the call drops the future.
///
/// Connections live on the runtime's threads; the future itself is polled here, so that it may read from and
/// write to what belongs to the caller. It works inside another runtime too, whose thread it then blocks.
pub(crate) fn wait<T>(
    running: &Running<'_>,
    future: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    running.check()?;
    let handle = handle()?;
    let _entered = handle.enter();
    // Inside a task of another runtime its budget would apply, and never be renewed.
    let mut future = pin!(tokio::task::unconstrained(future));
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut due = Instant::now() + TICK;
    loop {
        if let Poll::Ready(outcome) = future.as_mut().poll(&mut context) {
            return outcome;
        }
        let now = Instant::now();
        if now >= due {
            running.tick()?;
            due = Instant::now() + TICK;
            continue;
        }
        std::thread::park_timeout(due - now);
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

/// Lets [`wait`] tick in the midst of work that is always ready.
pub(crate) async fn breathe() {
    let mut breathed = false;
    std::future::poll_fn(move |context| {
        if std::mem::replace(&mut breathed, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::cancel::Cancel;
    use crate::error::ErrorKind;
    use std::cell::Cell;
    use std::ops::ControlFlow;

    #[test]
    fn a_process_has_one_value_however_many_threads_ask() {
        let values = PerProcess::new();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let values = &values;
                scope.spawn(move || values.get_or_try_init(|| Ok::<_, ()>(number)).copied());
            }
        });
        let first = values.get_or_try_init(|| Ok::<_, ()>(99)).copied();
        assert!(first.is_ok_and(|value| value < 8));
    }

    #[test]
    fn a_wait_ticks_on_the_callers_thread_and_ends_when_told() {
        let (caller, ticks) = (std::thread::current().id(), Cell::new(0));
        let call = Call::new().tick(|| {
            assert_eq!(std::thread::current().id(), caller);
            ticks.set(ticks.get() + 1);
            if ticks.get() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let closed = Cancel::new();
        let began = Instant::now();
        let ended = wait(&Running::new(&call, &closed), std::future::pending::<Result<(), Error>>());
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::Cancelled);
        assert_eq!(ticks.get(), 3);
        assert!(began.elapsed() >= 3 * TICK);
    }

    #[test]
    fn a_wait_works_inside_another_runtime() {
        let outer = Builder::new_current_thread().enable_all().build().unwrap();
        let done = outer.block_on(async {
            let (call, closed) = (Call::new(), Cancel::new());
            let sleep = async {
                tokio::time::sleep(Duration::from_millis(1)).await;
                Ok(())
            };
            wait(&Running::new(&call, &closed), sleep)
        });
        assert!(done.is_ok());
    }
}
