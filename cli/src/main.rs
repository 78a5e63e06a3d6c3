//! The program `recto`: a call of [`recto_cli::run`]. Worker processes run the same program.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    recto_cli::use_this_program_for_workers();
    std::process::ExitCode::from(recto_cli::run(std::env::args_os()))
}
