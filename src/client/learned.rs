//! Reads what was learned about a service but is not in its document, and may therefore change, so an unexpected body
//! does not fail a call that the service has carried out; only one that does not arrive, or is larger than the limit,
//! does. Generated code uses it where an overlay states such answers.

use std::marker::PhantomData;

use chrono::{DateTime, FixedOffset, ParseError};
use progenitor_client::{Error, ResponseValue};
use reqwest::Response;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use super::lenient::LenientDecode;

/// Decodes a value if `Inner` can, and otherwise `None`.
pub(crate) struct OrNone<Inner>(PhantomData<Inner>);

impl<'de, Value, Inner: LenientDecode<'de, Value>> LenientDecode<'de, Option<Value>> for OrNone<Inner> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
        let value = Option::<serde_json::Value>::deserialize(deserializer)?;
        Ok(value.and_then(|value| Inner::deserialize(value).ok()))
    }
}

/// Decodes the body of a success; a body that is not as it was learned becomes the default.
///
/// # Errors
///
/// A body that does not arrive.
pub(crate) async fn body<Body: DeserializeOwned + Default, E>(
    response: Response,
) -> Result<ResponseValue<Body>, Error<E>> {
    let (status, headers) = (response.status(), response.headers().clone());
    let bytes = response.bytes().await.map_err(Error::ResponseBodyError)?;
    let body = serde_json::from_slice(&bytes).unwrap_or_default();
    Ok(ResponseValue::new(body, status, headers))
}

/// Parses a timestamp; `None` if the string is absent or empty.
pub(crate) fn time(string: Option<&str>) -> Option<Result<DateTime<FixedOffset>, ParseError>> {
    let string = string.filter(|string| !string.is_empty())?;
    Some(DateTime::parse_from_rfc3339(string))
}

#[cfg(test)]
mod tests {
    use super::super::lenient::{List, Plain, WholeNumber};
    use super::*;

    /// What is generated from a learned body.
    #[derive(Debug, Default, Deserialize, PartialEq)]
    struct Updated {
        #[serde(default, deserialize_with = "<OrNone<Plain> as LenientDecode<_>>::deserialize")]
        message: Option<String>,
        #[serde(
            default,
            deserialize_with = "<OrNone<List<WholeNumber>> as LenientDecode<_>>::deserialize"
        )]
        counts: Option<Vec<i64>>,
    }

    async fn read(status: u16, body: &'static str) -> (u16, Updated) {
        let response = http::Response::builder().status(status).body(body).unwrap();
        let read = super::body::<Updated, ()>(response.into()).await.unwrap();
        (read.status().as_u16(), read.into_inner())
    }

    #[tokio::test]
    async fn a_body_as_it_was_learned_is_read() {
        let updated = Updated {
            message: Some("Updated".to_owned()),
            counts: Some(vec![1, 2]),
        };
        let body = r#"{"message": "Updated", "counts": [1, null, 2.0], "more": {}}"#;
        assert_eq!(read(200, body).await, (200, updated));
    }

    #[tokio::test]
    async fn a_field_of_another_type_is_none_and_the_others_are_read() {
        let updated = Updated {
            counts: Some(vec![7]),
            ..Updated::default()
        };
        assert_eq!(
            read(200, r#"{"message": {"text": "Updated"}, "counts": [7]}"#).await.1,
            updated
        );
    }

    #[tokio::test]
    async fn another_body_is_no_error() {
        for (status, body) in [
            (204, ""),
            (200, "null"),
            (200, "<p>Updated</p>"),
            (202, "7"),
            (200, "{}"),
        ] {
            assert_eq!(read(status, body).await, (status, Updated::default()), "{body}");
        }
    }

    #[test]
    fn a_time_is_read_with_its_offset() {
        for text in [
            "2024-05-17T09:30:00+02:00",
            "2024-05-17T07:30:00Z",
            "2024-05-17T07:30:00.000Z",
        ] {
            let read = time(Some(text)).unwrap().unwrap();
            assert_eq!(read.to_utc().to_string(), "2024-05-17 07:30:00 UTC", "{text}");
        }
        assert!(time(Some("2024-05-17 09:30")).unwrap().is_err());
        assert_eq!((time(None), time(Some(""))), (None, None));
    }
}
