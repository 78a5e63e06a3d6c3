//! `recto_shutdown`: ends the threads of the library.

use crate::error::{Outcome, recto_error};
use crate::status::*;

/// Ends the threads of the library and closes its descriptors, before it returns. Free the tasks, batches, operations,
/// clients and local services first; a client of another service may remain, and loses only its idle connections. The
/// library can be used again afterwards: the next call starts what it needs.
///
/// A program does not have to call this before it exits. It is for hosts that count threads and descriptors, or that
/// fork.
///
/// Threads: any.
///
/// Errors: RECTO_E_CONFIG, with nothing done, if calls are running, or if clients or operations still use the embedded
/// service.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_shutdown(err: *mut *mut recto_error) -> recto_status {
    entry!(err => shut_down())
}

fn shut_down() -> Outcome {
    let in_use = |what: &str, advice: &str| {
        Err(recto_error::new(
            RECTO_E_CONFIG,
            format!("cannot end the threads of the library: {what}; {advice} first"),
        ))
    };
    // First, because a task that was freed keeps its client until its call has ended.
    if !crate::task::shut_down() {
        return in_use("calls are running in the background", "wait for their tasks or free them");
    }
    #[cfg(feature = "local")]
    if recto_service::SharedService::is_running() {
        return in_use("the embedded service is in use", "free its clients and operations");
    }
    if !recto::threads::shut_down() {
        return in_use("calls are running", "wait for their end, or close the clients");
    }
    Ok(())
}
