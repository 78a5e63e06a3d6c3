//! The format of a scenario file. `tests/recordings/README.md` explains each field; `schema.json` is the same for
//! other tools. Unknown fields are refused.

use serde::de::{self, MapAccess, SeqAccess, Visitor, value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// One scenario: one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    /// `<area>.<name>`, like the file name.
    pub id: String,
    /// What it shows, as a sentence.
    pub about: String,
    /// The sentences of `behaviour.json` that it shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shows: Vec<String>,
    /// Where the exchanges come from.
    pub origin: Origin,
    /// Additional variables of this scenario.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// How the three origins listen, unless as plain TCP from the start.
    #[serde(default, skip_serializing_if = "is_default")]
    pub listen: Listen,
    /// Files made for the run in `{{in}}`: name and length.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, u64>,
    /// Files that are in `{{out}}` before the first call: name, and the body they are copied from.
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
    /// What the caller must get: one for each call.
    pub expect: OneOrMany<Expect>,
    /// Every file in `{{out}}` at the end, including temporary ones; none if left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, FileExpect>,
}

/// Where a scenario comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Origin {
    /// The kind.
    pub kind: OriginKind,
    /// What was recorded, or which paragraph of the specification the scenario is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Whether the same requests can be sent to any service, to check that it conforms to the interface.
    #[serde(default, skip_serializing_if = "is_default")]
    pub service: bool,
}

/// The kinds of origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OriginKind {
    /// Written from the specification, or from the client's documented behaviour where the specification says
    /// nothing.
    Specification,
    /// Taken from a running service by the recorder.
    Recorded,
    /// An injected failure.
    Fault,
}

/// The three origins of every scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Host {
    /// The origin of the base URL, the only one that may receive the key.
    #[default]
    Api,
    /// The origin of upload and download addresses.
    Storage,
    /// Another origin, as the target of redirects or as a proxy.
    Elsewhere,
}

impl Host {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Api, Self::Storage, Self::Elsewhere];

    /// The name, which is also the variable of its address.
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
    /// The origins with TLS, whose certificate is issued by `{{caBundle}}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tls: Vec<Host>,
    /// Whether they require a client certificate: `{{clientCertificate}}`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub client_certificate: bool,
    /// Origins that refuse connections for this many milliseconds first.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub after_ms: BTreeMap<Host, u64>,
}

/// Settings of the client. Settings that are left out have the client's default, except base URL and key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientSettings {
    /// `{{api}}` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// `{{apiKey}}` if left out; empty means no key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
    /// Environment variables; with them, base URL and key are not set in any other way.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// The time limit of a whole call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The time limit for establishing a connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_timeout_ms: Option<u64>,
    /// The time limit without any byte on a connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stall_timeout_ms: Option<u64>,
    /// The time limit of waiting for a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_timeout_ms: Option<u64>,
    /// How often a request is repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// Whether a start with an unknown outcome is repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_unknown: Option<bool>,
    /// Whether plain http to another machine is allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_http: Option<bool>,
    /// A proxy for all requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
    /// A file of trusted certificates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_bundle: Option<String>,
    /// A file with the client's certificate and key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate: Option<String>,
    /// The `User-Agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// The size limit of a JSON response in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json_limit: Option<u64>,
}

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Op {
    /// Uploads a document.
    Upload,
    /// Lets the service download a document from its address.
    UploadUrl,
    /// Lists the files.
    List,
    /// One file's record.
    Get,
    /// Deletes a file.
    Delete,
    /// Starts an operation, which becomes the current one.
    Start,
    /// One request for the current operation's result.
    Status,
    /// Waits for the current operation.
    Wait,
    /// Waits, and saves the result at `to`, a file or a directory.
    Save,
    /// Waits, reads the result into memory, and puts that into the file `to`.
    Read,
    /// Waits, and streams the result into a sink that writes the file `to`.
    WriteTo,
    /// The current operation's resume token, which becomes the current token.
    Token,
    /// Resumes the current token, or `token`: the current operation.
    Resume,
    /// Closes the client.
    Close,
    /// Replaces the client by a new one with the same settings, like another process.
    NewClient,
}

/// Where a document comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum From {
    /// The file `file`.
    Path,
    /// The bytes of `file`, under the name `name`.
    Bytes,
    /// A stream of the bytes of `file`, without rewinding and without a known length, under the name `name`.
    Reader,
    /// The same with a known length.
    SizedReader,
    /// The file `fileId`, which is already in the service.
    FileId,
}

/// One call through the client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Call {
    /// What it does.
    pub op: Op,
    /// `start`: the operation, as `stamp-qr`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// `upload`, `start`: where the document comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<From>,
    /// The path of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The document's name, where `from` does not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A file in the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_id: Option<String>,
    /// `start`: the specification's `options` object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Map<String, Value>>,
    /// `uploadUrl`: the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// `list`: only result files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_result_files: Option<bool>,
    /// `newClient`: its base URL, where not the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// `resume`: a token, where not the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// `save`, `read`, `writeTo`: the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The extension is not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
    /// The limit of this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The limit of the wait in this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_timeout_ms: Option<u64>,
    /// Another thread cancels the call after this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_after_ms: Option<u64>,
    /// Another thread closes the client after this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close_after_ms: Option<u64>,
    /// The progress callback requests a stop at the first report of this phase: `upload`, `wait` or `download`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_at_phase: Option<String>,
    /// The outcome carries the progress reports.
    #[serde(default, skip_serializing_if = "is_default")]
    pub progress: bool,
}

/// One request, and what the server does with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Exchange {
    /// The request that must come.
    pub request: Request,
    /// The response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    /// What goes wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// How often the request comes; once when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Repeat>,
}

/// An expected request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Request {
    /// The request of this earlier exchange (counted from 0) again; headers given here are added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same: Option<usize>,
    /// The method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The origin it comes to; `api` when left out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub to: Host,
    /// The request target, byte for byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Headers that it must have, once each, with this value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Headers that it must not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbid_headers: Vec<String>,
    /// The body, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// The body, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The body, in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// The body, as a file name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_file: Option<String>,
}

/// A response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// Headers; `Content-Length` and, for `json`, `Content-Type` are added unless given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The delay before the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// The body is sent in chunks, without its length.
    #[serde(default, skip_serializing_if = "is_default")]
    pub chunked: bool,
    /// The body, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// The body, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The body, in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// The body, as a file name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_file: Option<String>,
    /// The body: a JSON text of this many bytes, most of them one long string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json_of_bytes: Option<u64>,
    /// Only the bytes from the first to before the second of the body are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice: Option<(usize, usize)>,
}

/// A fault in an exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// After this many bytes of the request's body; the head alone for 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_request_bytes: Option<usize>,
    /// After this many bytes of the response body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_response_bytes: Option<usize>,
    /// `drip`: bytes at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk_bytes: Option<usize>,
    /// `drip`: the time between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_ms: Option<u64>,
}

/// The kinds of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FaultKind {
    /// The connection is reset (RST).
    Reset,
    /// The connection is closed (FIN).
    Close,
    /// Nothing more is read or sent; the connection stays.
    Stall,
    /// The response announces its whole length, ends after `afterResponseBytes`, and the connection is closed.
    Truncate,
    /// The response body is sent in pieces: `chunkBytes` every `everyMs`.
    Drip,
    /// The response is chunked and has a malformed chunk after `afterResponseBytes`.
    BadChunk,
    /// The response is not HTTP.
    Garbage,
}

/// How often a request is expected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Repeat {
    /// Exactly this often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// At least this often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<u32>,
    /// At most this often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u32>,
    /// Any number of times within this many milliseconds of the first; the next request belongs to the next exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_ms: Option<u64>,
}

impl Repeat {
    /// The least and the greatest count.
    pub fn bounds(repeat: Option<&Self>) -> (u32, u32) {
        match repeat {
            None => (1, 1),
            Some(Self { times: Some(times), .. }) => (*times, *times),
            Some(repeat) => (repeat.at_least.unwrap_or(1), repeat.at_most.unwrap_or(u32::MAX)),
        }
    }
}

/// What the caller must get from one call: `ok` or `error`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expect {
    /// Fields of the result; others are not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<Map<String, Value>>,
    /// The error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorExpect>,
    /// Bounds of the call's duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<Bounds>,
    /// Phases, and the expected last report of each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub progress: BTreeMap<String, ProgressExpect>,
}

/// An expected error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorExpect {
    /// The class, as `RateLimited`.
    pub kind: String,
    /// Fields such as `status`; others are not checked.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
    /// Texts that the message must contain, in any case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub message_has: Vec<String>,
    /// Texts that neither the message nor a field may contain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never: Vec<String>,
}

/// Bounds, both included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bounds {
    /// The least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<u64>,
    /// The greatest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

/// The expected last progress report of a phase. Reports must never go back or exceed the total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProgressExpect {
    /// Bytes done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<u64>,
    /// Bytes in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// An expected file in `{{out}}` at the end, by exactly one of these fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileExpect {
    /// It has the bytes of this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
    /// Its SHA-256, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// It begins with this text and is not empty: for results that differ in each run.
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

// Implemented by hand: serde's untagged enums lose the position of an error.
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
