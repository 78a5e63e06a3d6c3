//! The error type: what happened, in which document and request, and what to do next.
//!
//! ```text
//! ErrorKind
//! ├── Config            invalid client settings, or the client was closed
//! ├── InvalidRequest    an invalid request, found before sending or by the service (other 4xx)
//! ├── Auth              401: no API key, or an invalid one
//! ├── PermissionDenied  402, 403
//! ├── NotFound          404, 410
//! ├── RateLimited       429
//! ├── PayloadTooLarge   413
//! ├── Server            5xx
//! ├── Transport         the service could not be reached, or the connection broke
//! ├── RequestTimeout    a request or a transfer took too long, or stalled
//! ├── WaitTimeout       the operation continues; `token()` resumes the wait
//! ├── OperationFailed   the service could not process the document
//! ├── OutcomeUnknown    it is unknown whether the operation started
//! ├── Protocol          unexpected response from the service
//! ├── Cancelled         by the caller, a callback or `Client::close`
//! └── Io                a local file, directory or stream could not be read or written
//! ```

use crate::message::Message;
use crate::redact::Scrubber;
use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// The kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The client's settings are invalid, or the client was closed.
    Config,
    /// The request is invalid. The client found that before sending the request, or the service reported it.
    InvalidRequest,
    /// The service does not accept the API key (401).
    Auth,
    /// The API key has no permission for the request (402, 403).
    PermissionDenied,
    /// The file or operation does not exist (404, 410).
    NotFound,
    /// The service received too many requests (429).
    RateLimited,
    /// The document is larger than the service accepts (413).
    PayloadTooLarge,
    /// The service failed (5xx).
    Server,
    /// The service could not be reached, or the connection broke.
    Transport,
    /// A request or a transfer took longer than allowed, or stalled.
    RequestTimeout,
    /// The operation did not end within the time limit. The operation continues: [`Error::token`] resumes the wait.
    WaitTimeout,
    /// The service could not process the document.
    OperationFailed,
    /// The request to start an operation failed after it was sent: it is unknown whether the operation started.
    OutcomeUnknown,
    /// The service sent an unexpected response.
    Protocol,
    /// The call was cancelled: by the caller, a callback, or [`Client::close`](crate::Client::close).
    Cancelled,
    /// A local file, directory or stream could not be read or written.
    Io,
}

impl ErrorKind {
    /// All kinds of errors.
    pub const ALL: &'static [Self] = &[
        Self::Config,
        Self::InvalidRequest,
        Self::Auth,
        Self::PermissionDenied,
        Self::NotFound,
        Self::RateLimited,
        Self::PayloadTooLarge,
        Self::Server,
        Self::Transport,
        Self::RequestTimeout,
        Self::WaitTimeout,
        Self::OperationFailed,
        Self::OutcomeUnknown,
        Self::Protocol,
        Self::Cancelled,
        Self::Io,
    ];

    /// The name of this kind, the same in every programming language: `RateLimited`, `ServerError`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Config => "ConfigError",
            Self::InvalidRequest => "InvalidRequest",
            Self::Auth => "AuthError",
            Self::PermissionDenied => "PermissionDenied",
            Self::NotFound => "NotFound",
            Self::RateLimited => "RateLimited",
            Self::PayloadTooLarge => "PayloadTooLarge",
            Self::Server => "ServerError",
            Self::Transport => "TransportError",
            Self::RequestTimeout => "RequestTimeout",
            Self::WaitTimeout => "WaitTimeout",
            Self::OperationFailed => "OperationFailed",
            Self::OutcomeUnknown => "OutcomeUnknown",
            Self::Protocol => "ProtocolError",
            Self::Cancelled => "Cancelled",
            Self::Io => "IoError",
        }
    }

    /// The kind of an error response with this HTTP status.
    pub(crate) const fn of_status(status: u16) -> Self {
        match status {
            401 => Self::Auth,
            402 | 403 => Self::PermissionDenied,
            404 | 410 => Self::NotFound,
            408 => Self::RequestTimeout,
            413 => Self::PayloadTooLarge,
            429 => Self::RateLimited,
            400..=499 => Self::InvalidRequest,
            500..=599 => Self::Server,
            _ => Self::Protocol,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The phase of a call in which an error occurred, or whose progress is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Phase {
    /// Building the client, or reading a resume token.
    Configure,
    /// Uploading a document.
    Upload,
    /// Starting an operation.
    Start,
    /// Waiting for an operation to end.
    Wait,
    /// Downloading a result.
    Download,
    /// Listing, looking up or deleting files.
    Files,
}

impl Phase {
    /// The phase in one word, as progress and errors show it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Configure => "configure",
            Self::Upload => "upload",
            Self::Start => "start",
            Self::Wait => "wait",
            Self::Download => "download",
            Self::Files => "files",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error of a call. `Display` writes one line for people; the methods return the parts for programs.
///
/// No error contains the API key, a password or the query of a presigned address.
#[derive(Clone)]
pub struct Error(Box<Details>);

#[derive(Clone)]
struct Details {
    kind: ErrorKind,
    message: Message,
    advice: Option<Cow<'static, str>>,
    phase: Option<Phase>,
    method: Option<&'static str>,
    url: Option<String>,
    status: Option<u16>,
    code: Option<String>,
    title: Option<String>,
    detail: Option<String>,
    request_id: Option<String>,
    operation_id: Option<String>,
    document: Option<String>,
    token: Option<String>,
    attempts: u32,
    retry_after: Option<Duration>,
    body: Option<String>,
    io: Option<io::ErrorKind>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Error {
    /// The kind of error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What happened, without the advice and the context that `Display` also writes.
    pub fn message(&self) -> &str {
        self.0.message.as_str()
    }

    /// Advice about what to do next, if there is any.
    pub fn advice(&self) -> Option<&str> {
        self.0.advice.as_deref()
    }

    /// The phase of the call in which the error occurred.
    pub fn phase(&self) -> Option<Phase> {
        self.0.phase
    }

    /// The HTTP method of the request.
    pub fn method(&self) -> Option<&'static str> {
        self.0.method
    }

    /// The address of the request, without its query.
    pub fn url(&self) -> Option<&str> {
        self.0.url.as_deref()
    }

    /// The HTTP status of the response.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// The error code that the service sent, such as `file_not_found`.
    pub fn code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }

    /// The title that the service sent for this kind of error.
    pub fn title(&self) -> Option<&str> {
        self.0.title.as_deref()
    }

    /// The description of the error that the service sent.
    pub fn detail(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }

    /// The identifier under which the service logged the request.
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// The identifier of the operation that the error is about.
    pub fn operation_id(&self) -> Option<&str> {
        self.0.operation_id.as_deref()
    }

    /// The document of the call: the path or name that the caller passed, or `file <id>` for a file in the service.
    pub fn document(&self) -> Option<&str> {
        self.0.document.as_deref()
    }

    /// How many attempts were made to send the request, including the last one; 0 if no attempt was made.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// How long the client should wait before the next request, if the service requested a delay.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The beginning of the response body, or the raw result of a failed operation.
    pub fn body(&self) -> Option<&str> {
        self.0.body.as_deref()
    }

    /// For an error of kind [`ErrorKind::WaitTimeout`]: the token of the operation. Pass the token to
    /// [`Client::resume`](crate::Client::resume) to wait again.
    pub fn token(&self) -> Option<&str> {
        self.0.token.as_deref()
    }

    /// For an error of kind [`ErrorKind::Io`]: the kind of the I/O error.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        self.0.io
    }

    /// Whether the same call, unchanged, may succeed later.
    pub fn is_retryable(&self) -> bool {
        use ErrorKind as K;
        matches!(self.kind(), K::RateLimited | K::Server | K::Transport | K::RequestTimeout)
    }
}

/// Used by the modules of this crate to create an error and to add context to the error.
impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<Message>) -> Self {
        Self(Box::new(Details {
            kind,
            message: message.into(),
            advice: None,
            phase: None,
            method: None,
            url: None,
            status: None,
            code: None,
            title: None,
            detail: None,
            request_id: None,
            operation_id: None,
            document: None,
            token: None,
            attempts: 0,
            retry_after: None,
            body: None,
            io: None,
            source: None,
        }))
    }

    pub(crate) fn config(message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::Config, message).in_phase(Phase::Configure)
    }

    pub(crate) fn invalid(message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::InvalidRequest, message)
    }

    pub(crate) fn protocol(message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::Protocol, message)
    }

    pub(crate) fn io(message: impl fmt::Display, source: io::Error) -> Self {
        let mut error =
            Self::new(ErrorKind::Io, Message::new(format!("{message}: ")).foreign(plain(&source)));
        error.0.io = Some(source.kind());
        error.caused_by(source)
    }

    /// The error for a local file that this crate refuses to read or write although the system reported no error.
    pub(crate) fn refused_file(message: impl Into<Message>, kind: io::ErrorKind) -> Self {
        let mut error = Self::new(ErrorKind::Io, message);
        error.0.io = Some(kind);
        error
    }

    pub(crate) fn advise(mut self, advice: impl Into<Cow<'static, str>>) -> Self {
        self.0.advice = Some(advice.into());
        self
    }

    pub(crate) fn caused_by(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    pub(crate) fn with_kind(mut self, kind: ErrorKind, message: impl Into<Message>) -> Self {
        self.0.kind = kind;
        self.0.message = message.into();
        self
    }

    pub(crate) fn in_phase(mut self, phase: Phase) -> Self {
        self.0.phase.get_or_insert(phase);
        self
    }

    pub(crate) fn request(mut self, method: &'static str, url: String) -> Self {
        self.0.method = Some(method);
        self.0.url = Some(url);
        self
    }

    pub(crate) fn response(mut self, status: u16, request_id: Option<String>) -> Self {
        self.0.status = Some(status);
        if request_id.is_some() {
            self.0.request_id = request_id;
        }
        self
    }

    pub(crate) fn described(
        mut self,
        code: Option<String>,
        title: Option<String>,
        detail: Option<String>,
        request_id: Option<String>,
    ) -> Self {
        self.0.code = code;
        self.0.title = title;
        self.0.detail = detail;
        if self.0.request_id.is_none() {
            self.0.request_id = request_id;
        }
        self
    }

    pub(crate) fn quoting(mut self, body: Option<String>) -> Self {
        self.0.body = body;
        self
    }

    pub(crate) fn retry_in(mut self, retry_after: Option<Duration>) -> Self {
        self.0.retry_after = retry_after;
        self
    }

    pub(crate) fn after_attempts(mut self, attempts: u32) -> Self {
        self.0.attempts = attempts;
        self
    }

    pub(crate) fn of_operation(mut self, operation_id: &str) -> Self {
        self.0.operation_id = Some(operation_id.to_owned());
        self
    }

    pub(crate) fn of_document(mut self, label: Option<&str>) -> Self {
        if let Some(label) = label {
            self.0.document = Some(label.to_owned());
        }
        self
    }

    pub(crate) fn resumable(mut self, token: String) -> Self {
        self.0.token = Some(token);
        self
    }

    /// The message, in which the texts from others are marked.
    pub(crate) fn parts(&self) -> &Message {
        &self.0.message
    }

    /// Removes every secret from the texts that come from the service, the system and libraries. The client's own
    /// words, the caller's name of the document, and the identifiers of files and operations do not change.
    pub(crate) fn scrubbed(mut self, scrubber: &Scrubber) -> Self {
        let details = &mut *self.0;
        details.message = std::mem::take(&mut details.message).scrubbed(scrubber);
        for text in [&mut details.title, &mut details.detail, &mut details.body].into_iter().flatten() {
            if let Cow::Owned(clean) = scrubber.scrub(text) {
                *text = clean;
            }
        }
        // These are short words and identifiers. If a short secret is a part of them by chance, it stays: nobody can
        // recognize it there.
        for text in [&mut details.code, &mut details.request_id].into_iter().flatten() {
            if let Cow::Owned(clean) = scrubber.scrub_word(text) {
                *text = clean;
            }
        }
        self
    }
}

/// The message of an I/O error without the suffix "(os error 2)" that Rust adds.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(end) => text.get(..end).unwrap_or(&text).to_owned(),
        None => text,
    }
}

/// A duration in seconds, as text for a message: `7`, `2.5`.
pub(crate) fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds.fract() == 0.0 { format!("{seconds:.0}") } else { format!("{seconds:.1}") }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let details = &*self.0;
        if let Some(phase) = details.phase {
            write!(f, "{phase}: ")?;
        }
        sentence(f, details.message.as_str())?;
        if let Some(advice) = &details.advice {
            f.write_str(" ")?;
            sentence(f, advice)?;
        }
        let mut separator = " [";
        let mut context = |f: &mut fmt::Formatter<'_>, text: fmt::Arguments<'_>| {
            f.write_str(std::mem::replace(&mut separator, ", "))?;
            f.write_fmt(text)
        };
        if let Some(document) =
            details.document.as_ref().filter(|label| !details.message.as_str().contains(label.as_str()))
        {
            context(f, format_args!("{document}"))?;
        }
        if let (Some(method), Some(url)) = (details.method, &details.url) {
            context(f, format_args!("{method} {url}"))?;
        }
        if let Some(id) = &details.operation_id {
            context(f, format_args!("operation {id}"))?;
        }
        if let Some(id) = &details.request_id {
            context(f, format_args!("request id {id}"))?;
        }
        if details.attempts > 1 {
            context(f, format_args!("{} attempts", details.attempts))?;
        }
        if separator == ", " { f.write_str("]") } else { Ok(()) }
    }
}

fn sentence(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let text = text.trim_end();
    f.write_str(text)?;
    if text.ends_with(['.', '!', '?']) { Ok(()) } else { f.write_str(".") }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:?})", self.kind().name(), self.to_string())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

impl From<recto_interface::InvalidOption> for Error {
    fn from(invalid: recto_interface::InvalidOption) -> Self {
        Self::invalid(invalid.to_string()).in_phase(Phase::Start).caused_by(invalid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_says_what_happened_what_to_do_and_where() {
        let error = Error::new(ErrorKind::RateLimited, "the service refused the request (429)")
            .advise("Try again in 7 s")
            .in_phase(Phase::Start)
            .request("POST", "https://api.example/v1/operations/optimize".to_owned())
            .response(429, Some("r-1".to_owned()))
            .after_attempts(4);
        assert_eq!(
            error.to_string(),
            "start: the service refused the request (429). Try again in 7 s. \
             [POST https://api.example/v1/operations/optimize, request id r-1, 4 attempts]"
        );
    }

    #[test]
    fn a_system_error_is_shown_without_its_number() {
        let missing = std::fs::File::open("/no/such/file").unwrap_err();
        let error = Error::io("cannot read /no/such/file", missing);
        assert_eq!(error.to_string(), "cannot read /no/such/file: No such file or directory.");
        assert_eq!(error.io_kind(), Some(io::ErrorKind::NotFound));
    }

    #[test]
    fn the_first_phase_is_kept() {
        let error = Error::invalid("x").in_phase(Phase::Upload).in_phase(Phase::Start);
        assert_eq!(error.phase(), Some(Phase::Upload));
    }
}
