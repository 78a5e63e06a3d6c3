//! Reads a document from a path, an address, a buffer, a binary file object, a socket or an iterable of bytes, or uses
//! a file that is already in the service.

use crate::arguments::{FilePath, is_coroutine_function};
use crate::blocking::{Call, Raised};
use crate::errors;
use crate::import::imported;
use crate::operation::Operation;
use bytes::Bytes;
use pyo3::exceptions::{PyBlockingIOError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyIterator, PyMemoryView, PyString, PyTuple};
use recto::{FileId, Input, Source};
use recto_interface::OperationKind;
use std::io::{self, Read, Seek, SeekFrom};

/// Buffers up to this size are copied. Larger buffers are read in chunks while they are sent.
const SMALL: usize = 1 << 20;

/// Creates the document of an operation from a Python object: an operation, whose result is waited for, or a source.
pub fn input(
    object: &Bound<'_, PyAny>,
    name: Option<String>,
    operation: Option<OperationKind>,
    call: &mut Call<'_>,
) -> PyResult<Input> {
    match object.cast::<Operation>() {
        Ok(previous) => Ok(Input::Operation(previous.get().handle().clone())),
        Err(_) => source(object, name, operation, call).map(Input::Source),
    }
}

/// Creates the core's source for a Python object. If the object is a path, the path is stored in `call`, so that
/// errors can name it.
pub fn source(
    object: &Bound<'_, PyAny>,
    name: Option<String>,
    operation: Option<OperationKind>,
    call: &mut Call<'_>,
) -> PyResult<Source> {
    if let Ok(bytes) = object.cast_exact::<PyBytes>() {
        return of_bytes(bytes, name, operation);
    }
    if let Some(id) = file_in_the_service(object)? {
        return Ok(Source::file(id));
    }
    if let Ok(pair) = object.cast::<PyTuple>() {
        let (own_name, content) = named_content(pair)?;
        return source(&content, name.or(Some(own_name)), operation, call);
    }
    if let Ok(view) = PyMemoryView::from(object) {
        return of_buffer(&view, name, operation);
    }
    if object.is_instance_of::<PyString>() || object.hasattr("__fspath__")? {
        let FilePath(path) = object.extract()?;
        let source = Source::path(&path);
        if !source.is_url() {
            call.file = Some(path);
        }
        return Ok(match name {
            Some(name) => source.named(name),
            None => source,
        });
    }
    of_stream(object, name, operation, &call.raised)
}

/// The name and the content of a tuple such as `("report.pdf", b"…")`.
pub fn named_content<'py>(pair: &Bound<'py, PyTuple>) -> PyResult<(String, Bound<'py, PyAny>)> {
    let parts = pair.extract::<(String, Bound<'py, PyAny>)>();
    parts.map_err(|_| {
        PyTypeError::new_err(
            "a tuple as a source has two parts, the file name and the content, such as (\"report.pdf\", data)",
        )
    })
}

/// The identifier of a file in the service, if the object is a `FileId`, or the record of a file or of a result.
fn file_in_the_service(object: &Bound<'_, PyAny>) -> PyResult<Option<FileId>> {
    let py = object.py();
    let is = |class: PyResult<&Bound<'_, PyAny>>| object.is_instance(class?);
    if is(imported!(py, "recto.records", "FileId"))? {
        return Ok(Some(FileId::new(object.extract::<String>()?)));
    }
    let id = if is(imported!(py, "recto.records", "FileRecord"))? {
        object.getattr("id")?
    } else if is(imported!(py, "recto.records", "OutputFile"))? {
        object.getattr("file_id")?
    } else if is(imported!(py, "recto.records", "Result"))? {
        let output = object.getattr("output")?;
        if output.is_none() {
            return Err(errors::invalid(py, "start", "the result has no file, so it cannot be a source"));
        }
        output.getattr("file_id")?
    } else {
        return Ok(None);
    };
    if id.is_none() {
        let message =
            "the service gave no identifier for the result file; pass the operation instead of its result";
        return Err(errors::invalid(py, "start", message));
    }
    Ok(Some(FileId::new(id.extract::<String>()?)))
}

/// A source that is read while it is sent: a file object, the upload of a web framework, or an iterable of bytes.
fn of_stream(
    object: &Bound<'_, PyAny>,
    name: Option<String>,
    operation: Option<OperationKind>,
    raised: &Raised,
) -> PyResult<Source> {
    let py = object.py();
    // Starlette and FastAPI: the methods of an UploadFile are coroutine functions, but its `file` is an ordinary file.
    // An ordinary file has no `filename`, except that of gzip, where Python warns that it is deprecated.
    let is_ordinary = object.is_instance(&py.import("io")?.getattr("IOBase")?)?;
    let upload = if is_ordinary { None } else { object.getattr_opt("filename")? };
    let upload = upload.filter(|name| name.is_instance_of::<PyString>());
    let inner = match (&upload, object.getattr_opt("file")?) {
        (Some(_), Some(file)) if file.hasattr("read")? => Some(file),
        _ => None,
    };
    let name = match (name, &upload) {
        (None, Some(upload)) => Some(upload.extract()?),
        (name, _) => name,
    };
    let object = inner.as_ref().unwrap_or(object);
    refuse_asynchronous(object)?;
    let is_iterable =
        !object.hasattr("read")? && !object.hasattr("makefile")? && object.hasattr("__iter__")?;
    let file = if is_iterable { object.clone() } else { binary_file(object, "rb")? };
    let name = match name.or_else(|| file_name(&file)) {
        Some(name) => name,
        None => name_of_pdf(py, operation.is_some_and(|kind| kind.accepts() == ["pdf"]))?,
    };
    if is_iterable {
        return Ok(Source::reader(Box::new(IterableReader::new(&file, raised)?), name, None));
    }
    let reader = Box::new(FileReader { file: file.clone().unbind(), raised: raised.clone() });
    if file.call_method0("seekable").is_ok_and(|yes| yes.is_truthy().unwrap_or_default()) {
        return Ok(of_file(&file, Source::seekable(reader, name)));
    }
    // If a stream has a `len()`, its length is known, and it is sent without a temporary copy.
    let length = file.len().ok().map(|length| length as u64);
    Ok(of_file(&file, Source::reader(reader, name, length)))
}

/// The source with the file on this machine that `file` reads. A result in its folder does not replace it.
fn of_file(file: &Bound<'_, PyAny>, source: Source) -> Source {
    let name = file.getattr("name").ok().filter(|name| !name.is_instance_of::<pyo3::types::PyInt>());
    match name.and_then(|name| name.extract::<FilePath>().ok()) {
        Some(FilePath(path)) => source.read_from(path),
        None => source,
    }
}

/// Refuses a source that only asyncio or trio can read.
fn refuse_asynchronous(object: &Bound<'_, PyAny>) -> PyResult<()> {
    let reads = object.getattr_opt("read")?;
    let what = if reads.is_some_and(|read| is_coroutine_function(&read)) {
        "its read() is a coroutine function"
    } else if object.hasattr("__aiter__")? && !object.hasattr("read")? {
        "it is an asynchronous iterable"
    } else {
        return Ok(());
    };
    let kind = object.get_type().name()?;
    Err(PyTypeError::new_err(format!("{kind} cannot be read here: {what}; use recto.AsyncClient")))
}

/// Returns a binary file object: the object itself, or the result of `makefile()` of a socket. Refuses a text file.
pub fn binary_file<'py>(object: &Bound<'py, PyAny>, mode: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    if object.is_instance(&py.import("io")?.getattr("TextIOBase")?)? {
        return Err(PyTypeError::new_err(format!(
            "{} is a text file; open it in binary mode: open(path, {mode:?})",
            object.repr()?
        )));
    }
    let method = if mode == "rb" { "read" } else { "write" };
    if object.hasattr(method)? {
        return Ok(object.clone());
    }
    if object.hasattr("makefile")? {
        let arguments = pyo3::types::PyDict::new(py);
        arguments.set_item("buffering", 0)?;
        return object.call_method("makefile", (mode,), Some(&arguments));
    }
    let wanted = match mode {
        "rb" => {
            "a path, an address, bytes or another buffer, a binary file object, a socket, an iterable of bytes, a (name, content) \
             tuple, an operation or its result, or a recto.FileId"
        }
        _ => "a binary file object or a socket; save() takes a path",
    };
    Err(PyTypeError::new_err(format!("expected {wanted}, not {}", object.get_type().name()?)))
}

fn of_bytes(
    bytes: &Bound<'_, PyBytes>,
    name: Option<String>,
    operation: Option<OperationKind>,
) -> PyResult<Source> {
    let name = named(bytes.py(), name, operation, bytes.as_bytes())?;
    // The `bytes` object is immutable: it is borrowed, not copied.
    Ok(Source::bytes(Bytes::from_owner(PyBackedBytes::from(bytes.clone())), name))
}

fn of_buffer(
    view: &Bound<'_, PyMemoryView>,
    name: Option<String>,
    operation: Option<OperationKind>,
) -> PyResult<Source> {
    let length: usize = view.getattr("nbytes")?.extract()?;
    if length <= SMALL || !view.getattr("c_contiguous")?.is_truthy()? {
        let bytes = view.call_method0("tobytes")?.cast_into::<PyBytes>()?;
        return of_bytes(&bytes, name, operation);
    }
    let view = view.call_method1("cast", ("B",))?;
    let reader = BufferReader { view: view.clone().unbind(), position: 0, length };
    let beginning = reader.chunk(view.py(), 16)?;
    let name = named(view.py(), name, operation, beginning.as_bytes())?;
    Ok(Source::seekable(Box::new(reader), name))
}

/// Returns the given name, or a default name for a PDF. A PDF is recognized by its first bytes; other formats are
/// recognized only by the extension of the name.
fn named(
    py: Python<'_>,
    name: Option<String>,
    operation: Option<OperationKind>,
    beginning: &[u8],
) -> PyResult<String> {
    let is_pdf = beginning.starts_with(b"%PDF-") || operation.is_some_and(|kind| kind.accepts() == ["pdf"]);
    name.map_or_else(|| name_of_pdf(py, is_pdf), Ok)
}

fn name_of_pdf(py: Python<'_>, is_pdf: bool) -> PyResult<String> {
    if is_pdf {
        return Ok("document.pdf".to_owned());
    }
    let message = "the document needs a file name, whose extension determines the format; give one, such as name=\"scan.png\"";
    Err(errors::invalid(py, "upload", message))
}

/// The name of the file that a file object reads, without folders.
fn file_name(file: &Bound<'_, PyAny>) -> Option<String> {
    let name = file.getattr("name").ok()?;
    if name.is_instance_of::<PyString>() || name.is_instance_of::<PyBytes>() {
        let FilePath(path) = name.extract().ok()?;
        return Some(path.file_name()?.to_string_lossy().into_owned());
    }
    None
}

/// Reads a Python file object, on the thread that made the call.
struct FileReader {
    file: Py<PyAny>,
    raised: Raised,
}

impl FileReader {
    fn fill(&self, py: Python<'_>, into: &mut [u8]) -> PyResult<usize> {
        let read = self.file.bind(py).call_method1("read", (into.len(),))?;
        if read.is_none() {
            return Err(PyBlockingIOError::new_err(
                "read() of the file object returned None: it is non-blocking; use a blocking one",
            ));
        }
        let chunk: PyBackedBytes = read.extract().map_err(|_| {
            let kind = read.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
            PyTypeError::new_err(format!("read() of the file object returned {kind}; it must return bytes"))
        })?;
        match into.get_mut(..chunk.len()) {
            Some(place) => place.copy_from_slice(&chunk),
            None => {
                return Err(PyValueError::new_err(
                    "read(size) of the file object returned more than size bytes",
                ));
            }
        }
        Ok(chunk.len())
    }
}

impl Read for FileReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let outcome = Python::attach(|py| self.fill(py, into));
        self.raised.keep(outcome).continue_value().ok_or_else(raised_in_python)
    }
}

impl Seek for FileReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let outcome = Python::attach(|py| {
            let file = self.file.bind(py);
            match to {
                SeekFrom::Start(offset) => file.call_method1("seek", (offset,))?,
                SeekFrom::Current(offset) => file.call_method1("seek", (offset, 1))?,
                SeekFrom::End(offset) => file.call_method1("seek", (offset, 2))?,
            };
            file.call_method0("tell")?.extract()
        });
        self.raised.keep(outcome).continue_value().ok_or_else(raised_in_python)
    }

    fn stream_position(&mut self) -> io::Result<u64> {
        let outcome = Python::attach(|py| self.file.bind(py).call_method0("tell")?.extract());
        self.raised.keep(outcome).continue_value().ok_or_else(raised_in_python)
    }
}

/// Reads an iterable of bytes, on the thread that made the call.
struct IterableReader {
    iterator: Py<PyIterator>,
    chunk: PyBackedBytes,
    /// How many bytes of the chunk were read.
    position: usize,
    raised: Raised,
}

impl IterableReader {
    fn new(iterable: &Bound<'_, PyAny>, raised: &Raised) -> PyResult<Self> {
        let (chunk, position) = (PyBackedBytes::from(PyBytes::new(iterable.py(), b"")), 0);
        Ok(Self { iterator: iterable.try_iter()?.unbind(), chunk, position, raised: raised.clone() })
    }

    /// Takes chunks from the iterable until one is not empty; returns false at the end.
    fn refill(&mut self) -> PyResult<bool> {
        Python::attach(|py| {
            loop {
                let Some(chunk) = self.iterator.bind(py).clone().next() else { return Ok(false) };
                let chunk = chunk?;
                let bytes: PyBackedBytes = chunk.extract().map_err(|_| {
                    let kind = chunk.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
                    PyTypeError::new_err(format!(
                        "the iterable of the source gave {kind}; it must give bytes (client.batch takes several documents)"
                    ))
                })?;
                if !bytes.is_empty() {
                    (self.chunk, self.position) = (bytes, 0);
                    return Ok(true);
                }
            }
        })
    }
}

impl Read for IterableReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.position == self.chunk.len() {
            let refilled = self.refill();
            if !self.raised.keep(refilled).continue_value().ok_or_else(raised_in_python)? {
                return Ok(0);
            }
        }
        let rest = self.chunk.get(self.position..).unwrap_or_default();
        let count = into.len().min(rest.len());
        into.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        self.position += count;
        Ok(count)
    }
}

/// The error that the core gets after Python code raised an exception. The call raises the Python exception instead
/// of this error.
pub fn raised_in_python() -> io::Error {
    io::Error::other("the file object raised an exception")
}

/// Reads a buffer in chunks. The owner of the buffer cannot resize it while `view` exists.
struct BufferReader {
    view: Py<PyAny>,
    position: usize,
    length: usize,
}

impl BufferReader {
    fn chunk<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Bound<'py, PyBytes>> {
        let end = self.length.min(self.position.saturating_add(most));
        let slice = pyo3::types::PySlice::new(
            py,
            isize::try_from(self.position).unwrap_or(isize::MAX),
            isize::try_from(end).unwrap_or(isize::MAX),
            1,
        );
        Ok(self.view.bind(py).get_item(slice)?.call_method0("tobytes")?.cast_into()?)
    }
}

impl Read for BufferReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = Python::attach(|py| {
            let chunk = self.chunk(py, into.len())?;
            let bytes = chunk.as_bytes();
            into.get_mut(..bytes.len()).unwrap_or_default().copy_from_slice(bytes);
            PyResult::Ok(bytes.len())
        });
        let read = read.map_err(|error| io::Error::other(error.to_string()))?;
        self.position += read;
        Ok(read)
    }
}

impl Seek for BufferReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(offset) => i64::try_from(offset).ok(),
            SeekFrom::Current(offset) => offset.checked_add_unsigned(self.position as u64),
            SeekFrom::End(offset) => offset.checked_add_unsigned(self.length as u64),
        };
        let place = place.and_then(|place| usize::try_from(place).ok());
        self.position = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position as u64)
    }
}
