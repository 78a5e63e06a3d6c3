//! `recto._native`: the native module of the Python package `recto`.
//!
//! - `client`, `files`, `operation`, `batch`, `stream`, `local_service`, `cancel`: one class each, which only calls the
//!   other modules;
//! - `connection`, `embedded`, `local_settings`: the service that a client is connected to, and the use of a client
//!   after a fork;
//! - `blocking`: runs a call of the core without the GIL, and handles signals, progress and closing;
//! - `comparison`: compares two documents as pictures;
//! - `source`, `sink`, `json`, `records`, `errors`, `spelling`, `logging`: conversions between Python and the core;
//! - `import`: Python objects that are imported when they are first used.
//!
//! Locks: no thread waits for the GIL while it holds a lock. A lock that may be held for a long time is locked
//! without the GIL.
#![forbid(unsafe_code)]
#![allow(
    rustdoc::bare_urls,
    rustdoc::invalid_html_tags,
    rustdoc::invalid_rust_codeblocks,
    reason = "the documentation of classes and methods is written for Python's `help()`"
)]

mod arguments;
mod batch;
mod blocking;
mod cancel;
mod client;
mod command_line;
mod comparison;
mod connection;
mod embedded;
mod errors;
mod files;
mod import;
mod json;
mod local_service;
mod local_settings;
mod logging;
mod operation;
mod records;
mod sink;
mod source;
mod spelling;
mod stream;
mod table;
mod watch;

/// The module `recto._native`.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::cancel::Cancel;
    #[pymodule_export]
    use crate::client::Client;
    #[pymodule_export]
    use crate::command_line::run;
    #[pymodule_export]
    use crate::files::Files;
    #[pymodule_export]
    use crate::local_service::LocalService;
    #[pymodule_export]
    use crate::operation::Operation;
    #[pymodule_export]
    use crate::stream::ByteStream;
    #[pymodule_export]
    use crate::table::operations;

    /// Runs when the module is imported.
    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        crate::command_line::workers_are_this_interpreter(module)
    }

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name Python expects")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
