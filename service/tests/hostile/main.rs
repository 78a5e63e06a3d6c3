//! A worker that has turned hostile: from inside the real sandbox, it makes system calls that would harm the service,
//! other documents or the machine. The test checks that the calls are refused, and that `docs/security.md` lists them.
//!
//! `RECTO_UPDATE_DOCS=1 cargo test -p recto-service --test hostile` writes the table of `docs/security.md`.
//!
//! The same program is the test and, with arguments, the worker:
//! - `worker`: a hostile worker;
//! - `fill`: a worker that fills its disk with files that have no name;
//! - `container`: limits itself as a container does, then becomes the worker that the next arguments name;
//! - `record`: a worker that writes the number of each refused system call into a file, and ends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // tests state what they expect

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod container;
#[cfg(target_os = "linux")]
mod fill;
#[cfg(target_os = "linux")]
mod raw;
#[cfg(target_os = "linux")]
mod suite;
#[cfg(target_os = "linux")]
#[path = "../support/mod.rs"]
mod support;
#[cfg(target_os = "linux")]
mod table;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[1..] {
        ["worker", ..] => {
            recto_service::attack_with(calls::attack);
            recto_service::run_worker().into()
        }
        ["fill"] => {
            recto_service::attack_with(fill::attack);
            recto_service::run_worker().into()
        }
        ["container", ..] => container::enter_and_start_worker(),
        ["record", file] => {
            raw::record_signals(file);
            recto_service::signal_refused_calls();
            recto_service::run_worker().into()
        }
        _ => suite::run(),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {}
