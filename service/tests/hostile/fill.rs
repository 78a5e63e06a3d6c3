//! A hostile worker that fills the disk with unlinked files: open files that are in no folder.

use std::fs::{self, File};
use std::time::Duration;

/// The size of one file. Each is within the limit of file sizes.
const FILE: i64 = 128 << 20;

/// The number of files. Together they have more bytes than the service allows.
const FILES: i64 = 12;

/// How long the worker keeps its files. The service measures several times a second.
const KEEP: Duration = Duration::from_secs(60);

/// Reserves disk space for unlinked files, and keeps them open. Returns how much space it got, unless the worker is
/// ended earlier.
pub fn attack() -> String {
    // A process that is not dumpable hides its open files from other processes. The sandbox must not allow this.
    let _ = nix::sys::prctl::set_dumpable(false);
    let mut kept = Vec::new();
    for number in 0..FILES {
        match unlinked_file(&format!("fill-{number}")) {
            Ok(file) => kept.push(file),
            Err(error) => {
                return format!(
                    "refused after {} bytes: {}",
                    FILE * number,
                    error.raw_os_error().unwrap_or_default()
                );
            }
        }
    }
    std::thread::sleep(KEEP);
    format!("kept {} files", kept.len())
}

fn unlinked_file(name: &str) -> std::io::Result<File> {
    let file = File::create(name)?;
    fs::remove_file(name)?;
    nix::fcntl::fallocate(&file, nix::fcntl::FallocateFlags::empty(), 0, FILE)?;
    Ok(file)
}
