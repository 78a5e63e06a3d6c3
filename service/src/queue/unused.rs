//! Unused files: deletes files that the program in which the service is embedded no longer needs.

use crate::registry::{RegistryError, Unused};
use crate::state::Service;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// Requests that the embedded service deletes files. Clones belong to the same service.
///
/// A request only sends a message to the threads of the service: it neither waits nor fails. So it can be used where a
/// handle is dropped. After the service has ended, and in a forked child process, it does nothing.
#[derive(Clone, Debug)]
pub struct UnusedFiles {
    sender: UnboundedSender<String>,
    process: u32,
}

impl UnusedFiles {
    pub(crate) fn new(sender: UnboundedSender<String>) -> Self {
        Self { sender, process: std::process::id() }
    }

    /// Deletes the file with this identifier as soon as no unfinished operation uses it. An unknown identifier is
    /// ignored. A service that keeps its data after its end deletes nothing.
    pub fn delete(&self, file: &str) {
        // In a forked child process, another thread may have held a lock of the channel during the fork.
        if self.process == std::process::id() {
            // An error means that the service has ended, and has removed all files.
            let _ = self.sender.send(file.to_owned());
        }
    }
}

/// Deletes the files that arrive on `files` until the service stops.
pub(crate) async fn delete_unused(service: Service, mut files: UnboundedReceiver<String>) {
    // The files that an unfinished operation uses. Their number is limited by the number of files in the service.
    let mut in_use = tokio::task::JoinSet::new();
    loop {
        let file = tokio::select! {
            file = files.recv() => file,
            () = service.stop_requested() => return,
        };
        let Some(file) = file else { break };
        while in_use.try_join_next().is_some() {}
        match delete(&service, &file).await {
            Ok(None) => {}
            Ok(Some(operation)) => {
                let service = service.clone();
                in_use.spawn(async move {
                    if let Err(error) = delete_after(&service, &file, operation).await {
                        failed(&error);
                    }
                });
            }
            Err(error) => failed(&error),
        }
    }
    // All clients have ended, but unfinished operations may still use files.
    tokio::select! {
        () = async { while in_use.join_next().await.is_some() {} } => {}
        () = service.stop_requested() => {}
    }
}

/// Deletes a file when `operation`, and all other operations that use the file, have ended.
async fn delete_after(service: &Service, file: &str, operation: String) -> Result<(), RegistryError> {
    let mut operation = Some(operation);
    while let Some(id) = operation {
        service.registry.ended(&id).await?;
        operation = delete(service, file).await?;
    }
    Ok(())
}

/// Deletes a file. Returns an unfinished operation that uses the file, if there is one; then the file is not deleted.
async fn delete(service: &Service, file: &str) -> Result<Option<String>, RegistryError> {
    match service.registry.remove_unused_file(file).await? {
        Unused::InUse(operation) => Ok(Some(operation)),
        Unused::Removed(content) => {
            let contents = content.into_iter().collect();
            service.discard(crate::registry::Removed { contents, operations: Vec::new() }).await;
            Ok(None)
        }
        Unused::Kept => Ok(None),
    }
}

fn failed(error: &RegistryError) {
    tracing::warn!(%error, "could not delete a file that is no longer needed; it is deleted when it expires");
}
