//! The shared runtime, and the one way to wait for something that runs on it.

mod home;
mod place;
mod process;

pub(crate) use place::{inside, is_free};
pub(crate) use process::PerProcess;

use crate::call::Running;
use crate::error::Error;
use home::{Caller, Home};
use place::Place;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};
use tokio::runtime::{Handle, TryCurrentError};

/// How often a waiting call looks at its switches and calls back.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// Drives `future` to its end on the caller's thread, ticking every 50 ms. What ends the call drops the future.
///
/// The future is polled on this thread alone, so that it may read from and write to what belongs to the caller. It
/// works inside another runtime too, whose thread it then blocks.
pub(crate) fn wait<T>(
    running: &Running<'_>,
    future: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    running.check()?;
    let other = Handle::try_current();
    if other.as_ref().is_err_and(TryCurrentError::is_thread_local_destroyed) {
        return Err(Error::config("this thread is about to end and can make no more calls")
            .advise("Make the call before the thread's function, or main, returns"));
    }
    let home = Home::here()?;
    // Inside a task of another runtime its budget would apply, and never be renewed.
    let future = tokio::task::unconstrained(future);
    if other.is_ok() {
        return wait_as_guest(home, running, pin!(future));
    }
    let caller = home.caller();
    let outcome = wait_as_caller(home, &caller, running, future);
    if outcome.is_err() {
        caller.leave_nothing();
    }
    outcome
}

fn wait_as_caller<T>(
    home: &Home,
    caller: &Caller<'_>,
    running: &Running<'_>,
    future: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let mut future = pin!(future);
    let mut due = Instant::now() + TICK;
    let mut tick = {
        let _entered = home.enter();
        pin!(tokio::time::sleep_until(due.into()))
    };
    loop {
        // What it waits for is of no interest yet: it is polled again right away.
        let mut nobody = Context::from_waker(Waker::noop());
        if let Poll::Ready(outcome) = Place::Outside.of(|| future.as_mut().poll(&mut nobody)) {
            return outcome;
        }
        if let Some(outcome) = caller.drive(until_it_wants_out(future.as_mut(), tick.as_mut())) {
            return outcome;
        }
        if Instant::now() >= due {
            running.tick()?;
            due = Instant::now() + TICK;
            tick.as_mut().reset(due.into());
        }
    }
}

/// Polls `future` inside until it ends, wants out, or `tick` is due.
async fn until_it_wants_out<T>(
    mut future: Pin<&mut impl Future<Output = T>>,
    mut tick: Pin<&mut tokio::time::Sleep>,
) -> Option<T> {
    std::future::poll_fn(|context| match Place::Inside.of(|| future.as_mut().poll(context)) {
        Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
        Poll::Pending if place::wants_out() => Poll::Ready(None),
        Poll::Pending => tick.as_mut().poll(context).map(|()| None),
    })
    .await
}

fn wait_as_guest<T>(
    home: &Home,
    running: &Running<'_>,
    mut future: Pin<&mut impl Future<Output = Result<T, Error>>>,
) -> Result<T, Error> {
    let _guest = home.guest();
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut due = Instant::now() + TICK;
    loop {
        // Here what the caller gave us finds the caller's runtime, and not ours.
        let mut nobody = Context::from_waker(Waker::noop());
        if let Poll::Ready(outcome) = Place::Outside.of(|| future.as_mut().poll(&mut nobody)) {
            return outcome;
        }
        let entered = home.enter();
        if let Poll::Ready(outcome) = Place::Inside.of(|| future.as_mut().poll(&mut context)) {
            return outcome;
        }
        drop(entered);
        let (now, wants_out) = (Instant::now(), place::wants_out());
        if now >= due {
            running.tick()?;
            due = Instant::now() + TICK;
        } else if !wants_out {
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

/// Waits for `duration`.
pub(crate) async fn sleep(duration: Duration) {
    // Made where it is polled: only there is a runtime to time it.
    inside(async { tokio::time::sleep(duration).await }).await;
}

/// Lets a call tick in the midst of work that is always ready.
pub(crate) async fn breathe() {
    let mut breathed = false;
    inside(std::future::poll_fn(move |context| {
        if std::mem::replace(&mut breathed, true) {
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
    use crate::call::Call;
    use crate::cancel::Cancel;
    use crate::error::ErrorKind;
    use std::cell::Cell;
    use std::ops::ControlFlow;

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
        let outer = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let done = outer.block_on(async {
            let (call, closed) = (Call::new(), Cancel::new());
            let sleep = async {
                sleep(Duration::from_millis(1)).await;
                Ok(())
            };
            wait(&Running::new(&call, &closed), sleep)
        });
        assert!(done.is_ok());
    }

    #[test]
    fn inside_another_runtime_the_callers_code_finds_that_one() {
        let outer = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let ours = outer.handle().id();
        let found = Cell::new(None);
        let call = Call::new().tick(|| {
            assert_eq!(Handle::current().id(), ours);
            found.set(Some(Handle::current().id()));
            ControlFlow::Continue(())
        });
        let closed = Cancel::new();
        let done = outer.block_on(async {
            wait(&Running::new(&call, &closed), async {
                sleep(2 * TICK).await;
                Ok(Handle::current().id())
            })
        });
        assert_eq!((done.unwrap(), found.get()), (ours, Some(ours)));
    }

    /// What a call without settings makes of `future`.
    fn run<T>(future: impl Future<Output = T>) -> T {
        let (call, closed) = (Call::new(), Cancel::new());
        wait(&Running::new(&call, &closed), async { Ok(future.await) }).unwrap()
    }

    #[test]
    fn a_call_from_a_thread_that_is_ending_is_refused() {
        struct AtTheEnd(std::sync::mpsc::Sender<ErrorKind>);
        impl Drop for AtTheEnd {
            fn drop(&mut self) {
                let (call, closed) = (Call::new(), Cancel::new());
                let refused = wait(&Running::new(&call, &closed), async { Ok(()) }).unwrap_err();
                self.0.send(refused.kind()).unwrap();
            }
        }
        thread_local!(static LAST: Cell<Option<AtTheEnd>> = const { Cell::new(None) });
        let (told, tell) = std::sync::mpsc::channel();
        // What a thread used first is dropped last: after the runtime's.
        std::thread::spawn(move || {
            LAST.set(Some(AtTheEnd(told)));
            run(sleep(Duration::from_millis(1)));
        });
        assert_eq!(tell.recv(), Ok(ErrorKind::Config));
    }

    #[test]
    fn a_call_may_call_again() {
        let inner = || run(sleep(Duration::from_millis(1)));
        let ticks = Cell::new(0);
        let call = Call::new().tick(|| {
            inner();
            ticks.set(ticks.get() + 1);
            ControlFlow::Continue(())
        });
        let closed = Cancel::new();
        let outer = wait(&Running::new(&call, &closed), async {
            inner();
            sleep(2 * TICK).await;
            inner();
            Ok(())
        });
        assert!(outer.is_ok() && ticks.get() >= 1);
    }

    #[test]
    fn a_call_whose_own_code_takes_long_holds_up_no_other() {
        let (done, wait_for_it) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                run(async move {
                    sleep(Duration::from_millis(1)).await;
                    assert!(is_free());
                    wait_for_it.recv().unwrap();
                });
            });
            for _ in 0..5 {
                run(sleep(Duration::from_millis(1)));
            }
            // Another runtime's thread cannot drive this one itself, and is not held up either.
            let outer = tokio::runtime::Builder::new_current_thread().build().unwrap();
            outer.block_on(async { run(sleep(Duration::from_millis(1))) });
            done.send(()).unwrap();
        });
    }

    #[test]
    fn what_a_call_leaves_behind_goes_on_without_calls() {
        let (done, it_is) = std::sync::mpsc::channel();
        run(inside(async {
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(1)).await;
                done.send(()).unwrap();
            });
        }));
        assert!(it_is.recv_timeout(Duration::from_secs(30)).is_ok());
    }

    #[test]
    fn work_that_is_always_ready_is_ticked_all_the_same() {
        let call = Call::new().tick(|| ControlFlow::Break(()));
        let closed = Cancel::new();
        let always = async {
            loop {
                breathe().await;
            }
        };
        let ended: Result<(), _> = wait(&Running::new(&call, &closed), always);
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::Cancelled);
    }
}
