//! The phases of a call (upload, wait, download, ...): the constants and their names.

use recto::Phase;
use std::ffi::c_char;

/// Creating the client, or reading a resume token.
pub const RECTO_PHASE_CONFIGURE: i32 = 1;
/// Uploading a document.
pub const RECTO_PHASE_UPLOAD: i32 = 2;
/// Starting an operation.
pub const RECTO_PHASE_START: i32 = 3;
/// Waiting for an operation to end.
pub const RECTO_PHASE_WAIT: i32 = 4;
/// Downloading a result.
pub const RECTO_PHASE_DOWNLOAD: i32 = 5;
/// Listing, looking up or deleting files.
pub const RECTO_PHASE_FILES: i32 = 6;

pub(crate) fn phase_number(phase: Phase) -> i32 {
    match phase {
        Phase::Configure => RECTO_PHASE_CONFIGURE,
        Phase::Upload => RECTO_PHASE_UPLOAD,
        Phase::Start => RECTO_PHASE_START,
        Phase::Wait => RECTO_PHASE_WAIT,
        Phase::Download => RECTO_PHASE_DOWNLOAD,
        Phase::Files => RECTO_PHASE_FILES,
        _ => 0,
    }
}

/// The name of a phase, such as "upload"; "unknown" for a value that this version does not define. Static: never freed,
/// never NULL.
///
/// Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn recto_phase_name(phase: i32) -> *const c_char {
    match phase {
        RECTO_PHASE_CONFIGURE => c"configure",
        RECTO_PHASE_UPLOAD => c"upload",
        RECTO_PHASE_START => c"start",
        RECTO_PHASE_WAIT => c"wait",
        RECTO_PHASE_DOWNLOAD => c"download",
        RECTO_PHASE_FILES => c"files",
        _ => c"unknown",
    }
    .as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn the_names_are_those_of_the_core() {
        use Phase::*;
        for phase in [Configure, Upload, Start, Wait, Download, Files] {
            // SAFETY: the function returns static texts that end in NUL.
            let name = unsafe { CStr::from_ptr(recto_phase_name(phase_number(phase))) };
            assert_eq!(name.to_str(), Ok(phase.as_str()));
        }
    }
}
