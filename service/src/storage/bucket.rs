//! Contents as objects in an S3-compatible bucket. Clients upload to this bucket and download from it directly.
//!
//! ```text
//! <prefix>uploads/<file>    uploaded by a client; named after the identifier of its file
//! <prefix>made/<random>     written by the service: results, and files that the service fetched
//! ```
//!
//! The key of an uploaded content includes the entity tag of its object, and the object is read only if its tag still
//! matches. So an operation never reads bytes that a client uploads after the operation was started.

use super::private_folder::PrivateFolder;
use super::{Content, ContentWriter, Direct, Storage};
use crate::ids::identifier;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use http::Method;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::client::{ClientOptions, HttpClient, HttpConnector};
use object_store::path::Path as ObjectPath;
use object_store::signer::{SignedUrlOptions, Signer as _};
use object_store::{Error, GetOptions, ObjectStore as _, ObjectStoreExt as _};
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::spawn_blocking;
use url::{Host, Url};

/// The prefix of the names of objects that clients upload.
pub(crate) const UPLOADS: &str = "uploads/";

/// The prefix of the names of objects that the service writes.
const WRITTEN: &str = "made/";

/// The lifetime of a presigned address that the service creates to upload a content itself.
const WRITE_TIME: Duration = Duration::from_secs(900);

/// The maximum number of attempts to upload one content.
const MAX_ATTEMPTS: u32 = 4;

/// Records the key of an object before the object is written, so that the object is removed if no file ever uses it.
pub(crate) type Reserve = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<()>> + Send + Sync>;

/// The address of a bucket.
#[derive(Clone, Debug)]
pub(crate) struct BucketAddress {
    /// The address in the form `s3://name/prefix`.
    pub(crate) address: String,
    /// The endpoint that the service uses. The default is Amazon's endpoint.
    pub(crate) endpoint: Option<String>,
    /// The endpoint that clients use. `None` if clients use the same endpoint as the service.
    pub(crate) public_endpoint: Option<String>,
    /// Whether the endpoints may be plain http to another machine.
    pub(crate) allow_insecure: bool,
}

/// A bucket, or the part of a bucket below a prefix.
pub(crate) struct Bucket {
    store: Arc<AmazonS3>,
    /// The bucket at the public endpoint: signs the addresses for clients.
    public: AmazonS3,
    http: reqwest::Client,
    prefix: String,
    reserve: Reserve,
    /// The folder in which a content is written to a temporary file until its length is known.
    spool: Arc<PrivateFolder>,
}

impl Bucket {
    /// Opens a bucket, and checks that the service can use the bucket.
    pub(crate) async fn open(
        place: &BucketAddress,
        http: reqwest::Client,
        reserve: Reserve,
        spool: &Path,
    ) -> Result<Self, String> {
        let (name, prefix) = name_and_prefix(&place.address)?;
        let store = build(&name, place.endpoint.as_deref(), place.allow_insecure, &http)?;
        let public = place.public_endpoint.as_deref().or(place.endpoint.as_deref());
        let public = build(&name, public, place.allow_insecure, &http)?;
        let spool = PrivateFolder::create_in(spool).map_err(|error| error.to_string())?;
        if let Err(error) = spool.remove_abandoned() {
            tracing::debug!(%error, "could not look for abandoned folders");
        }
        let bucket = Self { store: Arc::new(store), public, http, prefix, reserve, spool: Arc::new(spool) };
        match bucket.store.head(&bucket.object("is-it-there")).await {
            Ok(_) | Err(Error::NotFound { .. }) => Ok(bucket),
            Err(error) => Err(format!("cannot use the bucket {name}: {error}")),
        }
    }

    fn object(&self, key: &str) -> ObjectPath {
        ObjectPath::from(format!("{}{}", self.prefix, name_and_tag(key).0))
    }
}

/// Creates a client of the bucket. The client uses the credentials in the environment variables, or the credentials of
/// the machine.
fn build(
    name: &str,
    endpoint: Option<&str>,
    allow_insecure: bool,
    http: &reqwest::Client,
) -> Result<AmazonS3, String> {
    let mut builder = AmazonS3Builder::from_env()
        .with_bucket_name(name)
        .with_allow_http(true)
        .with_http_connector(Connector(http.clone()));
    if let Some(endpoint) = endpoint {
        builder = builder.with_endpoint(endpoint);
    }
    // The endpoint may also come from the environment.
    for key in [AmazonS3ConfigKey::Endpoint, AmazonS3ConfigKey::S3Endpoint] {
        if let Some(endpoint) = builder.get_config_value(&key) {
            check_endpoint(&endpoint, allow_insecure)?;
        }
    }
    builder.build().map_err(|error| format!("cannot use the bucket {name}: {error}"))
}

/// Refuses plain http to another machine: documents and presigned addresses would be sent unencrypted.
fn check_endpoint(endpoint: &str, allow_insecure: bool) -> Result<(), String> {
    let url = Url::parse(endpoint).map_err(|error| {
        format!("invalid endpoint of the bucket: {error}; use one such as https://s3.example.com")
    })?;
    let local = match url.host() {
        Some(Host::Domain(host)) => host.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if url.scheme() == "https" || local || allow_insecure {
        return Ok(());
    }
    Err(format!(
        "the endpoint {}://{} of the bucket is not https, so documents would be sent unencrypted; use an https endpoint, \
         or allow this with --allow-insecure-bucket (RECTO_SERVE_ALLOW_INSECURE_BUCKET=true)",
        url.scheme(),
        url.host_str().unwrap_or_default()
    ))
}

/// Passes the service's own HTTP client, with its TLS settings, to `object_store`.
#[derive(Debug)]
struct Connector(reqwest::Client);

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

/// Splits `s3://name/some/prefix` into `name` and `some/prefix/`.
fn name_and_prefix(address: &str) -> Result<(String, String), String> {
    let wrong = || format!("invalid bucket address {address:?}: use s3://name or s3://name/prefix");
    let url = Url::parse(address).map_err(|_| wrong())?;
    let name = url.host_str().filter(|_| url.scheme() == "s3" && url.query().is_none()).ok_or_else(wrong)?;
    let prefix = url.path().trim_matches('/');
    let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
    Ok((name.to_owned(), prefix))
}

/// Splits a key into the name of its object and the entity tag that the object must have. The tag is `None` if the key
/// contains no tag.
fn name_and_tag(key: &str) -> (&str, Option<&str>) {
    key.split_once('#').map_or((key, None), |(name, tag)| (name, Some(tag)))
}

impl Storage for Bucket {
    fn create(&self) -> BoxFuture<'_, io::Result<Box<dyn ContentWriter>>> {
        Box::pin(async move {
            let key = format!("{WRITTEN}{}", identifier()?);
            // The key is recorded before the object is created: if the service is killed in between, the object is
            // removed later.
            (self.reserve)(key.clone()).await?;
            let spool = Arc::clone(&self.spool);
            let file = spawn_blocking(move || tempfile::tempfile_in(spool.path())).await??;
            let path = self.object(&key);
            Ok(Box::new(Writer {
                file: Some(file),
                key,
                path,
                size: 0,
                store: Arc::clone(&self.store),
                http: self.http.clone(),
            }) as _)
        })
    }

    fn read(&self, content: &Content, range: Range<u64>) -> BoxStream<'static, io::Result<Bytes>> {
        let (store, path) = (Arc::clone(&self.store), self.object(&content.key));
        let tag = name_and_tag(&content.key).1.map(str::to_owned);
        if range.is_empty() {
            return stream::empty().boxed();
        }
        let opened = async move {
            let options = GetOptions { range: Some(range.into()), if_match: tag, ..GetOptions::default() };
            let found = store.get_opts(&path, options).await.map_err(storage_error)?;
            io::Result::Ok(found.into_stream().map_err(storage_error))
        };
        stream::once(opened).try_flatten().boxed()
    }

    fn delete(&self, content: &Content) -> BoxFuture<'_, io::Result<()>> {
        let path = self.object(&content.key);
        Box::pin(async move {
            match self.store.delete(&path).await {
                Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(storage_error(error)),
            }
        })
    }

    fn direct(&self) -> Option<&dyn Direct> {
        Some(self)
    }
}

impl Direct for Bucket {
    fn upload_url(&self, file: &str, lifetime: Duration) -> BoxFuture<'_, io::Result<String>> {
        let path = self.object(&format!("{UPLOADS}{file}"));
        Box::pin(async move {
            let url = self.public.signed_url(Method::PUT, &path, lifetime).await.map_err(storage_error)?;
            Ok(url.into())
        })
    }

    fn download_url(
        &self,
        content: &Content,
        disposition: String,
        lifetime: Duration,
    ) -> BoxFuture<'_, io::Result<String>> {
        let path = self.object(&content.key);
        Box::pin(async move {
            let options = SignedUrlOptions::new().with_query([("response-content-disposition", disposition)]);
            let url = self
                .public
                .signed_url_opts(Method::GET, &path, lifetime, &options)
                .await
                .map_err(storage_error)?;
            Ok(url.into())
        })
    }

    fn uploaded(&self, file: &str) -> BoxFuture<'_, io::Result<Option<Content>>> {
        let name = format!("{UPLOADS}{file}");
        Box::pin(async move {
            match self.store.head(&self.object(&name)).await {
                Ok(found) => {
                    let tag = found
                        .e_tag
                        .ok_or_else(|| io::Error::other("the object store sends no entity tags"))?;
                    Ok(Some(Content { key: format!("{name}#{tag}"), size: found.size }))
                }
                Err(Error::NotFound { .. }) => Ok(None),
                Err(error) => Err(storage_error(error)),
            }
        })
    }
}

struct Writer {
    file: Option<std::fs::File>,
    key: String,
    path: ObjectPath,
    size: u64,
    store: Arc<AmazonS3>,
    http: reqwest::Client,
}

impl ContentWriter for Writer {
    fn write(&mut self, bytes: Bytes) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(async move {
            let mut file = self.file.take().ok_or_else(super::failed_before)?;
            let length = bytes.len() as u64;
            let written = spawn_blocking(move || file.write_all(&bytes).map(|()| file));
            self.file = Some(written.await??);
            self.size += length;
            Ok(())
        })
    }

    /// Sends the content in one request with a known length, so that the bucket stores either the whole content or no
    /// part of it.
    fn finish(mut self: Box<Self>) -> BoxFuture<'static, io::Result<Content>> {
        Box::pin(async move {
            let file = self.file.take().ok_or_else(super::failed_before)?;
            let mut attempts = 0;
            loop {
                attempts += 1;
                match self.send(&file).await {
                    Ok(()) => {
                        return Ok(Content { key: std::mem::take(&mut self.key), size: self.size });
                    }
                    Err(error) if attempts < MAX_ATTEMPTS => {
                        tracing::debug!(%error, "sending an object again");
                        tokio::time::sleep(Duration::from_millis(100) * 4_u32.pow(attempts)).await;
                    }
                    Err(error) => return Err(error),
                }
            }
        })
    }
}

impl Writer {
    async fn send(&self, file: &std::fs::File) -> io::Result<()> {
        use std::io::Seek as _;
        let mut file = file.try_clone()?;
        file.rewind()?;
        let url = self.store.signed_url(Method::PUT, &self.path, WRITE_TIME).await.map_err(storage_error)?;
        let body = reqwest::Body::wrap_stream(chunks(file));
        let sent = self.http.put(url).header(http::header::CONTENT_LENGTH, self.size).body(body).send().await;
        let response = sent.map_err(|error| io::Error::other(error.without_url()))?;
        if response.status().is_success() {
            return Ok(());
        }
        Err(io::Error::other(format!(
            "the object store responded to an upload with status {}",
            response.status()
        )))
    }
}

fn chunks(file: std::fs::File) -> BoxStream<'static, io::Result<Bytes>> {
    use std::io::Read as _;
    stream::try_unfold(file, |mut file| async move {
        let read = spawn_blocking(move || {
            let mut chunk = vec![0; super::CHUNK as usize];
            let length = file.read(&mut chunk)?;
            chunk.truncate(length);
            io::Result::Ok((chunk, file))
        });
        let (chunk, file) = read.await??;
        Ok((!chunk.is_empty()).then(|| (Bytes::from(chunk), file)))
    })
    .boxed()
}

fn storage_error(error: Error) -> io::Error {
    let kind = match &error {
        Error::NotFound { .. } => io::ErrorKind::NotFound,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_named_with_and_without_a_prefix() {
        let both = |name: &str, prefix: &str| Ok((name.to_owned(), prefix.to_owned()));
        assert_eq!(name_and_prefix("s3://pdf"), both("pdf", ""));
        assert_eq!(name_and_prefix("s3://pdf/a/b/"), both("pdf", "a/b/"));
        for wrong in ["pdf", "http://pdf/a", "s3://", "s3://pdf?x=y", ""] {
            assert!(name_and_prefix(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn plain_http_to_another_machine_must_be_allowed() {
        for local in
            ["http://127.0.0.1:9000", "http://[::1]:9000", "http://localhost:9000", "https://s3.example"]
        {
            assert_eq!(check_endpoint(local, false), Ok(()), "{local}");
        }
        for remote in
            ["http://s3.example:9000", "http://10.0.0.7", "http://localhost.example", "HTTP://STORE"]
        {
            let error = check_endpoint(&format!("{remote}/x?secret=hush"), false).unwrap_err();
            assert!(error.contains("--allow-insecure-bucket") && !error.contains("hush"), "{error}");
            assert_eq!(check_endpoint(remote, true), Ok(()), "{remote}");
        }
        assert!(check_endpoint("s3.example", true).is_err());
    }

    #[test]
    fn both_endpoints_of_a_bucket_are_checked() {
        let tls = crate::fetch::tls::config().unwrap();
        let http = reqwest::Client::builder().tls_backend_preconfigured(tls).build().unwrap();
        let opened = |endpoint: &str, public: Option<&str>| {
            let place = BucketAddress {
                address: "s3://pdf".to_owned(),
                endpoint: Some(endpoint.to_owned()),
                public_endpoint: public.map(str::to_owned),
                allow_insecure: false,
            };
            let reserve: Reserve = Arc::new(|_| Box::pin(async { Ok(()) }));
            let opened = Bucket::open(&place, http.clone(), reserve, Path::new("/no/such/folder"));
            futures_util::FutureExt::now_or_never(opened).unwrap().map(drop).unwrap_err()
        };
        for error in [
            opened("http://10.0.0.7:9000", None),
            opened("https://10.0.0.7:9000", Some("http://store.example")),
        ] {
            assert!(error.contains("--allow-insecure-bucket"), "{error}");
        }
        assert!(!opened("https://10.0.0.7:9000", None).contains("--allow-insecure-bucket"));
    }

    #[test]
    fn a_key_may_carry_the_tag_that_its_object_must_have() {
        assert_eq!(name_and_tag("uploads/a#\"tag\""), ("uploads/a", Some("\"tag\"")));
        assert_eq!(name_and_tag("made/a"), ("made/a", None));
    }
}
