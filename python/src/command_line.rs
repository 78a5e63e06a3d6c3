//! The command line of `python -m recto` and of the script `recto`.

use pyo3::prelude::*;
use recto_service::{WORKER_COMMAND, WorkerProgram};
use std::ffi::OsString;
use std::path::PathBuf;

/// Loads only this module, without the rest of the package: a worker does not need the rest, and starts faster
/// without it.
const WORKER: &str = "\
import sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location('recto._native', sys.argv[1])
module = module_from_spec(spec)
spec.loader.exec_module(module)
sys.exit(module.run(['recto', sys.argv[2]]))
";

/// Makes the services of this process start this Python interpreter for their workers. This is not done in a frozen
/// program, because its `sys.executable` is the program itself.
pub fn workers_are_this_interpreter(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let sys = module.py().import("sys")?;
    let frozen = sys.hasattr("frozen")?;
    let interpreter: Option<PathBuf> = sys.getattr("executable")?.extract().unwrap_or_default();
    let file: Option<OsString> = module.getattr("__file__").and_then(|file| file.extract()).ok();
    if let (Some(interpreter), Some(file), false) = (interpreter, file, frozen) {
        let arguments = ["-P", "-s", "-S", "-c", WORKER].map(OsString::from).into_iter();
        let arguments = arguments.chain([file, WORKER_COMMAND.into()]);
        WorkerProgram::new(interpreter, arguments).announce();
    }
    Ok(())
}

/// Run a command line, program name first, and return the exit code.
#[pyfunction]
pub fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| recto_cli::run(arguments))
}
