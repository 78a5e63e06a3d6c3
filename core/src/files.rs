//! The files in the service: placing, listing, looking up, deleting, fetching.

use crate::address::SignedUrl;
use crate::call::Call;
use crate::client::Client;
use crate::error::{Error, Phase};
use crate::exchange::{Ask, Memory, TwoPaths};
use crate::result::OutputFile;
use crate::sink::Sink;
use crate::source::{Document, FileId, Source};
use crate::transport::Scope;
use http::Method;
use recto_interface::{FileList, FileRecord, FromUrlRequest, FromUrlResponse, endpoint};
use std::path::PathBuf;

/// The files in the service. It is a cheap handle on its [`Client`].
#[derive(Clone, Debug)]
pub struct Files {
    client: Client,
}

/// What was downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Downloaded {
    /// Its length in bytes.
    pub length: u64,
    /// Where it is, if it went to a file.
    pub path: Option<PathBuf>,
}

impl Files {
    pub(crate) fn new(client: Client) -> Self {
        Self { client }
    }

    /// Places a document in the service, streamed, whatever its size.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) for a document that cannot be read, and those of any request.
    pub fn upload(&self, source: impl Into<Source>, call: &Call<'_>) -> Result<FileId, Error> {
        let source = source.into();
        let label = source.label();
        let placed = self.run("upload", call, Phase::Upload, async |scope| {
            let mut document = Document::open(source).await?;
            scope.upload(&mut document).await
        });
        placed.map_err(|error| error.of_document(Some(&label)))
    }

    /// Has the service fetch a document itself.
    ///
    /// # Errors
    /// Those of any request. The address's query appears in none.
    pub fn upload_from_url(&self, url: &str, call: &Call<'_>) -> Result<FileId, Error> {
        self.run("upload_from_url", call, Phase::Upload, async |scope| {
            let paths = TwoPaths {
                first: endpoint::UPLOAD_FROM_URL,
                beta: endpoint::UPLOAD_FROM_URL_BETA,
                memory: Memory::FromUrl,
            };
            let request = FromUrlRequest { file_url: url.to_owned() };
            let answer =
                scope.ask_two_paths(paths, |path| Ask::new(Method::POST, path).with_json(&request)).await?;
            let placed: FromUrlResponse = answer.json()?;
            if !endpoint::is_segment(&placed.file_id) {
                return Err(answer.nonsense("its answer names no file"));
            }
            Ok(FileId::new(placed.file_id))
        })
    }

    /// The active files; only result files, if so wished.
    ///
    /// # Errors
    /// Those of any request.
    pub fn list(&self, only_result_files: bool, call: &Call<'_>) -> Result<Vec<FileRecord>, Error> {
        self.run("list", call, Phase::Files, async |scope| {
            let path = if only_result_files {
                format!("{}?{}=true", endpoint::FILES, endpoint::ONLY_RESULT_FILES)
            } else {
                endpoint::FILES.to_owned()
            };
            let answer = scope.ask(&Ask::new(Method::GET, path), &[]).await?;
            Ok(answer.json::<FileList>()?.files)
        })
    }

    /// What the service knows of a file.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), and those of any request.
    pub fn get(&self, id: &FileId, call: &Call<'_>) -> Result<FileRecord, Error> {
        self.run("get", call, Phase::Files, async |scope| {
            let answer = scope.ask(&Ask::new(Method::GET, path_of(id)?), &[]).await?;
            answer.json()
        })
    }

    /// Deletes a file. Returns the files that the service answers with; which those are, the interface leaves open.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), unless a broken attempt before may have deleted it;
    /// and those of any request.
    pub fn delete(&self, id: &FileId, call: &Call<'_>) -> Result<Vec<FileRecord>, Error> {
        self.run("delete", call, Phase::Files, async |scope| {
            let answer = scope.ask(&Ask::new(Method::DELETE, path_of(id)?), &[404]).await?;
            if answer.status == 404 {
                return if answer.doubtful { Ok(Vec::new()) } else { Err(answer.refusal()) };
            }
            if answer.body.iter().all(u8::is_ascii_whitespace) {
                return Ok(Vec::new());
            }
            Ok(answer.json::<FileList>()?.files)
        })
    }

    /// Fetches what lies at an address that the service gave.
    ///
    /// # Errors
    /// Those of the transfer, and [`ErrorKind::Io`](crate::ErrorKind::Io) where it cannot be written.
    pub fn download(&self, from: &SignedUrl, to: Sink<'_>, call: &Call<'_>) -> Result<Downloaded, Error> {
        self.fetch(from, None, to, call)
    }

    /// Fetches a result file; into a directory under its own name, made safe.
    ///
    /// # Errors
    /// Those of [`download`](Self::download).
    pub fn download_output(
        &self,
        output: &OutputFile,
        to: Sink<'_>,
        call: &Call<'_>,
    ) -> Result<Downloaded, Error> {
        let from = output.url.as_ref().ok_or_else(|| {
            Error::protocol("the result has no address to download it from").in_phase(Phase::Download)
        })?;
        self.fetch(from, output.name.as_deref(), to, call)
    }

    fn fetch(
        &self,
        from: &SignedUrl,
        name: Option<&str>,
        to: Sink<'_>,
        call: &Call<'_>,
    ) -> Result<Downloaded, Error> {
        self.run("download", call, Phase::Download, async |scope| {
            to.check()?;
            let address = scope.presigned(from.expose());
            let address =
                address.map_err(|why| Error::invalid(format!("the address {from} cannot be used: {why}")))?;
            let mut writing = to.open(name)?;
            scope.download(address, &mut writing, async || Ok(None)).await?;
            let length = writing.position();
            Ok(Downloaded { length, path: writing.finish()? })
        })
    }

    fn run<T>(
        &self,
        name: &'static str,
        call: &Call<'_>,
        phase: Phase,
        work: impl AsyncFnOnce(Scope<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _span = tracing::info_span!("files", call = name).entered();
        self.client.run(call, phase, self.client.deadline(call), work)
    }
}

fn path_of(id: &FileId) -> Result<String, Error> {
    if !endpoint::is_segment(id.as_str()) {
        return Err(Error::invalid(format!("{:?} is no file identifier", id.as_str())));
    }
    Ok(endpoint::file(id.as_str()))
}
