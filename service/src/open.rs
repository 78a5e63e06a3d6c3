//! Opens the registry and the storage as the settings require, and gets the keys of the service.

use crate::auth::presign::Signer;
use crate::config::{Config, Store};
use crate::error::ServiceError;
use crate::ids;
use crate::registry::{Memory, Quota, Registry};
use crate::storage::{Folder, Storage};
use recto_interface::Secret;
use std::path::Path;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The opened registry, the opened storage, and the keys of the service.
pub(crate) struct Opened {
    pub(crate) registry: Arc<dyn Registry>,
    pub(crate) storage: Arc<dyn Storage>,
    /// The key that signs presigned addresses.
    pub(crate) link_key: Zeroizing<[u8; 32]>,
    /// The API key that clients must send.
    pub(crate) api_key: Secret,
    /// Whether the service generated the API key, because the user has set no API key.
    pub(crate) key_is_generated: bool,
    /// The lock of the data directory. The directory is locked until this value is dropped.
    pub(crate) guard: Option<Box<dyn Send + Sync>>,
}

/// Opens the registry and the storage as `config` requires.
pub(crate) async fn open(config: &Config) -> Result<Opened, ServiceError> {
    if config.api_key.as_ref().is_some_and(Secret::is_empty) {
        return Err(ServiceError::Setting(
            "the API key is empty; set a key, or omit the setting to have a key generated".to_owned(),
        ));
    }
    match &config.store {
        Store::Temporary { parent } => temporary(config, parent.as_deref()),
        #[cfg(feature = "durable")]
        Store::Directory(directory) => {
            let (config, directory) = (config.clone(), directory.clone());
            let opened = tokio::task::spawn_blocking(move || durable(&config, &directory));
            opened.await.map_err(|error| ServiceError::System(error.into()))?
        }
        #[cfg(feature = "shared")]
        Store::Shared(shared) => self::shared(config, shared).await,
    }
}

fn temporary(config: &Config, parent: Option<&Path>) -> Result<Opened, ServiceError> {
    let parent = parent.map_or_else(std::env::temp_dir, Path::to_owned);
    let storage = Folder::create_in(&parent, config.limits.stored_bytes)
        .map_err(|source| ServiceError::DataDirectory { directory: parent, source })?;
    storage.remove_abandoned();
    Ok(Opened {
        registry: Arc::new(Memory::new(Quota::of(&config.limits))),
        storage: Arc::new(storage),
        link_key: Signer::fresh_key()?,
        key_is_generated: config.api_key.is_none(),
        api_key: config.api_key.clone().map_or_else(ids::api_key, Ok)?,
        guard: None,
    })
}

#[cfg(feature = "durable")]
fn durable(config: &Config, directory: &Path) -> Result<Opened, ServiceError> {
    use crate::registry::{Vault, fresh_key, open_sqlite};
    use crate::storage::DataDirectory;
    let at_fault = |source| ServiceError::DataDirectory { directory: directory.to_owned(), source };
    let data = DataDirectory::open(directory).map_err(at_fault)?;
    let vault =
        Arc::new(data.secret_key(fresh_key).and_then(|key| Vault::new(key.as_bytes())).map_err(at_fault)?);
    let link_key = vault.links();
    let (registry, contents) =
        open_sqlite(directory, Quota::of(&config.limits), vault, config.lease).map_err(at_fault)?;
    let storage = Folder::keep_in(&data.files(), config.limits.stored_bytes, &contents).map_err(at_fault)?;
    let api_key = match &config.api_key {
        Some(key) => key.clone(),
        None => data.api_key().map_err(at_fault)?,
    };
    Ok(Opened {
        registry,
        storage: Arc::new(storage),
        link_key,
        api_key,
        key_is_generated: config.api_key.is_none(),
        guard: Some(Box::new(data)),
    })
}

#[cfg(feature = "shared")]
async fn shared(config: &Config, shared: &crate::config::Shared) -> Result<Opened, ServiceError> {
    use crate::registry::{DatabaseAddress, Uploads, Vault, connect_postgres};
    use crate::storage::{Bucket, BucketAddress, Reserve, UPLOADS};
    let vault = Vault::new(shared.secret_key.expose().as_bytes());
    let vault = Arc::new(vault.map_err(|error| ServiceError::Setting(error.to_string()))?);
    let link_key = vault.links();
    let tls = crate::fetch::tls::config()
        .map_err(|error| ServiceError::Setting(format!("cannot set up TLS: {error}")))?;
    let http = reqwest::Client::builder()
        .tls_backend_preconfigured(tls.clone())
        .connect_timeout(config.limits.stall_time)
        .read_timeout(config.limits.stall_time)
        .build()
        .map_err(|error| ServiceError::Setting(format!("cannot create an HTTP client: {error}")))?;
    let uploads =
        Uploads { prefix: UPLOADS, lifetime: config.link_lifetime, writing: config.limits.fetch_time };
    let quota = Quota::of(&config.limits);
    let address =
        DatabaseAddress { address: &shared.database, allow_insecure: shared.allow_insecure_database };
    let registry = connect_postgres(address, quota, vault, tls, config.lease, uploads);
    let registry = registry.await.map_err(ServiceError::Setting)?;
    let place = BucketAddress {
        address: shared.bucket.clone(),
        endpoint: shared.endpoint.clone(),
        public_endpoint: shared.public_endpoint.clone(),
        allow_insecure: shared.allow_insecure_bucket,
    };
    let spool = shared.spool.clone().unwrap_or_else(std::env::temp_dir);
    let reserving = Arc::clone(&registry);
    let reserve: Reserve = Arc::new(move |key| {
        let registry = Arc::clone(&reserving);
        Box::pin(async move { registry.reserve(&key).await.map_err(std::io::Error::other) })
    });
    let storage = Bucket::open(&place, http, reserve, &spool).await;
    Ok(Opened {
        registry,
        storage: Arc::new(storage.map_err(ServiceError::Setting)?),
        link_key,
        key_is_generated: config.api_key.is_none(),
        api_key: config.api_key.clone().map_or_else(ids::api_key, Ok)?,
        guard: None,
    })
}
