//! The registry in memory, for a service that keeps no data after its end.

use super::{
    Accepted, Added, FileEntry, Latest, Lease, OperationEntry, Outcome, Placed, Quota, Registry,
    RegistryError, RegistryFuture, Removed, Submission, Unused, Work,
};
use crate::storage::Content;
use futures_util::future::BoxFuture;
use recto_interface::Options;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use tokio::sync::Semaphore;
use tokio::sync::watch;

/// All state is behind one lock. The lock is held only for short look-ups and changes.
pub(crate) struct Memory {
    quota: Quota,
    state: Mutex<State>,
    /// This semaphore has one permit for each queued operation.
    waiting: Semaphore,
}

#[derive(Default)]
struct State {
    /// The files, by their number. A later file has a greater number, so the list of files is in the order in which the
    /// files were added.
    files: BTreeMap<u64, File>,
    file_numbers: HashMap<String, u64>,
    operations: HashMap<String, Operation>,
    /// The identifiers of all operations, in the order in which the operations were accepted. Some of these operations
    /// may already be removed.
    order: VecDeque<String>,
    /// The queued operations, the oldest first.
    queue: VecDeque<String>,
    /// The ended operations, in the order in which they ended.
    ended: VecDeque<String>,
    /// The size of the options of all operations that have not ended.
    queued_bytes: u64,
    /// The size of the outcomes of all ended operations.
    results_bytes: u64,
    next_number: u64,
}

struct File {
    entry: FileEntry,
    /// Whether an operation has used the file. The content of a used file does not change any more.
    used: bool,
    /// How many unfinished operations use the file.
    unfinished: usize,
}

struct Operation {
    entry: OperationEntry,
    input: String,
    /// `None` after the operation has ended, because the options may include a password.
    options: Option<Arc<Options>>,
    /// The size of the options. After the operation has ended, the size of its outcome.
    size: u64,
    ended_at: Option<SystemTime>,
    /// This value becomes `true` when the operation ends.
    ended: watch::Sender<bool>,
}

impl Operation {
    /// Whether the operation has not ended, and uses the file.
    fn uses(&self, file: &str) -> bool {
        self.input == file && self.entry.outcome.is_none()
    }
}

impl Memory {
    pub(crate) fn new(quota: Quota) -> Self {
        Self { quota, state: Mutex::default(), waiting: Semaphore::new(0) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A lock that is poisoned by a panic can still be used: the state is consistent between any two statements of
        // this file.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn done<'a, T: Send + 'a>(value: T) -> RegistryFuture<'a, T> {
    Box::pin(ready(Ok(value)))
}

impl Registry for Memory {
    fn add_file(&self, file: FileEntry) -> RegistryFuture<'_, Added> {
        let mut state = self.state();
        if state.files.len() >= self.quota.files {
            return done(Added::TooMany);
        }
        state.add(file);
        done(Added::Yes)
    }

    fn place(&self, id: &str, content: Content) -> RegistryFuture<'_, Placed> {
        let mut state = self.state();
        let placed = match state.file_mut(id) {
            None => Placed::Unknown,
            Some(file) if file.used => Placed::InUse,
            Some(file) => Placed::Done { replaced: file.entry.content.replace(content) },
        };
        done(placed)
    }

    fn file(&self, id: &str) -> RegistryFuture<'_, Option<FileEntry>> {
        done(self.state().file_mut(id).map(|file| file.entry.clone()))
    }

    fn files(&self) -> RegistryFuture<'_, Vec<FileEntry>> {
        let state = self.state();
        done(
            state
                .files
                .values()
                .map(|file| &file.entry)
                .filter(|entry| entry.content.is_some())
                .cloned()
                .collect(),
        )
    }

    fn remove_file(&self, id: &str) -> RegistryFuture<'_, Option<Removed>> {
        let mut state = self.state();
        let Some(file) = state.take_file(id) else { return done(None) };
        let operations = state.unfinished_on(id);
        for operation in &operations {
            let detail = "its input file was deleted before the operation finished".to_owned();
            state.end(operation, Outcome::Failed { code: "cancelled".to_owned(), detail }, &self.quota);
        }
        done(Some(Removed { contents: file.content.into_iter().collect(), operations }))
    }

    fn remove_unused_file(&self, id: &str) -> RegistryFuture<'_, Unused> {
        let mut state = self.state();
        if state.file_mut(id).is_some_and(|file| file.unfinished > 0)
            && let Some((operation, _)) = state.operations.iter().find(|(_, operation)| operation.uses(id))
        {
            return done(Unused::InUse(operation.clone()));
        }
        done(state.take_file(id).map_or(Unused::Kept, |file| Unused::Removed(file.content)))
    }

    fn submit(&self, submission: Submission) -> RegistryFuture<'_, Accepted> {
        let mut state = self.state();
        let unfinished = state.operations.len().saturating_sub(state.ended.len());
        let queued_bytes = state.queued_bytes;
        let Some(file) = state.file_mut(&submission.input) else { return done(Accepted::NoSuchFile) };
        if file.entry.content.is_none() {
            return done(Accepted::NotUploaded);
        }
        if unfinished >= self.quota.operations {
            return done(Accepted::TooMany);
        }
        let size = submission.options_size as u64;
        if queued_bytes.saturating_add(size) > self.quota.queued_bytes {
            return done(Accepted::TooManyBytes);
        }
        file.used = true;
        file.unfinished += 1;
        state.queued_bytes = queued_bytes + size;
        let Submission { id, options, input, accepted, .. } = submission;
        let entry = OperationEntry { kind: options.kind(), accepted, outcome: None };
        let options = Some(Arc::new(options));
        let ended = watch::Sender::new(false);
        let operation = Operation { entry, input, options, size, ended_at: None, ended };
        state.operations.insert(id.clone(), operation);
        state.order.push_back(id.clone());
        state.trim_order();
        state.queue.push_back(id);
        self.waiting.add_permits(1);
        done(Accepted::Yes)
    }

    fn claim<'a>(&'a self, mut until: BoxFuture<'a, ()>) -> RegistryFuture<'a, Option<Work>> {
        Box::pin(async move {
            loop {
                let permit = tokio::select! {
                    permit = self.waiting.acquire() => permit,
                    () = &mut until => return Ok(None),
                };
                permit.map_err(|error| RegistryError(error.to_string()))?.forget();
                // A permit may have no operation any more: an operation may have been cancelled while its permit was
                // waiting.
                if let Some(work) = self.state().next_work() {
                    return Ok(Some(work));
                }
            }
        })
    }

    fn renew(&self, lease: &Lease) -> RegistryFuture<'_, bool> {
        let is_running = |operation: &Operation| operation.entry.outcome.is_none();
        done(self.state().operations.get(&lease.operation).is_some_and(is_running))
    }

    fn release(&self, lease: &Lease) -> RegistryFuture<'_, ()> {
        let mut state = self.state();
        let operation = state.operations.get(&lease.operation);
        if operation.is_some_and(|operation| operation.entry.outcome.is_none()) {
            state.queue.push_front(lease.operation.clone());
            self.waiting.add_permits(1);
        }
        done(())
    }

    fn finish(&self, lease: &Lease, outcome: Outcome, file: Option<FileEntry>) -> RegistryFuture<'_, bool> {
        let mut state = self.state();
        let ended = state.end(&lease.operation, outcome, &self.quota);
        if let Some(file) = file.filter(|_| ended) {
            state.add(file);
        }
        done(ended)
    }

    fn operation(&self, id: &str) -> RegistryFuture<'_, Option<OperationEntry>> {
        done(self.state().operations.get(id).map(|operation| operation.entry.clone()))
    }

    fn latest(&self, most: usize) -> RegistryFuture<'_, Vec<Latest>> {
        let state = self.state();
        let latest = state.order.iter().rev().filter_map(|id| Some((id, state.operations.get(id)?)));
        let latest = latest.take(most).map(|(id, operation)| Latest {
            id: id.clone(),
            kind: operation.entry.kind,
            accepted: operation.entry.accepted,
            ended: operation.ended_at,
            outcome: operation.entry.outcome.clone(),
        });
        done(latest.collect())
    }

    fn waiting(&self) -> RegistryFuture<'_, u64> {
        done(self.state().queue.len() as u64)
    }

    fn ended(&self, id: &str) -> RegistryFuture<'_, ()> {
        let watched = self.state().operations.get(id).map(|operation| operation.ended.subscribe());
        Box::pin(async move {
            if let Some(mut watched) = watched {
                // An error means that the operation was removed.
                let _ = watched.wait_for(|ended| *ended).await;
            }
            Ok(())
        })
    }

    fn expire(&self, before: SystemTime) -> RegistryFuture<'_, Removed> {
        let mut state = self.state();
        let needed: HashSet<String> = state
            .operations
            .values()
            .filter(|operation| operation.entry.outcome.is_none())
            .map(|operation| operation.input.clone())
            .collect();
        let old: Vec<String> = state
            .files
            .values()
            .map(|file| &file.entry)
            .filter(|entry| entry.created < before && !needed.contains(&entry.id))
            .map(|entry| entry.id.clone())
            .collect();
        let contents =
            old.iter().filter_map(|id| state.take_file(id)).filter_map(|file| file.content).collect();
        state
            .operations
            .retain(|_, operation| operation.entry.outcome.is_none() || operation.entry.accepted >= before);
        let State { ended, operations, results_bytes, .. } = &mut *state;
        ended.retain(|id| operations.contains_key(id));
        *results_bytes = ended.iter().filter_map(|id| Some(operations.get(id)?.size)).sum();
        done(Removed { contents, operations: Vec::new() })
    }

    #[cfg(feature = "test-controls")]
    fn clear(&self) -> RegistryFuture<'_, Removed> {
        let mut state = self.state();
        let State { files, operations, .. } = std::mem::take(&mut *state);
        let contents = files.into_values().filter_map(|file| file.entry.content).collect();
        let unfinished = operations.into_iter().filter(|(_, operation)| operation.entry.outcome.is_none());
        done(Removed { contents, operations: unfinished.map(|(id, _)| id).collect() })
    }
}

impl State {
    fn add(&mut self, entry: FileEntry) {
        let number = self.next_number;
        self.next_number += 1;
        self.file_numbers.insert(entry.id.clone(), number);
        self.files.insert(number, File { entry, used: false, unfinished: 0 });
    }

    /// Removes the identifiers of removed operations from `order`, when more than half of the identifiers in `order`
    /// belong to removed operations.
    fn trim_order(&mut self) {
        if self.order.len() > 2 * self.operations.len() + 64 {
            let Self { order, operations, .. } = self;
            order.retain(|id| operations.contains_key(id));
        }
    }

    fn file_mut(&mut self, id: &str) -> Option<&mut File> {
        self.file_numbers.get(id).and_then(|number| self.files.get_mut(number))
    }

    fn take_file(&mut self, id: &str) -> Option<FileEntry> {
        let number = self.file_numbers.remove(id)?;
        self.files.remove(&number).map(|file| file.entry)
    }

    /// Removes the operations on a file from the queue. Returns the operations on this file that have not ended,
    /// including running operations.
    fn unfinished_on(&mut self, file: &str) -> Vec<String> {
        let unfinished: Vec<String> = self
            .operations
            .iter()
            .filter(|(_, operation)| operation.uses(file))
            .map(|(id, _)| id.clone())
            .collect();
        self.queue.retain(|id| !unfinished.contains(id));
        unfinished
    }

    /// Takes the next operation from the queue.
    fn next_work(&mut self) -> Option<Work> {
        let operation = self.queue.pop_front()?;
        let queued = self.operations.get(&operation)?;
        let (input, options) = (queued.input.clone(), Arc::clone(queued.options.as_ref()?));
        let file = &self.file_mut(&input)?.entry;
        let (input_name, input) = (file.name.clone(), file.content.clone()?);
        let lease = Lease { operation, holder: String::new() };
        Some(Work { lease, options, input_name, input })
    }

    /// Ends an operation. Returns `false` if the operation is unknown or has already ended. If the ended
    /// operations exceed the quota then, the oldest of them are removed.
    fn end(&mut self, id: &str, outcome: Outcome, quota: &Quota) -> bool {
        let Some(operation) =
            self.operations.get_mut(id).filter(|operation| operation.entry.outcome.is_none())
        else {
            return false;
        };
        let size = outcome.size();
        self.queued_bytes = self.queued_bytes.saturating_sub(std::mem::replace(&mut operation.size, size));
        self.results_bytes += size;
        operation.entry.outcome = Some(outcome);
        operation.options = None;
        operation.ended_at = Some(SystemTime::now());
        operation.ended.send_replace(true);
        let input = operation.input.clone();
        if let Some(file) = self.file_mut(&input) {
            file.unfinished = file.unfinished.saturating_sub(1);
        }
        self.ended.push_back(id.to_owned());
        // The result of this operation is kept in any case, so that its client can get it.
        while (self.ended.len() > quota.results || self.results_bytes > quota.results_bytes)
            && self.ended.len() > 1
            && let Some(oldest) = self.ended.pop_front()
        {
            let removed = self.operations.remove(&oldest).map_or(0, |operation| operation.size);
            self.results_bytes = self.results_bytes.saturating_sub(removed);
        }
        true
    }
}
