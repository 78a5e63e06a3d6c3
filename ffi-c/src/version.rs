//! The version of the library.

use std::ffi::{CStr, c_char};

/// The version of this header: 0xMMmmpp (major, minor, patch).
pub const RECTO_VERSION_NUMBER: u32 = 0x0000_0100;

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"",
};

/// The version of the loaded library, as 0xMMmmpp. Compare it with `RECTO_VERSION_NUMBER`, the version of the header.
///
/// Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn recto_version_number() -> u32 {
    RECTO_VERSION_NUMBER
}

/// The version of the loaded library, such as "0.1.0". Static: never freed, never NULL.
///
/// Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn recto_version_string() -> *const c_char {
    VERSION.as_ptr()
}

/// 1 if the loaded library has a feature; otherwise 0, also for names that this version does not know. The features are
/// `local` (the embedded service), `tasks` (calls in the background), `http2`, and `descriptor` (a descriptor of a task
/// is one of the system, not the handle of an event).
///
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_has_feature(name: *const c_char) -> i32 {
    if name.is_null() {
        return 0;
    }
    // SAFETY: the header requires a text that ends with a NUL.
    let name = unsafe { CStr::from_ptr(name) };
    match name.to_bytes() {
        b"local" => cfg!(feature = "local").into(),
        b"tasks" | b"http2" => 1,
        b"descriptor" => cfg!(unix).into(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_the_packages_version() {
        let part = |text: &str| text.parse::<u32>().unwrap();
        let number = part(env!("CARGO_PKG_VERSION_MAJOR")) << 16
            | part(env!("CARGO_PKG_VERSION_MINOR")) << 8
            | part(env!("CARGO_PKG_VERSION_PATCH"));
        assert_eq!(recto_version_number(), number);
        assert_eq!(VERSION.to_str(), Ok(env!("CARGO_PKG_VERSION")));
    }
}
