//! `Client`: the base of `recto.Client`, which adds a method for each operation.

use crate::arguments::{Callback, FilePath, Headers, JsonOptions, Seconds};
use crate::batch::Batch;
use crate::blocking::{self, Call};
use crate::cancel::Cancel;
use crate::connection::Connection;
use crate::files::Files;
use crate::local_settings::Local;
use crate::operation::Operation;
use crate::{comparison, errors, json, source};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use recto_interface::{OperationKind, Options};
use std::sync::Arc;

/// The connection of a copy of a client: an argument of `Client.__new__` that programs do not use.
#[pyclass(frozen, module = "recto._native")]
pub struct Copied(Arc<Connection>);

/// A connection to the service; see `recto.Client`.
#[pyclass(frozen, subclass, weakref, module = "recto._native")]
pub struct Client(Arc<Connection>);

#[pymethods]
impl Client {
    #[new]
    #[pyo3(signature = (
        *, base_url=None, api_key=None, timeout=None, wait_timeout=None, connect_timeout=None, stall_timeout=None,
        retries=None, retry_unknown=false, allow_http=false, proxy=None, ca_bundle=None, client_certificate=None,
        user_agent=None, json_limit=None, headers=None, keep_files=false, local=None, _copy=None
    ), text_signature = "(*, base_url=None, api_key=None, timeout=None, wait_timeout=None, connect_timeout=None, \
stall_timeout=None, retries=None, retry_unknown=False, allow_http=False, proxy=None, ca_bundle=None, client_certificate=None, \
user_agent=None, json_limit=None, headers=None, keep_files=False, local=None)")]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments, all optional")]
    fn new(
        py: Python<'_>,
        base_url: Option<String>,
        api_key: Option<String>,
        timeout: Option<Seconds>,
        wait_timeout: Option<Seconds>,
        connect_timeout: Option<Seconds>,
        stall_timeout: Option<Seconds>,
        retries: Option<u32>,
        retry_unknown: bool,
        allow_http: bool,
        proxy: Option<String>,
        ca_bundle: Option<FilePath>,
        client_certificate: Option<FilePath>,
        user_agent: Option<String>,
        json_limit: Option<usize>,
        headers: Option<Headers>,
        keep_files: bool,
        local: Option<Local>,
        _copy: Option<PyRef<'_, Copied>>,
    ) -> PyResult<Self> {
        if let Some(copy) = _copy {
            return Ok(Self(Arc::clone(&copy.0)));
        }
        let mut builder = recto::Client::builder().retry_unknown(retry_unknown).allow_http(allow_http);
        builder = builder.keep_files(keep_files);
        macro_rules! set {
            ($($name:ident: $value:expr),+ $(,)?) => {
                $(if let Some(value) = $value {
                    builder = builder.$name(value);
                })+
            };
        }
        set! {
            base_url: base_url,
            api_key: api_key,
            timeout: timeout.map(|time| time.0),
            wait_timeout: wait_timeout.map(Seconds::to_wait),
            connect_timeout: connect_timeout.map(|time| time.0),
            stall_timeout: stall_timeout.map(|time| time.0),
            retries: retries,
            proxy: proxy,
            ca_bundle: ca_bundle.map(|path| path.0),
            client_certificate: client_certificate.map(|path| path.0),
            user_agent: user_agent,
            json_limit: json_limit,
        }
        for (name, value) in headers.unwrap_or_default().0 {
            builder = builder.header(name, value);
        }
        Connection::new(py, builder, local.unwrap_or_default().0).map(|connection| Self(Arc::new(connection)))
    }

    /// Return a copy of the client with other settings, which shares its connections. Closing one of the two closes
    /// both.
    ///
    /// A setting that is left out stays as it is. `timeout=math.inf` removes the limit. `headers` are added to those of
    /// the client. `ConfigError` is raised for a header that the client sets itself, such as `X-Api-Key`. `keep_files`
    /// holds for operations that the copy starts.
    ///
    /// >>> patient = client.with_options(wait_timeout=3600, retries=10)
    /// >>> patient.optimize("report.pdf").save("small.pdf")
    /// PosixPath('small.pdf')
    #[pyo3(signature = (
        *, timeout=None, wait_timeout=None, stall_timeout=None, retries=None, retry_unknown=None, headers=None,
        keep_files=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments, all optional")]
    fn with_options<'py>(
        this: &Bound<'py, Self>,
        timeout: Option<Seconds>,
        wait_timeout: Option<Seconds>,
        stall_timeout: Option<Seconds>,
        retries: Option<u32>,
        retry_unknown: Option<bool>,
        headers: Option<Headers>,
        keep_files: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        let mut overrides = recto::Overrides::new();
        macro_rules! set {
            ($($name:ident: $value:expr),+ $(,)?) => {
                $(if let Some(value) = $value {
                    overrides = overrides.$name(value);
                })+
            };
        }
        set! {
            timeout: timeout.map(Seconds::to_wait),
            wait_timeout: wait_timeout.map(Seconds::to_wait),
            stall_timeout: stall_timeout.map(|time| time.0),
            retries: retries,
            retry_unknown: retry_unknown,
            keep_files: keep_files,
        }
        for (name, value) in headers.unwrap_or_default().0 {
            overrides = overrides.header(name, value);
        }
        let copy = Arc::new(this.get().0.with_options(py, overrides)?);
        let settings = PyDict::new(py);
        settings.set_item("_copy", Bound::new(py, Copied(copy))?)?;
        // `__new__` alone: a subclass may have an `__init__` with other arguments.
        let class = this.get_type();
        class.getattr("__new__")?.call((&class,), Some(&settings))
    }

    /// The files in the service.
    #[getter]
    fn files(&self) -> Files {
        Files(Arc::clone(&self.0))
    }

    /// Start an operation by its name, with its options as a dict.
    ///
    /// It is for programs that choose the operation at run time; the method of an operation calls it.
    ///
    ///     extra_options  options that this version does not know, named as in the interface; they are sent unchecked
    ///     headers        headers for the requests of this call, besides those of the client
    ///
    /// >>> client.start("optimize", "report.pdf", {"profile": "web"}).save("small.pdf")
    /// PosixPath('small.pdf')
    #[pyo3(signature = (
        operation, source, options=None, *, name=None, force=false, timeout=None, on_progress=None, extra_options=None,
        headers=None, cancel=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments, all optional")]
    fn start(
        &self,
        py: Python<'_>,
        operation: &str,
        source: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyMapping>>,
        name: Option<String>,
        force: bool,
        timeout: Option<Seconds>,
        on_progress: Option<Callback>,
        extra_options: Option<JsonOptions>,
        headers: Option<Headers>,
        cancel: Option<&Bound<'_, Cancel>>,
    ) -> PyResult<Operation> {
        let on_progress = on_progress.map(|callback| callback.0);
        let (kind, options) = operation_of(py, operation, options)?;
        let mut call = Call {
            timeout: timeout.map(|time| time.0),
            force,
            extra_options: extra_options.unwrap_or_default().0,
            headers: headers.unwrap_or_default().0,
            on_progress: on_progress.as_ref(),
            cancel: cancel.map(Bound::as_unbound),
            ..Call::default()
        };
        let input = source::input(source, name, Some(kind), &mut call)?;
        let started =
            blocking::run(py, &self.0, &call, move |client, call| client.start(input, options, call))?;
        Ok(Operation::new(Arc::clone(&self.0), started, on_progress))
    }

    /// Start an operation that may be newer than this version.
    ///
    /// `operation` is the name of an operation, or the end of its endpoint: `convert/pdf-to-webp` for `POST
    /// /v1/operations/convert/pdf-to-webp`. `options` are sent as they are, named as in the interface; neither they nor
    /// the extension of the document are checked. The operation that is returned works like any other; its result is in
    /// `result().raw` if this version does not know its form. `InvalidRequest` is raised for a name that cannot be an
    /// endpoint, `NotFound` for an operation that the service does not have.
    ///
    /// >>> client.run("optimize", "report.pdf", {"profile": "web"}).save("small.pdf")
    /// PosixPath('small.pdf')
    #[pyo3(signature = (
        operation, source, options=None, *, name=None, timeout=None, on_progress=None, headers=None, cancel=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments, all optional")]
    fn run(
        &self,
        py: Python<'_>,
        operation: &str,
        source: &Bound<'_, PyAny>,
        options: Option<JsonOptions>,
        name: Option<String>,
        timeout: Option<Seconds>,
        on_progress: Option<Callback>,
        headers: Option<Headers>,
        cancel: Option<&Bound<'_, Cancel>>,
    ) -> PyResult<Operation> {
        let on_progress = on_progress.map(|callback| callback.0);
        let mut call = Call {
            timeout: timeout.map(|time| time.0),
            force: true,
            headers: headers.unwrap_or_default().0,
            on_progress: on_progress.as_ref(),
            cancel: cancel.map(Bound::as_unbound),
            ..Call::default()
        };
        let input = source::input(source, name, operation.parse().ok(), &mut call)?;
        let options = options.unwrap_or_default().0;
        let started = blocking::run(py, &self.0, &call, move |client, call| {
            client.run(operation, input, &options, call)
        })?;
        Ok(Operation::new(Arc::clone(&self.0), started, on_progress))
    }

    /// Process many documents with one operation, several at the same time, and iterate over the outcomes.
    ///
    /// `sources` is an iterable of what a single call takes, such as paths, bytes, `FileId`s, operations and `(name,
    /// content)` tuples. A source that occurs twice is processed twice. A `recto.Watch` in place of `sources` stands for
    /// the files that arrive in a folder. `options` are those of the operation.
    ///
    ///     to             the directory for the results; without it they stay in the service
    ///     relative_to    keep the subfolders that a source has below this folder
    ///     concurrency    the most documents in progress at the same time: 1 to 256
    ///     journal        a file that records finished documents: after a crash, the same call resumes the batch
    ///     stop_on_error  take no further documents after one that fails
    ///     delete_after   delete a document and its result from the service once the result is saved; a file that
    ///                    was in the service before stays there
    ///     force          send documents even if the operation does not take their extension
    ///     on_progress    called with a `Progress` of the phase `batch`, which counts documents
    ///     extra_options  options that this version does not know; they are sent without a check
    ///     headers        headers for the requests of the batch, besides those of the client
    ///
    /// A document that fails is an item with an `error`; it does not end the batch.
    ///
    /// >>> for item in client.batch("optimize", ["report.pdf", "missing.pdf"], to="out", profile="web"):
    /// ...     print(item.source, item.path.name if item.error is None else type(item.error).__name__)
    /// missing.pdf FileNotFoundError
    /// report.pdf report.pdf
    #[pyo3(signature = (
        operation, sources, *, to=None, relative_to=None, concurrency=8, journal=None, stop_on_error=false,
        delete_after=false, force=false, on_progress=None, extra_options=None, headers=None, **options
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments, nearly all optional")]
    fn batch(
        &self,
        py: Python<'_>,
        operation: &str,
        sources: &Bound<'_, PyAny>,
        to: Option<FilePath>,
        relative_to: Option<FilePath>,
        concurrency: usize,
        journal: Option<FilePath>,
        stop_on_error: bool,
        delete_after: bool,
        force: bool,
        on_progress: Option<Callback>,
        extra_options: Option<JsonOptions>,
        headers: Option<Headers>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Batch> {
        let (kind, options) = operation_of(py, operation, options.map(|options| options.as_mapping()))?;
        let mut builder = self.0.client(py)?.batch(options);
        builder = builder
            .concurrency(concurrency)
            .stop_on_error(stop_on_error)
            .delete_after(delete_after)
            .force(force)
            .extra_options(extra_options.unwrap_or_default().0);
        for (name, value) in headers.unwrap_or_default().0 {
            builder = builder.header(name, value);
        }
        if let Some(FilePath(to)) = to {
            builder = builder.to(to);
        }
        if let Some(FilePath(folder)) = relative_to {
            builder = builder.relative_to(folder);
        }
        if let Some(FilePath(journal)) = journal {
            builder = builder.journal(journal);
        }
        Batch::new(py, Arc::clone(&self.0), kind, builder, sources, on_progress.map(|callback| callback.0))
    }

    /// Compare the pages of two documents as pictures.
    ///
    /// The service renders both documents (`pdf-to-png`). The figure of a page is its `share`: that of its tiles of
    /// 8 x 8 pixels whose mean colour difference (CIE 1976) exceeds `tolerance`. A page differs if its share exceeds
    /// `threshold`, or if only one document has it.
    ///
    ///     to              write the pictures of both pages side by side here: a file that ends with .html, one that
    ///                     ends with .png for documents of one page, or a folder; default: they are in the records
    ///                     of the pages
    ///     only_differing  no pictures of pages that do not differ
    ///     overwrite       whether files may be replaced
    ///     max_pages       how many pages a document may have
    ///     password        the password of the documents; one of them may have none
    ///     delete_after    delete the documents and pictures from the service after they were downloaded
    ///
    /// `InvalidRequest` is raised for a document with too many pages.
    ///
    /// >>> small = client.optimize("report.pdf", profile="archive")
    /// >>> comparison = client.compare("report.pdf", small, threshold=0.01)
    /// >>> comparison.same, comparison.share < 0.01
    /// (True, True)
    #[pyo3(signature = (
        first, second, *, to=None, only_differing=false, overwrite=true, tolerance=2.3, threshold=0.0, max_pages=1000,
        password=None, delete_after=false, timeout=None, on_progress=None, headers=None, cancel=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments, nearly all optional")]
    fn compare<'py>(
        &self,
        py: Python<'py>,
        first: &Bound<'py, PyAny>,
        second: &Bound<'py, PyAny>,
        to: Option<FilePath>,
        only_differing: bool,
        overwrite: bool,
        tolerance: f32,
        threshold: f64,
        max_pages: usize,
        password: Option<String>,
        delete_after: bool,
        timeout: Option<Seconds>,
        on_progress: Option<Callback>,
        headers: Option<Headers>,
        cancel: Option<&Bound<'py, Cancel>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut settings = recto_compare::Settings::default();
        (settings.tolerance, settings.threshold, settings.max_pages) = (tolerance, threshold, max_pages);
        settings.password = password.map(recto::Secret::from);
        settings.delete_after = delete_after;
        let call = Call {
            timeout: timeout.map(|time| time.0),
            headers: headers.unwrap_or_default().0,
            on_progress: on_progress.as_ref().map(|callback| &callback.0),
            cancel: cancel.map(Bound::as_unbound),
            ..Call::default()
        };
        let rules = recto_compare::report::Rules { only_differing, keep_existing: !overwrite };
        let wanted = comparison::Wanted { to: to.map(|path| path.0), rules, settings };
        comparison::run(py, &self.0, [first, second], wanted, call)
    }

    /// Resume an operation by its token, in this process or another.
    ///
    /// >>> token = client.optimize("report.pdf").token
    /// >>> client.operation(token).result().status
    /// 'finished'
    fn operation(&self, py: Python<'_>, token: &str) -> PyResult<Operation> {
        let client = self.0.client(py)?;
        let operation = client.resume(token).map_err(|error| errors::exception(py, &error, None))?;
        Ok(Operation::new(Arc::clone(&self.0), operation, None))
    }

    /// End the client. Calls that are running, in any thread, end with `Cancelled`; later ones raise `ConfigError`.
    ///
    /// >>> client = recto.Client()
    /// >>> client.close()
    /// >>> client.files.list()
    /// Traceback (most recent call last):
    /// recto.errors.ConfigError: the client is closed; make a new one
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.0.close());
    }

    fn __enter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) {
        self.close(py);
    }

    fn __repr__(&self) -> String {
        format!("<recto.Client {}>", self.0.described())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Client cannot be pickled, as it contains the key; make one in the worker process: recto.Client.from_env()",
        ))
    }
}

/// Finds the operation, and reads its options, which may be spelled in Python's case.
fn operation_of(
    py: Python<'_>,
    operation: &str,
    options: Option<&Bound<'_, PyMapping>>,
) -> PyResult<(OperationKind, Options)> {
    let kind: OperationKind =
        operation.parse().map_err(|unknown: recto_interface::operation::UnknownOperation| {
            errors::invalid(py, "start", &unknown.to_string())
        })?;
    let (options, spelling) = json::options(py, kind, options)?;
    let options = Options::from_user_json(kind, &options)
        .map_err(|refused| errors::invalid_option(py, &refused, spelling))?;
    Ok((kind, options))
}
