//! A worker process. The service starts the process, gives it one operation at a time, and ends it.

use super::exit::Exit;
#[cfg(feature = "test-controls")]
use super::faults::Fault;
use super::handover::{Channel, JobFiles, WorkerFiles};
use super::protocol::{
    self, MAX_FRAME_FROM_WORKER, PidNamespace, Reply, Request, Run, SandboxReport, SandboxSettings,
};
use super::start::StartError;
use super::{Isolation, WorkerProgram};
use recto_engine::{Cancel, EngineError, Limits, Progress};
use recto_interface::{Options, ValidationReport};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The maximum time that a worker may take to become ready.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// The time after which the service checks again whether an operation was cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The time after which the service measures again how much the worker has written.
const MEASURE_INTERVAL: Duration = Duration::from_millis(250);

/// The maximum time that a worker may take to react to a cancellation.
const CANCEL_GRACE: Duration = Duration::from_millis(500);

/// The maximum time that a worker may take to report that the time limit of its operation has expired. After this time,
/// the service ends the worker.
const TIMEOUT_GRACE: Duration = Duration::from_secs(2);

/// The maximum time that a process may take to exit after it has closed its output.
const EXIT_GRACE: Duration = Duration::from_secs(2);

/// The number of bytes that LibreOffice may write in addition to the result, such as profiles and caches.
const SCRATCH: u64 = 1 << 30;

/// The number of bytes that the files of a worker that starts no programs may take in addition to the result. The
/// engine writes no other files, but folders have a size too.
const SLACK: u64 = 1 << 20;

/// The number of bytes that are kept of the standard error of a worker.
const STDERR_TAIL: usize = 4 << 10;

/// The text that Rust's allocator writes to standard error before it aborts the process.
const OUT_OF_MEMORY: &str = "memory allocation of";

/// The environment variables that are passed on to a worker: the variables that the worker needs to start, and the
/// language. API keys and credentials are not passed on.
const KEPT_VARIABLES: &[&str] = &[
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "PYTHONHOME",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "SystemRoot",
    "windir",
    "ProgramFiles",
];

/// The output of a successful operation in a worker.
#[derive(Debug)]
pub(crate) enum WorkerOutput {
    /// The result file, which has `size` bytes. The next read starts at the beginning of the file.
    File { file: File, size: u64, extension: String, notes: Vec<String> },
    /// A validation report.
    Report(ValidationReport),
}

/// Why an operation in a worker failed.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The engine reported an error. The worker can be used again.
    Engine { code: String, detail: String },
    /// The operation exceeded a limit or was cancelled, and the worker was ended.
    Stopped(EngineError),
    /// The worker crashed or violated the protocol. The text describes how.
    Crashed(String),
}

/// An operation that a worker executes.
pub(crate) struct Work<'a> {
    pub(crate) options: &'a Options,
    pub(crate) name: &'a str,
    pub(crate) limits: &'a Limits,
    pub(crate) cancel: &'a Cancel,
    pub(crate) progress: &'a (dyn Fn(Progress) + Send + Sync),
    #[cfg(feature = "test-controls")]
    pub(crate) fault: Option<Fault>,
}

enum Event {
    Reply(Reply),
    /// The output of the worker ended (`None`), or is invalid (`Some`).
    End(Option<io::Error>),
}

/// A worker process. Dropping the value ends the process.
pub(crate) struct WorkerProcess {
    child: Child,
    channel: Channel,
    events: Receiver<Event>,
    stderr_tail: Arc<Mutex<Vec<u8>>>,
    /// The folder of the worker. On Unix, a worker that starts no programs has no folder.
    directory: Option<TempDir>,
    files: WorkerFiles,
    /// Whether the worker may start programs. The programs end with the worker.
    programs: bool,
    /// How many operations the worker has been given.
    pub(super) runs: u32,
    pub(super) sandboxed: SandboxReport,
}

/// The settings to start a worker with.
pub(super) struct Start<'a> {
    pub(super) program: &'a WorkerProgram,
    pub(super) isolation: &'a Isolation,
    pub(super) limits: &'a Limits,
    pub(super) parent: &'a Path,
    pub(super) programs: bool,
    pub(super) namespaces: bool,
}

impl WorkerProcess {
    /// Starts a worker, and waits until the worker is ready.
    pub(super) fn start(start: &Start<'_>) -> Result<Self, StartError> {
        let needs_folder = start.programs || cfg!(not(unix));
        let directory = needs_folder.then(|| private_directory(start.parent)).transpose()?;
        let folder = directory.as_ref().map(TempDir::path);
        let files = WorkerFiles::create(start.parent, folder)?;
        let (mut child, channel) = Channel::spawn(command(start.program, folder))?;
        let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(io::Error::other("a worker has no pipes").into());
        };
        let (sender, events) = sync_channel(64);
        let stderr_tail = Arc::<Mutex<Vec<u8>>>::default();
        let mut worker = Self {
            child,
            channel,
            events,
            stderr_tail: Arc::clone(&stderr_tail),
            programs: start.programs,
            runs: 0,
            sandboxed: SandboxReport::default(),
            directory,
            files,
        };
        let reader = thread::Builder::new().name("recto-worker-out".to_owned());
        reader.spawn(move || {
            let mut output = output;
            loop {
                let (event, last) = match protocol::read(&mut output, MAX_FRAME_FROM_WORKER) {
                    Ok(Some(reply)) => (Event::Reply(reply), false),
                    Ok(None) => (Event::End(None), true),
                    Err(error) => (Event::End(Some(error)), true),
                };
                if sender.send(event).is_err() || last {
                    return;
                }
            }
        })?;
        let reader = thread::Builder::new().name("recto-worker-err".to_owned());
        reader.spawn(move || keep_stderr_tail(errors, &stderr_tail))?;
        let settings = SandboxSettings {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            directory: worker.directory.as_ref().map(|directory| directory.path().to_owned()),
            memory: start.isolation.memory,
            file_bytes: start.limits.output_bytes.saturating_add(scratch(start.programs)),
            programs: start.programs,
            namespaces: start.namespaces,
            pid_namespace: PidNamespace::default(),
        };
        // If the worker has ended already, its output shows why.
        let sent = worker.channel.send(&Request::Sandbox(settings));
        worker.sandboxed = worker.ready()?;
        sent?;
        Ok(worker)
    }

    fn ready(&mut self) -> Result<SandboxReport, StartError> {
        match self.events.recv_timeout(START_TIMEOUT) {
            Ok(Event::Reply(Reply::Ready(sandboxed))) if sandboxed.version == env!("CARGO_PKG_VERSION") => {
                Ok(sandboxed)
            }
            Ok(Event::Reply(Reply::Ready(sandboxed))) => Err(StartError::OtherVersion(sandboxed.version)),
            Ok(Event::Reply(_) | Event::End(Some(_))) => {
                Err(StartError::NotAWorker("it sent an invalid reply".to_owned()))
            }
            Ok(Event::End(None)) | Err(RecvTimeoutError::Disconnected) => Err(self.ended().before_ready()),
            Err(RecvTimeoutError::Timeout) => Err(StartError::Slow),
        }
    }

    /// Whether the worker process is running and idle.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.events.try_recv(), Err(TryRecvError::Empty))
            && matches!(self.child.try_wait(), Ok(None))
    }

    /// The files of the next operation, still without the input.
    pub(crate) fn next_files(&self) -> io::Result<JobFiles> {
        self.files.next(self.runs)
    }

    /// Executes one operation. The result must be read before the next operation. After [`Failed::Stopped`] and
    /// [`Failed::Crashed`], the worker cannot be used again.
    pub(crate) fn run(
        &mut self,
        files: JobFiles,
        work: &Work<'_>,
        cpu: Duration,
    ) -> Result<WorkerOutput, Failed> {
        self.runs += 1;
        let run = Run {
            operation: work.options.kind().name().to_owned(),
            options: work.options.to_json().unwrap_or_default(),
            name: work.name.to_owned(),
            #[cfg(not(unix))]
            files: files.paths.clone(),
            limits: work.limits.clone().into(),
            cpu,
            #[cfg(feature = "test-controls")]
            fault: work.fault,
        };
        let mut request = Request::Run(Box::new(run));
        let sent = self.channel.send_job(&request, &files);
        if let Request::Run(run) = &mut request {
            crate::execution::wipe::wipe(&mut run.options);
        }
        let outcome = match sent {
            Ok(()) => self.outcome(&files, work),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                Err(self.protocol_violation("it did not read its request in time"))
            }
            Err(_) => Err(self.crashed()),
        };
        files.remove();
        outcome.and_then(|reply| output_of(reply, files.output, work.limits))
    }

    fn outcome(&mut self, files: &JobFiles, work: &Work<'_>) -> Result<Reply, Failed> {
        let most = files.input_bytes.saturating_add(scratch(self.programs));
        let most = most.saturating_add(work.limits.output_bytes);
        let began = Instant::now();
        let mut cancelled = None;
        let mut measured = began;
        loop {
            match self.events.recv_timeout(POLL_INTERVAL) {
                Ok(Event::Reply(Reply::Progress(done, total))) => (work.progress)(Progress { done, total }),
                Ok(Event::Reply(Reply::Ready(_))) => {
                    return Err(self.protocol_violation("it reported twice that it is ready"));
                }
                Ok(Event::Reply(reply)) => return Ok(reply),
                Ok(Event::End(Some(error))) => return Err(self.protocol_violation(&error.to_string())),
                Ok(Event::End(None)) | Err(RecvTimeoutError::Disconnected) => return Err(self.crashed()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if began.elapsed() > work.limits.time + TIMEOUT_GRACE {
                self.end();
                let limit = EngineError::limit("time", format!("{} s", work.limits.time.as_secs()));
                return Err(Failed::Stopped(limit));
            }
            if measured.elapsed() > MEASURE_INTERVAL {
                measured = Instant::now();
                let below =
                    self.directory.as_ref().map_or(0, |directory| bytes_below(directory.path(), most));
                let output = files.output.metadata().map_or(0, |output| output.len());
                if output > work.limits.output_bytes || below.saturating_add(self.unlinked_bytes()) > most {
                    self.end();
                    return Err(Failed::Stopped(output_limit(work.limits)));
                }
            }
            match cancelled {
                None if work.cancel.is_triggered() => {
                    cancelled = Some(Instant::now());
                    // An error is ignored: if the worker has ended, its output has ended too, and the next call of
                    // `recv_timeout` reports this.
                    let _ = self.channel.send(&Request::Cancel);
                }
                Some(since) if since.elapsed() > CANCEL_GRACE => {
                    self.end();
                    return Err(Failed::Stopped(EngineError::Cancelled));
                }
                _ => {}
            }
        }
    }

    fn protocol_violation(&mut self, how: &str) -> Failed {
        self.end();
        Failed::Crashed(format!("it sent an invalid reply: {how}"))
    }

    /// Why a worker has ended, although the service did not end it.
    fn crashed(&mut self) -> Failed {
        let how = self.ended();
        let words = String::from_utf8_lossy(&self.stderr_tail.lock().unwrap_or_else(PoisonError::into_inner))
            .into_owned();
        tracing::error!(%how, stderr_tail = %words.escape_debug(), "a worker ended during an operation");
        match how.signal.as_deref() {
            _ if words.contains(OUT_OF_MEMORY) => {
                Failed::Stopped(EngineError::limit("memory", "of a worker"))
            }
            Some("SIGXCPU") => Failed::Stopped(EngineError::limit("processor time", "of an operation")),
            Some("SIGXFSZ") => Failed::Stopped(EngineError::limit("output size", "of a worker's files")),
            _ => Failed::Crashed(how.to_string()),
        }
    }

    /// Waits until the worker process exits, which has closed its output. Kills the process if it does not exit in
    /// time.
    fn ended(&mut self) -> Exit {
        let until = Instant::now() + EXIT_GRACE;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Exit::of(status),
                Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(1)),
                Ok(None) | Err(_) => {
                    self.end();
                    return Exit {
                        signal: None,
                        description: "it closed its output but did not exit".to_owned(),
                        code: None,
                    };
                }
            }
        }
    }

    /// Whether the worker executes only one operation.
    pub(super) fn is_single_use(&self) -> bool {
        self.programs
    }

    /// The size of the files that the worker's programs have removed from their folder, but still use. Returns 0 if the
    /// programs have a file system of fixed size: this file system counts such files itself.
    #[cfg(target_os = "linux")]
    fn unlinked_bytes(&self) -> u64 {
        if self.programs && !self.sandboxed.has_own_root() {
            return super::unlinked::bytes(self.child.id());
        }
        0
    }

    #[cfg(not(target_os = "linux"))]
    fn unlinked_bytes(&self) -> u64 {
        0
    }

    /// Kills the worker and the programs that the worker has started.
    fn end(&mut self) {
        if self.programs {
            end_group(&self.child);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// The extensions of results. A worker that a document has taken over could report any other.
const RESULT_EXTENSIONS: [&str; 5] = ["pdf", "zip", "png", "jpg", "tif"];

/// Checks the reply of a worker. Takes the result from the file that the service has kept open.
fn output_of(reply: Reply, mut result: File, limits: &Limits) -> Result<WorkerOutput, Failed> {
    match reply {
        Reply::Report(report) => Ok(WorkerOutput::Report(report)),
        Reply::File { extension, notes } => {
            let size = result.metadata().map(|data| data.len()).unwrap_or_default();
            if size > limits.output_bytes {
                return Err(Failed::Stopped(output_limit(limits)));
            }
            if size == 0 {
                return Err(Failed::Crashed("it reported a result file, but wrote none".to_owned()));
            }
            if !RESULT_EXTENSIONS.contains(&extension.as_str()) {
                return Err(Failed::Crashed("it reported a result of an unexpected type".to_owned()));
            }
            use std::io::Seek as _;
            result.rewind().map_err(|error| Failed::Crashed(error.to_string()))?;
            Ok(WorkerOutput::File { file: result, size, extension, notes })
        }
        Reply::Failed { code, detail } => Err(Failed::Engine { code, detail }),
        Reply::Ready(_) | Reply::Progress(..) => Err(Failed::Crashed("it sent no reply".to_owned())),
    }
}

fn scratch(programs: bool) -> u64 {
    if programs { SCRATCH } else { SLACK }
}

/// The error for a result that is larger than the limit.
pub(super) fn output_limit(limits: &Limits) -> EngineError {
    EngineError::limit("output size", format!("{} bytes", limits.output_bytes))
}

/// The command that starts a worker. Without a `folder`, the worker starts in the root folder.
pub(super) fn command(program: &WorkerProgram, folder: Option<&Path>) -> Command {
    let mut command = Command::new(&program.path);
    command.args(&program.arguments).current_dir(folder.unwrap_or_else(|| Path::new("/")));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_clear().envs(kept_environment());
    if let Some(folder) = folder {
        for name in ["TMPDIR", "TEMP", "TMP", "HOME"] {
            command.env(name, folder);
        }
    }
    in_own_group(&mut command);
    command
}

fn private_directory(parent: &Path) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("worker-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir_in(parent)
}

fn kept_environment() -> impl Iterator<Item = (&'static str, OsString)> {
    KEPT_VARIABLES.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)))
}

#[cfg(unix)]
fn in_own_group(command: &mut Command) {
    // The worker gets its own process group, so that a Ctrl-C in the terminal reaches only the service.
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn in_own_group(_: &mut Command) {}

/// Kills the process group of `child`. The service has not waited for `child` yet, so the process id of `child` cannot
/// belong to another process.
#[cfg(unix)]
fn end_group(child: &Child) {
    if let Ok(group) = i32::try_from(child.id()) {
        let _ =
            nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group), nix::sys::signal::Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn end_group(_: &Child) {}

/// Reads the standard error of a worker to its end, and keeps only the last bytes.
fn keep_stderr_tail(mut errors: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 4096];
    while let Ok(read @ 1..) = errors.read(&mut chunk) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(chunk.get(..read).unwrap_or_default());
        let excess = kept.len().saturating_sub(STDERR_TAIL);
        kept.drain(..excess);
    }
}

/// The size of all files below a folder. Counting stops when the size is greater than `enough`.
fn bytes_below(directory: &Path, enough: u64) -> u64 {
    let mut total = 0_u64;
    let mut left = vec![directory.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            // `metadata` does not follow a link: it returns the size of the link itself.
            let Ok(data) = entry.metadata() else { continue };
            if data.is_dir() {
                left.push(entry.path());
            }
            total = total.saturating_add(data.len()).saturating_add(4096);
            if total > enough {
                return total;
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn a_hostile_worker_cannot_choose_the_extension_of_a_result() {
        let output = |extension: &str| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(b"%PDF-").unwrap();
            output_of(
                Reply::File { extension: extension.to_owned(), notes: Vec::new() },
                file,
                &Limits::default(),
            )
        };
        for extension in ["exe", "desktop", "html", "PDF", ""] {
            assert!(matches!(output(extension), Err(Failed::Crashed(_))), "{extension}");
        }
        assert!(output("zip").is_ok());
    }
}
