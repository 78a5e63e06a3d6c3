//! The `recto` program: all of it is [`recto_cli::run`].
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(recto_cli::run(std::env::args_os()))
}
