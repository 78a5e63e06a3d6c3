//! Contents as objects of an S3-compatible store, which clients upload to and download from without the service.
//!
//! ```text
//! <prefix>uploads/<file>    what a client has sent, named by its file's identifier
//! <prefix>made/<random>     what the service has written: results, and files that it fetched
//! ```
//!
//! A content of the first kind is named with its entity tag, and read only if it still has it: what a client sends
//! after the operation began is not what the operation works on.

use super::private_folder::PrivateFolder;
use super::{Content, ContentWriter, Direct, Storage};
use crate::ids::identifier;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use http::Method;
use object_store::aws::{AmazonS3, AmazonS3Builder};
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
use url::Url;

/// What clients upload.
pub(crate) const UPLOADS: &str = "uploads/";

/// What the service writes.
const MADE: &str = "made/";

/// How long the service's own upload may take to be allowed.
const WRITE_TIME: Duration = Duration::from_secs(900);

/// How often an upload is tried.
const TRIES: u32 = 4;

/// Records the key of an object before it is written, so that it is removed if no file ever names it.
pub(crate) type Reserve = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<()>> + Send + Sync>;

/// Which bucket, and how it is reached.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// `s3://name/prefix`.
    pub(crate) address: String,
    /// Where the service reaches the store; Amazon's own by default.
    pub(crate) endpoint: Option<String>,
    /// Where clients do, if that is elsewhere.
    pub(crate) public_endpoint: Option<String>,
}

/// A bucket, or the part of one below a prefix.
pub(crate) struct Bucket {
    store: Arc<AmazonS3>,
    /// Signs the addresses that clients get.
    public: AmazonS3,
    http: reqwest::Client,
    prefix: String,
    reserve: Reserve,
    /// Where a content is until its length is known.
    spool: Arc<PrivateFolder>,
}

impl Bucket {
    /// Opens a bucket, and looks whether it can be used.
    pub(crate) async fn open(
        place: &Place,
        http: reqwest::Client,
        reserve: Reserve,
        spool: &Path,
    ) -> Result<Self, String> {
        let (name, prefix) = name_and_prefix(&place.address)?;
        let store = build(&name, place.endpoint.as_deref(), &http)?;
        let public = place.public_endpoint.as_deref().or(place.endpoint.as_deref());
        let public = build(&name, public, &http)?;
        let spool = PrivateFolder::create_in(spool).map_err(|error| error.to_string())?;
        if let Err(error) = spool.remove_abandoned() {
            tracing::debug!(%error, "abandoned directories could not be looked for");
        }
        let bucket = Self { store: Arc::new(store), public, http, prefix, reserve, spool: Arc::new(spool) };
        match bucket.store.head(&bucket.object("is-it-there")).await {
            Ok(_) | Err(Error::NotFound { .. }) => Ok(bucket),
            Err(error) => Err(format!("the bucket {name} cannot be used: {error}")),
        }
    }

    fn object(&self, key: &str) -> ObjectPath {
        ObjectPath::from(format!("{}{}", self.prefix, name_and_tag(key).0))
    }
}

/// A client of the bucket, with the credentials that the environment or the machine gives.
fn build(name: &str, endpoint: Option<&str>, http: &reqwest::Client) -> Result<AmazonS3, String> {
    let mut builder = AmazonS3Builder::from_env()
        .with_bucket_name(name)
        .with_allow_http(true)
        .with_http_connector(Connector(http.clone()));
    if let Some(endpoint) = endpoint {
        builder = builder.with_endpoint(endpoint);
    }
    builder.build().map_err(|error| format!("the bucket {name} cannot be used: {error}"))
}

/// Lends the service's own HTTP client, with its TLS.
#[derive(Debug)]
struct Connector(reqwest::Client);

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

/// `s3://name/some/prefix` as the name and `some/prefix/`.
fn name_and_prefix(address: &str) -> Result<(String, String), String> {
    let wrong = || format!("the bucket {address:?} is none; give one such as s3://name or s3://name/prefix");
    let url = Url::parse(address).map_err(|_| wrong())?;
    let name = url.host_str().filter(|_| url.scheme() == "s3" && url.query().is_none()).ok_or_else(wrong)?;
    let prefix = url.path().trim_matches('/');
    let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
    Ok((name.to_owned(), prefix))
}

/// The object that a key names, and the entity tag that it must have.
fn name_and_tag(key: &str) -> (&str, Option<&str>) {
    key.split_once('#').map_or((key, None), |(name, tag)| (name, Some(tag)))
}

impl Storage for Bucket {
    fn create(&self) -> BoxFuture<'_, io::Result<Box<dyn ContentWriter>>> {
        Box::pin(async move {
            let key = format!("{MADE}{}", identifier()?);
            // Known before it is there: whatever happens now, it is either named by a file later, or removed.
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
            let found = store.get_opts(&path, options).await.map_err(fault)?;
            io::Result::Ok(found.into_stream().map_err(fault))
        };
        stream::once(opened).try_flatten().boxed()
    }

    fn delete(&self, content: &Content) -> BoxFuture<'_, io::Result<()>> {
        let path = self.object(&content.key);
        Box::pin(async move {
            match self.store.delete(&path).await {
                Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(fault(error)),
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
            let url = self.public.signed_url(Method::PUT, &path, lifetime).await.map_err(fault)?;
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
            let url =
                self.public.signed_url_opts(Method::GET, &path, lifetime, &options).await.map_err(fault)?;
            Ok(url.into())
        })
    }

    fn arrived(&self, file: &str) -> BoxFuture<'_, io::Result<Option<Content>>> {
        let name = format!("{UPLOADS}{file}");
        Box::pin(async move {
            match self.store.head(&self.object(&name)).await {
                Ok(found) => {
                    let tag =
                        found.e_tag.ok_or_else(|| io::Error::other("the store gives no entity tags"))?;
                    Ok(Some(Content { key: format!("{name}#{tag}"), size: found.size }))
                }
                Err(Error::NotFound { .. }) => Ok(None),
                Err(error) => Err(fault(error)),
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

    /// Sends it in one request, of a length that is known: the store has it whole or not at all.
    fn finish(mut self: Box<Self>) -> BoxFuture<'static, io::Result<Content>> {
        Box::pin(async move {
            let file = self.file.take().ok_or_else(super::failed_before)?;
            let mut tries = 0;
            loop {
                tries += 1;
                match self.send(&file).await {
                    Ok(()) => {
                        return Ok(Content { key: std::mem::take(&mut self.key), size: self.size });
                    }
                    Err(error) if tries < TRIES => {
                        tracing::debug!(%error, "an object is sent again");
                        tokio::time::sleep(Duration::from_millis(100) * 4_u32.pow(tries)).await;
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
        let url = self.store.signed_url(Method::PUT, &self.path, WRITE_TIME).await.map_err(fault)?;
        let body = reqwest::Body::wrap_stream(chunks(file));
        let sent = self.http.put(url).header(http::header::CONTENT_LENGTH, self.size).body(body).send().await;
        let answer = sent.map_err(|error| io::Error::other(error.without_url()))?;
        if answer.status().is_success() {
            return Ok(());
        }
        Err(io::Error::other(format!("the store answered {} to an upload", answer.status())))
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

fn fault(error: Error) -> io::Error {
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
    fn a_key_may_carry_the_tag_that_its_object_must_have() {
        assert_eq!(name_and_tag("uploads/a#\"tag\""), ("uploads/a", Some("\"tag\"")));
        assert_eq!(name_and_tag("made/a"), ("made/a", None));
    }
}
