//! The shared suite of recorded HTTP exchanges, which the faces (Rust, C, C++ and Python) must all pass.
//!
//! A [`Scenario`] contains the calls, the HTTP exchanges that they must cause, and the results that the caller must
//! get. A [`Run`] plays one scenario: it has three origins on real TCP, checks requests strictly, and can inject
//! faults. A *runner*, one for each face, makes the calls and reports an [`Outcome`]. [`compare`] compares the
//! outcome with what the scenario expects, so that no runner checks its own results. `tests/recordings/README.md`
//! explains the terms.

#![forbid(unsafe_code)]

pub mod body;
pub mod check;
pub mod compare;
pub mod control;
pub mod coverage;
pub mod format;
pub mod generate;
pub mod interpret;
pub mod known;
pub mod load;
pub mod outcome;
pub mod record;
pub mod run;
pub mod scenario;
pub mod script;
pub mod secrets;
pub mod server;
pub mod upstream;
pub mod variables;

pub use load::Suite;
pub use outcome::Outcome;
pub use run::{Run, Verdict};
pub use scenario::Scenario;
