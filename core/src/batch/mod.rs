//! Many documents through one operation: so many at once, in the order of completion, with a journal to go on from.
//!
//! The sources are pulled on the thread that asks for the next result, and only while there is room: a caller that
//! stops asking stops the batch. Each document in work has a thread of its own, which makes the ordinary calls.

mod document;
mod journal;
mod names;
mod step;

use crate::call::{Call, Running};
use crate::client::Client;
use crate::error::{Error, ErrorKind, Phase};
use crate::result::OperationResult;
use crate::runtime::TICK;
use crate::sink;
use document::Work;
use journal::Journal;
use names::Names;
use recto_interface::{OperationKind, Options, ValidationReport, Yields};
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use step::{Header, Progress};

/// How many documents are in work at once, where the caller does not say.
const CONCURRENCY: usize = 8;
/// More than this would be threads that wait for each other.
const MOST_AT_ONCE: usize = 256;

/// One document of a batch, and what became of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct BatchItem {
    /// Its place among the sources, from 0.
    pub index: usize,
    /// The source, as the caller gave it.
    pub source: PathBuf,
    /// What came of it.
    pub outcome: Result<Done, Error>,
    /// Why the service still holds files of it, where [`delete_after`](BatchBuilder::delete_after) was asked for.
    pub left_behind: Option<Error>,
}

/// A document that is done.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Done {
    /// The result file; `None` without [`to`](BatchBuilder::to), and for an operation that makes none.
    pub path: Option<PathBuf>,
    /// The report of a validation.
    pub validation: Option<ValidationReport>,
    /// The operation's identifier.
    pub operation_id: String,
    /// The service's result; `None` for a document that an earlier run has done.
    pub result: Option<OperationResult>,
    /// Whether an earlier run had done it: nothing was asked of the service now.
    pub resumed: bool,
}

/// What a batch is to do. See [`Client::batch`].
#[derive(Debug)]
#[must_use = "a batch starts with `run`"]
pub struct BatchBuilder {
    client: Client,
    options: Options,
    to: Option<PathBuf>,
    relative_to: Option<PathBuf>,
    concurrency: usize,
    journal: Option<PathBuf>,
    stop_on_error: bool,
    delete_after: bool,
    force: bool,
}

impl Client {
    /// A batch: many documents through one operation.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), recto::Error> {
    /// let client = recto::Client::from_env()?;
    /// let options = recto::OptimizeOptions::default();
    /// let batch = client.batch(options).to("out").journal("run.jsonl").run(["a.pdf", "b.pdf"])?;
    /// for item in batch {
    ///     let item = item?;
    ///     match item.outcome {
    ///         Ok(done) => println!("{}: {:?}", item.source.display(), done.path),
    ///         Err(error) => eprintln!("{}: {error}", item.source.display()),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn batch(&self, options: impl Into<Options>) -> BatchBuilder {
        BatchBuilder {
            client: self.clone(),
            options: options.into(),
            to: None,
            relative_to: None,
            concurrency: CONCURRENCY,
            journal: None,
            stop_on_error: false,
            delete_after: false,
            force: false,
        }
    }

    /// [`batch`](Self::batch) with the options as JSON, as the specification has them; `null` is none.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for an option that is unknown, missing or of the wrong type.
    pub fn batch_json(&self, kind: OperationKind, options: &Value) -> Result<BatchBuilder, Error> {
        Ok(self.batch(Options::from_json(kind, options)?))
    }
}

impl BatchBuilder {
    /// The directory of the result files; it is made if it is not there. A result is called as its source, with the
    /// extension of what it is; where that name is taken by another source, `-2`, `-3` is put behind it. A file of
    /// that name that was there before is replaced. Default: result files stay in the service.
    pub fn to(mut self, directory: impl Into<PathBuf>) -> Self {
        self.to = Some(directory.into());
        self
    }

    /// Keeps the folders that a source has below `directory` in the directory of the results.
    pub fn relative_to(mut self, directory: impl Into<PathBuf>) -> Self {
        self.relative_to = Some(directory.into());
        self
    }

    /// How many documents are in work at once: 1 to 256. Default: 8.
    pub fn concurrency(mut self, documents: usize) -> Self {
        self.concurrency = documents;
        self
    }

    /// A file that each step is written to before the next is taken: one JSON object a line, without secrets. A batch
    /// with the journal of an earlier run goes on from it: what is done is not done again, what was uploaded or
    /// started is not uploaded or started again, and what failed is tried again. A source that has changed since (its
    /// length or its time) is a new one. Default: none.
    pub fn journal(mut self, path: impl Into<PathBuf>) -> Self {
        self.journal = Some(path.into());
        self
    }

    /// After the first document that fails, takes no further ones; those in work are finished. Default: goes on.
    pub fn stop_on_error(mut self, stop: bool) -> Self {
        self.stop_on_error = stop;
        self
    }

    /// Deletes a document and its result from the service as soon as the result is here. Default: they stay.
    pub fn delete_after(mut self, delete: bool) -> Self {
        self.delete_after = delete;
        self
    }

    /// Sends an input even where its extension is none the operation takes. Default: it fails.
    pub fn force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    /// The batch over `sources`, files of this machine. Nothing is read or sent before its first
    /// [`next_item`](Batch::next_item).
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for options that the service could only refuse; [`ErrorKind::Config`] for settings
    /// that contradict each other, and for a journal that is damaged, in use, or of another operation, other options
    /// or another service; [`ErrorKind::Io`] for a directory that cannot be made or a journal that cannot be opened.
    pub fn run<'s, I>(self, sources: I) -> Result<Batch<'s>, Error>
    where
        I: IntoIterator,
        I::Item: Into<PathBuf> + 's,
        I::IntoIter: Send + 's,
    {
        let configured = |error: Error| error.in_phase(Phase::Configure);
        self.check().map_err(configured)?;
        let to = self.to.as_deref().map(made).transpose().map_err(configured)?;
        let header = Header::of(&self.client, &self.options);
        let (journal, progress) = match &self.journal {
            Some(path) => Journal::open(path, &header).map_err(configured)?,
            None => (Journal::none(), HashMap::new()),
        };
        let known = progress.values().filter_map(|progress| progress.target.as_deref()?.parent());
        known.chain(to.as_deref()).collect::<HashSet<_>>().into_iter().for_each(sink::clear_leftovers);
        let names = Names::new(to, self.relative_to.as_deref().map(absolute), &progress);
        let (work, results) = (Arc::new(Work::new(&self, journal)), mpsc::channel());
        Ok(Batch {
            work,
            sources: Box::new(sources.into_iter().map(Into::into).fuse()),
            concurrency: self.concurrency,
            stop_on_error: self.stop_on_error,
            stopped: false,
            progress,
            names,
            seen: HashSet::new(),
            index: 0,
            in_work: 0,
            ready: VecDeque::new(),
            jobs: None,
            results,
            threads: Vec::new(),
            process: std::process::id(),
        })
    }

    fn check(&self) -> Result<(), Error> {
        self.options.check()?;
        if !(1..=MOST_AT_ONCE).contains(&self.concurrency) {
            return Err(Error::config(format!(
                "{} documents at once are not possible: it can be 1 to {MOST_AT_ONCE}",
                self.concurrency
            )));
        }
        if self.delete_after && self.to.is_none() && self.options.kind().yields() == Yields::File {
            return Err(Error::config("the results would be deleted before anybody has them")
                .advise("Say where they are to go, or leave them in the service"));
        }
        Ok(())
    }
}

/// A running batch: an iterator over its documents in the order of completion. Dropping it cancels what is in work.
pub struct Batch<'s> {
    work: Arc<Work>,
    sources: Box<dyn Iterator<Item = PathBuf> + Send + 's>,
    concurrency: usize,
    stop_on_error: bool,
    /// No further source is taken.
    stopped: bool,
    /// How far earlier runs came with each source.
    progress: HashMap<PathBuf, Progress>,
    names: Names,
    seen: HashSet<PathBuf>,
    index: usize,
    in_work: usize,
    /// What ended without work.
    ready: VecDeque<BatchItem>,
    jobs: Option<Jobs>,
    results: (Sender<BatchItem>, Receiver<BatchItem>),
    threads: Vec<JoinHandle<()>>,
    /// Threads do not survive a fork.
    process: u32,
}

/// What the threads take their work from.
struct Jobs {
    sender: Sender<Job>,
    receiver: Arc<Mutex<Receiver<Job>>>,
}

/// One document to be done.
struct Job {
    index: usize,
    source: PathBuf,
    /// The source's absolute path, by which the journal knows it.
    key: PathBuf,
    /// Where its result goes, but for the extension.
    target: Option<PathBuf>,
    progress: Progress,
}

impl Batch<'_> {
    /// Waits for the next document to end. `None` when all have. Callbacks of `call` run here: its tick every 50 ms.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`] when the call or the client says so: what is in work is dropped, and the journal knows how
    /// far it came. [`ErrorKind::Config`] in a process that was forked after the batch was made. After an error the
    /// batch has ended.
    pub fn next_item(&mut self, call: &Call<'_>) -> Result<Option<BatchItem>, Error> {
        if self.stopped && self.in_work == 0 && self.ready.is_empty() {
            return Ok(None);
        }
        if self.process != std::process::id() {
            self.abort();
            return Err(Error::config("the batch was made before this process was forked")
                .advise("Make it in the process that uses it"));
        }
        let client = self.work.client.clone();
        let running = Running::new(call, client.closed());
        let next = running.check().and_then(|()| self.wait(&running));
        if next.is_err() {
            self.abort();
        }
        next.map_err(|error| error.in_phase(Phase::Wait))
    }

    /// Cancels what is in work and waits for its threads, within some 50 ms. Dropping the batch does the same.
    pub fn close(mut self) {
        self.abort();
    }

    fn wait(&mut self, running: &Running<'_>) -> Result<Option<BatchItem>, Error> {
        loop {
            // Before a document is taken: one that was taken is always handed out.
            running.tick()?;
            self.feed()?;
            let item = match self.ready.pop_front() {
                Some(item) => item,
                None if self.in_work == 0 => return Ok(None),
                // More often than the calls in work: what ends the batch has to end them too.
                None => match self.results.1.recv_timeout(TICK / 2) {
                    Ok(item) => {
                        self.in_work -= 1;
                        item
                    }
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => continue,
                },
            };
            if item.outcome.is_err() && self.stop_on_error {
                self.stopped = true;
            }
            return Ok(Some(item));
        }
    }

    /// Takes sources while there is room.
    fn feed(&mut self) -> Result<(), Error> {
        while !self.stopped && self.in_work < self.concurrency && self.ready.is_empty() {
            let Some(source) = self.sources.next() else {
                self.stopped = true;
                break;
            };
            let (index, key) = (self.index, absolute(&source));
            self.index += 1;
            match self.prepared(index, source.clone(), key) {
                Ok(Prepared::Job(job)) => self.hand_out(job)?,
                Ok(Prepared::Done(done)) => self.ready.push_back(item(index, source, Ok(done))),
                Err(error) => self.ready.push_back(item(index, source, Err(error))),
            }
        }
        Ok(())
    }

    fn prepared(&mut self, index: usize, source: PathBuf, key: PathBuf) -> Result<Prepared, Error> {
        if !self.seen.insert(key.clone()) {
            return Err(Error::invalid(format!("{} is in this batch already", source.display())));
        }
        let progress =
            document::still_true(&key, self.names.to(), self.progress.remove(&key).unwrap_or_default());
        if progress.is_over(self.work.delete_after)
            && let Some(done) = progress.done()
        {
            return Ok(Prepared::Done(done));
        }
        let target = self.names.target(&source, &key, progress.target.as_deref())?;
        Ok(Prepared::Job(Job { index, source, key, target, progress }))
    }

    /// Gives a document to a thread; to a new one while there are fewer than may be at work.
    fn hand_out(&mut self, job: Job) -> Result<(), Error> {
        let jobs = self.jobs.get_or_insert_with(|| {
            let (sender, receiver) = mpsc::channel();
            Jobs { sender, receiver: Arc::new(Mutex::new(receiver)) }
        });
        if self.threads.len() <= self.in_work {
            let (work, receiver) = (Arc::clone(&self.work), Arc::clone(&jobs.receiver));
            let results = self.results.0.clone();
            let named = std::thread::Builder::new().name("recto-batch".to_owned());
            // Whoever hears the caller's thread hears those of the batch.
            let listener = tracing::dispatcher::get_default(Clone::clone);
            let toil =
                move || tracing::dispatcher::with_default(&listener, || toil(&work, &receiver, &results));
            match named.spawn(toil) {
                Ok(thread) => self.threads.push(thread),
                Err(error) if self.threads.is_empty() => {
                    return Err(Error::io("cannot start a thread of the batch", error)
                        .advise("Raise the limit of threads, or have fewer documents at once"));
                }
                Err(error) => tracing::warn!(%error, "fewer documents at once than wanted: no more threads"),
            }
        }
        // The receiver is held here: a send cannot fail.
        if jobs.sender.send(job).is_ok() {
            self.in_work += 1;
        }
        Ok(())
    }

    fn abort(&mut self) {
        self.stopped = true;
        self.jobs = None;
        self.in_work = 0;
        self.ready.clear();
        if self.process != std::process::id() {
            // The threads are not here: there is nobody to wait for.
            self.threads.drain(..).for_each(std::mem::forget);
            return;
        }
        self.work.cancel.trigger();
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so in its item.
            let _ = thread.join();
        }
        while self.results.1.try_recv().is_ok() {}
    }
}

enum Prepared {
    Job(Job),
    Done(Done),
}

/// What a thread of the batch does: one document after the other.
fn toil(work: &Work, jobs: &Mutex<Receiver<Job>>, results: &Sender<BatchItem>) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        if work.cancel.is_triggered() {
            return;
        }
        let (index, source) = (job.index, job.source.clone());
        let ended = catch_unwind(AssertUnwindSafe(|| work.run(job)));
        let (outcome, left_behind) = ended.unwrap_or_else(|_| {
            let message = format!("the batch failed at {}: this is a fault of the client", source.display());
            (Err(Error::new(ErrorKind::Protocol, message).advise("Report it")), None)
        });
        if results.send(BatchItem { index, source, outcome, left_behind }).is_err() {
            return;
        }
    }
}

fn item(index: usize, source: PathBuf, outcome: Result<Done, Error>) -> BatchItem {
    BatchItem { index, source, outcome, left_behind: None }
}

impl Iterator for Batch<'_> {
    /// That a document failed is in its item; an error here ends the batch.
    type Item = Result<BatchItem, Error>;

    /// [`next_item`](Self::next_item) without settings.
    fn next(&mut self) -> Option<Self::Item> {
        self.next_item(&Call::new()).transpose()
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        self.abort();
    }
}

impl fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("taken", &self.index)
            .field("in_work", &self.in_work)
            .finish_non_exhaustive()
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Reads what may be a journal, for the fuzzer.
#[cfg(any(fuzzing, test))]
pub(crate) fn read_journal(data: &[u8]) {
    let header = step::Header {
        batch: 1,
        operation: "optimize".to_owned(),
        options: Value::Null,
        service: step::Service::At("x".to_owned()),
    };
    let read = journal::read(data, Path::new("journal"), &header);
    assert!(read.is_err() || read.is_ok_and(|(_, length)| length <= data.len() as u64));
}

/// The directory, made if it was not there.
fn made(directory: &Path) -> Result<PathBuf, Error> {
    std::fs::create_dir_all(directory)
        .map_err(|error| Error::io(format_args!("cannot make {}", directory.display()), error))?;
    Ok(absolute(directory))
}
