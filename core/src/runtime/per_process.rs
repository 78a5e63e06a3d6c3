//! A value that exists once per process, and is safe to use after a fork.
//!
//! Threads do not survive a fork: with a runtime or an HTTP client of the parent process, a child process would wait
//! for ever. Each value is stored together with the id of the process that created it. A forked child process never
//! uses or drops a value of its parent; it creates its own value. The list of values is searched without a lock,
//! because a lock that another thread of the parent held during the fork stays locked in the child.

use once_cell::race::OnceBox;
use once_cell::sync::OnceCell;

/// A value that exists once per process. It is created on first use.
pub struct PerProcess<T>(OnceBox<Node<T>>);

struct Node<T> {
    process: u32,
    value: OnceCell<T>,
    next: PerProcess<T>,
}

impl<T> PerProcess<T> {
    /// A value that is not created yet.
    #[allow(clippy::new_without_default, reason = "it is for statics")]
    pub const fn new() -> Self {
        Self(OnceBox::new())
    }

    /// The value of this process. If several threads call this function at the same time, one thread creates
    /// the value and the other threads wait.
    pub fn get_or_try_init<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        let process = std::process::id();
        let mut list = self;
        loop {
            let node =
                list.0.get_or_init(|| Box::new(Node { process, value: OnceCell::new(), next: Self::new() }));
            if node.process == process {
                return node.value.get_or_try_init(make);
            }
            list = &node.next;
        }
    }
}

impl<T> Default for PerProcess<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Drop for Node<T> {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            std::mem::forget(self.value.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    #[test]
    fn a_process_creates_its_value_once_for_any_number_of_threads() {
        let (values, made) = (PerProcess::new(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| values.get_or_try_init(|| Ok::<_, ()>(made.fetch_add(1, Relaxed))).copied());
            }
        });
        assert_eq!(values.get_or_try_init(|| Err(())), Ok(&0));
        assert_eq!(made.load(Relaxed), 1);
    }

    #[test]
    fn a_value_that_could_not_be_created_is_created_at_the_next_call() {
        let values = PerProcess::new();
        assert_eq!(values.get_or_try_init(|| Err("no room")), Err("no room"));
        assert_eq!(values.get_or_try_init(|| Ok::<_, ()>(1)), Ok(&1));
    }
}
