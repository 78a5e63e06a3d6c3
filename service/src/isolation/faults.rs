//! What tests have a worker do in place of an operation. Only a service with test controls starts workers that obey.

use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A way to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Fault {
    /// Ends by a signal.
    Abort,
    /// Ends without a word.
    Exit,
    /// Overflows the stack.
    Recurse,
    /// Does nothing, and does not see that it was cancelled.
    Hang,
    /// Computes for ever.
    Spin,
    /// Takes memory without end.
    Memory,
    /// Writes a file without end.
    Output,
    /// Writes files without end.
    Files,
    /// Writes what is no frame to the service, without end.
    Chatter,
    /// Writes to standard error without end.
    Shout,
    /// Puts another file in the place of its result.
    Swap,
    /// Tries what it must not be able to, and fails with what came of it.
    Probe,
}

/// Says which fault the next operation is replaced by.
pub(crate) trait Faults: Send + Sync {
    /// `None`: the operation is done.
    fn next(&self) -> Option<Fault>;
}

impl Fault {
    /// Does it. Returns the words for the failure, if it returns.
    pub(super) fn trigger(self, directory: &Path, output: &Path) -> String {
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
            Self::Output => write_without_end(&mut OpenOptions::new().write(true).open(output)),
            Self::Files => {
                for number in 0_u64.. {
                    if fs::write(directory.join(format!("flood-{number}")), vec![0; 8 << 20]).is_err() {
                        break;
                    }
                }
            }
            Self::Chatter => write_without_end(&mut Ok(std::io::stdout())),
            Self::Shout => write_without_end(&mut Ok(std::io::stderr())),
            Self::Swap => {
                let _ = fs::remove_file(output);
                #[cfg(unix)]
                let _ = std::os::unix::fs::symlink("/etc/passwd", output);
                return String::new();
            }
            Self::Probe => return probe(directory),
        }
        "it came to an end".to_owned()
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

/// One line for each thing that a worker must not be able to do: its name, then `allowed` or what the system said.
fn probe(directory: &Path) -> String {
    let tell = |what: &str, tried: std::io::Result<()>| match tried {
        Ok(()) => format!("{what}: allowed"),
        Err(error) => format!("{what}: {error}"),
    };
    let connect = |address: &str| match address.parse() {
        Ok(address) => TcpStream::connect_timeout(&address, Duration::from_secs(1)).map(drop),
        Err(_) => Ok(()),
    };
    [
        tell("listen", TcpListener::bind("127.0.0.1:0").map(drop)),
        tell("connect", connect("127.0.0.1:9")),
        tell("connect out", connect("192.0.2.1:80")),
        tell("read", fs::read("/etc/passwd").map(drop)),
        tell("list", fs::read_dir("/").map(drop)),
        tell("write", fs::write(std::env::temp_dir().join("../recto-probe"), "x")),
        tell("write own", fs::write(directory.join("probe"), "x")),
        tell("run", Command::new("/bin/true").status().map(drop)),
        tell("signal", signal_parent()),
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
