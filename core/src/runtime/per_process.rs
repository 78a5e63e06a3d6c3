//! A value for each process.
//!
//! Fork: threads do not survive it, so a runtime or an HTTP client from before it would hang for ever. Each is
//! kept with the process id it was made in. A forked child never touches an inherited one, not even to drop it,
//! and makes its own. A process's place is found without a lock, since a lock that another thread of the parent held
//! at the fork stays locked in the child.

use once_cell::race::OnceBox;
use once_cell::sync::OnceCell;

/// A value for each process that asks for one.
pub(crate) struct PerProcess<T>(OnceBox<Node<T>>);

struct Node<T> {
    process: u32,
    value: OnceCell<T>,
    next: PerProcess<T>,
}

impl<T> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        Self(OnceBox::new())
    }

    /// This process's value. Of threads that ask at once one makes it, and the others wait for it.
    pub(crate) fn get_or_try_init<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
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
    fn a_process_has_one_value_that_is_made_once_however_many_threads_ask() {
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
    fn what_could_not_be_made_is_made_when_it_is_asked_for_again() {
        let values = PerProcess::new();
        assert_eq!(values.get_or_try_init(|| Err("no room")), Err("no room"));
        assert_eq!(values.get_or_try_init(|| Ok::<_, ()>(1)), Ok(&1));
    }
}
