//! The client builder. It sets addresses, key, time limits, retries, TLS and proxy, from code or from the environment.

use crate::client::Client;
use crate::error::Error;
use crate::http::address::Base;
use crate::http::config::Config;
use crate::http::extra_headers;
use crate::http::proxies::Proxies;
use crate::http::retry::Policy;
use crate::http::tls::Credentials;
use crate::io::owned_file::DeleteUnused;
use crate::redact::Scrubber;
use crate::session::Session;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use recto_interface::Secret;
use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Builds a [`Client`]. Only [`from_env`](Self::from_env) reads the environment.
#[derive(Clone, Default)]
#[must_use]
pub struct ClientBuilder {
    base_url: Option<String>,
    api_key: Option<Secret>,
    timeout: Option<Duration>,
    connect_timeout: Option<Duration>,
    stall_timeout: Option<Duration>,
    wait_timeout: Option<Option<Duration>>,
    retries: Option<u32>,
    retry_unknown: bool,
    allow_http: bool,
    proxy: Option<Proxy>,
    ca_bundle: Option<PathBuf>,
    client_certificate: Option<PathBuf>,
    user_agent: Option<String>,
    json_limit: Option<usize>,
    headers: Vec<(String, String)>,
    keep_alive: Option<Arc<dyn Any + Send + Sync>>,
    delete_unused: Option<DeleteUnused>,
    keep_files: bool,
}

#[derive(Clone)]
enum Proxy {
    None,
    Url(String),
}

impl Client {
    /// Creates a builder without settings. The environment is not read.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    /// Creates a client with the settings in the environment variables `RECTO_BASE_URL`, `RECTO_API_KEY` and
    /// `RECTO_TIMEOUT`.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) if there is no base URL, or a variable has an invalid value.
    pub fn from_env() -> Result<Self, Error> {
        Self::builder().from_env()?.build()
    }
}

impl ClientBuilder {
    /// Creates a builder without settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// The address of the service, such as `https://pdf.example.com`. The address may have a path. Required.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// The API key. The client sends it in the header `X-Api-Key`, and only to the origin of the base URL.
    pub fn api_key(mut self, key: impl Into<Secret>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// The time limit of the whole call: upload, start, wait, download and retries. Default: none. An API request with
    /// its retries is then limited to 5 minutes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The time limit for establishing a connection, including TLS. Default: 10 s.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = Some(timeout);
        self
    }

    /// How long to wait for the response to a request, or for the next byte of a transfer. Default: 30 s.
    pub fn stall_timeout(mut self, timeout: Duration) -> Self {
        self.stall_timeout = Some(timeout);
        self
    }

    /// The time limit for waiting for the operation, within the time limit of the whole call. When it expires, the call
    /// ends with [`ErrorKind::WaitTimeout`](crate::ErrorKind::WaitTimeout), and the operation continues. `None` means
    /// that there is no limit. Default: no limit if [`timeout`](Self::timeout) is set, otherwise 15 minutes.
    pub fn wait_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.wait_timeout = Some(timeout);
        self
    }

    /// How many times a failed request is repeated at most. Default: 3.
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = Some(retries);
        self
    }

    /// Whether the request that starts an operation is repeated when the service may already have processed it. With
    /// `true`, the operation may run, and be paid for, twice. Default: `false`.
    pub fn retry_unknown(mut self, retry: bool) -> Self {
        self.retry_unknown = retry;
        self
    }

    /// Allows a base URL with plain http to another machine. Default: `false`.
    pub fn allow_http(mut self, allow: bool) -> Self {
        self.allow_http = allow;
        self
    }

    /// The proxy for every request: `http://[user:password@]host:port`. Default: the proxies that the environment
    /// (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`) and the system set, but no proxy for requests to this
    /// machine itself.
    pub fn proxy(mut self, url: impl Into<String>) -> Self {
        self.proxy = Some(Proxy::Url(url.into()));
        self
    }

    /// Uses no proxy, even if the environment or the system sets one.
    pub fn no_proxy(mut self) -> Self {
        self.proxy = Some(Proxy::None);
        self
    }

    /// A PEM file of certificate authorities. The client trusts them in addition to the authorities that the system
    /// trusts.
    pub fn ca_bundle(mut self, path: impl Into<PathBuf>) -> Self {
        self.ca_bundle = Some(path.into());
        self
    }

    /// A PEM file with the client's certificate and its unencrypted key, for servers that require a client
    /// certificate.
    pub fn client_certificate(mut self, path: impl Into<PathBuf>) -> Self {
        self.client_certificate = Some(path.into());
        self
    }

    /// The value of the header `User-Agent`. Default: `recto/` and the version.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = Some(user_agent.into());
        self
    }

    /// Adds a header to every request to the service, such as `traceparent` or a header that a gateway requires. It is
    /// sent only to the origin of the base URL. The headers that the client sets itself are refused, above all
    /// `X-Api-Key`.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The size limit of a JSON response in bytes. Default: 16 MiB.
    pub fn json_limit(mut self, bytes: usize) -> Self {
        self.json_limit = Some(bytes);
        self
    }

    /// A value that is kept alive as long as the client and all operations made with the client, such as the embedded
    /// service.
    pub fn keep_alive(mut self, value: Arc<dyn Any + Send + Sync>) -> Self {
        self.keep_alive = Some(value);
        self
    }

    /// How this client deletes files of an embedded service that it no longer needs. `delete` is called with the
    /// identifier of a file; it must neither wait nor fail, and must not delete a file that an unfinished operation
    /// uses. Default: files are deleted only by [`Operation::delete`](crate::Operation::delete),
    /// [`Call::delete_after`](crate::Call::delete_after) and [`Files::delete`](crate::Files::delete).
    ///
    /// When the last handle of an operation is dropped, its document is deleted if the operation uploaded it, and its
    /// result if it was downloaded completely with a handle of the operation, or is the document of another operation.
    /// [`Operation::keep`](crate::Operation::keep) and [`Operation::token`](crate::Operation::token) keep both. Files
    /// that the caller uploaded or named stay.
    ///
    /// ```no_run
    /// # struct Service; impl Service { fn base_url(&self) -> &str { "" } fn delete(&self, _: &str) {} }
    /// # fn main() -> Result<(), recto::Error> { let service = std::sync::Arc::new(Service);
    /// let builder = recto::Client::builder().base_url(service.base_url()).no_proxy();
    /// let client = builder.delete_unused(move |id| service.delete(id)).build()?;
    /// # Ok(()) }
    /// ```
    pub fn delete_unused(mut self, delete: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.delete_unused = Some(Arc::new(delete));
        self
    }

    /// Whether files stay in an embedded service until they expire: see [`delete_unused`](Self::delete_unused).
    /// Default: `false`. It has no effect with another service, which keeps its files in any case.
    pub fn keep_files(mut self, keep: bool) -> Self {
        self.keep_files = keep;
        self
    }

    /// Whether a base URL was given.
    pub fn has_base_url(&self) -> bool {
        self.base_url.is_some()
    }

    /// Reads settings that are not set yet from `RECTO_BASE_URL`, `RECTO_API_KEY` and `RECTO_TIMEOUT` (seconds). An
    /// empty variable counts as not set.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) for a variable with an invalid value.
    pub fn from_env(self) -> Result<Self, Error> {
        self.fill(|name| match std::env::var(name) {
            Ok(value) => Ok(Some(value).filter(|value| !value.trim().is_empty())),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(std::env::VarError::NotUnicode(_)) => {
                Err(Error::config(format!("{name} is not valid Unicode")))
            }
        })
    }

    fn fill(mut self, variable: impl Fn(&str) -> Result<Option<String>, Error>) -> Result<Self, Error> {
        if self.base_url.is_none() {
            self.base_url = variable("RECTO_BASE_URL")?;
        }
        if self.api_key.is_none() {
            self.api_key = variable("RECTO_API_KEY")?.map(Secret::from);
        }
        if self.timeout.is_none()
            && let Some(text) = variable("RECTO_TIMEOUT")?
        {
            let seconds = text.trim().parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
            let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            self.timeout = Some(timeout.ok_or_else(|| {
                Error::config(format!("RECTO_TIMEOUT is not a time in seconds: {text:?}"))
                    .advise("Set it to a positive number of seconds, as in RECTO_TIMEOUT=30")
            })?);
        }
        Ok(self)
    }

    /// Builds the client.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) if there is no base URL, or if an address, the key, the proxy
    /// or a certificate is invalid.
    pub fn build(self) -> Result<Client, Error> {
        let base_url = self.base_url.as_deref().ok_or_else(|| {
            Error::config("no base URL is set")
                .advise("Set a base URL (base_url or RECTO_BASE_URL), or use the embedded local service")
        })?;
        let base = Base::parse(base_url, self.allow_http)?;
        let user_agent = self.user_agent.as_deref().unwrap_or(concat!("recto/", env!("CARGO_PKG_VERSION")));
        let key = self.api_key.filter(|key| !key.is_empty());
        let authorization = base.userinfo().map(|(user, password)| basic(user, password)).transpose()?;
        let mut scrubber = Scrubber::new(&key);
        if let Some((_, password)) = base.userinfo() {
            scrubber.add(&Secret::from(password));
        }
        let headers = extra_headers::read(&self.headers)?;
        if authorization.is_some() && headers.contains_key(http::header::AUTHORIZATION) {
            return Err(Error::config(
                "the base URL has a user name, so the header Authorization cannot be set",
            )
            .advise("Remove the user name from the base URL, or the header"));
        }
        extra_headers::add_secrets(&headers, &mut scrubber);
        let config = Config {
            key_header: key.as_ref().map(key_header).transpose()?,
            authorization,
            scrubber,
            timeout: self.timeout,
            connect_timeout: self.connect_timeout.unwrap_or(Duration::from_secs(10)),
            stall_timeout: self.stall_timeout.unwrap_or(Duration::from_secs(30)),
            wait_timeout: self.wait_timeout,
            policy: Policy {
                retries: self.retries.unwrap_or(3),
                refusals: self.retries.unwrap_or(3),
                retry_unknown: self.retry_unknown,
            },
            allow_http: self.allow_http,
            proxies: match self.proxy {
                None => Proxies::System,
                Some(Proxy::None) => Proxies::Direct,
                Some(Proxy::Url(url)) => Proxies::given(&url)?,
            },
            credentials: Arc::new(Credentials::read(
                self.ca_bundle.as_deref(),
                self.client_certificate.as_deref(),
            )?),
            user_agent: HeaderValue::from_str(user_agent).map_err(|_| {
                Error::config("the user agent contains a character that is not allowed in a header")
            })?,
            headers,
            json_limit: self.json_limit.unwrap_or(16 << 20),
            keep_alive: self.keep_alive,
            delete_unused: self.delete_unused,
            keep_files: self.keep_files,
            base,
        };
        Ok(Client::new(Session::new(config)?))
    }
}

fn key_header(key: &Secret) -> Result<HeaderValue, Error> {
    let mut header = HeaderValue::from_str(key.expose()).map_err(|_| {
        Error::config("the API key contains a character that is not allowed in a header")
            .advise("Check it for a line break or a letter outside ASCII")
    })?;
    header.set_sensitive(true);
    Ok(header)
}

fn basic(user: &str, password: &str) -> Result<HeaderValue, Error> {
    let mut header =
        HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))).map_err(
            |_| {
                Error::config("the base URL's user name contains a character that is not allowed in a header")
            },
        )?;
    header.set_sensitive(true);
    Ok(header)
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("base_url", &self.base_url.as_deref().map(crate::redact::address))
            .field("api_key", &self.api_key)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(builder: ClientBuilder, variables: &[(&str, &str)]) -> Result<ClientBuilder, Error> {
        builder.fill(|name| {
            Ok(variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
        })
    }

    #[test]
    fn explicit_settings_win_over_the_environment() {
        let variables =
            [("RECTO_BASE_URL", "https://env.example"), ("RECTO_API_KEY", "env"), ("RECTO_TIMEOUT", "2.5")];
        let builder = filled(
            ClientBuilder::new().base_url("https://arg.example").timeout(Duration::from_secs(1)),
            &variables,
        );
        let builder = builder.unwrap();
        assert_eq!(builder.base_url.as_deref(), Some("https://arg.example"));
        assert_eq!(builder.api_key, Some(Secret::from("env")));
        assert_eq!(builder.timeout, Some(Duration::from_secs(1)));
        let builder = filled(ClientBuilder::new(), &variables).unwrap();
        assert_eq!(builder.timeout, Some(Duration::from_millis(2500)));
    }

    #[test]
    fn an_invalid_timeout_is_refused() {
        for text in ["soon", "-1", "0", "inf", "nan", "1e300"] {
            let error = filled(ClientBuilder::new(), &[("RECTO_TIMEOUT", text)]).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Config, "{text}");
        }
    }

    #[test]
    fn debug_output_of_builder_and_client_does_not_contain_the_key() {
        let builder = ClientBuilder::new().base_url("https://u:hunter2@h.example").api_key("sesame");
        let shown = format!("{builder:?} {:?}", builder.clone().build().unwrap());
        assert!(!shown.contains("sesame") && !shown.contains("hunter2"), "{shown}");
    }

    #[test]
    fn a_client_needs_a_base_url_and_a_key_that_fits_a_header() {
        assert!(ClientBuilder::new().build().unwrap_err().to_string().contains("RECTO_BASE_URL"));
        let error = ClientBuilder::new().base_url("https://h").api_key("a\nb").build().unwrap_err();
        assert!(error.to_string().contains("line break"), "{error}");
    }
}
