//! The threads that operations share their work among.

use std::sync::OnceLock;
use std::thread::available_parallelism;

/// As much as the threads have that operations are run on: documents nest.
pub(crate) const STACK: usize = 8 << 20;

/// A service's own threads. rayon's are the whole process's: a forked child inherits the pool without its threads, and
/// a service in the child would wait for them for ever.
#[derive(Default)]
pub(crate) struct Threads(OnceLock<Option<rayon::ThreadPool>>);

impl Threads {
    /// Does `work`, whose parallel parts are done by at least `least` threads; they are started at the first work.
    pub(crate) fn run<T: Send>(&self, least: usize, work: impl FnOnce() -> T + Send) -> T {
        let pool = self.0.get_or_init(|| {
            let threads = available_parallelism().map_or(1, usize::from).max(least);
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK);
            let made = builder.thread_name(|number| format!("recto-work-{number}")).build();
            made.inspect_err(
                |error| tracing::warn!(%error, "no threads of the service's own could be started"),
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
    fn work_is_shared_among_threads_of_the_services_own() {
        let (one, other) = (Threads::default(), Threads::default());
        let name = || std::thread::current().name().map(str::to_owned);
        assert!(one.run(1, name).is_some_and(|name| name.starts_with("recto-work-")));
        assert!(one.run(1, rayon::current_num_threads) >= 1);
        assert_eq!(other.run(64, rayon::current_num_threads), 64);
    }
}
