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
