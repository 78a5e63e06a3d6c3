//! The settings of a batch.

use super::document::{BatchContext, CallSettings};
use super::journal::Journal;
use super::original::Originals;
use super::result_paths::{ResultPaths, absolute};
use super::running::Batch;
use super::source::BatchSource;
use super::sources::{Given, Sources};
use super::step::Header;
use crate::call::cancel::Cancel;
use crate::client::Client;
use crate::client::start::merged;
use crate::error::{Error, Phase};
use crate::http::extra_headers;
use crate::io::target_file;
use recto_interface::{OperationKind, Options, Yields};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// How many documents are in progress at the same time by default.
const CONCURRENCY: usize = 8;
/// The greatest value of `concurrency`. With more threads, documents would only wait for each other.
const MOST_AT_ONCE: usize = 256;

/// The settings of a batch. See [`Client::batch`].
#[derive(Clone, Debug)]
#[must_use = "nothing happens until `run` is called"]
pub struct BatchBuilder {
    pub(super) client: Client,
    pub(super) options: Options,
    pub(super) to: Option<PathBuf>,
    pub(super) relative_to: Option<PathBuf>,
    concurrency: usize,
    pub(super) journal: Option<PathBuf>,
    stop_on_error: bool,
    until: Cancel,
    delete_after: bool,
    pub(super) call: CallSettings,
    pub(super) keep_existing: bool,
}

impl Client {
    /// Prepares a batch, which processes many documents with one operation.
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
            until: Cancel::new(),
            delete_after: false,
            call: CallSettings::default(),
            keep_existing: false,
        }
    }

    /// [`batch`](Self::batch) with the options as JSON, in the form of the specification; `null` means no options.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for an option that is unknown, missing or of
    /// the wrong type.
    pub fn batch_json(&self, kind: OperationKind, options: &Value) -> Result<BatchBuilder, Error> {
        Ok(self.batch(Options::from_user_json(kind, options)?))
    }
}

impl BatchBuilder {
    /// The directory for the result files, created if it does not exist. A result file gets the stem of its source
    /// with the extension of the operation's result. If two sources of the batch have the same name, `-2`, `-3` and so
    /// on is appended to the later names. A result file replaces a file of the same name that is left from before the
    /// batch, unless [`overwrite`](Self::overwrite) forbids it, but never its source. Default: result files stay in the
    /// service.
    pub fn to(mut self, directory: impl Into<PathBuf>) -> Self {
        self.to = Some(directory.into());
        self
    }

    /// Whether a result may replace a file that is left from before the batch. Otherwise that document fails before it
    /// is sent. Documents that an earlier run of the same journal completed are skipped in both cases. Default: true.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.keep_existing = !overwrite;
        self
    }

    /// Keeps subfolders: a source in a subfolder of `directory` gets its result in the same subfolder of the
    /// directory of the results.
    pub fn relative_to(mut self, directory: impl Into<PathBuf>) -> Self {
        self.relative_to = Some(directory.into());
        self
    }

    /// How many documents are in progress at the same time: 1 to 256. Default: 8.
    pub fn concurrency(mut self, documents: usize) -> Self {
        self.concurrency = documents;
        self
    }

    /// The path of a journal file: before the next step of a document begins, the previous step is written to the
    /// journal. The journal has one JSON object per line, and no secrets. A batch with the journal of an earlier run
    /// resumes that run: completed documents are skipped, uploaded documents and started operations are not uploaded
    /// or started again, and failed documents are tried again. A source whose length or modification time has changed
    /// counts as a new document. Default: no journal.
    pub fn journal(mut self, path: impl Into<PathBuf>) -> Self {
        self.journal = Some(path.into());
        self
    }

    /// After the first failed document, the batch starts no further documents; documents in progress are completed.
    /// Default: the batch continues after a failed document.
    pub fn stop_on_error(mut self, stop: bool) -> Self {
        self.stop_on_error = stop;
        self
    }

    /// When `stop` is triggered, the batch takes no further sources, and ends when the documents in progress have
    /// ended. By contrast, [`Call::cancel`](crate::Call::cancel) also cancels the documents in progress.
    pub fn until(mut self, stop: &Cancel) -> Self {
        self.until = stop.clone();
        self
    }

    /// Deletes a document and its result from the service as soon as the result is saved. Default: both stay in the
    /// service.
    pub fn delete_after(mut self, delete: bool) -> Self {
        self.delete_after = delete;
        self
    }

    /// Sends a document even if the operation does not accept its extension. Default: such a document fails.
    pub fn force(mut self, force: bool) -> Self {
        self.call.force = force;
        self
    }

    /// [`Call::extra_options`](crate::Call::extra_options) for each document.
    pub fn extra_options(mut self, options: Value) -> Self {
        self.call.extra_options = options;
        self
    }

    /// [`Call::header`](crate::Call::header) for the calls of each document.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.call.headers.push((name.into(), value.into()));
        self
    }

    /// Starts the batch over `sources`: paths, `http(s)://` addresses that the service downloads (see
    /// [`Source::path`](crate::Source::path)), any other [`Source`](crate::Source), or operations, whose results are
    /// waited for. Items and the journal contain no query of an address. No source is read and nothing is sent before
    /// the first [`next_item`](Batch::next_item). A source that occurs twice is processed twice. With a journal, a
    /// source without an identity (bytes, a reader) fails.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for invalid options;
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) for settings that contradict each other, and for a journal
    /// that is damaged, in use, or was written with another operation, other options or another service;
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) for a directory that cannot be created or a journal that cannot be
    /// opened.
    pub fn run<'s, I>(self, sources: I) -> Result<Batch<'s>, Error>
    where
        I: IntoIterator,
        I::Item: Into<BatchSource> + 's,
        I::IntoIter: Send + 's,
    {
        self.start(Box::new(Given(sources.into_iter().map(Into::into).fuse())), None)
    }

    /// Starts the batch over `sources`, of which `originals` are the files if they come from a watched folder.
    pub(super) fn start<'s>(
        self,
        sources: Box<dyn Sources + 's>,
        originals: Option<Box<dyn Originals>>,
    ) -> Result<Batch<'s>, Error> {
        let configured = |error: Error| error.in_phase(Phase::Configure);
        self.check().map_err(configured)?;
        let to = self.to.as_deref().map(created).transpose().map_err(configured)?;
        let sent = merged(self.options.to_json(), &self.call.extra_options)?;
        let header = Header::of(&self.client, self.options.kind(), sent);
        let (journal, progress) = match &self.journal {
            Some(path) => Journal::open(path, &header).map_err(configured)?,
            None => (Journal::none(), HashMap::new()),
        };
        let known = progress.values().filter_map(|progress| progress.target.as_deref()?.parent());
        known.chain(to.as_deref()).collect::<HashSet<_>>().into_iter().for_each(target_file::clear_leftovers);
        let relative_to = self.relative_to.as_deref().map(absolute);
        let paths = ResultPaths::new(to, relative_to, &progress, originals.is_some());
        let mut context = BatchContext::new(self.client, self.options, self.delete_after, self.call, journal);
        context.keep_existing = self.keep_existing;
        context.originals = originals;
        let stop = (self.stop_on_error, self.until);
        Ok(Batch::new(context, sources, self.concurrency, stop, progress, paths))
    }

    fn check(&self) -> Result<(), Error> {
        self.options.check()?;
        extra_headers::read(&self.call.headers)?;
        if !(1..=MOST_AT_ONCE).contains(&self.concurrency) {
            return Err(Error::config(format!(
                "invalid concurrency {}: it can be 1 to {MOST_AT_ONCE}",
                self.concurrency
            )));
        }
        if self.delete_after && self.to.is_none() && self.options.kind().yields() == Yields::File {
            return Err(Error::config("delete_after would delete the results before they are saved")
                .advise("Set a directory for the results (to), or leave them in the service"));
        }
        Ok(())
    }
}

/// Creates `directory` if it does not exist. Returns the absolute path of the directory.
fn created(directory: &Path) -> Result<PathBuf, Error> {
    std::fs::create_dir_all(directory)
        .map_err(|error| Error::io(format_args!("cannot create {}", directory.display()), error))?;
    Ok(absolute(directory))
}
