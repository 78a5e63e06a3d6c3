//! Crossing the C boundary: `entry!` reads the arguments of an exported function, runs its body, and turns the outcome
//! into a status and an error object. No panic leaves it.
//!
//! An exported function is its documentation and one `entry!`, which names for each argument the function that reads
//! it.

mod arguments;
mod outputs;
mod sigpipe;

pub(crate) use arguments::{bytes, handle, handle_mut, optional, optional_text, path, text};
pub(crate) use outputs::{number, optional_number, optional_out, out};

use crate::error::{Outcome, recto_error};
use crate::status::{RECTO_E_PANIC, RECTO_OK, recto_status};
use sigpipe::SigpipeBlock;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// `entry!(err, client: handle, id: text => body)`: reads the arguments in this order, runs the body, and turns its
/// [`Outcome`] into a status and an error object. The readers are the functions that this module exports.
macro_rules! entry {
    ($err:ident $(, $name:ident $(+ $more:ident)?: $reader:ident)* => $body:expr) => {{
        // SAFETY: the header requires of every caller that `err` is NULL or can be written to.
        unsafe { $crate::boundary::clear($err) };
        let outcome = || -> $crate::error::Outcome {
            $(
                // SAFETY: the header requires of every caller that a pointer is NULL or points to a value of its type,
                // and that nobody changes or frees it during the call.
                let $name = unsafe { $crate::boundary::$reader($name $(, $more)?, stringify!($name)) }?;
            )*
            $body
        };
        let error = $crate::boundary::run(outcome);
        // SAFETY: as above.
        unsafe { $crate::boundary::report(error, $err) }
    }};
}

/// Runs the body of an exported function. A panic becomes an error.
pub(crate) fn run(body: impl FnOnce() -> Outcome) -> Option<Box<recto_error>> {
    let _blocked = SigpipeBlock::new();
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(outcome) => outcome.err(),
        Err(payload) => {
            let cause = payload
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
                .unwrap_or("the panic has no message");
            let message = format!("internal error in the library, please report it: {cause}");
            // Dropping the payload could panic again, which would abort the process.
            std::mem::forget(payload);
            Some(recto_error::new(RECTO_E_PANIC, message))
        }
    }
}

/// Sets `*err` to NULL, so that no error of an earlier call remains there.
///
/// # Safety
/// `err` is NULL or can be written to.
pub(crate) unsafe fn clear(err: *mut *mut recto_error) {
    if !err.is_null() {
        // SAFETY: by contract.
        unsafe { err.write(ptr::null_mut()) };
    }
}

/// Returns the status, and passes the error object to the caller if `err` is not NULL.
///
/// # Safety
/// `err` is NULL or can be written to.
pub(crate) unsafe fn report(error: Option<Box<recto_error>>, err: *mut *mut recto_error) -> recto_status {
    let Some(error) = error else { return RECTO_OK };
    let status = error.status();
    if !err.is_null() {
        // SAFETY: by contract.
        unsafe { err.write(Box::into_raw(error)) };
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::handles::free;
    use crate::status::RECTO_E_NULL;

    #[test]
    fn a_panic_becomes_an_error_with_its_message() {
        for body in [|| panic!("at the disco"), || std::panic::panic_any(7_u8)] as [fn() -> Outcome; 2] {
            let error = run(body).unwrap();
            assert_eq!(error.status(), RECTO_E_PANIC);
        }
        let error = run(|| panic!("number {}", 5)).unwrap();
        assert!(error.message().to_str().unwrap().contains("number 5"));
    }

    #[test]
    fn an_earlier_error_is_cleared_and_a_new_one_is_given() {
        let mut err = ptr::dangling_mut();
        // SAFETY: `err` is a local.
        unsafe {
            clear(&mut err);
            assert!(err.is_null());
            assert_eq!(report(run(|| Err(recto_error::null("x"))), &mut err), RECTO_E_NULL);
            assert_eq!((*err).message(), c"the argument x is NULL");
            free(err);
            assert_eq!(report(run(|| Ok(())), ptr::null_mut()), RECTO_OK);
        }
    }
}
