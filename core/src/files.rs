//! The files in the service: uploading, listing, looking up, deleting and downloading them.

use crate::call::Call;
use crate::error::{Error, Phase};
use crate::file_record;
use crate::http::address::SignedUrl;
use crate::http::context::RequestContext;
use crate::http::request::{ApiRequest, ApiResponse};
use crate::io::sink::Sink;
use crate::io::source::{FileId, Source};
use crate::io::target_file::Rules;
use crate::io::web_address::WebAddress;
use crate::operation::result::OutputFile;
use crate::session::Session;
use crate::transfer::download::{self, Downloaded};
use crate::transfer::import;
use http::Method;
use recto_interface::{FileRecord, endpoint};
use serde_json::Value;

/// The files in the service. Cloning a `Files` value is cheap; it belongs to its [`Client`](crate::Client).
#[derive(Clone, Debug)]
pub struct Files {
    session: Session,
}

impl Files {
    pub(crate) fn new(session: Session) -> Self {
        Self { session }
    }

    /// Uploads a document to the service. The document is streamed, so that its size does not matter. A document at an
    /// address is downloaded by the service.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) for a document that cannot be read, and the errors of any request.
    pub fn upload(&self, source: impl Into<Source>, call: &Call<'_>) -> Result<FileId, Error> {
        let source = source.into();
        let label = source.label();
        let uploaded =
            self.run("upload", call, Phase::Upload, async |context| import::place(&context, source).await);
        uploaded.map_err(|error| error.of_document(Some(&label)))
    }

    /// Makes the service download the document at the address `url`.
    ///
    /// # Errors
    /// The errors of any request. No error contains the query of the address.
    pub fn upload_from_url(&self, url: &str, call: &Call<'_>) -> Result<FileId, Error> {
        let address = WebAddress::new(url);
        self.run("upload_from_url", call, Phase::Upload, async |context| {
            import::import(&context, &address).await
        })
    }

    /// Lists the files in the service, or only the result files.
    ///
    /// # Errors
    /// The errors of any request.
    pub fn list(&self, only_result_files: bool, call: &Call<'_>) -> Result<Vec<FileRecord>, Error> {
        self.run("list", call, Phase::Files, async |context| {
            let path = if only_result_files {
                format!("{}?{}=true", endpoint::FILES, endpoint::ONLY_RESULT_FILES)
            } else {
                endpoint::FILES.to_owned()
            };
            let response = ApiRequest::new(Method::GET, path).send(&context, &[]).await?;
            // A response without `files` is an error: it does not mean that the service has no files.
            records(&response)?.ok_or_else(|| response.unexpected("the list of files has no field `files`"))
        })
    }

    /// Returns the service's record of a file.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), and the errors of any request.
    pub fn get(&self, id: &FileId, call: &Call<'_>) -> Result<FileRecord, Error> {
        self.run("get", call, Phase::Files, async |context| {
            let response = ApiRequest::new(Method::GET, path_of(id)?).send(&context, &[]).await?;
            let record = file_record::read(response.json()?);
            record.ok_or_else(|| response.unexpected("the record of the file has no id"))
        })
    }

    /// Deletes a file. Returns the files that the service lists in its response; the specification does not define
    /// which files these are.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the service does not have the file, unless an earlier
    /// failed attempt of this call may have deleted it; and the errors of any request.
    pub fn delete(&self, id: &FileId, call: &Call<'_>) -> Result<Vec<FileRecord>, Error> {
        self.run("delete", call, Phase::Files, async |context| {
            let response = ApiRequest::new(Method::DELETE, path_of(id)?).send(&context, &[404]).await?;
            if response.status == 404 {
                return if response.maybe_processed_before { Ok(Vec::new()) } else { Err(response.error()) };
            }
            if response.body.iter().all(u8::is_ascii_whitespace) {
                return Ok(Vec::new());
            }
            Ok(records(&response)?.unwrap_or_default())
        })
    }

    /// Downloads a file from an address that the service returned.
    ///
    /// # Errors
    /// The errors of the transfer, and [`ErrorKind::Io`](crate::ErrorKind::Io) if the result cannot be written.
    pub fn download(&self, from: &SignedUrl, to: Sink<'_>, call: &Call<'_>) -> Result<Downloaded, Error> {
        self.fetch(from, None, to, call)
    }

    /// Downloads a result file. If `to` is a directory, the file gets the stem of the name that the service gave to the
    /// result, without unsafe characters, and the extension of its format. An existing file is not replaced.
    ///
    /// # Errors
    /// The errors of [`download`](Self::download), and [`ErrorKind::Protocol`](crate::ErrorKind::Protocol) if
    /// `output` has no address.
    pub fn download_output(
        &self,
        output: &OutputFile,
        to: Sink<'_>,
        call: &Call<'_>,
    ) -> Result<Downloaded, Error> {
        let from = output
            .url
            .as_ref()
            .ok_or_else(|| Error::protocol("the result has no download address").in_phase(Phase::Download))?;
        self.fetch(from, output.name.as_deref(), to, call)
    }

    fn fetch(
        &self,
        from: &SignedUrl,
        name: Option<&str>,
        to: Sink<'_>,
        call: &Call<'_>,
    ) -> Result<Downloaded, Error> {
        self.run("download", call, Phase::Download, async |context| {
            let rules = Rules {
                keep_existing: call.keep_existing,
                written: self.session.written().clone(),
                ..Rules::default()
            };
            to.check(&rules)?;
            let address = context.presigned(from.expose());
            let address =
                address.map_err(|why| Error::invalid(format!("invalid download address {from}: {why}")))?;
            let mut sink = to.open(name, rules)?;
            download::download(&context, address, &mut sink, async || Ok(None)).await?;
            let length = sink.position();
            Ok(Downloaded { length, path: sink.finish()? })
        })
    }

    fn run<T>(
        &self,
        name: &'static str,
        call: &Call<'_>,
        phase: Phase,
        work: impl AsyncFnOnce(RequestContext<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _span = tracing::info_span!("files", call = name).entered();
        self.session.run(call, phase, work)
    }
}

/// The records in the response. `None` if it has no list `files`. An entry without an identifier is left out, with a
/// warning in the log.
fn records(response: &ApiResponse) -> Result<Option<Vec<FileRecord>>, Error> {
    let mut list: Value = response.json()?;
    let Some(Value::Array(entries)) = list.get_mut("files").map(Value::take) else { return Ok(None) };
    let number = entries.len();
    let records: Vec<_> = entries.into_iter().filter_map(file_record::read).collect();
    if records.len() < number {
        tracing::warn!(entries = number - records.len(), "the list of files has entries without an id");
    }
    Ok(Some(records))
}

fn path_of(id: &FileId) -> Result<String, Error> {
    if !endpoint::is_segment(id.as_str()) {
        return Err(Error::invalid(format!("invalid file id {:?}", id.as_str())));
    }
    Ok(endpoint::file(id.as_str()))
}
