//! The settings of an embedded service that clients without a base URL can have.

use crate::isolation::{IsolationMode, WorkerProgram};
use crate::local::LocalServiceBuilder;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The settings of an embedded service. All are optional; a setting that is `None` has its default. Equal settings can
/// share one service.
///
/// ```
/// use recto_service::{IsolationMode, LocalService, LocalSettings};
/// use std::time::Duration;
///
/// let settings = LocalSettings {
///     isolation: Some(IsolationMode::None),
///     stored_bytes: Some(1 << 30),
///     retention: Some(Duration::from_secs(600)),
///     ..LocalSettings::default()
/// };
/// let service = LocalService::builder().settings(&settings).start()?;
/// # Ok::<(), recto_service::ServiceError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalSettings {
    /// How documents are isolated from this program: see [`IsolationMode`].
    pub isolation: Option<IsolationMode>,
    /// The path of the `recto` program that runs the workers. By default, the program that
    /// [`WorkerProgram::usual`] finds.
    pub worker: Option<PathBuf>,
    /// How many operations run at the same time. By default, one for each core.
    pub workers: Option<usize>,
    /// The memory limit of a worker process, in bytes. By default 4 GiB.
    pub worker_memory: Option<u64>,
    /// How many bytes a document may decode to, if it is processed in this program. By default 256 MiB.
    pub in_process_bytes: Option<u64>,
    /// The maximum size of all files and results together, in bytes. By default 64 GiB.
    pub stored_bytes: Option<u64>,
    /// How long files and results are kept, if they are not deleted earlier. By default 24 hours.
    pub retention: Option<Duration>,
    /// The existing folder in which the service creates its private folder. By default, the temporary folder of the
    /// system.
    pub data_dir: Option<PathBuf>,
}

impl LocalServiceBuilder {
    /// Sets the settings that are not `None`.
    #[must_use]
    pub fn settings(mut self, settings: &LocalSettings) -> Self {
        let config = self.config_mut();
        if let Some(mode) = settings.isolation {
            config.isolation.mode = mode;
        }
        if let Some(path) = &settings.worker {
            config.isolation.program = Some(WorkerProgram::recto(absolute(path)));
        }
        config.workers = settings.workers.or(config.workers);
        set(&mut config.isolation.memory, settings.worker_memory);
        set(&mut config.in_process_bytes, settings.in_process_bytes);
        set(&mut config.limits.stored_bytes, settings.stored_bytes);
        set(&mut config.retention, settings.retention);
        match &settings.data_dir {
            Some(parent) => self.data_dir(parent),
            None => self,
        }
    }
}

fn set<T>(value: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *value = given;
    }
}

/// A worker is started in another folder, so a relative path would mean another file there.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
