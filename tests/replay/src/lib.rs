//! The shared suite of recorded exchanges: what it means that the faces of Recto do the same.
//!
//! A [`Scenario`] says what is called, the exchanges that must then happen on the wire, and what the caller must
//! get. A [`Run`] plays one: three origins on real TCP, strict, with faults. A *runner*, one for each face, makes the
//! calls and reports an [`Outcome`]; the [`judge`] compares it with what was expected, so that no face
//! judges itself. `tests/recordings/README.md` is the vocabulary.

#![forbid(unsafe_code)]

pub mod body;
pub mod check;
pub mod control;
pub mod coverage;
pub mod format;
pub mod generate;
pub mod interpret;
pub mod judge;
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
