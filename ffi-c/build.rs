//! Linker options of the shared library on Linux: its soname, which symbols it exports, and that it is never unloaded.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    let part = |name: &str| std::env::var(format!("CARGO_PKG_VERSION_{name}")).unwrap_or_default();
    // Before 1.0, a new minor version may be incompatible. CMakeLists.txt has the same rule.
    let abi = match part("MAJOR").as_str() {
        "0" => format!("0.{}", part("MINOR")),
        major => major.to_owned(),
    };
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,librecto.so.{abi}");
    // Dependencies may have C functions of their own. This library does not export them.
    println!("cargo::rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
    // Its threads run until the process ends, so dlclose() must not unmap their code.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
