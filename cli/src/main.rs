//! The `recto` program: all of it is [`recto_cli::run`]; the workers of its services are this program too.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    recto_cli::workers_are_this_program();
    std::process::ExitCode::from(recto_cli::run(std::env::args_os()))
}
