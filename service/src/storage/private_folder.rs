//! The private folder of a running service, and the removal of the private folders of killed services.
//!
//! Each private folder contains a lock file. The operating system releases the lock when the process ends, for whatever
//! reason. So the next service can find out which folders are no longer used.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use tempfile::TempDir;

const PREFIX: &str = "recto-service-";
const LOCK: &str = "lock";

/// A folder that only this user may enter (0700). The folder is removed on drop.
pub(crate) struct PrivateFolder {
    // Fields are dropped in this order, so the folder is removed while the lock is still held.
    directory: TempDir,
    _lock: File,
}

impl PrivateFolder {
    pub(crate) fn create_in(parent: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let directory = builder.tempdir_in(parent)?;
        // The file is renamed only after it is locked, so that another process never finds an unlocked lock file.
        let unnamed = directory.path().join("lock.new");
        let lock = File::create_new(&unnamed)?;
        lock.lock()?;
        fs::rename(unnamed, directory.path().join(LOCK))?;
        Ok(Self { directory, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Removes the private folders next to this folder whose services have ended.
    pub(crate) fn remove_abandoned(&self) -> io::Result<()> {
        let Some(parent) = self.path().parent() else { return Ok(()) };
        let own = self.path().metadata()?;
        for entry in fs::read_dir(parent)?.filter_map(Result::ok) {
            let named = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
            // Other users write to the temporary folder too. Folders of other users are not touched, and links are not
            // followed.
            let ours =
                named && entry.metadata().is_ok_and(|other| other.is_dir() && same_owner(&own, &other));
            if ours && is_abandoned(&entry.path().join(LOCK)) {
                tracing::info!(directory = %entry.path().display(), "removing the folder of a killed service");
                // An error is ignored, because another service may be removing the same folder.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        Ok(())
    }
}

/// Whether the lock file exists and is not locked.
fn is_abandoned(lock: &Path) -> bool {
    let Ok(lock) = File::open(lock) else { return false };
    match lock.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

#[cfg(unix)]
fn same_owner(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    one.uid() == other.uid()
}

#[cfg(not(unix))]
fn same_owner(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true // the temporary folder belongs to the user
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_service_left_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let living = PrivateFolder::create_in(parent.path()).unwrap();
        let killed = parent.path().join("recto-service-killed");
        let strange = parent.path().join("recto-service-without-lock");
        let other = parent.path().join("other");
        for directory in [&killed, &strange, &other] {
            fs::create_dir(directory).unwrap();
            fs::write(directory.join("bytes"), b"x").unwrap();
        }
        for directory in [&killed, &other] {
            fs::write(directory.join(LOCK), b"").unwrap();
        }
        let own = PrivateFolder::create_in(parent.path()).unwrap();
        own.remove_abandoned().unwrap();
        assert!(!killed.exists());
        assert!(own.path().exists() && living.path().exists() && strange.exists() && other.exists());
        drop((own, living));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 2);
    }
}
