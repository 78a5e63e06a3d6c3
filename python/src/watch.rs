//! Reads a `recto.Watch`, the folder that a batch watches.

use crate::arguments::FilePath;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use recto::Watch;
use std::time::Duration;

/// Whether the sources of a batch are a `recto.Watch`. Its module is not imported for this check.
pub fn is_watch(sources: &Bound<'_, PyAny>) -> PyResult<bool> {
    let class = sources.get_type();
    Ok(class.name()? == "Watch" && class.module()? == "recto._watch")
}

pub fn read(given: &Bound<'_, PyAny>) -> PyResult<Watch> {
    let folder: FilePath = given.getattr("folder")?.extract()?;
    let seconds: f64 = given.getattr("settle")?.extract()?;
    let settle = Duration::try_from_secs_f64(seconds).map_err(|_| {
        PyValueError::new_err(format!("settle is a number of seconds, such as 2.0, not {seconds}"))
    })?;
    let mut watch = Watch::folder(folder.0)
        .recursive(given.getattr("recursive")?.extract()?)
        .settle(settle)
        .delete_originals(given.getattr("delete_originals")?.extract()?);
    if let Some(FilePath(folder)) = given.getattr("move_originals")?.extract()? {
        watch = watch.move_originals(folder);
    }
    if let Some(FilePath(folder)) = given.getattr("failed")?.extract()? {
        watch = watch.failed(folder);
    }
    Ok(watch)
}
