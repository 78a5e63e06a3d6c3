//! Runs calls on a thread with a large stack, if the caller's stack is small: threads of other languages and fibres may
//! have 64 KiB. TLS handshakes and certificates need more.
//!
//! The caller's thread waits meanwhile, and still runs the callbacks of the call.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{SyncSender, sync_channel};

/// The stack that a call may need, with a reserve.
const ENOUGH: usize = 384 << 10;

/// A callback that the caller's thread has to run.
type Errand = Box<dyn FnOnce() + Send>;

thread_local! {
    /// On a thread that runs a call for another one: where callbacks are sent to.
    static CALLER: RefCell<Option<SyncSender<Errand>>> = const { RefCell::new(None) };
    /// The lowest and the highest address of the stack of this thread, once they are known.
    static BOUNDS: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
}

/// Moves a value to another thread, although its type does not allow it.
struct Carried<T>(T);

// SAFETY: see the functions that use it: one thread waits while the other one uses the value.
unsafe impl<T> Send for Carried<T> {}

impl<T> Carried<T> {
    fn open(self) -> T {
        self.0
    }
}

/// Runs `work` on this thread, or on another one if the stack of this thread is small.
pub(crate) fn with_enough<T>(work: impl FnOnce() -> T) -> T {
    if remaining().is_none_or(|bytes| bytes >= ENOUGH) { work() } else { on_another_thread(work) }
}

fn on_another_thread<T>(work: impl FnOnce() -> T) -> T {
    let (sender, errands) = sync_channel::<Errand>(1);
    let mut outcome = None;
    let place = Carried(&raw mut outcome);
    let work = Carried(work);
    let run = move || {
        let (work, place) = (work.open(), place.open());
        CALLER.set(Some(sender));
        let done = catch_unwind(AssertUnwindSafe(work));
        // SAFETY: the caller's thread waits for the end of this thread before it uses or drops `outcome`.
        unsafe { *place = Some(done) };
        // The caller's thread waits until the sender is dropped.
        CALLER.set(None);
    };
    // SAFETY: this thread waits until `run` has ended, or was dropped, before what `run` borrows ends. While `run` uses
    // it, this thread uses only what callbacks need.
    let run = unsafe {
        std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Box<dyn FnOnce() + Send>>(Box::new(run))
    };
    let thread = recto::threads::spawn("recto-call", run);
    for errand in errands {
        // A panic is passed on by the thread of the call, which then gets no outcome.
        let _ = catch_unwind(AssertUnwindSafe(errand));
    }
    match thread {
        // The thread does not panic.
        Ok(thread) => drop(thread.join()),
        Err(error) => {
            let why = format!("cannot start a thread with a larger stack: {error}");
            resume_unwind(Box::new(why));
        }
    }
    match outcome {
        Some(Ok(value)) => value,
        Some(Err(panic)) => resume_unwind(panic),
        None => resume_unwind(Box::new("a call on another thread has no outcome")),
    }
}

/// Runs a callback on the thread that made the call.
pub(crate) fn on_callers_thread<T>(callback: impl FnOnce() -> T) -> T {
    let Some(caller) = CALLER.with_borrow(Clone::clone) else { return callback() };
    let mut outcome = None;
    let (done, is_done) = sync_channel::<()>(1);
    let place = Carried(&raw mut outcome);
    let callback = Carried(callback);
    let errand = move || {
        let (callback, place) = (callback.open(), place.open());
        let returned = callback();
        // SAFETY: the thread of the call waits for `done` before it uses or drops `outcome`.
        unsafe { *place = Some(returned) };
        let _ = done.send(());
    };
    // SAFETY: this thread waits until the errand has run, or was dropped, before what the errand borrows ends.
    let errand = unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Errand>(Box::new(errand)) };
    let _ = caller.send(errand);
    let _ = is_done.recv();
    match outcome {
        Some(value) => value,
        None => resume_unwind(Box::new("the thread that made the call ran no callback")),
    }
}

/// The bytes that are left on the stack of this thread. `None` if the system does not report
/// it. 0 on a fibre, because the system does not know the stack of a fibre.
fn remaining() -> Option<usize> {
    let here = 0_u8;
    let here = (&raw const here).addr();
    let (low, high) = match BOUNDS.get() {
        Some(bounds) => bounds,
        None => {
            let bounds = bounds()?;
            BOUNDS.set(Some(bounds));
            bounds
        }
    };
    Some(if (low..high).contains(&here) { here - low } else { 0 })
}

#[cfg(target_os = "linux")]
fn bounds() -> Option<(usize, usize)> {
    use std::mem::MaybeUninit;
    use std::ptr::null_mut;
    let mut attributes = MaybeUninit::uninit();
    let (mut low, mut size) = (null_mut(), 0);
    // SAFETY: the first call initialises the attributes if it succeeds, and the others get them and our own variables.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        let found = libc::pthread_attr_getstack(attributes.as_ptr(), &mut low, &mut size);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        (found == 0).then(|| (low.addr(), low.addr() + size))
    }
}

#[cfg(not(target_os = "linux"))]
fn bounds() -> Option<(usize, usize)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::Builder;

    #[test]
    fn work_on_a_small_stack_runs_elsewhere_and_its_callbacks_run_here() {
        let work = || {
            let here = std::thread::current().id();
            let mut callbacks = 0;
            let elsewhere = with_enough(|| {
                for _ in 0..3 {
                    on_callers_thread(|| {
                        assert_eq!(std::thread::current().id(), here);
                        callbacks += 1;
                    });
                }
                std::thread::current().id()
            });
            assert_eq!(callbacks, 3);
            elsewhere != here
        };
        let on_stack = |size| Builder::new().stack_size(size).spawn(work).unwrap().join().unwrap();
        assert_eq!(on_stack(64 << 10), cfg!(target_os = "linux"));
        assert!(!on_stack(2 << 20));
    }

    #[test]
    fn a_panic_on_the_other_thread_is_passed_on() {
        let panicked = catch_unwind(|| on_another_thread(|| panic!("there")));
        assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"there"));
        let in_callback = catch_unwind(|| on_another_thread(|| on_callers_thread(|| 7)));
        assert_eq!(in_callback.unwrap(), 7);
    }
}
