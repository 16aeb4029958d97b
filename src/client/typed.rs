//! Responses read through the generated types, by the name of their operation: for the `typed-client` rule and our
//! tests. The table from operation to type is generated with the types.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::generated::decode;

/// Something to do with a response whose type is known only by the name of its operation.
pub(crate) trait Reader {
    /// The result.
    type Output;

    /// Reads the response as this type.
    fn read<Typed: DeserializeOwned + Serialize>(self, body: &Value) -> Self::Output;
}

/// Returns whether the response can be read as the type of its operation; `None` where the operation's response has no
/// type.
#[cfg(feature = "checker")]
pub(crate) fn decodes(operation: &str, body: &Value) -> Option<bool> {
    struct Decodes;
    impl Reader for Decodes {
        type Output = bool;

        fn read<Typed: DeserializeOwned + Serialize>(self, body: &Value) -> bool {
            Typed::deserialize(body).is_ok()
        }
    }
    decode(operation, body, Decodes)
}

/// Returns what is left of the response once it is read as the type of its operation.
#[cfg(all(test, feature = "service"))]
pub(crate) fn reencoded(operation: &str, body: &Value) -> Option<serde_json::Result<Value>> {
    struct Reencode;
    impl Reader for Reencode {
        type Output = serde_json::Result<Value>;

        fn read<Typed: DeserializeOwned + Serialize>(self, body: &Value) -> Self::Output {
            serde_json::to_value(Typed::deserialize(body)?)
        }
    }
    decode(operation, body, Reencode)
}
