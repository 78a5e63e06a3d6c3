//! The state that all endpoints share.

use crate::auth::hosts::Hosts;
use crate::auth::key::Key;
use crate::auth::one_time_token::OneTimeToken;
use crate::auth::presign::{Purpose, Signer};
use crate::config::Config;
use crate::execution::{Executor, PutBack, Running};
use crate::fetch::Fetcher;
use crate::http::content_disposition::attachment;
use crate::http::json::BodyLimits;
use crate::http::problem::{ApiError, Code};
use crate::metrics::Metrics;
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

/// The maximum number of files that are checked at the same time for bytes that clients have uploaded.
const CHECKED_AT_ONCE: usize = 16;

/// The state of a running service. All clones share one state.
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
    pub(crate) put_back: PutBack,
    pub(crate) metrics: Metrics,
    /// The one-time token that the web page exchanges for the API key.
    pub(crate) one_time_token: OneTimeToken,
    /// The OpenAPI description, as JSON.
    pub(crate) openapi: Bytes,
    pub(crate) executor: Arc<dyn Executor>,
    #[cfg(feature = "test-controls")]
    pub(crate) test_controls: Option<Arc<TestControls>>,
    /// This value becomes `true` when the service must stop. The service then responds to held requests at once.
    pub(crate) stopping: watch::Receiver<bool>,
    /// The lock of the data directory. This field is dropped last.
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

    /// The presigned address for the upload of a file. If clients can access the storage directly, this is an address
    /// of the storage, otherwise an address of the service.
    pub(crate) async fn upload_link(&self, file: &str, authority: &Authority) -> Result<String, ApiError> {
        match self.storage.direct() {
            Some(direct) => Ok(direct.upload_url(file, self.config.link_lifetime).await?),
            None => Ok(self.link(Purpose::Upload, file, self.config.limits.file_bytes, authority)),
        }
    }

    /// The presigned address for the download of a file.
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

    /// The file `id`. If the client has uploaded the bytes of this file directly to the storage, the upload is recorded
    /// first.
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
        // The upload has replaced the bytes of the same object in the storage, so no object must be deleted. The
        // content of a file that an operation has used does not change.
        match self.registry.place(id, content.clone()).await? {
            Placed::Done { .. } => Ok(Some(FileEntry { content: Some(content), ..file })),
            Placed::InUse => Ok(Some(file)),
            Placed::Unknown => Ok(None),
        }
    }

    /// If clients upload directly to the storage, checks all files without content, and records the uploads that have
    /// arrived.
    pub(crate) async fn check_tickets(&self) -> Result<(), ApiError> {
        if self.storage.direct().is_none() {
            return Ok(());
        }
        let tickets = self.registry.tickets().await?;
        let checked = stream::iter(tickets).map(|id| async move { self.current_file(&id).await });
        let mut checked = checked.buffer_unordered(CHECKED_AT_ONCE);
        while let Some(checked) = checked.next().await {
            // A file that is too large was deleted from the storage. It still has no content, so it is not listed.
            if let Err(error) = checked
                && !error.is(Code::FileTooLarge)
            {
                return Err(error);
            }
        }
        Ok(())
    }

    /// A presigned address of the service itself. The address begins with the public URL. Without a public URL, it
    /// begins with the host that the client sent its request to.
    fn link(&self, purpose: Purpose, file: &str, size: u64, authority: &Authority) -> String {
        let target = self.signer.sign(purpose, file, size, SystemTime::now());
        match &self.public_url {
            Some(url) => format!("{}{target}", url.as_str().trim_end_matches('/')),
            None => format!("http://{authority}{target}"),
        }
    }

    /// After files were removed from the registry: cancels their operations, and deletes their contents from the
    /// storage.
    pub(crate) async fn discard(&self, removed: Removed) {
        for operation in &removed.operations {
            self.running.cancel(operation);
        }
        let mut deleted = Vec::new();
        for content in removed.contents {
            match self.storage.delete(&content).await {
                Ok(()) => deleted.push(content),
                Err(error) => tracing::warn!(%error, "could not delete the bytes of a file"),
            }
        }
        if let Err(error) = self.registry.contents_deleted(deleted).await {
            tracing::warn!(%error, "could not record that bytes were deleted");
        }
    }

    /// How long the test controls delay the result of an operation. `None` if the response to this request must be
    /// `inProgress`.
    #[cfg(feature = "test-controls")]
    pub(crate) fn result_delay(&self, id: &str, entry: &OperationEntry) -> Option<Duration> {
        self.test_controls.as_ref().map_or(Some(Duration::ZERO), |controls| controls.polled(id, entry))
    }

    /// A build without test controls does not delay results.
    #[cfg(not(feature = "test-controls"))]
    pub(crate) fn result_delay(&self, _: &str, _: &OperationEntry) -> Option<Duration> {
        Some(Duration::ZERO)
    }

    /// Resolves when the service must stop.
    pub(crate) async fn stop_requested(&self) {
        let mut stopping = self.stopping.clone();
        // An error means that the sender was dropped, so the service has stopped.
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
        Self {
            bytes: limits.json_bytes,
            time: limits.stall_time,
            strict_fields: service.config.strict_fields,
        }
    }
}
