//! Retention: what is older than the service keeps it goes, files and results alike.

use crate::registry::Removed;
use crate::state::Service;
use std::time::{Duration, SystemTime};

/// Sweeps until the service is told to stop: often enough that nothing outlives its time by more than a tenth, at
/// least once in ten minutes.
pub(crate) async fn sweep(service: Service) {
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
            Err(error) => tracing::error!(%error, "what has expired could not be removed"),
        }
        match service.registry.garbage().await {
            Ok(contents) => service.discard(Removed { contents, operations: Vec::new() }).await,
            Err(error) => tracing::error!(%error, "what belongs to nothing could not be looked for"),
        }
    }
}
