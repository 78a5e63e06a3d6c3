//! A running batch: passes documents to its threads, and results to the caller.

use super::document::{self, BatchContext, Ended, Job};
use super::item::{BatchItem, Done};
use super::original::{Afterwards, Original};
use super::result_paths::{ResultPaths, absolute};
use super::source::BatchDocument;
use super::sources::{Given, Next, Sources};
use super::step::DocumentProgress;
use crate::call::cancel::Cancel;
use crate::call::{Call, RunningCall};
use crate::error::{Error, ErrorKind, Phase};
use crate::runtime::{TICK, signals};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A running batch: an iterator over its documents in the order of completion. Dropping the batch cancels the documents
/// in progress.
pub struct Batch<'s> {
    context: Arc<BatchContext>,
    sources: Box<dyn Sources + 's>,
    concurrency: usize,
    stop_on_error: bool,
    /// Ends the taking of sources.
    until: Cancel,
    /// Whether the documents are recorded in a journal.
    has_journal: bool,
    /// Whether the batch takes no further sources.
    stopped: bool,
    /// The progress that earlier runs made, by the key of the source.
    progress: HashMap<PathBuf, DocumentProgress>,
    paths: ResultPaths,
    /// How often each document was taken.
    taken: HashMap<PathBuf, usize>,
    index: usize,
    in_progress: usize,
    /// Documents that ended without any work, such as documents that an earlier run completed.
    ready: VecDeque<BatchItem>,
    jobs: Option<Jobs>,
    results: (Sender<Ended>, Receiver<Ended>),
    threads: Vec<JoinHandle<()>>,
    /// The process that created the batch: threads do not survive a fork.
    process: u32,
}

/// The queue from which the threads take documents.
struct Jobs {
    sender: Sender<Job>,
    receiver: Arc<Mutex<Receiver<Job>>>,
}

impl<'s> Batch<'s> {
    pub(super) fn new(
        context: BatchContext,
        sources: Box<dyn Sources + 's>,
        concurrency: usize,
        (stop_on_error, until): (bool, Cancel),
        progress: HashMap<PathBuf, DocumentProgress>,
        paths: ResultPaths,
    ) -> Self {
        Self {
            has_journal: context.has_journal(),
            context: Arc::new(context),
            sources,
            concurrency,
            stop_on_error,
            until,
            stopped: false,
            progress,
            paths,
            taken: HashMap::new(),
            index: 0,
            in_progress: 0,
            ready: VecDeque::new(),
            jobs: None,
            results: mpsc::channel(),
            threads: Vec::new(),
            process: std::process::id(),
        }
    }

    /// Waits for the next document to end. Returns `None` when all documents have ended. The callbacks of `call` run
    /// on the calling thread; the callback set with [`Call::tick`] runs at least every 50 ms.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`] if the call is cancelled or the client closed: documents in progress are cancelled,
    /// and their progress stays in the journal. [`ErrorKind::Config`] in a process that was forked after the batch
    /// was created. After an error the batch has ended.
    pub fn next_item(&mut self, call: &Call<'_>) -> Result<Option<BatchItem>, Error> {
        if self.stopped && self.in_progress == 0 && self.ready.is_empty() {
            return Ok(None);
        }
        if self.process != std::process::id() {
            self.abort();
            return Err(Error::config("the batch was created before this process was forked")
                .advise("Create it in the process that uses it"));
        }
        let client = self.context.client.clone();
        let running = RunningCall::new(call, client.session().closed());
        let next = running.check().and_then(|()| self.wait(&running));
        if next.is_err() {
            self.abort();
        }
        next.map_err(|error| error.in_phase(Phase::Wait))
    }

    /// Cancels the documents in progress and waits about 50 ms for their threads to end. Dropping the batch does the
    /// same.
    pub fn close(mut self) {
        self.abort();
    }

    fn wait(&mut self, running: &RunningCall<'_>) -> Result<Option<BatchItem>, Error> {
        loop {
            // The callback comes first, because it can end the batch: an item that was already taken would then be
            // lost.
            running.tick()?;
            self.take_sources()?;
            let item = match self.ready.pop_front() {
                Some(item) => item,
                None if self.in_progress == 0 && self.stopped => return Ok(None),
                // This thread checks for cancellation twice as often as the calls of the documents in progress: when
                // the batch is cancelled, those calls must end soon too.
                None => match self.results.1.recv_timeout(TICK / 2) {
                    Ok(ended) => {
                        self.in_progress -= 1;
                        self.item_of(ended)?
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

    /// The item of a document that has ended. Its file may become a source again.
    fn item_of(&mut self, ended: Ended) -> Result<BatchItem, Error> {
        let Ended { item, original } = ended;
        let Some((original, afterwards)) = original else { return Ok(item) };
        if afterwards != Afterwards::Again
            && let Some(target) = original.progress.as_ref().and_then(|progress| progress.target.as_deref())
        {
            self.paths.release(target);
        }
        let retry_after = item.outcome.as_ref().err().and_then(Error::retry_after);
        if afterwards == Afterwards::Kept {
            // If the file disappears for a while, as on a share of the network, it is still known.
            self.keep_progress(&original);
        }
        self.sources.ended(original, &afterwards, retry_after);
        match item.outcome {
            Err(error) if afterwards == Afterwards::Ends => Err(error),
            _ => Ok(item),
        }
    }

    /// Takes sources while fewer documents than allowed are in progress.
    fn take_sources(&mut self) -> Result<(), Error> {
        if self.until.is_triggered() {
            self.stopped = true;
        }
        while !self.stopped && self.in_progress < self.concurrency && self.ready.is_empty() {
            let (source, original) = match self.sources.next()? {
                Next::Source(source) => *source,
                Next::NotYet => break,
                Next::NoMore => {
                    self.stopped = true;
                    break;
                }
            };
            let (index, document) = (self.index, BatchDocument::of(source));
            let shown = document.label.clone();
            self.index += 1;
            match self.prepare(index, document, original) {
                Ok(Prepared::Job(job)) => self.dispatch(*job)?,
                Ok(Prepared::Done(done)) => self.ready.push_back(item(index, shown, Ok(done))),
                Ok(Prepared::Known(original)) => {
                    tracing::debug!(source = %shown.display(), "an earlier run has processed this file");
                    self.index -= 1;
                    self.keep_progress(&original);
                    self.sources.ended(original, &Afterwards::Kept, None);
                }
                Err(error) => self.ready.push_back(item(index, shown, Err(error))),
            }
        }
        Ok(())
    }

    fn prepare(
        &mut self,
        index: usize,
        document: BatchDocument,
        mut original: Option<Original>,
    ) -> Result<Prepared, Error> {
        let key = match (&document.key, &original) {
            (Some(key), Some(original)) => original.key(key),
            (Some(key), None) => self.key_of(key.clone()),
            (None, _) if self.has_journal => {
                let shown = document.label.display();
                return Err(Error::invalid(format!(
                    "{shown} cannot be recorded in the journal of the batch"
                ))
                .advise("Pass a path or the identifier of a file in the service, or run without a journal"));
            }
            (None, _) => PathBuf::from(format!("document:{index}")),
        };
        let attempt = original.as_mut().and_then(|original| original.progress.take());
        let mut progress = attempt.or_else(|| self.progress.remove(&key)).unwrap_or_default();
        if original.is_none() {
            // A watch never processes a file twice: other programs may take its results away.
            progress = document::still_valid(document.content.path(), self.paths.to(), progress);
        }
        if progress.is_over(self.context.delete_after)
            && let Some(done) = progress.done()
        {
            match (original.take(), &self.context.originals) {
                (Some(mut kept), Some(originals)) if originals.are_kept() => {
                    kept.progress = Some(progress);
                    return Ok(Prepared::Known(kept));
                }
                // The file remains to be moved or deleted.
                (Some(other), _) => original = Some(other),
                (None, _) => return Ok(Prepared::Done(done)),
            }
        }
        let is_new = original.is_some();
        let target = self.paths.target(&document, progress.target.as_deref(), is_new)?;
        let BatchDocument { label, content, result_name: name, .. } = document;
        Ok(Prepared::Job(Box::new(Job { index, label, content, key, name, target, progress, original })))
    }

    /// Remembers a file that was processed and stays in its folder.
    fn keep_progress(&mut self, original: &Original) {
        let key = original.key(&absolute(&original.path));
        self.progress.insert(key, original.progress.clone().unwrap_or_default());
    }

    /// The key of a document in the journal. The second and later occurrences of a document get a number.
    fn key_of(&mut self, key: PathBuf) -> PathBuf {
        let count = self.taken.entry(key.clone()).or_default();
        *count += 1;
        // No other document has this path: a regular file has no files below it.
        if *count == 1 { key } else { key.join(count.to_string()) }
    }

    /// Gives a document to a thread of the batch. Starts a new thread while there are fewer threads than allowed.
    fn dispatch(&mut self, job: Job) -> Result<(), Error> {
        let jobs = self.jobs.get_or_insert_with(|| {
            let (sender, receiver) = mpsc::channel();
            Jobs { sender, receiver: Arc::new(Mutex::new(receiver)) }
        });
        if self.threads.len() <= self.in_progress {
            let (context, receiver) = (Arc::clone(&self.context), Arc::clone(&jobs.receiver));
            let results = self.results.0.clone();
            // The threads of the batch send their log events to the subscriber that the caller's thread uses.
            let subscriber = tracing::dispatcher::get_default(Clone::clone);
            let worker = move || {
                tracing::dispatcher::with_default(&subscriber, || run_worker(&context, &receiver, &results));
            };
            match signals::spawn("recto-batch", worker) {
                Ok(thread) => self.threads.push(thread),
                Err(error) if self.threads.is_empty() => {
                    return Err(Error::io("cannot start a thread of the batch", error)
                        .advise("Raise the limit on threads, or reduce the concurrency"));
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot start another thread: fewer documents than requested are processed at the same time")
                }
            }
        }
        // `self.jobs` keeps the receiving end of the channel: sending cannot fail.
        if jobs.sender.send(job).is_ok() {
            self.in_progress += 1;
        }
        Ok(())
    }

    fn abort(&mut self) {
        self.stopped = true;
        self.jobs = None;
        self.in_progress = 0;
        self.ready.clear();
        if self.process != std::process::id() {
            // In a forked child process the threads do not exist: waiting for them would never end.
            self.threads.drain(..).for_each(std::mem::forget);
            std::mem::forget(std::mem::replace(&mut self.sources, Box::new(Given(std::iter::empty()))));
            return;
        }
        self.context.cancel.trigger();
        for thread in self.threads.drain(..) {
            // If the thread panicked, the item of its document has already reported that.
            let _ = thread.join();
        }
        while self.results.1.try_recv().is_ok() {}
        // A watch ends its thread.
        self.sources = Box::new(Given(std::iter::empty()));
    }
}

enum Prepared {
    Job(Box<Job>),
    Done(Done),
    /// A file of a watched folder that an earlier run has processed, and that stays there.
    Known(Original),
}

/// A thread of the batch: processes one document after another.
fn run_worker(context: &BatchContext, jobs: &Mutex<Receiver<Job>>, results: &Sender<Ended>) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        if context.cancel.is_triggered() {
            return;
        }
        let (index, source) = (job.index, job.label.clone());
        let ended = catch_unwind(AssertUnwindSafe(|| context.run(job)));
        let ended = ended.unwrap_or_else(|_| {
            let message = format!("internal error of the client while processing {}", source.display());
            let error = Error::new(ErrorKind::Protocol, message).advise("Please report it");
            Ended { item: item(index, source, Err(error)), original: None }
        });
        if results.send(ended).is_err() {
            return;
        }
    }
}

fn item(index: usize, source: PathBuf, outcome: Result<Done, Error>) -> BatchItem {
    BatchItem { index, source, outcome, left_behind: None, moved_to: None }
}

impl Iterator for Batch<'_> {
    /// If a document fails, its item contains the error. An `Err` instead of an item ends the batch.
    type Item = Result<BatchItem, Error>;

    /// [`next_item`](Self::next_item) with the default settings of a call.
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
            .field("in_progress", &self.in_progress)
            .finish_non_exhaustive()
    }
}
