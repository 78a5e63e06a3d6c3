//! Retention: removes expired files and results.

use crate::registry::Removed;
use crate::state::Service;
use std::time::{Duration, SystemTime};

/// Removes expired files and results until the service stops. A file or result is removed at the latest one tenth of
/// the retention time, and at most ten minutes, after it has expired.
pub(crate) async fn remove_expired(service: Service) {
    let retention = service.config.retention;
    let period = (retention / 10).clamp(Duration::from_millis(50), Duration::from_secs(600));
    loop {
        tokio::select! {
            () = tokio::time::sleep(period) => {}
            () = service.stop_requested() => return,
        }
        let Some(before) = SystemTime::now().checked_sub(retention) else { continue };
        match service.registry.expire(before).await {
            Ok(removed) => service.discard(removed).await,
            Err(error) => tracing::error!(%error, "could not remove expired files and results"),
        }
        match service.registry.garbage().await {
            Ok(contents) => service.discard(Removed { contents, operations: Vec::new() }).await,
            Err(error) => tracing::error!(%error, "could not list the stored contents that no file uses"),
        }
    }
}
