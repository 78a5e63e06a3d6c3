//! What every endpoint has at hand.

use crate::access::{Hosts, Key};
use crate::config::Config;
use crate::executor::Executor;
use crate::fetch::Fetcher;
use crate::links::{Purpose, Signer};
use crate::problem::{Code, Refusal};
use crate::registry::{Registry, RegistryError, Removed};
use crate::storage::Storage;
use crate::test_controls::TestControls;
use crate::worker::Running;
use http::uri::Authority;
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::watch;
use url::Url;

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
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) test_controls: Option<TestControls>,
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

    /// A presigned address, under the public URL or else under the host that the client reached the service by.
    pub(crate) fn link(&self, purpose: Purpose, file: &str, size: u64, authority: &Authority) -> String {
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
        for content in &removed.contents {
            if let Err(error) = self.storage.delete(content).await {
                tracing::warn!(%error, "a file's bytes could not be removed");
            }
        }
    }

    /// Resolves when the service is told to stop.
    pub(crate) async fn told_to_stop(&self) {
        let mut stopping = self.stopping.clone();
        // An error means that nobody is left who could tell.
        let _ = stopping.wait_for(|stopping| *stopping).await;
    }
}

impl From<RegistryError> for Refusal {
    fn from(error: RegistryError) -> Self {
        Self::internal(&error)
    }
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::StorageFull {
            return Self::new(
                Code::StorageFull,
                "the service has no room for the file; delete files that are no longer needed",
            );
        }
        Self::internal(&error)
    }
}
