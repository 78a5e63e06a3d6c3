//! `Batch`: processes many documents with one operation, and iterates over the outcomes.

use crate::arguments::FilePath;
use crate::blocking::{self, Call, Raised};
use crate::connection::Connection;
use crate::{errors, records, source, watch};
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyIterator, PyString, PyTuple};
use recto::{BatchBuilder, BatchItem, BatchSource, Input, OperationKind};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Instant;

/// The documents of a batch: `client.batch(…)` returns it. An iterator of `BatchItem`, in the order in which the
/// documents finish.
///
/// It takes the next source when fewer than `concurrency` documents are in progress, on the thread that iterates. If
/// the iterable of sources raises an exception, it is raised after the documents before it have finished. `stop()`
/// takes no further sources. `close()`, the end of a `with` block and deleting the iterator cancel the documents in
/// progress; a journal records which ones are finished.
///
/// >>> with client.batch("optimize", ["report.pdf"], to="out") as batch:
/// ...     for item in batch:
/// ...         item.path.name
/// 'report.pdf'
#[pyclass(frozen, weakref, module = "recto")]
pub struct Batch {
    connection: Arc<Connection>,
    operation: OperationKind,
    /// `None` once the batch is closed. No thread waits for this lock: a thread that finds it locked raises an
    /// exception.
    running: Mutex<Option<recto::Batch<'static>>>,
    stop: Py<crate::cancel::Cancel>,
    /// Ends the taking of sources.
    until: recto::Cancel,
    raised: Raised,
    /// The exception that the iterable of sources raised.
    sources_raised: Raised,
    given: Given,
    on_progress: Option<Py<PyAny>>,
    total: Option<u64>,
    done: AtomicU64,
    began: Instant,
}

impl Batch {
    pub fn new(
        py: Python<'_>,
        connection: Arc<Connection>,
        operation: OperationKind,
        builder: BatchBuilder,
        sources: &Bound<'_, PyAny>,
        on_progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        refuse_one_document(sources)?;
        let (raised, sources_raised, given) = (Raised::default(), Raised::default(), Given::default());
        let until = recto::Cancel::new();
        let builder = builder.until(&until);
        let running = if watch::is_watch(sources)? {
            let watch = watch::read(sources)?;
            py.detach(|| builder.watch(watch))
        } else {
            let iterator = Sources {
                iterator: sources.try_iter()?.unbind(),
                operation,
                raised: raised.clone(),
                sources_raised: sources_raised.clone(),
                given: given.clone(),
                index: 0,
            };
            py.detach(|| builder.run(iterator))
        };
        let running = running.map_err(|error| errors::exception(py, &error, None))?;
        Ok(Self {
            connection,
            operation,
            running: Mutex::new(Some(running)),
            stop: Py::new(py, crate::cancel::Cancel::default())?,
            until,
            raised,
            sources_raised,
            given,
            on_progress,
            total: sources.len().ok().map(|total| total as u64),
            done: AtomicU64::new(0),
            began: Instant::now(),
        })
    }

    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.done.load(Ordering::Relaxed) == 0 {
            self.report(py)?;
        }
        let mut running = match self.running.try_lock() {
            Ok(running) => running,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(PyValueError::new_err(
                    "another thread is already waiting for the next item of this batch",
                ));
            }
        };
        let Some(batch) = running.as_mut() else { return Ok(None) };
        let call = Call { cancel: Some(&self.stop), raised: self.raised.clone(), ..Call::default() };
        let next = blocking::run(py, &self.connection, &call, |_, call| batch.next_item(call));
        let item = match next {
            Ok(Some(item)) => item,
            ended => {
                let batch = running.take();
                py.detach(|| drop(batch));
                return match (ended, self.sources_raised.take()) {
                    (Err(exception), _) | (Ok(_), Some(exception)) => Err(exception),
                    (Ok(_), None) => Ok(None),
                };
            }
        };
        // The callback may close the batch, and closing locks `running`.
        drop(running);
        self.done.fetch_add(1, Ordering::Relaxed);
        self.report(py)?;
        self.converted(py, item).map(Some)
    }

    fn report(&self, py: Python<'_>) -> PyResult<()> {
        let Some(callback) = &self.on_progress else { return Ok(()) };
        let done = self.done.load(Ordering::Relaxed);
        let progress = records::batch_progress(py, done, self.total, self.began.elapsed())?;
        blocking::notify(callback.bind(py), progress).inspect_err(|_| self.end(py))
    }

    fn end(&self, py: Python<'_>) {
        self.stop.get().0.trigger();
        // If `running` is locked, another thread is waiting for an item; that thread ends the batch.
        let running = self.running.try_lock().ok().and_then(|mut running| running.take());
        py.detach(|| drop(running));
    }
}

#[pymethods]
impl Batch {
    /// End the batch and cancel the documents in progress. A thread that waits for an item gets `Cancelled`.
    ///
    /// >>> batch = client.batch("optimize", ["report.pdf", "photo.jpg"])
    /// >>> first = next(batch)
    /// >>> batch.close()
    /// >>> list(batch)
    /// []
    fn close(&self, py: Python<'_>) {
        self.end(py);
    }

    /// Take no further documents; the batch ends when those in progress have ended.
    ///
    /// >>> batch = client.batch("optimize", ["report.pdf"])
    /// >>> batch.stop()
    /// >>> list(batch)
    /// []
    fn stop(&self) {
        self.until.trigger();
    }

    /// Return the number of sources; `TypeError` if the iterable of sources has no length.
    fn __len__(&self) -> PyResult<usize> {
        let total = self.total.and_then(|total| usize::try_from(total).ok());
        total.ok_or_else(|| {
            PyTypeError::new_err("the number of documents is not known: the iterable of sources has no len()")
        })
    }

    /// A batch is true even if it has no documents.
    fn __bool__(&self) -> bool {
        true
    }

    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.next(py)
    }

    fn __enter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.end(py);
    }

    fn __repr__(&self) -> String {
        let done = self.done.load(Ordering::Relaxed);
        let of = self.total.map_or_else(String::new, |total| format!(" of {total}"));
        format!("<recto.Batch {}: {done}{of} done>", self.operation.name())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Batch cannot be pickled; make one in the worker process, with the same journal to resume it",
        ))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.on_progress)
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        let running = self.running.get_mut().map(Option::take).unwrap_or_default();
        if running.is_some() {
            // Waiting for the threads of the batch to end takes a moment: other Python threads may run in the
            // meantime.
            Python::attach(|py| py.detach(|| drop(running)));
        }
    }
}

/// A document in progress, as the caller gave it.
struct GivenSource {
    /// The object; `None` for a path, which the core returns.
    object: Option<Py<PyAny>>,
    /// The exception that the object raised while it was read.
    raised: Raised,
}

/// The documents in progress, by their position among the sources.
type Given = Arc<Mutex<HashMap<usize, GivenSource>>>;

/// Takes sources from a Python iterator, on the thread that waits for an item.
struct Sources {
    iterator: Py<PyIterator>,
    operation: OperationKind,
    raised: Raised,
    sources_raised: Raised,
    given: Given,
    index: usize,
}

impl Iterator for Sources {
    type Item = BatchSource;

    fn next(&mut self) -> Option<BatchSource> {
        Python::attach(|py| {
            let source = self.iterator.bind(py).clone().next()?.and_then(|object| self.read(&object));
            // KeyboardInterrupt and SystemExit end the batch at once. After any other exception, the documents in
            // progress are completed first.
            let kept = match source {
                Err(exception) if !exception.is_instance_of::<PyException>(py) => {
                    self.raised.keep(Err(exception))
                }
                source => self.sources_raised.keep(source),
            };
            match kept {
                ControlFlow::Continue(source) => Some(source),
                ControlFlow::Break(()) => None,
            }
        })
    }
}

/// A single path in a message: an address is shown without its query.
fn shown(path: &Bound<'_, PyAny>) -> PyResult<String> {
    let is_content = path.is_instance_of::<PyBytes>();
    match path.extract::<FilePath>() {
        Ok(FilePath(path)) if !is_content => Ok(recto::Source::path(path).label()),
        _ => Ok(path.get_type().name()?.to_string()),
    }
}

impl Sources {
    fn read(&mut self, object: &Bound<'_, PyAny>) -> PyResult<BatchSource> {
        let mut call = Call::default();
        let read = source::input(object, None, Some(self.operation), &mut call)?;
        // The core returns a path, or an address without its query.
        let is_place = call.file.is_some() || matches!(&read, Input::Source(source) if source.is_url());
        let source = match object.cast::<PyTuple>() {
            Ok(pair) => BatchSource::named(read, source::named_content(pair)?.0),
            Err(_) => read.into(),
        };
        let is_path = is_place && object.cast::<PyTuple>().is_err();
        let object = (!is_path).then(|| object.clone().unbind());
        let given = GivenSource { object, raised: call.raised };
        self.given.lock().unwrap_or_else(PoisonError::into_inner).insert(self.index, given);
        self.index += 1;
        Ok(source)
    }
}

/// Refuses a single document. A `str` could be iterated, but its characters are not paths.
fn refuse_one_document(sources: &Bound<'_, PyAny>) -> PyResult<()> {
    let is_one = sources.is_instance_of::<PyString>()
        || sources.is_instance_of::<PyBytes>()
        || sources.is_instance_of::<PyByteArray>()
        || sources.hasattr("__fspath__")?;
    match is_one {
        true => Err(PyTypeError::new_err(format!(
            "a batch takes several paths or other sources, such as a list or folder.glob(\"*.pdf\"), not {}",
            shown(sources)?
        ))),
        false => Ok(()),
    }
}

impl Batch {
    fn converted<'py>(&self, py: Python<'py>, item: BatchItem) -> PyResult<Bound<'py, PyAny>> {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner).remove(&item.index);
        let raised = given.as_ref().and_then(|given| given.raised.take());
        let object = given.and_then(|given| given.object);
        let path = item.source;
        let exception = |error: recto::Error| {
            // If the error is about a file other than the source, the message names that file.
            let is_about_it = object.is_none() && error.message().contains(&*path.to_string_lossy());
            errors::exception(py, &error, is_about_it.then_some(path.as_path())).into_value(py)
        };
        let left_behind = item.left_behind.map(exception);
        let aside = (left_behind, item.moved_to);
        let source = match &object {
            Some(object) => object.clone_ref(py).into_bound(py),
            None => path.as_path().into_pyobject(py)?.into_any(),
        };
        match item.outcome {
            Ok(done) => records::batch_item(py, item.index, source, Ok(&done), aside),
            Err(error) => {
                let operation_id = error.operation_id().map(str::to_owned);
                // The exception of a file object, instead of the error that it caused.
                let raised = raised.map(|raised| raised.into_value(py));
                let exception = raised.unwrap_or_else(|| exception(error));
                records::batch_item(py, item.index, source, Err((exception, operation_id)), aside)
            }
        }
    }
}
