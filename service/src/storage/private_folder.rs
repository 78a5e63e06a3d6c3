//! The private folder of a running service, and the removal of the private folders of killed services.
//!
//! Each private folder in a shared folder contains a lock file. The operating system releases the lock when the process
//! ends, for whatever reason. So the next service can find out which folders are no longer used.

use crate::per_process::PerProcess;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

const PREFIX: &str = "recto-service-";
const LOCK: &str = "lock";

/// How many times the removal of a folder is tried when the process exits: another thread may create a file meanwhile.
const REMOVALS: usize = 3;

/// The private folders of the services that run in this process.
static FOLDERS: PerProcess<Mutex<Vec<PathBuf>>> = PerProcess::new();

/// A folder that only this user may enter (0700). The folder is removed on drop.
pub(crate) struct PrivateFolder {
    // Fields are dropped in this order, so the folder is removed while the lock is still held.
    directory: TempDir,
    _lock: Option<File>,
}

impl PrivateFolder {
    pub(crate) fn create_in(parent: &Path) -> io::Result<Self> {
        let directory = private(tempfile::Builder::new().prefix(PREFIX), parent)?;
        // The file is renamed only after it is locked, so that another process never finds an unlocked lock file.
        let unnamed = directory.path().join("lock.new");
        let lock = File::create_new(&unnamed)?;
        lock.lock()?;
        fs::rename(unnamed, directory.path().join(LOCK))?;
        let mut folders = FOLDERS.get().lock().unwrap_or_else(PoisonError::into_inner);
        folders.push(directory.path().to_owned());
        drop(folders);
        Ok(Self { directory, _lock: Some(lock) })
    }

    /// Creates a folder inside the private folder `parent`. If the process is killed, both are removed. The path is
    /// short, because LibreOffice creates sockets below this folder, and the length of their paths is limited.
    pub(crate) fn create_inside(parent: &Path) -> io::Result<Self> {
        let directory = private(tempfile::Builder::new().prefix("w").rand_bytes(3), parent)?;
        Ok(Self { directory, _lock: None })
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

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        let mut folders = FOLDERS.get().lock().unwrap_or_else(PoisonError::into_inner);
        folders.retain(|folder| folder != self.directory.path());
    }
}

fn private(builder: &mut tempfile::Builder<'_, '_>, parent: &Path) -> io::Result<TempDir> {
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir_in(parent)
}

/// Removes the private folders of all services that run in this process. Call this function if the process exits
/// without dropping its services. The services cannot be used afterwards. In a forked child process, the folders of the
/// parent process stay.
///
/// This function does not wait: if another thread starts or ends a service at this moment, it does nothing.
pub fn remove_folders_at_exit() {
    let Ok(folders) = FOLDERS.get().try_lock() else { return };
    for folder in folders.iter() {
        // If this fails, the next service removes the folder.
        let _ = (0..REMOVALS).any(|_| fs::remove_dir_all(folder).is_ok());
    }
}

/// Waits until the process that locked the private folder `folder` has ended, and removes the folder.
pub(crate) fn remove_after_owner(folder: &Path) -> io::Result<()> {
    if !folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(PREFIX)) {
        return Err(io::Error::other("not the folder of a service"));
    }
    let lock = File::open(folder.join(LOCK))?;
    lock.lock()?;
    // Another service may have removed the folder meanwhile. That is not an error.
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
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

    #[test]
    fn a_folder_is_removed_when_its_owner_no_longer_holds_the_lock() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("recto-service-owned");
        fs::create_dir(&folder).unwrap();
        let lock = File::create(folder.join(LOCK)).unwrap();
        lock.lock().unwrap();
        let watched = folder.clone();
        let watch = std::thread::spawn(move || remove_after_owner(&watched));
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(folder.exists() && !watch.is_finished());
        drop(lock);
        watch.join().unwrap().unwrap();
        assert!(!folder.exists());
        // A folder that is not the folder of a service stays, even if it has a lock file.
        let other = parent.path().join("other");
        fs::create_dir(&other).unwrap();
        fs::write(other.join(LOCK), b"").unwrap();
        assert!(remove_after_owner(&other).is_err() && other.exists());
    }

    #[test]
    fn a_folder_inside_another_one_has_no_lock_of_its_own() {
        let parent = tempfile::tempdir().unwrap();
        let own = PrivateFolder::create_in(parent.path()).unwrap();
        let inside = PrivateFolder::create_inside(own.path()).unwrap();
        assert!(inside.path().starts_with(own.path()) && !inside.path().join(LOCK).exists());
        drop(own);
        drop(inside);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
