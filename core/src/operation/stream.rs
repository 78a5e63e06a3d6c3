//! Reads the result file of an operation in chunks, while it is downloaded.

use super::Operation;
use crate::call::cancel::Cancel;
use crate::call::{Call, RunningCall};
use crate::error::{Error, Phase};
use crate::runtime::TICK;
use bytes::{Bytes, BytesMut};
use std::fmt;
use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread::JoinHandle;

/// The size of a chunk if the caller sets none.
const CHUNK: usize = 64 * 1024;
/// The greatest size of a chunk.
const LARGEST: usize = 16 << 20;
/// The number of chunks that wait for the caller; then the download waits too.
const AHEAD: usize = 4;

/// The result file of an operation in chunks: [`Operation::stream`] returns it. Dropping it ends the download.
pub struct ResultStream {
    operation: Operation,
    chunks: Option<Receiver<Bytes>>,
    download: Option<JoinHandle<Result<(), Error>>>,
    cancel: Cancel,
    /// The process that created the stream: threads do not survive a fork.
    process: u32,
}

impl Operation {
    /// Waits for the result, and returns its file in chunks of `chunk_size` bytes, 64 KiB by default; only the last one
    /// may be shorter. The download runs on a thread of its own, which waits when the caller has not taken some
    /// chunks yet. The time limits and headers of `call` hold for the download; its callbacks are not called.
    ///
    /// If the download breaks off, it resumes if the service supports that; otherwise the stream ends with an error.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) for an invalid size, [`ErrorKind::Io`](crate::ErrorKind::Io) if
    /// no thread can be started. The errors of [`fetch`](Self::fetch) are returned by [`ResultStream::next_chunk`].
    pub fn stream(&self, chunk_size: Option<usize>, call: &Call<'_>) -> Result<ResultStream, Error> {
        let size = chunk_size.unwrap_or(CHUNK);
        if !(1..=LARGEST).contains(&size) {
            return Err(Error::config(format!("invalid chunk size {size}: it can be 1 to {LARGEST} bytes")));
        }
        let cancel = Cancel::new();
        let (sender, chunks) = mpsc::sync_channel(AHEAD);
        let (operation, settings, stop) = (self.clone(), call.settings(), cancel.clone());
        let subscriber = tracing::dispatcher::get_default(Clone::clone);
        let work = move || {
            tracing::dispatcher::with_default(&subscriber, || {
                let mut writer = ChunkWriter { chunk: BytesMut::new(), size, sender };
                operation.write_to(&mut writer, &settings().cancel(&stop))?;
                writer.end();
                Ok(())
            })
        };
        let named = std::thread::Builder::new().name("recto-stream".to_owned());
        let download = named.spawn(work).map_err(|error| {
            Error::io("cannot start a thread for the download", error).in_phase(Phase::Download)
        })?;
        Ok(ResultStream {
            operation: self.clone(),
            chunks: Some(chunks),
            download: Some(download),
            cancel,
            process: std::process::id(),
        })
    }
}

impl ResultStream {
    /// Waits for the next chunk; `None` after the last one. The callbacks of `call` run on the calling thread.
    ///
    /// # Errors
    /// The errors of [`Operation::fetch`]; after an error the stream has ended.
    pub fn next_chunk(&mut self, call: &Call<'_>) -> Result<Option<Bytes>, Error> {
        if self.process != std::process::id() {
            return Err(Error::config("the stream was created before this process was forked")
                .advise("Create it in the process that reads it"));
        }
        let operation = self.operation.clone();
        let running = RunningCall::new(call, operation.0.session.closed());
        loop {
            if let Err(error) = running.tick() {
                self.close();
                return Err(error.in_phase(Phase::Download).of_operation(operation.id()));
            }
            let Some(chunks) = &self.chunks else { return Ok(None) };
            match chunks.recv_timeout(TICK) {
                Ok(chunk) => return Ok(Some(chunk)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.chunks = None;
                    return self.ended().map(|()| None);
                }
            }
        }
    }

    /// Ends the download. Later calls of [`next_chunk`](Self::next_chunk) return `None`.
    pub fn close(&mut self) {
        self.cancel.trigger();
        self.chunks = None;
        if self.process != std::process::id() {
            // In a forked child process the thread does not exist.
            self.download.take().into_iter().for_each(std::mem::forget);
        }
    }

    fn ended(&mut self) -> Result<(), Error> {
        let Some(download) = self.download.take() else { return Ok(()) };
        download.join().unwrap_or_else(|_| {
            Err(Error::protocol("internal error of the client while downloading the result")
                .advise("Please report it"))
        })
    }
}

impl Iterator for ResultStream {
    type Item = Result<Bytes, Error>;

    /// [`next_chunk`](Self::next_chunk) with the default settings of a call.
    fn next(&mut self) -> Option<Self::Item> {
        self.next_chunk(&Call::new()).transpose()
    }
}

impl Drop for ResultStream {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for ResultStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultStream").field("operation", &self.operation.id()).finish_non_exhaustive()
    }
}

/// Collects chunks of `size` bytes and passes them to the caller's thread.
struct ChunkWriter {
    chunk: BytesMut,
    size: usize,
    sender: SyncSender<Bytes>,
}

impl ChunkWriter {
    /// Passes the last chunk.
    fn end(&mut self) {
        if !self.chunk.is_empty() {
            // If the caller has dropped the stream, nobody needs the chunk.
            let _ = self.sender.send(self.chunk.split().freeze());
        }
    }
}

impl Write for ChunkWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.size - self.chunk.len());
        self.chunk.extend_from_slice(bytes.get(..taken).unwrap_or_default());
        if self.chunk.len() == self.size {
            let chunk = self.chunk.split().freeze();
            self.sender.send(chunk).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
