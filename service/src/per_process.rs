//! Values that each process has separately, also after a fork.

use once_cell::race::OnceBox;

/// One value of type `T` for each process: a forked child gets its own value, and the value of its parent is not
/// touched. Access takes no lock, because a lock that another thread held during the fork would stay locked in the
/// child.
#[doc(hidden)]
pub struct PerProcess<T>(OnceBox<Generation<T>>);

struct Generation<T> {
    process: u32,
    value: T,
    next: PerProcess<T>,
}

impl<T: Default> PerProcess<T> {
    /// Creates a cell that contains no value yet.
    #[allow(clippy::new_without_default, reason = "it is for statics")]
    pub const fn new() -> Self {
        Self(OnceBox::new())
    }

    /// The value of this process. On the first call in a process, creates the value.
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
