//! Texts and paths as C reads them: ending with a NUL.

use std::ffi::{CString, c_char};
use std::path::Path;
use std::ptr;

/// A text for C. Each NUL in the text becomes the replacement character, because C would take it for the end of the
/// text.
pub(crate) fn c_text(text: impl Into<String>) -> CString {
    let text = text.into();
    if text.contains('\0') {
        return CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default();
    }
    CString::new(text).unwrap_or_default()
}

/// A path for C: on Unix its bytes, which cannot contain a NUL.
pub(crate) fn c_path(path: &Path) -> CString {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        CString::new(path.as_os_str().as_bytes()).unwrap_or_default()
    }
    #[cfg(not(unix))]
    c_text(path.to_string_lossy())
}

/// The pointer to an optional text, NULL for none.
pub(crate) fn pointer(text: Option<&CString>) -> *const c_char {
    text.map_or(ptr::null(), |text| text.as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nul_inside_a_text_is_replaced() {
        assert_eq!(c_text("a\0b").to_str(), Ok("a\u{fffd}b"));
    }
}
