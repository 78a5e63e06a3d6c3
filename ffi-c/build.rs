//! How the shared library is linked on Linux: its name for the loader, what it exports, and that it stays once it was
//! loaded.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    let major = std::env::var("CARGO_PKG_VERSION_MAJOR").unwrap_or_default();
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,librecto.so.{major}");
    // Crates that it is made of may have a C interface of their own: that is not this library's.
    println!("cargo::rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
    // Its threads run until the process ends: dlclose() must not take their code away.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
