//! What every endpoint has at hand.

use crate::auth::hosts::Hosts;
use crate::auth::key::Key;
use crate::auth::one_time_token::OneTimeToken;
use crate::auth::presign::{Purpose, Signer};
use crate::config::Config;
use crate::execution::Executor;
use crate::fetch::Fetcher;
use crate::http::content_disposition::attachment;
use crate::http::json::BodyLimits;
use crate::http::problem::{ApiError, Code};
use crate::metrics::Metrics;
use crate::queue::running::Running;
use crate::registry::{FileEntry, OperationEntry, Origin, Placed, Registry, RegistryError, Removed};
use crate::storage::{Content, Storage};
#[cfg(feature = "test-controls")]
use crate::test_controls::TestControls;
use axum::extract::FromRef;
use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _};
use http::uri::Authority;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::watch;
use url::Url;

/// How many tickets are looked after at the same time.
const CHECKED_AT_ONCE: usize = 16;

/// The service behind its endpoints; clones are the same service.
#[derive(Clone)]
pub(crate) struct Service(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) config: Config,
    pub(crate) public_url: Option<Url>,
    pub(crate) key: Key,
    pub(crate) hosts: Hosts,
    pub(crate) signer: Signer,
    pub(crate) registry: Arc<dyn Registry>,
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) fetcher: Fetcher,
    pub(crate) running: Running,
    pub(crate) metrics: Metrics,
    /// Exchanged for the key by the web page.
    pub(crate) one_time_token: OneTimeToken,
    /// The description of the service.
    pub(crate) openapi: Bytes,
    pub(crate) executor: Arc<dyn Executor>,
    #[cfg(feature = "test-controls")]
    pub(crate) test_controls: Option<Arc<TestControls>>,
    /// Becomes true when the service is told to stop: requests that are held are answered.
    pub(crate) stopping: watch::Receiver<bool>,
    /// Keeps others out of what the service keeps; the last to go.
    pub(crate) _guard: Option<Box<dyn Send + Sync>>,
}

impl std::ops::Deref for Service {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl Service {
    pub(crate) fn new(inner: Inner) -> Self {
        Self(Arc::new(inner))
    }

    /// Where a client sends the bytes of a file: to the storage itself, or to the service.
    pub(crate) async fn upload_link(&self, file: &str, authority: &Authority) -> Result<String, ApiError> {
        match self.storage.direct() {
            Some(direct) => Ok(direct.upload_url(file, self.config.link_lifetime).await?),
            None => Ok(self.link(Purpose::Upload, file, self.config.limits.file_bytes, authority)),
        }
    }

    /// Where a client fetches the bytes of a file.
    pub(crate) async fn download_link(
        &self,
        file: &str,
        name: &str,
        content: &Content,
        authority: &Authority,
    ) -> Result<String, ApiError> {
        match self.storage.direct() {
            Some(direct) => {
                Ok(direct.download_url(content, attachment(name), self.config.link_lifetime).await?)
            }
            None => Ok(self.link(Purpose::Download, file, content.size, authority)),
        }
    }

    /// A file, with the bytes that a client has sent past the service.
    pub(crate) async fn current_file(&self, id: &str) -> Result<Option<FileEntry>, ApiError> {
        let Some(file) = self.registry.file(id).await? else { return Ok(None) };
        let Some(direct) = self.storage.direct().filter(|_| file.origin == Origin::Local) else {
            return Ok(Some(file));
        };
        let Some(content) = direct.uploaded(id).await? else { return Ok(Some(file)) };
        let limit = self.config.limits.file_bytes;
        if content.size > limit {
            self.storage.delete(&content).await?;
            return Err(ApiError::file_too_large(limit));
        }
        // What it replaces was at the same place. Once an operation has used the file, it stays what it was.
        match self.registry.place(id, content.clone()).await? {
            Placed::Done { .. } => Ok(Some(FileEntry { content: Some(content), ..file })),
            Placed::InUse => Ok(Some(file)),
            Placed::Unknown => Ok(None),
        }
    }

    /// Looks for the bytes of every ticket, where clients send them past the service.
    pub(crate) async fn check_tickets(&self) -> Result<(), ApiError> {
        if self.storage.direct().is_none() {
            return Ok(());
        }
        let tickets = self.registry.tickets().await?;
        let checked = stream::iter(tickets).map(|id| async move { self.current_file(&id).await });
        let mut checked = checked.buffer_unordered(CHECKED_AT_ONCE);
        while let Some(checked) = checked.next().await {
            // A file that is too large is none; it is not in the list.
            if let Err(refusal) = checked
                && !refusal.is(Code::FileTooLarge)
            {
                return Err(refusal);
            }
        }
        Ok(())
    }

    /// A presigned address of the service's own, under the public URL or else under the host that the client reached
    /// the service by.
    fn link(&self, purpose: Purpose, file: &str, size: u64, authority: &Authority) -> String {
        let target = self.signer.sign(purpose, file, size, SystemTime::now());
        match &self.public_url {
            Some(url) => format!("{}{target}", url.as_str().trim_end_matches('/')),
            None => format!("http://{authority}{target}"),
        }
    }

    /// Stops the operations and removes the bytes that went with something else.
    pub(crate) async fn discard(&self, removed: Removed) {
        for operation in &removed.operations {
            self.running.cancel(operation);
        }
        let mut gone = Vec::new();
        for content in removed.contents {
            match self.storage.delete(&content).await {
                Ok(()) => gone.push(content),
                Err(error) => tracing::warn!(%error, "a file's bytes could not be removed"),
            }
        }
        if let Err(error) = self.registry.forget(gone).await {
            tracing::warn!(%error, "that bytes are gone could not be recorded");
        }
    }

    /// For how long test controls keep the result of an operation back; `None`: from this request altogether.
    #[cfg(feature = "test-controls")]
    pub(crate) fn result_delay(&self, id: &str, entry: &OperationEntry) -> Option<Duration> {
        self.test_controls.as_ref().map_or(Some(Duration::ZERO), |controls| controls.polled(id, entry))
    }

    /// A build without test controls keeps no result back.
    #[cfg(not(feature = "test-controls"))]
    pub(crate) fn result_delay(&self, _: &str, _: &OperationEntry) -> Option<Duration> {
        Some(Duration::ZERO)
    }

    /// Resolves when the service is told to stop.
    pub(crate) async fn stop_requested(&self) {
        let mut stopping = self.stopping.clone();
        // An error means that nobody is left who could tell.
        let _ = stopping.wait_for(|stopping| *stopping).await;
    }
}

impl From<RegistryError> for ApiError {
    fn from(error: RegistryError) -> Self {
        Self::internal(&error)
    }
}

impl FromRef<Service> for BodyLimits {
    fn from_ref(service: &Service) -> Self {
        let limits = &service.config.limits;
        Self { bytes: limits.json_bytes, time: limits.stall_time }
    }
}
