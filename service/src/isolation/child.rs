//! The worker process: enters its sandbox, then executes one operation after the other until its standard input is
//! closed.

use super::exit::CANNOT_START;
use super::handover::{HandedFiles, Requests};
use super::protocol::{self, Reply, Request, Run, SandboxReport};
use super::sandbox;
use super::watch;
use crate::execution::STACK;
use recto_engine::{Cancel, EngineError, Input, Job, Output};
use recto_interface::{OperationKind, Options};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(feature = "test-controls")]
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// The minimum time between two progress messages.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// The maximum number of characters in the detail of a failure.
const MAX_DETAIL: usize = 8 << 10;

/// Runs a worker until its standard input ends, and returns the exit code. Must be called while the process has only
/// one thread: the sandbox applies to this thread, and to threads that this thread starts later.
pub fn run() -> u8 {
    allow_signals();
    let mut requests = Requests::default();
    let settings = match sandbox::from_parent() {
        Some(settings) => settings,
        None => match requests.receive() {
            Ok(Some(Request::Sandbox(mut settings))) => {
                match sandbox::start_in_pid_namespace(&mut settings) {
                    Some(ended) => return ended,
                    None => settings,
                }
            }
            Ok(None) => return 0,
            Ok(Some(Request::Watch(folder))) => {
                drop(requests);
                return watch::run(&folder);
            }
            Ok(Some(_)) | Err(_) => {
                let _ = writeln!(
                    io::stderr(),
                    "this command is internal: the service of Recto starts its workers with it"
                );
                return 2;
            }
        },
    };
    // The number of threads is read before the process enters the sandbox, because this needs files of the system.
    let threads = available_parallelism().map_or(1, usize::from);
    let mut sandboxed = if settings.version == env!("CARGO_PKG_VERSION") {
        sandbox::enter(&settings)
    } else {
        SandboxReport::default()
    };
    sandboxed.version = env!("CARGO_PKG_VERSION").to_owned();
    if sandboxed.namespaces_unusable {
        // This worker only reports the failure and ends, because the process may not even be able to start a thread.
        return send(&Reply::Ready(sandboxed)).map_or(CANNOT_START, |()| 0);
    }
    if let Err(error) = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build_global()
    {
        tracing::warn!(%error, "could not start the threads of a worker");
    }
    let (queue, jobs) = mpsc::channel();
    let current: Arc<Mutex<Cancel>> = Arc::default();
    let worker = Worker {
        current: Arc::clone(&current),
        #[cfg(target_os = "linux")]
        scratch: sandbox::ScratchWatch::start(&settings, &sandboxed),
        #[cfg(feature = "test-controls")]
        directory: settings.directory,
    };
    let work = std::thread::Builder::new().name("recto-work".to_owned()).stack_size(STACK);
    if work.spawn(move || worker.work(&jobs)).is_err() {
        return CANNOT_START;
    }
    if send(&Reply::Ready(sandboxed)).is_err() {
        return 0;
    }
    loop {
        match requests.receive() {
            Ok(Some(Request::Run(run))) => {
                let Ok(files) = requests.files(&run) else { return CANNOT_START };
                if queue.send((run, files)).is_err() {
                    return CANNOT_START;
                }
            }
            Ok(Some(Request::Cancel)) => current.lock().unwrap_or_else(PoisonError::into_inner).trigger(),
            // Either the service has closed the channel or ended, or it has sent an invalid message. The result of the
            // running operation is no longer wanted.
            Ok(Some(Request::Sandbox(_) | Request::Watch(_)) | None) | Err(_) => {
                sandbox::end_programs(settings.programs);
                return 0;
            }
        }
    }
}

/// Allows all signals. The process was started by a thread of the service that blocks signals, and the kernel ends a
/// process that exceeds a limit by `SIGXCPU` or `SIGXFSZ`.
fn allow_signals() {
    // An error is ignored: the call cannot fail with a valid set of signals.
    #[cfg(unix)]
    let _ = nix::sys::signal::SigSet::empty().thread_set_mask();
}

struct Worker {
    /// The `Cancel` of the running operation.
    current: Arc<Mutex<Cancel>>,
    #[cfg(target_os = "linux")]
    scratch: sandbox::ScratchWatch,
    /// The folder that faults write to.
    #[cfg(feature = "test-controls")]
    directory: Option<PathBuf>,
}

impl Worker {
    fn work(&self, jobs: &Receiver<(Box<Run>, HandedFiles)>) {
        for (run, files) in jobs {
            #[cfg(target_os = "linux")]
            let limits = run.limits.clone().into();
            let reply = self.reply_to(*run, files);
            #[cfg(target_os = "linux")]
            let reply = self.with_reason(reply, &limits);
            if send(&reply).is_err() {
                return;
            }
        }
    }

    /// Programs report only that they failed if they have no space for their files.
    #[cfg(target_os = "linux")]
    fn with_reason(&self, reply: Reply, limits: &recto_engine::Limits) -> Reply {
        match reply {
            Reply::Failed { .. } if self.scratch.was_full() => {
                let error = super::process::output_limit(limits);
                Reply::Failed { code: error.code().to_owned(), detail: error.to_string() }
            }
            other => other,
        }
    }

    fn reply_to(&self, run: Run, files: HandedFiles) -> Reply {
        sandbox::allow_cpu(run.cpu);
        let cancel = Cancel::default();
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = cancel.clone();
        #[cfg(feature = "test-controls")]
        if let Some(fault) = run.fault {
            let detail = fault.trigger(self.directory.as_deref(), &files.output);
            return match detail.is_empty() {
                true => Reply::File { extension: "pdf".to_owned(), notes: Vec::new() },
                false => Reply::Failed { code: "fault".to_owned(), detail },
            };
        }
        // This is unwind safe: the engine shares no state between operations, so no state of the engine is used after a
        // panic.
        match catch_unwind(AssertUnwindSafe(|| run_engine(run, files, cancel))) {
            Ok(Ok(reply)) => reply,
            Ok(Err(error)) => Reply::Failed {
                code: error.code().to_owned(),
                detail: error.to_string().chars().take(MAX_DETAIL).collect(),
            },
            Err(_) => {
                Reply::Failed { code: "internal".to_owned(), detail: crate::execution::PANICKED.to_owned() }
            }
        }
    }
}

fn run_engine(run: Run, mut files: HandedFiles, cancel: Cancel) -> Result<Reply, EngineError> {
    let Run { operation, mut options, name, limits, .. } = run;
    let kind: OperationKind = operation
        .parse()
        .map_err(|error| EngineError::Internal(format!("the worker received an invalid request: {error}")))?;
    let parsed = Options::from_json(kind, &options);
    crate::execution::wipe::wipe(&mut options);
    let options = parsed?;
    let unreadable =
        |error: io::Error| EngineError::Internal(format!("the worker cannot read the document: {error}"));
    let limits = recto_engine::Limits::from(limits);
    let bytes = files.read_input(limits.input_bytes).map_err(unreadable)?;
    let job = Job::new(limits, cancel).on_progress(progress_sender()).with_programs_in_group();
    match recto_engine::run(&options, Input { bytes: &bytes, name: &name }, &job)? {
        Output::Report(report) => Ok(Reply::Report(report)),
        Output::File(result) => {
            files.write_output(&result.bytes).map_err(|error| match error.kind() {
                io::ErrorKind::FileTooLarge => super::process::output_limit(job.limits()),
                _ => EngineError::Internal(format!("the worker cannot write the result: {error}")),
            })?;
            Ok(Reply::File { extension: result.extension.to_owned(), notes: result.notes })
        }
    }
}

/// Returns a callback that sends progress to the service, but not more often than [`PROGRESS_INTERVAL`] allows.
fn progress_sender() -> impl Fn(recto_engine::Progress) + Send + Sync {
    let last: Mutex<Option<Instant>> = Mutex::default();
    move |progress| {
        let Ok(mut last) = last.try_lock() else { return };
        if last.is_none_or(|last| last.elapsed() >= PROGRESS_INTERVAL) {
            *last = Some(Instant::now());
            // An error is ignored: if the service has ended, the standard input of the worker has ended too. The thread
            // that reads standard input then stops the worker.
            let _ = send(&Reply::Progress(progress.done, progress.total));
        }
    }
}

/// Writes one frame. Standard output is locked, so that the frames of several threads are not mixed.
fn send(reply: &Reply) -> io::Result<()> {
    protocol::write(&mut io::stdout().lock(), reply)
}
