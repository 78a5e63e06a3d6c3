//! The thread pool for the parallel parts of operations.

use rayon::ThreadPool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// The stack size of threads that run operations. Deeply nested documents need a large stack.
pub(crate) const STACK: usize = 8 << 20;

/// How long the threads wait for the next operation until they end.
const IDLE: Duration = Duration::from_secs(10);

/// A rayon thread pool. Each service has its own pool, because rayon's global pool belongs to the process: a forked
/// child inherits the global pool without its threads, and a service in the child would wait for these threads for
/// ever. The threads are started when they are needed, and end when they are idle.
#[derive(Default)]
pub(crate) struct Threads(Mutex<State>);

#[derive(Default)]
struct State {
    pool: Option<Arc<ThreadPool>>,
    last_use: Option<Instant>,
}

impl Threads {
    /// Runs `work`. The pool has at least `least` threads for the parallel parts of `work`.
    pub(crate) fn run<T: Send>(&self, least: usize, work: impl FnOnce() -> T + Send) -> T {
        let pool = {
            let mut state = self.state();
            if state.pool.is_none() {
                state.pool = start(least).map(Arc::new);
            }
            state.pool.clone()
        };
        let done = match &pool {
            Some(pool) => pool.install(work),
            None => work(),
        };
        drop(pool);
        self.state().last_use = Some(Instant::now());
        done
    }

    /// Ends the threads, if they were not used for a while.
    pub(crate) fn end_idle(&self) {
        self.end_unused_for(IDLE);
    }

    fn end_unused_for(&self, idle: Duration) {
        let mut state = self.state();
        let in_use = state.pool.as_ref().is_some_and(|pool| Arc::strong_count(pool) > 1);
        if !in_use && state.last_use.is_none_or(|last| last.elapsed() >= idle) {
            state.pool = None;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn start(least: usize) -> Option<ThreadPool> {
    let threads = available_parallelism().map_or(1, usize::from).max(least);
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK);
    let built = builder.thread_name(|number| format!("recto-work-{number}")).build();
    built
        .inspect_err(
            |error| tracing::warn!(%error, "could not start the threads of the service; using those of the process"),
        )
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_work_runs_on_the_threads_of_its_service() {
        let (one, other) = (Threads::default(), Threads::default());
        let name = || std::thread::current().name().map(str::to_owned);
        assert!(one.run(1, name).is_some_and(|name| name.starts_with("recto-work-")));
        assert!(one.run(1, rayon::current_num_threads) >= 1);
        assert_eq!(other.run(64, rayon::current_num_threads), 64);
    }

    #[test]
    fn idle_threads_end_and_are_started_again() {
        let threads = Threads::default();
        assert_eq!(threads.run(64, rayon::current_num_threads), 64);
        threads.end_idle();
        assert_eq!(threads.run(1, rayon::current_num_threads), 64, "they were used just now");
        threads.run(1, || threads.end_unused_for(Duration::ZERO));
        assert_eq!(threads.run(1, rayon::current_num_threads), 64, "they were in use");
        threads.end_unused_for(Duration::ZERO);
        assert!(threads.state().pool.is_none());
        assert!(threads.run(1, rayon::current_num_threads) >= 1);
    }
}
