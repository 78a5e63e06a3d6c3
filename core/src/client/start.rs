//! Starts operations: on a document, on a file in the service, or on the result of another operation.

use super::{Client, accepted};
use crate::call::Call;
use crate::call::deadline::Deadline;
use crate::error::{Error, Phase};
use crate::http::context::RequestContext;
use crate::http::problem;
use crate::http::request::{ApiRequest, PathMemory, TwoPaths};
use crate::io::owned_file::OwnedFile;
use crate::io::result_name::ResultName;
use crate::io::sink::Sink;
use crate::io::source::{FileId, Source, SourceKind};
use crate::log;
use crate::operation::Operation;
use crate::operation::name::OperationName;
use crate::operation::result::failed_start;
use crate::operation::type_of;
use crate::redact::Scrubber;
use crate::transfer::import;
use http::Method;
use recto_interface::{Input as FileInput, OperationHandle, Options, Secret, StartRequest, endpoint};
use serde_json::{Map, Value};
use std::io::{Seek, SeekFrom};

/// How deep options may be nested. Deeper ones are not read.
const DEPTH: u8 = 16;

/// The document of an operation: a [`Source`], or the result of another operation.
#[derive(Debug)]
pub enum Input {
    /// A document on this machine, or a file in the service.
    Source(Source),
    /// The result of this operation. The start waits for it. If the operation belongs to the same service, its result
    /// file is used there; otherwise it is downloaded and sent.
    Operation(Operation),
}

impl<T: Into<Source>> From<T> for Input {
    fn from(source: T) -> Self {
        Self::Source(source.into())
    }
}

impl From<Operation> for Input {
    fn from(operation: Operation) -> Self {
        Self::Operation(operation)
    }
}

impl From<&Operation> for Input {
    fn from(operation: &Operation) -> Self {
        Self::Operation(operation.clone())
    }
}

impl Input {
    /// The name for results in a folder.
    fn result_name(&self) -> ResultName {
        match self {
            Self::Source(source) => source.result_name(),
            Self::Operation(operation) => operation.result_name(),
        }
    }

    /// The text that messages use for the document.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Source(source) => source.label(),
            Self::Operation(operation) => format!("result of {} {}", operation.name(), operation.id()),
        }
    }
}

/// The work that the service shall do: the operation and its options.
pub(crate) struct Work {
    name: OperationName,
    options: Option<Value>,
    /// Removes the key and the passwords among the options from texts of the service.
    scrubber: Scrubber,
}

impl Work {
    /// An operation of the table, with checked options and those that the caller adds without a check.
    pub(super) fn of(client: &Client, options: &Options, call: &Call<'_>) -> Result<Self, Error> {
        options.check()?;
        Self::new(client, OperationName::Known(options.kind()), options.to_json(), call)
    }

    pub(super) fn new(
        client: &Client,
        name: OperationName,
        options: Option<Value>,
        call: &Call<'_>,
    ) -> Result<Self, Error> {
        let options = merged(options, &call.extra_options)?;
        let mut scrubber = client.session().config().scrubber.clone();
        if let Some(options) = &options {
            add_passwords(options, &mut scrubber, DEPTH);
        }
        Ok(Self { name, options, scrubber })
    }
}

/// The options with those of `extra`, which replace options of the same name. Parts of an object are merged.
pub(crate) fn merged(options: Option<Value>, extra: &Value) -> Result<Option<Value>, Error> {
    match extra {
        Value::Null => Ok(options),
        Value::Object(extra) if extra.is_empty() => Ok(options),
        Value::Object(extra) => {
            let mut all = match options {
                Some(Value::Object(options)) => options,
                _ => Map::new(),
            };
            merge(&mut all, extra, DEPTH);
            Ok(Some(Value::Object(all)))
        }
        _ => Err(Error::invalid("the options to send without a check are not a JSON object")
            .in_phase(Phase::Start)),
    }
}

fn merge(into: &mut Map<String, Value>, from: &Map<String, Value>, depth: u8) {
    for (name, value) in from {
        match (into.get_mut(name), value) {
            (Some(Value::Object(into)), Value::Object(from)) if depth > 0 => merge(into, from, depth - 1),
            _ => drop(into.insert(name.clone(), value.clone())),
        }
    }
}

/// Adds every text with a name such as `password` to `scrubber`.
pub(crate) fn add_passwords(options: &Value, scrubber: &mut Scrubber, depth: u8) {
    let Some(fields) = options.as_object() else { return };
    for (name, value) in fields {
        match value {
            Value::String(text) if name.to_ascii_lowercase().contains("password") => {
                scrubber.add(&Secret::from(text.as_str()));
            }
            value if depth > 0 => add_passwords(value, scrubber, depth - 1),
            _ => {}
        }
    }
}

impl Client {
    /// Starts `work` on `input`, and logs if that fails.
    pub(super) fn start_work(&self, input: Input, work: &Work, call: &Call<'_>) -> Result<Operation, Error> {
        let (label, name) = (input.label(), input.result_name());
        let _span = tracing::info_span!("start", kind = %work.name).entered();
        let deadline = self.session().deadline(call);
        let document = match input {
            Input::Source(source) => Ok((source, None)),
            Input::Operation(previous) => self.result_of(&previous, call, deadline),
        };
        let started = document
            .and_then(|(source, owned)| self.start_source(source, owned, &label, work, call, deadline));
        let started = started.map(|started| started.named(name));
        started.inspect_err(|error| log::failed(work.name.as_str(), Some(&label), error))
    }

    fn start_source(
        &self,
        source: Source,
        owned: Option<OwnedFile>,
        label: &str,
        work: &Work,
        call: &Call<'_>,
        deadline: Deadline,
    ) -> Result<Operation, Error> {
        let started = self.session().run_until(call, Phase::Start, deadline, async |context| {
            if let (Some(kind), false) = (work.name.kind(), call.force) {
                accepted(kind, &source)?;
            }
            let (file, uploaded, owned) = match source.0 {
                SourceKind::File(id) => (id, None, owned),
                _ => {
                    let placed = import::place(&context.in_phase(Phase::Upload), source).await;
                    let id = placed.map_err(|error| error.in_phase(Phase::Upload))?;
                    let owned = self.session().owned(&id);
                    owned.iter().for_each(OwnedFile::mark_used);
                    (id.clone(), Some(id), owned)
                }
            };
            let started = self.start_on(&context, file, work).await?;
            Ok(started.on(label.to_owned(), uploaded).owning(owned))
        });
        started.map_err(|error| error.of_document(Some(label)).scrubbed(&work.scrubber))
    }

    /// The result of `previous` as a source: its file in the service, which then belongs to both operations, or a copy
    /// on this machine if the service is another one or did not name the file.
    pub(crate) fn result_of(
        &self,
        previous: &Operation,
        call: &Call<'_>,
        deadline: Deadline,
    ) -> Result<(Source, Option<OwnedFile>), Error> {
        let result = previous.wait_until(call, deadline)?;
        let Some(output) = result.output else {
            return Err(Error::invalid(format!("{} has no result file", previous.name()))
                .in_phase(Phase::Start)
                .advise("Pass an operation that yields a file"));
        };
        match output.file_id {
            Some(id) if previous.base_url() == self.base_url() => {
                Ok((Source::file(FileId::new(id)), previous.use_result()))
            }
            _ => {
                let cannot = |error| Error::io("cannot write a temporary file for the document", error);
                let mut copy = tempfile::tempfile().map_err(cannot)?;
                previous.fetch_until(Sink::writer(&mut copy), call, deadline)?;
                copy.seek(SeekFrom::Start(0)).map_err(cannot)?;
                let name = output.name.unwrap_or_else(|| "document.pdf".to_owned());
                Ok((Source::seekable(Box::new(copy), name), None))
            }
        }
    }

    async fn start_on(
        &self,
        context: &RequestContext<'_>,
        file: FileId,
        work: &Work,
    ) -> Result<Operation, Error> {
        let input = Some(FileInput { file_id: Some(file.into()) });
        let request = StartRequest { input, options: work.options.clone() };
        let build = |path: &str| Ok(ApiRequest::new(Method::POST, path).with_json(&request)?.starting_work());
        let response = match &work.name {
            OperationName::Other(name) => {
                build(&format!("{}/{name}", endpoint::OPERATIONS))?.send(context, &[]).await?
            }
            OperationName::Known(kind) => match kind.beta_path() {
                Some(beta) => {
                    let paths = TwoPaths { first: kind.path(), beta, memory: PathMemory::PowerArchive };
                    paths.send(context, build).await?
                }
                None => build(kind.path())?.send(context, &[]).await?,
            },
        };
        let handle: OperationHandle = response.json()?;
        if !endpoint::is_segment(&handle.operation_id) {
            return Err(response.unexpected("the response to the start has no operation id"));
        }
        if let Some(error) = failed_start(&response, &handle) {
            return Err(error.of_operation(&handle.operation_id));
        }
        let operation_type = handle.operation_type.unwrap_or_else(|| type_of(&work.name));
        tracing::debug!(id = %handle.operation_id, "started");
        let (name, scrubber) = (work.name.clone(), work.scrubber.clone());
        let operation =
            Operation::started(self.session(), handle.operation_id, name, operation_type, scrubber);
        Ok(operation.started_by(problem::request_id(&response.headers)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn extra_options_are_added_to_the_options_and_replace_them() {
        let options = || Some(json!({"pageMargin": {"margin": 1, "unit": "cm"}, "pageSize": "a4"}));
        let extra = json!({"pageMargin": {"unit": "mm"}, "pageSize": "a3", "newer": [1]});
        let all = merged(options(), &extra).unwrap();
        let wanted = json!({"pageMargin": {"margin": 1, "unit": "mm"}, "pageSize": "a3", "newer": [1]});
        assert_eq!(all, Some(wanted));
        assert_eq!(merged(options(), &Value::Null).unwrap(), options());
        assert_eq!(merged(None, &json!({})).unwrap(), None);
        assert!(merged(None, &json!([1])).is_err());
    }

    #[test]
    fn passwords_are_found_at_any_depth() {
        let mut scrubber = Scrubber::default();
        let options =
            json!({"ownerPassword": "sesame-one-1", "deep": {"password": "sesame-two-2"}, "text": "plain"});
        add_passwords(&options, &mut scrubber, DEPTH);
        let clean = scrubber.scrub("sesame-one-1 sesame-two-2 plain").into_owned();
        assert!(!clean.contains("sesame") && clean.contains("plain"), "{clean}");
    }
}
