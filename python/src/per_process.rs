//! A value for each process that asks for one: what a forked child must not inherit.

use std::sync::OnceLock;

/// Holds a `T` for the process it is asked in. A forked child finds its parent's value no more and gets its own;
/// the parent's is left alone. No lock is held longer than an allocation takes, so none is inherited locked.
pub struct PerProcess<T>(OnceLock<Box<Generation<T>>>);

struct Generation<T> {
    process: u32,
    value: T,
    next: PerProcess<T>,
}

impl<T: Default> PerProcess<T> {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// This process's value.
    pub fn get(&self) -> &T {
        let process = std::process::id();
        let mut generation = self;
        loop {
            let found = generation
                .0
                .get_or_init(|| Box::new(Generation { process, value: T::default(), next: Self::new() }));
            if found.process == process {
                return &found.value;
            }
            generation = &found.next;
        }
    }
}
