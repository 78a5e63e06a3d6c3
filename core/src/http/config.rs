//! The settings of a client, after they were checked.

use crate::http::address::Base;
use crate::http::proxies::Proxies;
use crate::http::retry::Policy;
use crate::http::tls::Credentials;
use crate::io::owned_file::DeleteUnused;
use crate::redact::Scrubber;
use http::{HeaderMap, HeaderValue};
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

/// The settings of a client, after they were checked.
#[derive(Clone)]
pub(crate) struct Config {
    pub(crate) base: Base,
    pub(crate) key_header: Option<HeaderValue>,
    pub(crate) authorization: Option<HeaderValue>,
    /// Removes the API key from texts that come from the service.
    pub(crate) scrubber: Scrubber,
    pub(crate) timeout: Option<Duration>,
    pub(crate) connect_timeout: Duration,
    pub(crate) stall_timeout: Duration,
    /// The time limit for waiting for an operation. The outer `None` means that the user has not set it, the inner
    /// `None` that there is no limit.
    pub(crate) wait_timeout: Option<Option<Duration>>,
    pub(crate) policy: Policy,
    pub(crate) allow_http: bool,
    pub(crate) proxies: Proxies,
    pub(crate) credentials: Arc<Credentials>,
    pub(crate) user_agent: HeaderValue,
    /// Headers that the user adds to every request to the service.
    pub(crate) headers: HeaderMap,
    pub(crate) json_limit: usize,
    pub(crate) keep_alive: Option<Arc<dyn Any + Send + Sync>>,
    /// Deletes files of the embedded service. `None` for another service.
    pub(crate) delete_unused: Option<DeleteUnused>,
    /// Whether the files stay in the embedded service although no handle uses them.
    pub(crate) keep_files: bool,
}
