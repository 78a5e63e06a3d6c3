//! The format of a scenario file. `tests/recordings/README.md` explains every field; `schema.json` describes the same
//! format for other tools. Unknown fields are errors.

use serde::de::{self, MapAccess, SeqAccess, Visitor, value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// A scenario. Each file contains one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    /// The id: `<area>.<name>`, as in the path of the file.
    pub id: String,
    /// What the scenario shows, as a sentence.
    pub about: String,
    /// The identifiers of the sentences in `behaviour.json` that the scenario shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shows: Vec<String>,
    /// How the exchanges were made: written, or recorded from a service.
    pub origin: Origin,
    /// Additional variables of this scenario.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// How the three origins listen. Default: plain TCP, from the start.
    #[serde(default, skip_serializing_if = "is_default")]
    pub listen: Listen,
    /// Files that are created in `{{in}}` for the run: the name, and the length in bytes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, u64>,
    /// Files that are in `{{out}}` before the first call: the name, and the body file from which they are copied.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub before: BTreeMap<String, String>,
    /// Settings of the client.
    #[serde(default, skip_serializing_if = "is_default")]
    pub client: ClientSettings,
    /// The calls: one, or several in order.
    pub call: OneOrMany<Call>,
    /// The expected HTTP exchanges, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<Exchange>,
    /// What the caller must get from each call.
    pub expect: OneOrMany<Expect>,
    /// Every file that must be in `{{out}}` at the end, including temporary files. If left out, there must be no
    /// files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, FileExpect>,
}

/// How a scenario was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Origin {
    /// How the scenario was made.
    pub kind: OriginKind,
    /// What was recorded, or the paragraph of the specification that the scenario is based on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Whether the same requests can be sent to any service, to check that it conforms to the interface.
    #[serde(default, skip_serializing_if = "is_default")]
    pub service: bool,
}

/// The ways in which a scenario can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OriginKind {
    /// Written according to the specification, or according to the documented behaviour of the client where the
    /// specification does not define something.
    Specification,
    /// Recorded from a running service.
    Recorded,
    /// Written to test a failure that the test server injects.
    Fault,
}

/// The three origins of every scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Host {
    /// The origin of the base URL. Only this origin may receive the API key.
    #[default]
    Api,
    /// The origin to which documents are uploaded, and from which results are downloaded.
    Storage,
    /// Another origin: the target of redirects, or a proxy.
    Elsewhere,
}

impl Host {
    /// All three origins.
    pub const ALL: [Self; 3] = [Self::Api, Self::Storage, Self::Elsewhere];

    /// The name of the origin. The variable with this name contains the address of the origin.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Storage => "storage",
            Self::Elsewhere => "elsewhere",
        }
    }
}

/// How the origins listen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Listen {
    /// The origins that use TLS. Their certificates are issued by the authority `{{caBundle}}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tls: Vec<Host>,
    /// Whether the origins with TLS require the client certificate `{{clientCertificate}}`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub client_certificate: bool,
    /// Origins that at first refuse connections, for this number of milliseconds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub after_ms: BTreeMap<Host, u64>,
}

/// Settings of the client. A setting that is left out has the default of the client, except the base URL and the key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientSettings {
    /// The base URL; `{{api}}` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The API key; `{{apiKey}}` if left out. An empty text means that there is no key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
    /// Environment variables for the client. If there are any, the base URL and the key come only from them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// The time limit of a whole call, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The time limit for establishing a connection, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_timeout_ms: Option<u64>,
    /// How long a connection may go without a byte, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stall_timeout_ms: Option<u64>,
    /// The time limit for waiting for a result, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_timeout_ms: Option<u64>,
    /// How many times a request is repeated at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// Whether a start is repeated if it is unknown whether it succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_unknown: Option<bool>,
    /// Whether plain http to another machine is allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_http: Option<bool>,
    /// The proxy for all requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
    /// A file with trusted certificates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_bundle: Option<String>,
    /// A file with the client's certificate and key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate: Option<String>,
    /// The value of the header `User-Agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// The size limit of a JSON response in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json_limit: Option<u64>,
    /// Extra headers of the requests to the service.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Op {
    /// Uploads a document.
    Upload,
    /// Requests that the service downloads a document from an address.
    UploadUrl,
    /// Lists the files in the service.
    List,
    /// Requests the record of one file.
    Get,
    /// Deletes a file.
    Delete,
    /// Starts an operation. It becomes the current operation.
    Start,
    /// Starts an operation that the client may not know, with options that are sent without a check. It becomes the
    /// current operation.
    Run,
    /// Sends one request for the result of the current operation.
    Status,
    /// Waits for the result of the current operation.
    Wait,
    /// Waits for the result, and saves it at `to`, which is a file or a directory.
    Save,
    /// Waits for the result, reads it into memory, and writes it to the file `to`.
    Read,
    /// Waits for the result, and streams it into a sink that writes the file `to`.
    WriteTo,
    /// Returns the resume token of the current operation, which becomes the current token.
    Token,
    /// Resumes the operation of `token`, or of the current token. It becomes the current operation.
    Resume,
    /// Deletes the files of the current operation from the service.
    DeleteOperation,
    /// Closes the client.
    Close,
    /// Replaces the client by a copy of it with the settings `changes`.
    WithOptions,
    /// Replaces the client by a new one with the same settings, as if another process continued.
    NewClient,
}

/// Where a document comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum From {
    /// The document is the file `file`.
    Path,
    /// The document is the bytes of `file`, with the name `name`.
    Bytes,
    /// The document is a stream of the bytes of `file`, with the name `name`. The stream cannot be rewound, and its
    /// length is not known.
    Reader,
    /// The same as `reader`, but the length of the stream is known.
    SizedReader,
    /// The document is the file `fileId`, which is already in the service.
    FileId,
    /// The document is the result of the current operation, which the call waits for.
    Operation,
    /// The document is the result file that the last `wait` returned.
    Result,
}

/// One call through the client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Call {
    /// What the call does.
    pub op: Op,
    /// For `start`: the name of the operation, such as `stamp-qr`. For `run`: also the end of another endpoint, such as
    /// `convert/pdf-to-webp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// For `upload` and `start`: where the document comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<From>,
    /// The path of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The name of the document, if it is not known from `from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The identifier of a file in the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_id: Option<String>,
    /// For `start` and `run`: the object `options` of the specification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Map<String, Value>>,
    /// For `start`: options that are sent besides these without a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra_options: Option<Map<String, Value>>,
    /// Extra headers of the requests of this call to the service.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// For `withOptions`: the settings of the copy: time limits (but not that of a connection), retries, headers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub changes: ClientSettings,
    /// For `uploadUrl`: the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// For `list`: whether only result files are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_result_files: Option<bool>,
    /// For `newClient`: the base URL, if it is not the same as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// For `resume`: the token, if it is not the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// For `save`, `read` and `writeTo`: where the result is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Whether a document is sent even if the operation does not accept its extension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
    /// For `save`, `read` and `writeTo`: whether the files of the operation are deleted from the service afterwards.
    #[serde(default, skip_serializing_if = "is_default")]
    pub delete_after: bool,
    /// For `save`: whether an existing file may be replaced. It may if this is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overwrite: Option<bool>,
    /// The time limit of this call, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The time limit for waiting in this call, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_timeout_ms: Option<u64>,
    /// The time after which another thread cancels the call, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_after_ms: Option<u64>,
    /// The time after which another thread closes the client, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close_after_ms: Option<u64>,
    /// The phase at whose first report the progress callback stops the call: `upload`, `wait` or `download`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_at_phase: Option<String>,
    /// Whether the outcome must contain the progress reports.
    #[serde(default, skip_serializing_if = "is_default")]
    pub progress: bool,
}

/// A request, and how the server reacts to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Exchange {
    /// The request that the server must receive.
    pub request: Request,
    /// The response that the server sends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    /// A fault that the server injects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// How many times the request must be received; once if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Repeat>,
}

/// An expected request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Request {
    /// The index of an earlier exchange (from 0) whose request must be sent again. Headers given here are added to
    /// that request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same: Option<usize>,
    /// The method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The origin that must receive the request; `api` if left out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub to: Host,
    /// The request target, byte for byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Headers that the request must have exactly once, with this value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Headers that the request must not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbid_headers: Vec<String>,
    /// The body as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// The body as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The body as base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// The name of a file with the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_file: Option<String>,
}

/// A response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers. `Content-Length` is added unless it is given, and for `json` also `Content-Type`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// How long the server waits before it responds, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// Whether the body is sent in chunks, without its length.
    #[serde(default, skip_serializing_if = "is_default")]
    pub chunked: bool,
    /// The body as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// The body as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The body as base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// The name of a file with the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_file: Option<String>,
    /// The length of the body in bytes. The body is a JSON text that consists mostly of one long string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json_of_bytes: Option<u64>,
    /// Only this part of the body is sent: it begins at the first position and ends before the second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice: Option<(usize, usize)>,
}

/// A fault in an exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The fault happens after this many bytes of the request body; 0 means after the head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_request_bytes: Option<usize>,
    /// The fault happens after this many bytes of the response body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_response_bytes: Option<usize>,
    /// For `drip`: how many bytes are sent at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk_bytes: Option<usize>,
    /// For `drip`: the time between two pieces, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_ms: Option<u64>,
}

/// The kinds of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FaultKind {
    /// The server resets the connection (RST).
    Reset,
    /// The server closes the connection (FIN).
    Close,
    /// The server reads and sends nothing more, but keeps the connection open.
    Stall,
    /// The response announces its whole length, but the server closes the connection after `afterResponseBytes`.
    Truncate,
    /// The response body is sent in small pieces: `chunkBytes` bytes every `everyMs` milliseconds.
    Drip,
    /// The response is chunked, and has an invalid chunk after `afterResponseBytes`.
    BadChunk,
    /// The server sends a response that is not HTTP.
    Garbage,
}

/// How many times a request is expected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Repeat {
    /// The request is expected exactly this many times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// The request is expected at least this many times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<u32>,
    /// The request is expected at most this many times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u32>,
    /// The request may be received any number of times within this many milliseconds after the first one. A later
    /// request belongs to the next exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_ms: Option<u64>,
}

impl Repeat {
    /// The least and the greatest number of times that a request is expected.
    pub fn bounds(repeat: Option<&Self>) -> (u32, u32) {
        match repeat {
            None => (1, 1),
            Some(Self { times: Some(times), .. }) => (*times, *times),
            Some(repeat) => (repeat.at_least.unwrap_or(1), repeat.at_most.unwrap_or(u32::MAX)),
        }
    }
}

/// What the caller must get from one call. Either `ok` or `error` is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expect {
    /// Fields of the result. Other fields of the result are not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<Map<String, Value>>,
    /// The error that the call must return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorExpect>,
    /// The bounds of the duration of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<Bounds>,
    /// For each phase, the last progress report that is expected.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub progress: BTreeMap<String, ProgressExpect>,
}

/// An expected error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorExpect {
    /// The class of the error, such as `RateLimited`.
    pub kind: String,
    /// Fields of the error, such as `status`. Other fields are not checked.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
    /// Texts that the message must contain. The case does not matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub message_has: Vec<String>,
    /// Texts that neither the message nor a field may contain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never: Vec<String>,
}

/// Bounds of a duration in milliseconds. Both bounds are allowed values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bounds {
    /// The least allowed value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<u64>,
    /// The greatest allowed value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

/// The last progress report that is expected in a phase. No report may go back, or exceed the total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProgressExpect {
    /// The number of bytes transferred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<u64>,
    /// The total number of bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// A file that is expected in `{{out}}` at the end. Exactly one of the fields is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileExpect {
    /// The file has the same bytes as this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
    /// The SHA-256 of the file, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The file begins with this text and is not empty. This is for results that are different in each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins: Option<String>,
}

/// One value, or a list of them.
#[derive(Clone, Debug, PartialEq)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<T: Serialize> Serialize for OneOrMany<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => one.serialize(serializer),
            many => many.serialize(serializer),
        }
    }
}

// Implemented by hand, because untagged enums of serde do not report the position of an error.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = OneOrMany<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object, or a list of objects")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(value::MapAccessDeserializer::new(map)).map(|one| OneOrMany(vec![one]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                let many = Vec::deserialize(value::SeqAccessDeserializer::new(list))?;
                if many.is_empty() { Err(de::Error::invalid_length(0, &self)) } else { Ok(OneOrMany(many)) }
            }
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
