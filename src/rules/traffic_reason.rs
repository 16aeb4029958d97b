//! Why recorded traffic of other clients leaves a fact undecided. The main type is [`TrafficReason`].

/// Why recorded traffic of other clients leaves a fact undecided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrafficReason {
    /// Only requests that a check sends show it.
    #[error("recorded traffic does not show it; `check` sends the requests that do")]
    NeedsCheck,
    /// No recorded exchange calls the operation.
    #[error("no exchange calls the operation")]
    NoCall,
    /// The recording of the response lacks its body.
    #[error("the recording of the response lacks its body")]
    NoBody,
    /// The recording of the response lacks its headers, or its `Content-Type`.
    #[error("the recording of the response lacks its headers, or its Content-Type")]
    NoHeaders,
    /// One recorded walk does not add up, and only a second one would show whether others changed the list meanwhile.
    #[error("one recorded walk does not add up; others may have changed the list, which a second walk would show")]
    OneWalk,
    /// The target rejected another client's request with this status; the request may be wrong.
    #[error("recorded requests were rejected with {0}, and may be wrong")]
    Rejected(u16),
}
