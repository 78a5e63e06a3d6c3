//! The thread pool for the parallel parts of operations.

use std::sync::OnceLock;
use std::thread::available_parallelism;

/// The stack size of threads that run operations. Deeply nested documents need a large stack.
pub(crate) const STACK: usize = 8 << 20;

/// A rayon thread pool. Each service has its own pool, because rayon's global pool belongs to the process: a forked
/// child inherits the global pool without its threads, and a service in the child would wait for these threads for
/// ever.
#[derive(Default)]
pub(crate) struct Threads(OnceLock<Option<rayon::ThreadPool>>);

impl Threads {
    /// Runs `work`. The pool has at least `least` threads for the parallel parts of `work`. The first call starts the
    /// threads.
    pub(crate) fn run<T: Send>(&self, least: usize, work: impl FnOnce() -> T + Send) -> T {
        let pool = self.0.get_or_init(|| {
            let threads = available_parallelism().map_or(1, usize::from).max(least);
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK);
            let built = builder.thread_name(|number| format!("recto-work-{number}")).build();
            built.inspect_err(
                |error| tracing::warn!(%error, "could not start the threads of the service; using those of the process"),
            )
            .ok()
        });
        match pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
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
}
