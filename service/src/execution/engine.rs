//! The function that executes an operation: the engine, or a replacement in tests.

use recto_engine::{EngineError, Input, Job, Output};
use recto_interface::Options;
use std::fmt;
use std::sync::Arc;

type Run = dyn Fn(&Options, Input<'_>, &Job) -> Result<Output, EngineError> + Send + Sync;

/// The function that executes an operation: [`recto_engine::run`], or a replacement in tests.
#[derive(Clone)]
pub struct Engine {
    pub(crate) run: Arc<Run>,
    /// Whether `run` is [`recto_engine::run`]. Worker processes can only execute [`recto_engine::run`], not a
    /// replacement.
    pub(crate) is_the_engine: bool,
}

impl Engine {
    /// Creates a replacement for the engine.
    pub fn new(
        run: impl Fn(&Options, Input<'_>, &Job) -> Result<Output, EngineError> + Send + Sync + 'static,
    ) -> Self {
        Self { run: Arc::new(run), is_the_engine: false }
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self { is_the_engine: true, ..Self::new(recto_engine::run) }
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Engine")
    }
}
