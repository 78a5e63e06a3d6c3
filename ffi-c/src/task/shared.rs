//! The state that a task and the thread that runs its call share.

use super::descriptor::Descriptor;
use crate::batch::recto_batch_item;
use crate::boundary;
use crate::call::CallSettings;
use crate::error::{Outcome, recto_error};
use crate::operation::recto_operation;
use crate::result::recto_result;
use crate::status::*;
use recto::{Call, Cancel, FileId};
use std::cell::Cell;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What the call of a task has returned. Each value is taken once.
#[derive(Default)]
pub(super) struct Outputs {
    pub(super) operation: Option<recto_operation>,
    pub(super) result: Option<recto_result>,
    pub(super) path: Option<PathBuf>,
    pub(super) data: Option<Vec<u8>>,
    pub(super) file_id: Option<FileId>,
    /// The next item of a batch; the inner `None` is the end of the batch.
    pub(super) item: Option<Option<recto_batch_item>>,
}

enum State {
    Running,
    Succeeded(Box<Outputs>),
    Failed(Box<recto_error>),
    /// The error was taken.
    FailureTaken,
}

pub(super) struct Shared {
    state: Mutex<State>,
    ended: Condvar,
    descriptor: Descriptor,
    cancel: Cancel,
    /// Whether the task was freed, so that its callbacks must not be called any more. Locked during a callback.
    abandoned: Mutex<bool>,
    process: u32,
}

thread_local! {
    /// The task whose callback runs on this thread. The callback may free the task.
    static IN_CALLBACK: Cell<*const Shared> = const { Cell::new(std::ptr::null()) };
}

impl Shared {
    pub(super) fn new() -> Outcome<Self> {
        let descriptor = Descriptor::new().map_err(|error| {
            recto_error::new(
                RECTO_E_IO,
                format!("cannot create the descriptor of a background call: {error}"),
            )
        })?;
        Ok(Self {
            state: Mutex::new(State::Running),
            ended: Condvar::new(),
            descriptor,
            cancel: Cancel::new(),
            abandoned: Mutex::new(false),
            process: std::process::id(),
        })
    }

    /// Runs the call on this thread.
    pub(super) fn run(&self, settings: &CallSettings, work: impl FnOnce(&Call<'_>) -> Outcome<Outputs>) {
        let mut outputs = None;
        let call = settings.for_background(&self.cancel, |callback| self.guarded(callback));
        let error = boundary::run(|| {
            outputs = Some(work(&call)?);
            Ok(())
        });
        *lock(&self.state) = match (error, outputs) {
            (Some(error), _) => State::Failed(error),
            (None, outputs) => State::Succeeded(Box::new(outputs.unwrap_or_default())),
        };
        self.ended.notify_all();
        self.descriptor.signal();
    }

    /// Calls a callback, unless the task was freed. `None` means that the call must end.
    fn guarded(&self, callback: &mut dyn FnMut() -> i32) -> Option<i32> {
        let abandoned = lock(&self.abandoned);
        if *abandoned {
            return None;
        }
        IN_CALLBACK.set(self);
        let returned = callback();
        IN_CALLBACK.set(std::ptr::null());
        drop(abandoned);
        Some(returned)
    }

    pub(super) fn descriptor(&self) -> isize {
        self.descriptor.number()
    }

    /// Whether the call has ended within the time.
    pub(super) fn wait(&self, timeout_ms: i64) -> Outcome<bool> {
        self.check_process()?;
        let running = |state: &mut State| matches!(state, State::Running);
        let state = lock(&self.state);
        let state = match timeout_ms {
            -1 => self.ended.wait_while(state, running).unwrap_or_else(PoisonError::into_inner),
            _ => {
                let timeout = u64::try_from(timeout_ms).map_err(|_| {
                    recto_error::new(
                        RECTO_E_INVALID,
                        format!("invalid time {timeout_ms} ms; give 0 or more, or RECTO_FOREVER"),
                    )
                })?;
                let waited = self.ended.wait_timeout_while(state, Duration::from_millis(timeout), running);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        Ok(!matches!(*state, State::Running))
    }

    /// Takes one of the outputs. `None` if the call still runs.
    pub(super) fn take<T>(&self, pick: impl FnOnce(&mut Outputs) -> Option<T>) -> Outcome<Option<T>> {
        self.check_process()?;
        let missing = |what| Err(recto_error::new(RECTO_E_INVALID, what));
        let mut state = lock(&self.state);
        match std::mem::replace(&mut *state, State::FailureTaken) {
            State::Running => {
                *state = State::Running;
                Ok(None)
            }
            State::Succeeded(mut outputs) => {
                let picked = pick(&mut outputs);
                *state = State::Succeeded(outputs);
                match picked {
                    Some(output) => Ok(Some(output)),
                    None => missing("the task returns no value of this kind, or it was already taken"),
                }
            }
            State::Failed(error) => Err(error),
            State::FailureTaken => missing("the error of the task was already taken"),
        }
    }

    pub(super) fn cancel(&self) {
        self.cancel.trigger();
    }

    /// Cancels the call. After this, no callback of the call runs.
    pub(super) fn abandon(&self) {
        self.cancel.trigger();
        // In a forked child the thread does not exist, and may have held the lock. A callback that frees its own task
        // holds the lock itself; the call ends when the callback returns.
        if self.process == std::process::id() && !std::ptr::eq(IN_CALLBACK.get(), self) {
            *lock(&self.abandoned) = true;
        }
    }

    fn check_process(&self) -> Outcome {
        if self.process == std::process::id() {
            return Ok(());
        }
        let message = "the task was started before fork(); its thread exists only in the parent process";
        Err(recto_error::new(RECTO_E_FORKED, message))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
