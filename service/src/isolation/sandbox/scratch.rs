//! The scratch space of a worker that starts programs: how large it is, and whether it was full.

use super::super::protocol::{SandboxReport, SandboxSettings};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The time after which the space is measured again.
const MEASURE_INTERVAL: Duration = Duration::from_millis(100);

/// The space is full if fewer bytes are free. Programs write larger parts at once.
const FULL: u64 = 256 << 10;

/// The size of the scratch space, which is in memory: the limit of files, or the limit of memory if that is lower.
pub(super) fn bytes(settings: &SandboxSettings) -> u64 {
    settings.file_bytes.min(settings.memory)
}

/// Whether the scratch space was full at any time. The programs delete their files when they fail, so the space must be
/// measured while they run.
pub(in crate::isolation) struct ScratchWatch {
    /// The folder of the worker. `None` if the worker has no scratch space of its own.
    directory: Option<PathBuf>,
    full: Arc<AtomicBool>,
}

impl ScratchWatch {
    /// Starts to measure the space, if this process has its own.
    pub(in crate::isolation) fn start(settings: &SandboxSettings, sandboxed: &SandboxReport) -> Self {
        let directory = settings.directory.clone().filter(|_| sandboxed.has_own_root());
        let full = Arc::<AtomicBool>::default();
        if let Some(directory) = directory.clone() {
            let full = Arc::clone(&full);
            let thread = std::thread::Builder::new().name("recto-scratch".to_owned());
            // An error is ignored: then the operation fails with a less exact reason.
            let _ = thread.spawn(move || {
                while !is_full(&directory) {
                    std::thread::sleep(MEASURE_INTERVAL);
                }
                full.store(true, Ordering::Relaxed);
            });
        }
        Self { directory, full }
    }

    /// Whether the scratch space was or is full.
    pub(in crate::isolation) fn was_full(&self) -> bool {
        self.full.load(Ordering::Relaxed) || self.directory.as_deref().is_some_and(is_full)
    }
}

fn is_full(directory: &Path) -> bool {
    nix::sys::statvfs::statvfs(directory)
        .is_ok_and(|space| space.blocks_available() * space.fragment_size() < FULL || space.files_free() == 0)
}
