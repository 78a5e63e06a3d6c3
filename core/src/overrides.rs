//! Settings that may differ between a client and its copy: time limits, retries, kept files, headers.

use crate::client::Client;
use crate::error::Error;
use crate::http::config::Config;
use crate::http::extra_headers;
use std::time::Duration;

/// The settings that differ in the copy of a client: see [`Client::with_options`]. A setting that is not given keeps
/// the value that the client has.
#[derive(Clone, Default)]
#[must_use]
pub struct Overrides {
    timeout: Option<Option<Duration>>,
    wait_timeout: Option<Option<Duration>>,
    stall_timeout: Option<Duration>,
    retries: Option<u32>,
    retry_unknown: Option<bool>,
    keep_files: Option<bool>,
    headers: Vec<(String, String)>,
}

impl Overrides {
    /// No differences.
    pub fn new() -> Self {
        Self::default()
    }

    /// [`ClientBuilder::timeout`](crate::ClientBuilder::timeout); `None` means that there is no limit.
    pub fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// [`ClientBuilder::wait_timeout`](crate::ClientBuilder::wait_timeout).
    pub fn wait_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.wait_timeout = Some(timeout);
        self
    }

    /// [`ClientBuilder::stall_timeout`](crate::ClientBuilder::stall_timeout).
    pub fn stall_timeout(mut self, timeout: Duration) -> Self {
        self.stall_timeout = Some(timeout);
        self
    }

    /// [`ClientBuilder::retries`](crate::ClientBuilder::retries).
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = Some(retries);
        self
    }

    /// [`ClientBuilder::retry_unknown`](crate::ClientBuilder::retry_unknown).
    pub fn retry_unknown(mut self, retry: bool) -> Self {
        self.retry_unknown = Some(retry);
        self
    }

    /// [`ClientBuilder::keep_files`](crate::ClientBuilder::keep_files): for operations that the copy starts.
    pub fn keep_files(mut self, keep: bool) -> Self {
        self.keep_files = Some(keep);
        self
    }

    /// [`ClientBuilder::header`](crate::ClientBuilder::header): added to the headers of the client; replaces a header
    /// with the same name.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) for an invalid header.
    pub fn check(&self) -> Result<(), Error> {
        extra_headers::read(&self.headers).map(drop)
    }

    fn apply(&self, config: &mut Config) -> Result<(), Error> {
        config.timeout = self.timeout.unwrap_or(config.timeout);
        config.wait_timeout = self.wait_timeout.or(config.wait_timeout);
        config.stall_timeout = self.stall_timeout.unwrap_or(config.stall_timeout);
        if let Some(retries) = self.retries {
            (config.policy.retries, config.policy.refusals) = (retries, retries);
        }
        config.policy.retry_unknown = self.retry_unknown.unwrap_or(config.policy.retry_unknown);
        config.keep_files = self.keep_files.unwrap_or(config.keep_files);
        let headers = extra_headers::read(&self.headers)?;
        extra_headers::add_secrets(&headers, &mut config.scrubber);
        config.headers.extend(headers);
        Ok(())
    }
}

impl std::fmt::Debug for Overrides {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Overrides").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl Client {
    /// A copy of the client with other settings. The copy shares the connections and the limit on retries; closing one
    /// of the two closes both.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), recto::Error> {
    /// let client = recto::Client::from_env()?;
    /// let patient = client.with_options(&recto::Overrides::new().wait_timeout(None).retries(10))?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) for an invalid header.
    pub fn with_options(&self, overrides: &Overrides) -> Result<Self, Error> {
        let mut config = self.session().config().clone();
        overrides.apply(&mut config)?;
        Ok(Self::new(self.session().with_config(config)))
    }
}
