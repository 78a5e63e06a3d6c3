//! How the shared library is linked on Linux: its name for the loader, and that it stays once it was loaded.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    let major = std::env::var("CARGO_PKG_VERSION_MAJOR").unwrap_or_default();
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,librecto.so.{major}");
    // Its threads run until the process ends: dlclose() must not take their code away.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
