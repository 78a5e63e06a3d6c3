//! A process that removes the private folder of a service if the service is killed.
//!
//! A signal can end the process of a service at any time, and a service that is embedded in a program must not handle
//! the signals of that program. So the program of the workers runs once more, as a watch process: it waits for the lock
//! of the folder. The operating system releases the lock when the process of the service ends, for whatever reason.

use super::WorkerProgram;
use super::handover::Channel;
use super::process;
use super::protocol::Request;
use crate::storage::remove_after_owner;
use std::io;
use std::path::Path;
use std::process::{Child, Stdio};

/// The process that watches a folder. Dropping the value ends the process.
pub(super) struct FolderWatch(Child);

impl FolderWatch {
    pub(super) fn start(program: &WorkerProgram, folder: &Path) -> io::Result<Self> {
        let mut command = process::command(program, None);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let (child, mut channel) = Channel::spawn(command)?;
        let watch = Self(child);
        channel.send(&Request::Watch(folder.to_owned()))?;
        Ok(watch)
    }
}

impl Drop for FolderWatch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Watches `folder`: the main function of a watch process. Returns the exit code.
pub(super) fn run(folder: &Path) -> u8 {
    #[cfg(unix)]
    keep_nothing_of_the_program();
    match remove_after_owner(folder) {
        Ok(()) => 0,
        // The service ended before this process had started.
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        Err(_) => 1,
    }
}

/// Blocks all signals, because a signal such as SIGINT can reach the program together with its child processes. Closes
/// the inherited descriptors: otherwise, for example, a pipe of the program would stay open.
#[cfg(unix)]
fn keep_nothing_of_the_program() {
    // In lists of processes, this name distinguishes the process from a worker.
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_name(c"recto-watch");
    // The only possible error is an invalid argument.
    let _ = nix::sys::signal::SigSet::all().thread_block();
    let list = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let number = |entry: io::Result<std::fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse::<i32>().ok();
    let open: Vec<i32> = std::fs::read_dir(list).into_iter().flatten().filter_map(number).collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        // One of them belonged to the directory that was read, and is already closed.
        let _ = nix::unistd::close(descriptor);
    }
}
