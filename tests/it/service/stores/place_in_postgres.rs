//! A fresh database for each test, on the server that `COUNTERSIGN_TEST_POSTGRES` names.

use countersign::service::StoreUrl;
use tokio_postgres::{Client, Config, NoTls};
use uuid::Uuid;

use super::Place;

/// The URL of a server whose user may create databases and users; its database is not used.
#[expect(
    clippy::disallowed_methods,
    reason = "a test is told by its environment where the server is"
)]
pub(super) fn server() -> Option<String> {
    std::env::var("COUNTERSIGN_TEST_POSTGRES").ok()
}

impl Place {
    pub(in crate::service) async fn postgres() -> Option<Self> {
        Database::fresh().await.map(|database| Place {
            url: database.store(),
            _folder: None,
        })
    }

    /// A database in which every statement is a serializable transaction, as distributed engines run them: of two that
    /// meet, one is rejected and has to be repeated.
    pub(super) async fn serializable_postgres() -> Option<Self> {
        let database = Database::fresh().await?;
        let isolation = format!(
            "ALTER DATABASE {} SET default_transaction_isolation = 'serializable'",
            database.name
        );
        database.client().await.batch_execute(&isolation).await.unwrap();
        Some(Place {
            url: database.store(),
            _folder: None,
        })
    }
}

/// A database on the test server.
pub(super) struct Database {
    server: String,
    pub(super) name: String,
}

impl Database {
    pub(super) async fn fresh() -> Option<Self> {
        let server = server()?;
        let name = format!("test_{}", Uuid::new_v4().simple());
        let database = Database { server, name };
        let maker = connect(&database.server).await;
        maker
            .batch_execute(&format!("CREATE DATABASE {}", database.name))
            .await
            .unwrap();
        Some(database)
    }

    /// Returns the address of the database, for the user that may do anything.
    pub(super) fn url(&self) -> String {
        let (server, _) = self.server.rsplit_once('/').unwrap();
        format!("{server}/{}", self.name)
    }

    /// Returns the address of the database for another user.
    pub(super) fn url_for(&self, user: &str) -> String {
        let url = self.url();
        let (_, host) = url.split_once('@').unwrap();
        format!("postgres://{user}@{host}")
    }

    pub(super) fn store(&self) -> StoreUrl {
        self.url().parse().unwrap()
    }

    pub(super) async fn client(&self) -> Client {
        connect(&self.url()).await
    }
}

async fn connect(url: &str) -> Client {
    let (client, connection) = url.parse::<Config>().unwrap().connect(NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}
