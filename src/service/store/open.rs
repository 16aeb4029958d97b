//! Which store a URL means: [`open`].

use std::sync::Arc;

use super::interface::Store;
use super::sqlite::Sqlite;
use crate::service::open_error::OpenError;
use crate::service::store_url::StoreUrl;

/// Opens the store at `url`, creating and seeding it if it does not exist.
pub(crate) async fn open(url: &StoreUrl) -> Result<Arc<dyn Store>, OpenError> {
    match url {
        StoreUrl::File(path) => {
            let path = path.clone();
            // Creating a file waits for the disk, longer than a task may block its thread.
            let opened = tokio::task::spawn_blocking(move || Sqlite::file(&path)).await;
            let store = opened.map_err(|error| OpenError::unavailable(url, error))??;
            Ok(Arc::new(store))
        }
        StoreUrl::Memory => memory(),
        #[cfg(feature = "postgres")]
        StoreUrl::Postgres(address) => Ok(Arc::new(super::postgres::Postgres::open(address).await?)),
    }
}

/// Creates a store in memory.
pub(crate) fn memory() -> Result<Arc<dyn Store>, OpenError> {
    Ok(Arc::new(Sqlite::memory()?))
}
