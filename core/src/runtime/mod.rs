//! The runtimes that all clients of a process share, and the only function that blocks until a future on the runtime
//! has ended.

mod driver;
mod drivers;
mod per_process;
mod poll_context;
pub(crate) mod signals;

pub use drivers::shut_down;
pub use per_process::PerProcess;
pub(crate) use poll_context::{inside_runtime, may_block};

use crate::error::Error;
use driver::Driver;
pub(crate) use drivers::is_open;
use drivers::{Drivers, DriversInUse};
use poll_context::PollContext;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};
use tokio::runtime::{Handle, TryCurrentError};

/// How often a blocked call checks whether it is cancelled, and calls the callback set with `Call::tick`.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// Drives `future` to its end on the caller's thread, and calls `tick` every 50 ms. If `tick` returns an error, the
/// future is dropped and the error is returned.
///
/// Only this thread polls the future, so that the future may read and write values that belong to the caller. This
/// function also works on a thread of another runtime, and blocks that thread.
pub(crate) fn wait<T>(
    tick: impl Fn() -> Result<(), Error>,
    future: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let other = Handle::try_current();
    if other.as_ref().is_err_and(TryCurrentError::is_thread_local_destroyed) {
        return Err(Error::config("this thread is about to end and can make no more calls")
            .advise("Make the call before the thread's function, or main, returns"));
    }
    let drivers = Drivers::of_this_process()?;
    // Inside a task of another runtime, the future would share the task's budget, which would not be renewed while
    // this function blocks.
    let future = tokio::task::unconstrained(future);
    let Some(call) = drivers.begin_call(other.is_err()).map_err(unstartable)? else {
        return wait_for_background(&drivers, tick, pin!(future));
    };
    let outcome = wait_as_driver(&call, tick, future);
    if outcome.is_err() {
        // The tasks that this call has left behind end now.
        call.catch_up();
    }
    outcome
}

fn unstartable(error: std::io::Error) -> Error {
    Error::io("cannot start the threads of the client", error)
        .advise("Raise the limits on threads and open files")
}

/// Drives the runtime on this thread until `future` ends.
fn wait_as_driver<T>(
    driver: &Driver,
    tick: impl Fn() -> Result<(), Error>,
    future: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let mut future = pin!(future);
    let mut due = Instant::now() + TICK;
    let mut timer = {
        let _entered = driver.runtime.enter();
        pin!(tokio::time::sleep_until(due.into()))
    };
    loop {
        // No waker is needed here, because the future is polled again inside the runtime right away.
        let mut no_waker = Context::from_waker(Waker::noop());
        let polled = PollContext::OutsideRuntime.enter(|| future.as_mut().poll(&mut no_waker));
        if let Poll::Ready(outcome) = polled {
            return outcome;
        }
        if let Some(outcome) = driver.drive(until_done_or_due(future.as_mut(), timer.as_mut())) {
            return outcome;
        }
        if Instant::now() >= due {
            tick()?;
            due = Instant::now() + TICK;
            timer.as_mut().reset(due.into());
        }
    }
}

/// Polls `future` inside the runtime. Returns the output of the future when it ends. Returns `None` when the future
/// has to be polled outside the runtime, or when `timer` is due.
async fn until_done_or_due<T>(
    mut future: Pin<&mut impl Future<Output = T>>,
    mut timer: Pin<&mut tokio::time::Sleep>,
) -> Option<T> {
    std::future::poll_fn(|context| match PollContext::InsideRuntime.enter(|| future.as_mut().poll(context)) {
        Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
        Poll::Pending if poll_context::wants_to_leave() => Poll::Ready(None),
        Poll::Pending => timer.as_mut().poll(context).map(|()| None),
    })
    .await
}

/// Waits for `future`, while the background thread drives the runtime.
fn wait_for_background<T>(
    drivers: &DriversInUse,
    tick: impl Fn() -> Result<(), Error>,
    mut future: Pin<&mut impl Future<Output = Result<T, Error>>>,
) -> Result<T, Error> {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut due = Instant::now() + TICK;
    loop {
        // Polled without entering the runtime of this crate: code of the caller then still finds the caller's own
        // runtime.
        let mut no_waker = Context::from_waker(Waker::noop());
        let polled = PollContext::OutsideRuntime.enter(|| future.as_mut().poll(&mut no_waker));
        if let Poll::Ready(outcome) = polled {
            return outcome;
        }
        let entered = drivers.enter();
        let polled = PollContext::InsideRuntime.enter(|| future.as_mut().poll(&mut context));
        if let Poll::Ready(outcome) = polled {
            return outcome;
        }
        drop(entered);
        let (now, wants_to_leave) = (Instant::now(), poll_context::wants_to_leave());
        if now >= due {
            tick()?;
            due = Instant::now() + TICK;
        } else if !wants_to_leave {
            std::thread::park_timeout(due - now);
        }
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

/// Waits until `duration` has passed.
pub(crate) async fn sleep(duration: Duration) {
    // The timer is created where it is polled, because only there a runtime is available to it.
    inside_runtime(async { tokio::time::sleep(duration).await }).await;
}

/// Lets a call check for cancellation during work that never waits.
pub(crate) async fn yield_now() {
    let mut yielded = false;
    inside_runtime(std::future::poll_fn(move |context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }))
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use std::cell::Cell;

    fn no_tick() -> Result<(), Error> {
        Ok(())
    }

    fn cancelled() -> Error {
        Error::new(ErrorKind::Cancelled, "cancelled")
    }

    /// Runs `future` as a call without callbacks.
    fn run<T>(future: impl Future<Output = T>) -> T {
        wait(no_tick, async { Ok(future.await) }).unwrap()
    }

    #[test]
    fn a_wait_ticks_on_the_callers_thread_and_ends_with_an_error_of_the_tick() {
        let (caller, ticks) = (std::thread::current().id(), Cell::new(0));
        let tick = || {
            assert_eq!(std::thread::current().id(), caller);
            ticks.set(ticks.get() + 1);
            if ticks.get() == 3 { Err(cancelled()) } else { Ok(()) }
        };
        let began = Instant::now();
        let ended = wait(tick, std::future::pending::<Result<(), Error>>());
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::Cancelled);
        assert_eq!(ticks.get(), 3);
        assert!(began.elapsed() >= 3 * TICK);
    }

    #[test]
    fn a_wait_works_inside_another_runtime() {
        let outer = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        outer.block_on(async { run(sleep(Duration::from_millis(1))) });
    }

    #[test]
    fn inside_another_runtime_the_callers_code_finds_that_one() {
        let outer = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (id, found) = (outer.handle().id(), Cell::new(None));
        let tick = || {
            assert_eq!(Handle::current().id(), id);
            found.set(Some(Handle::current().id()));
            Ok(())
        };
        let done = outer.block_on(async {
            wait(tick, async {
                sleep(2 * TICK).await;
                Ok(Handle::current().id())
            })
        });
        assert_eq!((done.unwrap(), found.get()), (id, Some(id)));
    }

    #[test]
    fn a_call_from_a_thread_that_is_ending_is_refused() {
        struct AtTheEnd(std::sync::mpsc::Sender<ErrorKind>);
        impl Drop for AtTheEnd {
            fn drop(&mut self) {
                let refused = wait(no_tick, async { Ok(()) }).unwrap_err();
                self.0.send(refused.kind()).unwrap();
            }
        }
        thread_local!(static LAST: Cell<Option<AtTheEnd>> = const { Cell::new(None) });
        let (sender, receiver) = std::sync::mpsc::channel();
        // The thread-local value that is used first is dropped last, after the value of the runtime.
        std::thread::spawn(move || {
            LAST.set(Some(AtTheEnd(sender)));
            run(sleep(Duration::from_millis(1)));
        });
        assert_eq!(receiver.recv(), Ok(ErrorKind::Config));
    }

    #[test]
    fn a_call_may_make_another_call() {
        let inner = || run(sleep(Duration::from_millis(1)));
        let ticks = Cell::new(0);
        let tick = || {
            inner();
            ticks.set(ticks.get() + 1);
            Ok(())
        };
        let outer = wait(tick, async {
            inner();
            sleep(2 * TICK).await;
            inner();
            Ok(())
        });
        assert!(outer.is_ok() && ticks.get() >= 1);
    }

    #[test]
    fn a_call_whose_own_code_blocks_delays_no_other_call() {
        let (done, blocked_until) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                run(async move {
                    sleep(Duration::from_millis(1)).await;
                    assert!(may_block());
                    blocked_until.recv().unwrap();
                });
            });
            for _ in 0..5 {
                run(sleep(Duration::from_millis(1)));
            }
            // A call on a thread of another runtime cannot drive the runtime of this crate, but it is not delayed
            // either.
            let outer = tokio::runtime::Builder::new_current_thread().build().unwrap();
            outer.block_on(async { run(sleep(Duration::from_millis(1))) });
            done.send(()).unwrap();
        });
    }

    #[test]
    fn any_number_of_calls_at_the_same_time_is_possible_and_the_first_ones_have_their_own_runtimes() {
        const CALLS: usize = drivers::MOST_DRIVERS + 20;
        let all_wait = std::sync::Barrier::new(CALLS);
        let runtime_of_a_call = || {
            run(inside_runtime(async {
                // Here the call has its runtime, and gives it back only when all calls have theirs.
                all_wait.wait();
                tokio::time::sleep(Duration::from_millis(1)).await;
                Handle::current().id()
            }))
        };
        std::thread::scope(|scope| {
            let calls: Vec<_> = (0..CALLS).map(|_| scope.spawn(runtime_of_a_call)).collect();
            let runtimes: std::collections::HashSet<_> =
                calls.into_iter().map(|call| call.join().unwrap()).collect();
            // Other tests also have runtimes at this moment.
            assert!((30..=drivers::MOST_DRIVERS + 1).contains(&runtimes.len()), "{}", runtimes.len());
        });
    }

    #[test]
    fn a_task_that_a_call_leaves_behind_runs_on_without_calls() {
        let (done, receiver) = std::sync::mpsc::channel();
        run(inside_runtime(async {
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(1)).await;
                done.send(()).unwrap();
            });
        }));
        assert!(receiver.recv_timeout(Duration::from_secs(30)).is_ok());
    }

    #[test]
    fn the_threads_end_and_the_next_call_starts_them_again() {
        // Other tests make calls at the same time, so a shutdown may be refused.
        run(async {
            assert!(!shut_down(), "a call is running");
        });
        for _ in 0..20 {
            shut_down();
            run(sleep(Duration::from_millis(1)));
            let outer = tokio::runtime::Builder::new_current_thread().build().unwrap();
            outer.block_on(async { run(sleep(Duration::from_millis(1))) });
        }
    }

    #[test]
    fn work_that_never_waits_is_ticked_all_the_same() {
        let always = async {
            loop {
                yield_now().await;
            }
        };
        let ended: Result<(), _> = wait(|| Err(cancelled()), always);
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::Cancelled);
    }
}
