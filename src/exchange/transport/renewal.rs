//! Another token in place of one that has expired in the middle of a run. The main type is [`Renewal`].

use std::fmt;

use futures::future::LocalBoxFuture;
use tokio::sync::OnceCell;

use crate::client::Token;

/// Obtains another token; `None` if there is none.
pub(super) type Obtain = Box<dyn Fn() -> LocalBoxFuture<'static, Option<Token>> + Send + Sync>;

/// The second token of a run. There is no third: if the service rejects a new token too, expiry is not the reason.
pub(super) struct Renewal {
    obtain: Obtain,
    token: OnceCell<Option<Token>>,
}

impl Renewal {
    pub(super) fn new(obtain: Obtain) -> Self {
        Self {
            obtain,
            token: OnceCell::new(),
        }
    }

    /// Returns the second token, if it has been obtained.
    pub(super) fn token(&self) -> Option<&Token> {
        self.token.get()?.as_ref()
    }

    /// Returns the second token, which is obtained by the first call; others wait for it. `prepare` sees it before
    /// anybody sends it, and returns whether it may be sent.
    pub(super) async fn renewed(&self, prepare: impl FnOnce(&Token) -> bool) -> Option<&Token> {
        let obtained = self
            .token
            .get_or_init(|| async { (self.obtain)().await.filter(prepare) });
        obtained.await.as_ref()
    }
}

impl fmt::Debug for Renewal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Renewal").finish_non_exhaustive()
    }
}
