//! How the service sends requests and files to a worker on Windows: over a pipe, with files in the worker's folder.
//! The worker gets the paths of the files.

use super::protocol::{self, MAX_FRAME_TO_WORKER, Request, Run};
use crate::storage::{Content, Storage};
use futures_util::TryStreamExt as _;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use tokio::io::AsyncWriteExt as _;

/// The paths of the files of one operation.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Paths {
    pub(super) input: PathBuf,
    /// The path of an existing file, which the worker fills with the result.
    pub(super) output: PathBuf,
}

/// The service's end of the channel to a worker.
pub(super) struct Channel(ChildStdin);

impl Channel {
    /// Starts the process of a worker whose standard input is a pipe from the service.
    pub(super) fn spawn(mut command: Command) -> io::Result<(Child, Self)> {
        let mut child = command.stdin(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or_else(|| io::Error::other("a worker has no pipe"))?;
        Ok((child, Self(input)))
    }

    /// Sends a request to execute an operation. The request contains the paths of its files.
    pub(super) fn send_job(&mut self, request: &Request, _: &JobFiles) -> io::Result<()> {
        self.send(request)
    }

    /// Sends a request.
    pub(super) fn send(&mut self, request: &Request) -> io::Result<()> {
        protocol::write(&mut self.0, request)
    }
}

/// The folder of a worker, in which its files are.
pub(super) struct WorkerFiles {
    directory: PathBuf,
}

impl WorkerFiles {
    pub(super) fn create(_: &Path, directory: Option<&Path>) -> io::Result<Self> {
        let directory = directory.ok_or_else(|| io::Error::other("a worker has no folder"))?;
        Ok(Self { directory: directory.to_owned() })
    }

    /// Creates the folder for the files of the operation `number`, still without the input.
    pub(super) fn next(&self, number: u32) -> io::Result<JobFiles> {
        JobFiles::create(self.directory.join(format!("job-{number}")))
    }
}

/// The files of one operation. They have their own folder inside the folder of the worker.
pub(crate) struct JobFiles {
    directory: PathBuf,
    pub(super) paths: Paths,
    pub(super) input_bytes: u64,
    /// The service creates the result file and keeps it open. So if the worker replaces this file by another one, the
    /// other file is not read.
    pub(super) output: File,
}

impl JobFiles {
    fn create(directory: PathBuf) -> io::Result<Self> {
        fs::create_dir(&directory)?;
        let paths = Paths { input: directory.join("input"), output: directory.join("output") };
        let output = File::options().read(true).write(true).create_new(true).open(&paths.output)?;
        Ok(Self { directory, paths, input_bytes: 0, output })
    }

    /// Copies the input from the storage to the folder of the operation.
    pub(crate) async fn provide_input(
        &mut self,
        storage: &dyn Storage,
        content: &Content,
        _: &Path,
        _: bool,
    ) -> io::Result<()> {
        self.input_bytes = content.size;
        let mut file = tokio::fs::File::create_new(&self.paths.input).await?;
        let mut chunks = storage.read(content, 0..content.size);
        while let Some(chunk) = chunks.try_next().await? {
            file.write_all(&chunk).await?;
        }
        file.flush().await
    }

    /// Removes the folder of the operation.
    pub(super) fn remove(&self) {
        // An error is ignored: the folder is removed with the folder of the worker.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// The worker's end of the channel: its standard input.
#[derive(Default)]
pub(super) struct Requests {}

impl Requests {
    /// Waits for the next request. `None` if the service has closed the channel.
    pub(super) fn receive(&mut self) -> io::Result<Option<Request>> {
        protocol::read(&mut io::stdin().lock(), MAX_FRAME_TO_WORKER)
    }

    /// The files of an operation.
    pub(super) fn files(&mut self, run: &Run) -> io::Result<HandedFiles> {
        let output = File::options().write(true).truncate(true).open(&run.files.output)?;
        Ok(HandedFiles { input: run.files.input.clone(), output })
    }
}

/// The files of one operation, in the worker.
pub(super) struct HandedFiles {
    input: PathBuf,
    pub(super) output: File,
}

impl HandedFiles {
    /// Reads the whole input, which may have at most `most` bytes.
    pub(super) fn read_input(&mut self, most: u64) -> io::Result<Vec<u8>> {
        use std::io::Read as _;
        let mut bytes = Vec::new();
        File::open(&self.input)?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the result.
    pub(super) fn write_output(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes)
    }
}
