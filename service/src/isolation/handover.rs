//! How the service sends requests and files to a worker on Unix: over a socket pair that also carries descriptors.
//!
//! The standard input of the worker is one end of the socket pair. With each operation, the service sends the
//! descriptor of the input, which the worker can only read, and the descriptor of the output. The output file has no
//! name, and the service opens no path in a folder that a worker can write to. So a worker that swaps its folders for
//! links has no effect on the service.

use super::protocol::{self, MAX_FRAME_TO_WORKER, Request};
use crate::storage::{Content, Storage};
use futures_util::TryStreamExt as _;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, send, sendmsg,
};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read, Seek as _, SeekFrom};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::task::spawn_blocking;

/// The maximum time in which a worker must read the next part of a request.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// The number of descriptors that are sent with an operation: input and output.
const DESCRIPTORS: usize = 2;

/// The service's end of the channel to a worker.
pub(super) struct Channel(UnixStream);

impl Channel {
    /// Starts the process of a worker whose standard input is the other end of a new channel.
    pub(super) fn spawn(mut command: Command) -> io::Result<(Child, Self)> {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_write_timeout(Some(SEND_TIMEOUT))?;
        let child = command.stdin(Stdio::from(OwnedFd::from(theirs))).spawn()?;
        // `command` is dropped here, and with it this process's copy of the worker's end. Otherwise a request to a
        // worker that has ended would wait for the timeout.
        Ok((child, Self(ours)))
    }

    /// Sends a request that needs no files.
    pub(super) fn send(&mut self, request: &Request) -> io::Result<()> {
        self.send_all(&protocol::encode(request)?)
    }

    /// Sends a request to execute an operation, together with its files.
    pub(super) fn send_job(&mut self, request: &Request, files: &JobFiles) -> io::Result<()> {
        let frame = protocol::encode(request)?;
        let descriptors = [files.input()?.as_fd(), files.output.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !control.push(SendAncillaryMessage::ScmRights(&descriptors)) {
            return Err(protocol::invalid("the descriptors of an operation do not fit into the message"));
        }
        let sent =
            rustix::io::retry_on_intr(|| sendmsg(&self.0, &[IoSlice::new(&frame)], &mut control, NO_SIGNAL))?;
        self.send_all(frame.get(sent..).unwrap_or_default())
    }

    fn send_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let sent = rustix::io::retry_on_intr(|| send(&self.0, bytes, NO_SIGNAL))?;
            bytes = bytes.get(sent..).unwrap_or_default();
        }
        Ok(())
    }
}

/// Without this flag, a worker that has ended could end a program that embeds the service and does not ignore SIGPIPE.
const NO_SIGNAL: SendFlags = SendFlags::NOSIGNAL;

/// The file that a worker writes its results to. It has no name. All operations of a worker use the same file, so that
/// a worker cannot fill the disk with the files of earlier operations.
pub(super) struct WorkerFiles {
    output: File,
}

impl WorkerFiles {
    /// Creates the file in `folder`, which must be a folder that no worker can reach.
    pub(super) fn create(folder: &Path, _: Option<&Path>) -> io::Result<Self> {
        Ok(Self { output: tempfile::tempfile_in(folder)? })
    }

    /// The files of the next operation, still without the input. The result of the previous operation is removed.
    pub(super) fn next(&self, _: u32) -> io::Result<JobFiles> {
        self.output.set_len(0)?;
        Ok(JobFiles { input: None, input_bytes: 0, output: self.output.try_clone()? })
    }
}

/// The files of one operation.
pub(crate) struct JobFiles {
    /// `None` until the input was provided.
    input: Option<File>,
    pub(super) input_bytes: u64,
    pub(super) output: File,
}

impl JobFiles {
    fn input(&self) -> io::Result<&File> {
        self.input.as_ref().ok_or_else(|| protocol::invalid("an operation has no input"))
    }

    /// Opens the input. A worker that starts no programs gets the file of the storage itself, if the storage has files.
    /// A worker that starts programs gets a copy, because its programs can change the attributes of a file that they
    /// can only read. `folder` must be a folder that no worker can reach.
    pub(crate) async fn provide_input(
        &mut self,
        storage: &dyn Storage,
        content: &Content,
        folder: &Path,
        programs: bool,
    ) -> io::Result<()> {
        self.input_bytes = content.size;
        if !programs && let Some(file) = storage.open(content).await? {
            self.input = Some(file);
            return Ok(());
        }
        let folder = folder.to_owned();
        let (written, readable) = spawn_blocking(move || unnamed(&folder)).await??;
        let mut written = tokio::fs::File::from_std(written);
        let mut chunks = storage.read(content, 0..content.size);
        while let Some(chunk) = chunks.try_next().await? {
            written.write_all(&chunk).await?;
        }
        written.flush().await?;
        self.input = Some(readable);
        Ok(())
    }

    /// Does nothing: the files have no names.
    pub(super) fn remove(&self) {}
}

/// Creates a file without a name. Returns the file opened for writing, and opened only for reading.
fn unnamed(folder: &Path) -> io::Result<(File, File)> {
    let named = tempfile::NamedTempFile::new_in(folder)?;
    let readable = File::open(named.path())?;
    let (one, other) = (named.as_file().metadata()?, readable.metadata()?);
    if (one.dev(), one.ino()) != (other.dev(), other.ino()) {
        return Err(io::Error::other("a temporary file was replaced by another one"));
    }
    Ok((named.into_file(), readable))
}

/// The worker's end of the channel: its standard input.
#[derive(Default)]
pub(super) struct Requests {
    received: VecDeque<OwnedFd>,
}

impl Requests {
    /// Waits for the next request. `None` if the service has closed the channel.
    pub(super) fn receive(&mut self) -> io::Result<Option<Request>> {
        protocol::read(self, MAX_FRAME_TO_WORKER)
    }

    /// The files that were sent with the request that was received last.
    pub(super) fn files(&mut self, _: &protocol::Run) -> io::Result<HandedFiles> {
        let mut next = || self.received.pop_front().map(File::from).ok_or(io::ErrorKind::InvalidData);
        Ok(HandedFiles { input: next()?, output: next()? })
    }
}

#[cfg(not(target_vendor = "apple"))]
const RECEIVE: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(target_vendor = "apple")]
const RECEIVE: RecvFlags = RecvFlags::empty();

/// Reads without a buffer, because a buffer would keep passwords in memory.
impl Read for Requests {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let stdin = io::stdin();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let received = rustix::io::retry_on_intr(|| {
            recvmsg(stdin.as_fd(), &mut [IoSliceMut::new(buffer)], &mut control, RECEIVE)
        })?;
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                for descriptor in descriptors {
                    #[cfg(target_vendor = "apple")]
                    rustix::io::fcntl_setfd(&descriptor, rustix::io::FdFlags::CLOEXEC)?;
                    self.received.push_back(descriptor);
                }
            }
        }
        Ok(received.bytes)
    }
}

/// The files of one operation, in the worker.
pub(super) struct HandedFiles {
    input: File,
    pub(super) output: File,
}

impl HandedFiles {
    /// Reads the whole input, which may have at most `most` bytes.
    pub(super) fn read_input(&mut self, most: u64) -> io::Result<Vec<u8>> {
        // The size is not read from the attributes of the file: the sandbox denies the system calls for attributes.
        let size = self.input.seek(SeekFrom::End(0))?;
        self.input.rewind()?;
        let mut bytes = Vec::with_capacity(size.min(most).try_into().unwrap_or(0));
        (&self.input).take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the result.
    pub(super) fn write_output(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all_at(bytes, 0)
    }
}
