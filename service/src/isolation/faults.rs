//! Faults for tests. A worker causes a fault instead of executing an operation, and the test shows that the service
//! continues to work.
//!
//! This module is compiled only with the feature `test-controls`, which no release build has.

use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A way in which a worker can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Fault {
    /// The worker is killed by a signal.
    Abort,
    /// The worker exits without a reply.
    Exit,
    /// The worker overflows its stack.
    Recurse,
    /// The worker waits for ever, and ignores a cancellation.
    Hang,
    /// The worker uses the processor for ever.
    Spin,
    /// The worker allocates memory without end.
    Memory,
    /// The worker writes its result without end.
    Output,
    /// The worker writes files without end.
    Files,
    /// The worker writes invalid frames to the service without end.
    Chatter,
    /// The worker writes to standard error without end.
    Shout,
    /// The worker replaces its folder by a symbolic link, and reports a result that it has not written.
    Swap,
    /// The worker attempts actions that the sandbox must prevent, and fails with a list of the outcomes.
    Probe,
    /// The worker does what its program has set with `attack_with`, and fails with the report.
    Attack,
}

/// The faults that a test has requested.
pub(crate) trait Faults: Send + Sync {
    /// The fault of the next operation. `None` if the next operation has no fault.
    fn next(&self) -> Option<Fault>;
}

impl Fault {
    /// Causes the fault. If this method returns, the returned text is the detail of the failure. If the text is empty,
    /// the worker reports success.
    pub(super) fn trigger(self, directory: Option<&Path>, output: &File) -> String {
        match self {
            Self::Abort => std::process::abort(),
            Self::Exit => std::process::exit(0),
            Self::Recurse => return format!("recursed {}", recurse(1)),
            Self::Hang => loop {
                std::thread::sleep(Duration::from_secs(3600));
            },
            Self::Spin => loop {
                std::hint::spin_loop();
            },
            Self::Memory => {
                let mut taken = Vec::new();
                loop {
                    taken.push(vec![1_u8; 16 << 20]);
                }
            }
            Self::Output => write_without_end(&mut Ok(output)),
            Self::Files => {
                let Some(directory) = directory else { return "the worker has no folder".to_owned() };
                for number in 0_u64.. {
                    if fs::write(directory.join(format!("flood-{number}")), vec![0; 8 << 20]).is_err() {
                        break;
                    }
                }
            }
            Self::Chatter => write_without_end(&mut Ok(std::io::stdout())),
            Self::Shout => write_without_end(&mut Ok(std::io::stderr())),
            Self::Swap => {
                if let Ok(own) = std::env::current_dir() {
                    let _ = fs::rename(&own, own.with_extension("moved"));
                    #[cfg(unix)]
                    let _ = std::os::unix::fs::symlink("/etc", own);
                }
                return String::new();
            }
            Self::Probe => return probe(),
            Self::Attack => return super::hostile::attack(),
        }
        "the fault ended".to_owned()
    }
}

fn write_without_end(to: &mut std::io::Result<impl Write>) {
    let Ok(to) = to else { return };
    let bytes = vec![b'x'; 1 << 20];
    while to.write_all(&bytes).is_ok() {}
}

#[allow(unconditional_recursion)]
fn recurse(depth: u64) -> u64 {
    let held = std::hint::black_box([depth; 64]);
    std::hint::black_box(recurse(depth + 1) + held[7])
}

/// Attempts actions that a worker must not be able to do. Returns one line for each action: its name, then `allowed` or
/// the error of the operating system.
fn probe() -> String {
    let line = |what: &str, tried: std::io::Result<()>| match tried {
        Ok(()) => format!("{what}: allowed"),
        Err(error) => format!("{what}: {error}"),
    };
    let connect = |address: &str| match address.parse() {
        Ok(address) => TcpStream::connect_timeout(&address, Duration::from_secs(1)).map(drop),
        Err(_) => Ok(()),
    };
    [
        line("listen", TcpListener::bind("127.0.0.1:0").map(drop)),
        line("connect", connect("127.0.0.1:9")),
        line("connect out", connect("192.0.2.1:80")),
        line("read", fs::read("/etc/passwd").map(drop)),
        line("list", fs::read_dir("/").map(drop)),
        line("write", fs::write(std::env::temp_dir().join("../recto-probe"), "x")),
        line("write here", fs::write("recto-probe", "x")),
        line("run", Command::new("/bin/true").status().map(drop)),
        line("signal", signal_parent()),
    ]
    .join("\n")
}

#[cfg(unix)]
fn signal_parent() -> std::io::Result<()> {
    let parent = nix::unistd::Pid::parent();
    Ok(nix::sys::signal::kill(parent, nix::sys::signal::Signal::SIGWINCH)?)
}

#[cfg(not(unix))]
fn signal_parent() -> std::io::Result<()> {
    Ok(())
}
