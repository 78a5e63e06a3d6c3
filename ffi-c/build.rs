//! Linker options of the shared library on Linux: its soname, which symbols it exports, and that it is never unloaded.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    let major = std::env::var("CARGO_PKG_VERSION_MAJOR").unwrap_or_default();
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,librecto.so.{major}");
    // Dependencies may have C functions of their own. This library does not export them.
    println!("cargo::rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
    // Its threads run until the process ends, so dlclose() must not unmap their code.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
