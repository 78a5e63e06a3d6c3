//! Downloads files by address, protected against server-side request forgery (SSRF).
//!
//! A client may try to make the service fetch from addresses that only this machine can reach. So the resolver returns
//! only public IP addresses, and the client connects only to the returned IP addresses. This module follows redirects
//! itself, and checks each redirect like the first request. A host name that does not resolve and one that resolves to
//! an address that is not allowed have the same error: otherwise clients could find out the names of an internal
//! network.

mod name;
mod ssrf;
pub(crate) mod tls;

use crate::http::problem::{ApiError, Code};
use crate::limits::Limits;
use crate::storage::{Content, Pace, ReceiveError, Storage, receive};
use http::StatusCode;
use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_LENGTH, LOCATION};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
pub(crate) use ssrf::Rules;
use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use url::{Host, Url};

/// The maximum number of redirects that are followed.
const REDIRECTS: usize = 5;

/// The longest accepted address, in bytes.
const LONGEST_URL: usize = 8 << 10;

/// A fetched file.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) name: String,
    pub(crate) content: Content,
}

/// Downloads files by address.
pub(crate) struct Fetcher {
    rules: Arc<Rules>,
    stall: Duration,
    places: Semaphore,
    resolver: Arc<dyn Resolve>,
    /// The HTTP client. It is created when it is first used, because reading the system's certificates takes longer
    /// than starting the service.
    client: OnceLock<reqwest::Client>,
}

/// The error for a host name that does not resolve to IP addresses that are allowed.
#[derive(Debug, thiserror::Error)]
#[error("the host does not resolve to a public address")]
struct NotPublic;

impl Fetcher {
    pub(crate) fn new(rules: Rules, at_once: usize, stall: Duration) -> Self {
        Self::with_resolver(rules, at_once, stall, Arc::new(SystemResolver))
    }

    fn with_resolver(rules: Rules, at_once: usize, stall: Duration, resolver: Arc<dyn Resolve>) -> Self {
        let (rules, places) = (Arc::new(rules), Semaphore::new(at_once));
        Self { rules, stall, places, resolver, client: OnceLock::new() }
    }

    /// Downloads the file at `address` into the storage.
    pub(crate) async fn fetch(
        &self,
        address: &str,
        storage: &dyn Storage,
        limits: &Limits,
    ) -> Result<Fetched, ApiError> {
        let url = parse(address)?;
        let fetch = async {
            let _place = self.places.acquire().await.map_err(|error| ApiError::internal(&error))?;
            let response = self.follow(url).await?;
            self.keep(response, storage, limits.file_bytes).await
        };
        timeout(limits.fetch_time, fetch).await.unwrap_or_else(|_| {
            let detail = format!(
                "the file could not be fetched within {} s; upload it instead",
                limits.fetch_time.as_secs()
            );
            Err(ApiError::new(Code::FetchFailed, detail))
        })
    }

    /// Requests `url`, follows redirects, and returns the response with the file.
    async fn follow(&self, mut url: Url) -> Result<reqwest::Response, ApiError> {
        for _ in 0..=REDIRECTS {
            self.check(&url)?;
            let request = self.client()?.get(url.clone()).header(ACCEPT, "*/*");
            let response = request.send().await.map_err(|error| fetch_error(&error))?;
            let status = response.status();
            if status.is_success() && status != StatusCode::PARTIAL_CONTENT {
                return Ok(response);
            }
            let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
            let Some(location) = location.filter(|_| matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308))
            else {
                let detail = format!(
                    "the host of the file responded with status {}; check that the address can be opened without a login",
                    status.as_u16()
                );
                return Err(ApiError::new(Code::FetchFailed, detail));
            };
            let next = url.join(location).map_err(|_| {
                ApiError::new(
                    Code::FetchFailed,
                    "the host of the file redirects to an invalid address; upload the file instead",
                )
            })?;
            if url.scheme() == "https" && next.scheme() == "http" {
                return Err(ApiError::new(
                    Code::AddressNotAllowed,
                    "the host of the file redirects from https to http, which is not followed; send the http address itself",
                ));
            }
            url = next;
        }
        Err(ApiError::new(
            Code::FetchFailed,
            format!("the host of the file redirects more than {REDIRECTS} times; send the final address"),
        ))
    }

    /// Checks the scheme and the port. Also checks a host that is an IP address, because the resolver never sees such a
    /// host.
    fn check(&self, url: &Url) -> Result<(), ApiError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(not_allowed("only http and https addresses are fetched"));
        }
        if !url.port_or_known_default().is_some_and(|port| self.rules.allow_port(port)) {
            return Err(not_allowed(&format!(
                "this service fetches only from the ports {}; upload the file, or start the service with other fetch ports",
                self.rules.ports()
            )));
        }
        let address: IpAddr = match url.host() {
            Some(Host::Ipv4(address)) => address.into(),
            Some(Host::Ipv6(address)) => address.into(),
            Some(Host::Domain(_)) => return Ok(()),
            None => return Err(not_allowed("the address has no host")),
        };
        let allowed = self.rules.allow([address]).map_err(|error| ApiError::internal(&error))?;
        if allowed { Ok(()) } else { Err(not_public()) }
    }

    async fn keep(
        &self,
        response: reqwest::Response,
        storage: &dyn Storage,
        limit: u64,
    ) -> Result<Fetched, ApiError> {
        let headers = response.headers();
        if name::header(headers, &CONTENT_LENGTH)
            .and_then(|length| length.parse::<u64>().ok())
            .is_some_and(|length| length > limit)
        {
            return Err(ApiError::file_too_large(limit));
        }
        if name::header(headers, &CONTENT_ENCODING)
            .is_some_and(|encoding| !encoding.eq_ignore_ascii_case("identity"))
        {
            return Err(ApiError::new(
                Code::FetchFailed,
                "the host of the file sends it with a Content-Encoding that was not requested; upload the file instead",
            ));
        }
        let name = name::file_name(response.url(), headers);
        // `fetch_time` limits the whole fetch.
        let pace = Pace { stall: self.stall, rate: 0, total: Duration::MAX };
        let stored = receive(storage, Box::pin(response.bytes_stream()), limit, &pace).await;
        let content = stored.map_err(|fault| match fault {
            ReceiveError::TooLarge => ApiError::file_too_large(limit),
            ReceiveError::TooSlow | ReceiveError::TooLong => ApiError::new(
                Code::FetchFailed,
                format!(
                    "the host of the file sent no bytes for {} s; upload the file instead",
                    self.stall.as_secs()
                ),
            ),
            ReceiveError::Source(error) => fetch_error(&error),
            ReceiveError::Storage(error) => error.into(),
        })?;
        Ok(Fetched { name, content })
    }

    fn client(&self) -> Result<&reqwest::Client, ApiError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let built = self.build().map_err(|error| ApiError::internal(&error))?;
        Ok(self.client.get_or_init(|| built))
    }

    fn build(&self) -> Result<reqwest::Client, Box<dyn Error + Send + Sync>> {
        let tls = tls::config()?;
        let connect_time = Duration::from_secs(10).min(self.stall);
        let resolver = AllowedOnly {
            inner: Arc::clone(&self.resolver),
            rules: Arc::clone(&self.rules),
            // Shorter than the time limit of the connection: a slow look-up must end with its own error.
            limit: connect_time / 2,
        };
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .dns_resolver(resolver)
            .redirect(Policy::none())
            // No proxy is used: a proxy would resolve the host name itself, and the IP address would not be checked.
            .no_proxy()
            .referer(false)
            .retry(reqwest::retry::never())
            .connect_timeout(connect_time)
            .read_timeout(self.stall)
            .pool_max_idle_per_host(0)
            .http1_only()
            .user_agent(concat!("recto/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(client)
    }
}

struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Returns the IP addresses that `inner` finds. [`NotPublic`] if it finds none in time, or if one of them is not
/// allowed.
struct AllowedOnly {
    inner: Arc<dyn Resolve>,
    rules: Arc<Rules>,
    /// The time limit of a look-up.
    limit: Duration,
}

impl Resolve for AllowedOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolving, rules, limit) = (self.inner.resolve(name), Arc::clone(&self.rules), self.limit);
        Box::pin(async move {
            let found = timeout(limit, resolving).await.unwrap_or_else(|late| Err(late.into()));
            let found: Vec<SocketAddr> = match found {
                Ok(found) => found.collect(),
                Err(error) if rules.allow_any_address() => return Err(error),
                Err(error) => {
                    tracing::debug!(%error, "a host name does not resolve");
                    Vec::new()
                }
            };
            if !found.is_empty() && rules.allow(found.iter().map(SocketAddr::ip))? {
                Ok(Box::new(found.into_iter()) as Addrs)
            } else {
                Err(NotPublic.into())
            }
        })
    }
}

fn parse(address: &str) -> Result<Url, ApiError> {
    if address.len() > LONGEST_URL {
        return Err(ApiError::new(
            Code::InvalidRequest,
            format!("fileUrl is longer than {LONGEST_URL} bytes; send a shorter address, or upload the file"),
        )
        .with("field", "fileUrl"));
    }
    Url::parse(address).map_err(|error| {
        ApiError::new(
            Code::InvalidRequest,
            format!(
                "fileUrl is not a valid address: {error}; send one such as https://example.org/report.pdf"
            ),
        )
        .with("field", "fileUrl")
    })
}

fn not_allowed(detail: &str) -> ApiError {
    ApiError::new(Code::AddressNotAllowed, detail).with("field", "fileUrl")
}

fn not_public() -> ApiError {
    not_allowed(
        "the host of the file has no public address that this service fetches from: its name does not resolve, or its \
         address is private, reserved or one of this machine; check the host, upload the file, or start the service \
         with private addresses allowed",
    )
}

/// Why there was no response. The message does not contain the address of the file, because the query of the address
/// may contain a secret.
fn fetch_error(error: &reqwest::Error) -> ApiError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(inner) = cause {
        if inner.is::<NotPublic>() {
            return not_public();
        }
        cause = inner.source();
    }
    let what = if error.is_timeout() {
        "the host of the file did not respond in time; try again, or upload the file"
    } else if error.is_connect() {
        "could not connect to the host of the file; check the address, and that the host is running"
    } else {
        "the host of the file closed the connection before the whole file arrived; try again, or upload the file"
    };
    tracing::debug!(error = %innermost(error), "fetch failed");
    ApiError::new(Code::FetchFailed, what)
}

fn innermost<'e>(error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    let mut last = error;
    while let Some(inner) = last.source() {
        last = inner;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resolves every host name to the same IP addresses.
    struct Fixed(Vec<IpAddr>);

    impl Resolve for Fixed {
        fn resolve(&self, _: Name) -> Resolving {
            let found: Vec<SocketAddr> = self.0.iter().map(|address| SocketAddr::new(*address, 0)).collect();
            Box::pin(async move { Ok(Box::new(found.into_iter()) as Addrs) })
        }
    }

    async fn error_of(url: &str, addresses: &[&str]) -> String {
        let resolver = Fixed(addresses.iter().map(|address| address.parse().unwrap()).collect());
        error_with(url, Arc::new(resolver)).await
    }

    async fn error_with(url: &str, resolver: Arc<dyn Resolve>) -> String {
        let rules = Rules::new(false, None);
        let fetcher = Fetcher::with_resolver(rules, 1, Duration::from_secs(1), resolver);
        format!("{:?}", fetcher.follow(parse(url).unwrap()).await.err())
    }

    /// Fails to resolve every host name, as the resolver of the system does.
    struct Unknown;

    impl Resolve for Unknown {
        fn resolve(&self, _: Name) -> Resolving {
            Box::pin(async { Err(std::io::Error::other("Name or service not known").into()) })
        }
    }

    #[tokio::test]
    async fn the_error_does_not_show_whether_an_internal_name_resolves() {
        let url = "http://db.intern.example/a.pdf";
        let unknown = error_with(url, Arc::new(Unknown)).await;
        assert!(unknown.contains("AddressNotAllowed"), "{unknown}");
        for addresses in [&[][..], &["10.0.0.7"], &["168.63.129.16"], &["fd00::7"], &["8.8.8.8", "127.0.0.1"]]
        {
            assert_eq!(error_of(url, addresses).await, unknown, "{addresses:?}");
        }
        // A literal address has the same error too.
        assert_eq!(error_of("http://10.0.0.7/a.pdf", &[]).await, unknown);
    }

    /// A resolver that never responds.
    struct Silent;

    impl Resolve for Silent {
        fn resolve(&self, _: Name) -> Resolving {
            Box::pin(std::future::pending())
        }
    }

    #[tokio::test]
    async fn a_look_up_without_an_answer_has_the_same_error() {
        let url = "http://db.intern.example/a.pdf";
        assert_eq!(error_with(url, Arc::new(Silent)).await, error_of(url, &["10.0.0.7"]).await);
    }

    #[tokio::test]
    async fn only_the_ports_of_the_web_are_fetched_from() {
        for port in [22, 25, 6379, 8080] {
            for host in ["files.example.org", "8.8.8.8", "10.0.0.1"] {
                let error = error_of(&format!("http://{host}:{port}/a.pdf"), &["10.0.0.1"]).await;
                assert!(error.contains("AddressNotAllowed") && error.contains("80, 443"), "{host} {error}");
            }
        }
    }

    #[tokio::test]
    async fn a_name_that_resolves_to_a_private_address_is_refused_when_connecting() {
        for addresses in [
            &["127.0.0.1"][..],
            &["10.0.0.1"],
            &["::ffff:169.254.169.254"],
            &["8.8.8.8", "127.0.0.1"],
            &["fd00::1"],
        ] {
            let error = error_of("http://files.example.org/a.pdf?token=hush", addresses).await;
            assert!(error.contains("AddressNotAllowed") && !error.contains("hush"), "{addresses:?} {error}");
        }
    }

    #[tokio::test]
    async fn an_address_that_is_private_is_refused_however_it_is_written() {
        for host in [
            "127.0.0.1",
            "127.1",
            "0x7f000001",
            "2130706433",
            "017700000001",
            "[::1]",
            "[::ffff:7f00:1]",
            "0",
            "10.0.0.1:80",
            "[fe80::1]",
        ] {
            let error = error_of(&format!("http://{host}/a.pdf"), &[]).await;
            assert!(error.contains("AddressNotAllowed"), "{host} {error}");
        }
        for url in ["file:///etc/passwd", "ftp://example.org/a", "data:,x", "gopher://example.org/"] {
            assert!(error_of(url, &[]).await.contains("AddressNotAllowed"), "{url}");
        }
    }

    /// Resolves any host name to one IP address per look-up, in the order of this list. When the list is used up, every
    /// look-up returns the last IP address.
    struct Changing(std::sync::Mutex<Vec<&'static str>>);

    impl Resolve for Changing {
        fn resolve(&self, _: Name) -> Resolving {
            let mut all = self.0.lock().unwrap();
            let found = if all.len() > 1 { all.remove(0) } else { all[0] };
            let found = SocketAddr::new(found.parse().unwrap(), 0);
            Box::pin(async move { Ok(Box::new([found].into_iter()) as Addrs) })
        }
    }

    /// Starts a server whose address 127.0.0.1 stands for a public host. The server redirects `/to/X` to `X`, and has a
    /// file at every other path. Returns the port of the server.
    async fn public_host() -> u16 {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let listener = tokio::net::TcpListener::bind("0.0.0.0:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = [0; 4096];
                let length = stream.read(&mut request).await.unwrap();
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                let response = match request.split(' ').nth(1).unwrap().strip_prefix("/to/") {
                    Some(to) => format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"),
                    None => "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".to_owned(),
                };
                stream.write_all(response.as_bytes()).await.unwrap();
            }
        });
        port
    }

    /// A fetcher for which only 127.0.0.1 is public. Every host name resolves to `addresses`: each look-up returns the
    /// next IP address of this list.
    fn fetcher(addresses: &[&'static str]) -> Fetcher {
        let rules = Rules::for_test(|address| address == IpAddr::from([127, 0, 0, 1]), || Ok(Vec::new()));
        let resolver = Changing(std::sync::Mutex::new(addresses.to_vec()));
        Fetcher::with_resolver(rules, 1, Duration::from_secs(5), Arc::new(resolver))
    }

    #[tokio::test]
    async fn a_public_host_cannot_redirect_to_a_private_address() {
        let port = public_host().await;
        let fetch = async |to: String| {
            let url = parse(&format!("http://public.example:{port}/to/{to}")).unwrap();
            fetcher(&["127.0.0.1", "127.0.0.2"]).follow(url).await.map(|response| response.status())
        };
        assert_eq!(fetch(format!("http://127.0.0.1:{port}/file")).await.unwrap(), StatusCode::OK);
        for to in [
            format!("http://127.0.0.2:{port}/file"),
            format!("http://[::ffff:127.0.0.2]:{port}/file"),
            format!("http://[::ffff:7f00:1]:{port}/file"),
            format!("//127.0.0.2:{port}/file"),
            format!("http://private.example:{port}/file"),
            "file:///etc/passwd".to_owned(),
        ] {
            let error = format!("{:?}", fetch(to.clone()).await.unwrap_err());
            assert!(error.contains("AddressNotAllowed"), "{to} {error}");
        }
    }

    #[tokio::test]
    async fn a_name_is_resolved_once_and_the_connection_goes_to_that_address() {
        let port = public_host().await;
        let url = |path: &str| parse(&format!("http://changing.example:{port}{path}")).unwrap();
        // A second look-up would return the private IP address, but the fetcher looks the host name up only once.
        let response = fetcher(&["127.0.0.1", "127.0.0.2"]).follow(url("/file")).await.unwrap();
        assert_eq!(response.remote_addr().map(|address| address.ip()), Some(IpAddr::from([127, 0, 0, 1])));
        // After a redirect to the same host name, the fetcher resolves and checks this name again.
        let error = fetcher(&["127.0.0.1", "127.0.0.2"]).follow(url("/to//file")).await.unwrap_err();
        assert!(error.is(Code::AddressNotAllowed), "{error:?}");
        assert!(fetcher(&["127.0.0.1"]).follow(url("/to//file")).await.is_ok());
    }
}
