//! A value for each process.
//!
//! Fork: threads do not survive it, so a runtime or an HTTP client from before it would hang for ever. Each is
//! kept with the process id it was made in. A forked child never touches an inherited one, not even to drop it,
//! and makes its own. What is kept is found without a lock, since a lock that another thread of the parent held
//! at the fork stays locked in the child.

use once_cell::race::OnceBox;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
