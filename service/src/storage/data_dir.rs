//! The data directory of a durable service. Only one process at a time may use the directory.
//!
//! ```text
//! lock             locked while a service uses the directory
//! recto.sqlite3    files, operations and the queue
//! files/           the bytes of the files
//! secret.key       the key that encrypts the options of waiting operations and signs addresses (0600)
//! api.key          the generated API key, if the user has set no key (0600)
//! ```

use super::sync_directory;
use crate::ids;
use recto_interface::Secret;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// A data directory. The directory is locked until this value is dropped.
pub(crate) struct DataDirectory {
    path: PathBuf,
    _lock: File,
}

impl DataDirectory {
    /// Locks the directory. If the directory does not exist, creates it, and only this user may enter it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        make(path)?;
        let lock = private(&path.join("lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = "another service is using it; stop that service, or choose another directory";
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, message));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        make(&path.join("files"))?;
        // The database is created here, because SQLite creates its log files with the same mode as the database.
        private(&path.join("recto.sqlite3"))?;
        sync_directory(path)?;
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// The folder that contains the bytes of the files.
    pub(crate) fn files(&self) -> PathBuf {
        self.path.join("files")
    }

    /// The service's secret key. On first use, `make` generates the key.
    pub(crate) fn secret_key(
        &self,
        make: impl FnOnce() -> io::Result<Zeroizing<String>>,
    ) -> io::Result<Zeroizing<String>> {
        self.kept("secret.key", make)
    }

    /// The API key, which is generated on first use.
    pub(crate) fn api_key(&self) -> io::Result<Secret> {
        let key =
            self.kept("api.key", || ids::api_key().map(|key| Zeroizing::new(key.expose().to_owned())))?;
        Ok(Secret::new(key.as_str()))
    }

    /// The line in the file `name`. If the file does not exist, it is created, and `make` returns the line for it.
    fn kept(
        &self,
        name: &str,
        make: impl FnOnce() -> io::Result<Zeroizing<String>>,
    ) -> io::Result<Zeroizing<String>> {
        let path = self.path.join(name);
        match fs::read_to_string(&path) {
            Ok(text) => {
                let text = Zeroizing::new(text);
                let line = Zeroizing::new(text.trim().to_owned());
                if line.is_empty() {
                    return Err(io::Error::other(format!(
                        "{name} is empty; remove the file, and a new key is generated"
                    )));
                }
                Ok(line)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let generated = make()?;
                // The line is written to a temporary file, which is then renamed. So a crash never leaves an incomplete
                // file.
                let mut file = tempfile::Builder::new().prefix(name).tempfile_in(&self.path)?;
                writeln!(file, "{}", generated.as_str())?;
                file.as_file().sync_all()?;
                file.persist(path).map_err(|error| error.error)?;
                sync_directory(&self.path)?;
                Ok(generated)
            }
            Err(error) => Err(io::Error::new(error.kind(), format!("{name}: {error}"))),
        }
    }
}

/// Creates a directory that only this user may enter. An existing directory is not changed.
fn make(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens a file. If the file does not exist, creates it, and only this user may read it, because other users may be
/// able to enter the directory.
fn private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_service_at_a_time_can_use_it() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        let first = DataDirectory::open(&path).unwrap();
        let error = DataDirectory::open(&path).err().unwrap();
        assert!(error.to_string().contains("another service is using it"), "{error}");
        drop(first);
        assert!(DataDirectory::open(&path).is_ok());
    }

    fn key() -> io::Result<Zeroizing<String>> {
        Ok(Zeroizing::new(ids::hex(&ids::random::<32>()?)))
    }

    #[test]
    fn its_keys_stay_the_same_and_only_the_user_can_read_them() {
        let parent = tempfile::tempdir().unwrap();
        let (first, api_key) = {
            let data = DataDirectory::open(parent.path()).unwrap();
            (data.secret_key(key).unwrap(), data.api_key().unwrap())
        };
        let data = DataDirectory::open(parent.path()).unwrap();
        assert!(*data.secret_key(key).unwrap() == *first && data.api_key().unwrap() == api_key);
        assert!(first.len() == 64 && api_key.expose() != first.as_str());
        #[cfg(unix)]
        for name in ["secret.key", "api.key", "recto.sqlite3", "lock"] {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(parent.path().join(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
        fs::write(parent.path().join("api.key"), "\n").unwrap();
        assert!(data.api_key().unwrap_err().to_string().contains("api.key is empty"));
    }
}
