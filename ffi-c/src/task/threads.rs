//! The threads that run the calls of tasks. They are started as they are needed, and end when they were idle for a
//! while.

use recto::threads::{PerProcess, spawn};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How many calls run at the same time.
const MOST: usize = 64;

/// How long a thread waits for the next call until it ends.
const IDLE: Duration = Duration::from_secs(10);

/// How long [`shut_down`] waits for cancelled calls to end, before it is refused.
const CANCEL: Duration = Duration::from_secs(2);

pub(super) type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Pool {
    state: Mutex<State>,
    changed: Condvar,
    /// Notified when a thread becomes idle or ends.
    finished: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: Vec<JoinHandle<()>>,
    running: usize,
    idle: usize,
    /// Whether idle threads end at once.
    closing: bool,
}

static POOL: PerProcess<Pool> = PerProcess::new();

fn pool() -> &'static Pool {
    let Ok(pool) = POOL.get_or_try_init(|| Ok::<_, Infallible>(Pool::default()));
    pool
}

/// Runs `job` on a thread, as soon as one is free.
///
/// # Errors
/// No thread could be started, and none is running.
pub(super) fn submit(job: Job) -> io::Result<()> {
    let pool = pool();
    let mut state = pool.lock();
    state.jobs.push_back(job);
    if state.jobs.len() > state.idle && state.running < MOST {
        match spawn("recto-task", move || pool.work()) {
            Ok(thread) => {
                state.running += 1;
                state.threads.retain(|thread| !thread.is_finished());
                state.threads.push(thread);
            }
            Err(error) if state.running == 0 => {
                state.jobs.pop_back();
                return Err(error);
            }
            // Another thread will run the job.
            Err(_) => {}
        }
    }
    drop(state);
    pool.changed.notify_one();
    Ok(())
}

/// Ends all threads, and returns when they have ended. Before that, waits at most [`CANCEL`] for the calls of tasks
/// that were freed. If calls still run after that time, ends no thread and returns `false`.
pub(crate) fn shut_down() -> bool {
    let pool = pool();
    let busy = |state: &mut State| state.idle < state.running || !state.jobs.is_empty();
    let waited = pool.finished.wait_timeout_while(pool.lock(), CANCEL, busy);
    let (mut state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
    if waited.timed_out() {
        return false;
    }
    state.closing = true;
    let threads = std::mem::take(&mut state.threads);
    drop(state);
    pool.changed.notify_all();
    for thread in threads {
        // The threads do not panic.
        let _ = thread.join();
    }
    pool.lock().closing = false;
    true
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                let _ = catch_unwind(AssertUnwindSafe(job));
                state = self.lock();
                continue;
            }
            if state.closing {
                break;
            }
            state.idle += 1;
            self.finished.notify_all();
            let waited = self.changed.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = waited.0;
            state.idle -= 1;
            if waited.1.timed_out() && state.jobs.is_empty() {
                break;
            }
        }
        state.running -= 1;
        self.finished.notify_all();
    }
}
