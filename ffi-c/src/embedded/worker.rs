//! Finds the `recto` program that is installed with this library. The embedded service starts it for its workers.

use recto_service::WorkerProgram;
use std::path::PathBuf;
use std::sync::Once;

/// Makes the services of this process start their workers from the program that is installed with this library, if
/// there is one and no other program is set.
pub(super) fn announce_installed() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if let Some(program) = library().and_then(|file| WorkerProgram::installed_with(&file)) {
            program.announce();
        }
    });
}

/// The file that contains this code: the shared library, or the program that the static library is part of.
#[cfg(unix)]
fn library() -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // The address of a private variable: if a process contains two copies of the library, the address of an exported
    // function could belong to the other copy.
    static HERE: u8 = 0;
    // SAFETY: `found` can be written to.
    if unsafe { libc::dladdr((&raw const HERE).cast(), found.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: the call succeeded, and zero is a valid value of the fields that it has not set.
    let name = unsafe { found.assume_init() }.dli_fname;
    if name.is_null() {
        return None;
    }
    // SAFETY: the name is a text of the system that lives as long as the library, which is never unloaded.
    let name = unsafe { std::ffi::CStr::from_ptr(name) };
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes())))
}

#[cfg(not(unix))]
fn library() -> Option<PathBuf> {
    None
}
