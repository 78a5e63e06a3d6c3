//! Arguments that need a conversion of their own: times and paths.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::time::Duration;

/// A time in seconds. Infinity means that there is no limit.
#[derive(Clone, Copy)]
pub struct Seconds(pub Duration);

impl Seconds {
    /// The time limit for waiting for an operation; `None` if there is no limit.
    pub fn to_wait(self) -> Option<Duration> {
        Some(self.0).filter(|time| *time != Duration::MAX)
    }
}

impl FromPyObject<'_, '_> for Seconds {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let seconds: f64 = object.extract()?;
        if seconds == f64::INFINITY {
            return Ok(Self(Duration::MAX));
        }
        Duration::try_from_secs_f64(seconds).map(Self).map_err(|_| {
            crate::errors::config(
                object.py(),
                &format!("{seconds} is not a time; give seconds, such as 60 or 0.5"),
            )
        })
    }
}

/// A path of any type that `open` accepts: `str`, `bytes` or path-like, in any encoding.
pub struct FilePath(pub PathBuf);

impl FromPyObject<'_, '_> for FilePath {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let os = object.py().import("os")?;
        match os.call_method1("fsdecode", (object,)) {
            Ok(path) => Ok(Self(path.extract()?)),
            Err(_) => Err(PyTypeError::new_err(format!(
                "a path is a str, bytes or os.PathLike, not {}",
                object.get_type().name()?
            ))),
        }
    }
}
