//! Reads a pipe without blocking the thread: a call that waits for the writer of the pipe can be cancelled and can time
//! out.

use super::source::CHUNK;
use crate::runtime;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use tokio::net::unix::pipe::{OpenOptions, Receiver};

/// Copies the content of the pipe at `path` to `target`, until the last writer has closed the pipe. Returns the number
/// of bytes. It first waits until a writer has opened the pipe, as a blocking reader does.
pub(super) async fn copy(path: &Path, target: &mut File) -> io::Result<u64> {
    let mut copying = Copying { target, buffer: vec![0; CHUNK], length: 0 };
    let pipe = runtime::inside_runtime(async { OpenOptions::new().open_receiver(path) }).await?;
    if has_name(path) {
        return copying.until_end(&pipe).await;
    }
    // A pipe without a name cannot be opened again. If it has no writer, it has ended, and no event reports this.
    let mut file = File::from(pipe.into_nonblocking_fd()?);
    if copying.next(|buffer| file.read(buffer))? == Step::Ended {
        return Ok(copying.length);
    }
    let pipe = runtime::inside_runtime(async { Receiver::from_file(file) }).await?;
    copying.until_end(&pipe).await
}

/// Whether the pipe has a name in a file system. `/dev/fd/63` and `/dev/stdin` may refer to a pipe without a name.
fn has_name(path: &Path) -> bool {
    std::fs::canonicalize(path).is_ok()
}

/// A copy in progress.
struct Copying<'t> {
    target: &'t mut File,
    buffer: Vec<u8>,
    length: u64,
}

/// The outcome of one attempt to read.
#[derive(PartialEq)]
enum Step {
    Copied,
    NothingYet,
    Ended,
}

impl Copying<'_> {
    async fn until_end(&mut self, pipe: &Receiver) -> io::Result<u64> {
        loop {
            runtime::inside_runtime(pipe.readable()).await?;
            if self.next(|buffer| pipe.try_read(buffer))? == Step::Ended {
                return Ok(self.length);
            }
        }
    }

    fn next(&mut self, read: impl FnOnce(&mut [u8]) -> io::Result<usize>) -> io::Result<Step> {
        match read(&mut self.buffer) {
            Ok(0) => Ok(Step::Ended),
            Ok(length) => {
                self.target.write_all(self.buffer.get(..length).unwrap_or_default())?;
                self.length += length as u64;
                Ok(Step::Copied)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Step::NothingYet),
            Err(error) => Err(error),
        }
    }
}
