//! Reads for the generated types what the contract allows and serde alone does not: a whole number that is written with
//! a fraction, and null in an array. `build.rs` sets one of these decoders on each field that needs it. The main trait
//! is [`LenientDecode`].
//!
//! # Design
//!
//! JSON has one kind of number (RFC 8259, section 6), so `1.0` is an integer; and the contract leaves open where null
//! may appear. A null element is left out: a program has no use for an item that is not there, and otherwise every list
//! would be a list of options.

use std::marker::PhantomData;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A decoder of values of one type.
pub(crate) trait LenientDecode<'de, Value> {
    /// Decodes the value.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error>;
}

/// Decodes a value as serde does.
pub(crate) struct Plain;

/// Decodes a whole number, however it is written.
pub(crate) struct WholeNumber;

/// Decodes an array, without the nulls in it.
pub(crate) struct List<Element>(PhantomData<Element>);

/// Decodes a value or null.
pub(crate) struct Optional<Inner>(PhantomData<Inner>);

/// A value that one of these decoders returned, where serde needs a type that implements `Deserialize`.
struct Decoded<Value, Decoder>(Value, PhantomData<Decoder>);

impl<'de, Value, Decoder: LenientDecode<'de, Value>> Deserialize<'de> for Decoded<Value, Decoder> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Decoder::deserialize(deserializer).map(|value| Self(value, PhantomData))
    }
}

impl<'de, Value: Deserialize<'de>> LenientDecode<'de, Value> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }
}

impl<'de, Value: TryFrom<i128>> LenientDecode<'de, Value> for WholeNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        let whole = deserializer.deserialize_any(WholeVisitor)?;
        // The number may be personal data, so it stays out of the message.
        Value::try_from(whole).map_err(|_| D::Error::custom("an integer beyond the range of its type"))
    }
}

struct WholeVisitor;

impl Visitor<'_> for WholeVisitor {
    type Value = i128;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a whole number")
    }

    fn visit_i64<E>(self, number: i64) -> Result<i128, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<i128, E> {
        Ok(number.into())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<i128, E> {
        // A double formatted without an exponent is exact; a cast is not.
        let text = (number.fract() == 0.0).then(|| format!("{number:.0}"));
        text.and_then(|text| text.parse().ok())
            .ok_or_else(|| E::custom("a number that is not whole, or beyond the range of its type"))
    }
}

impl<'de, Value, Inner: LenientDecode<'de, Value>> LenientDecode<'de, Option<Value>> for Optional<Inner> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
        let read = Option::<Decoded<Value, Inner>>::deserialize(deserializer)?;
        Ok(read.map(|decoded| decoded.0))
    }
}

impl<'de, Value, Element: LenientDecode<'de, Value>> LenientDecode<'de, Vec<Value>> for List<Element> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
        deserializer.deserialize_seq(ListVisitor::<Value, Element>(PhantomData))
    }
}

struct ListVisitor<Value, Element>(PhantomData<(Value, Element)>);

impl<'de, Value, Element: LenientDecode<'de, Value>> Visitor<'de> for ListVisitor<Value, Element> {
    type Value = Vec<Value>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Vec<Value>, A::Error> {
        let mut values = Vec::new();
        while let Some(element) = access.next_element::<Option<Decoded<Value, Element>>>()? {
            values.extend(element.map(|decoded| decoded.0));
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Numbers = Optional<List<WholeNumber>>;

    fn read<'de, Value, Decoder: LenientDecode<'de, Value>>(json: &'de str) -> Result<Value, String> {
        Decoder::deserialize(&mut serde_json::Deserializer::from_str(json)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_whole_number_is_read_however_it_is_written() {
        for json in ["7", "7.0", "70e-1", "0.7e1"] {
            assert_eq!(read::<i64, WholeNumber>(json), Ok(7), "{json}");
        }
        assert_eq!(read::<i64, WholeNumber>("-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(read::<u64, WholeNumber>("18446744073709551615"), Ok(u64::MAX));
    }

    #[test]
    fn a_number_that_is_not_whole_or_does_not_fit_is_rejected_without_being_reported() {
        for json in ["7.5", "1e30", "9223372036854775808", "\"7\"", "true", "null"] {
            let error = read::<i64, WholeNumber>(json).unwrap_err();
            assert!(!error.contains("7.5") && !error.contains("9223"), "{error}");
        }
    }

    #[test]
    fn nulls_in_an_array_are_left_out_and_a_null_array_is_none() {
        assert_eq!(
            read::<Option<Vec<i64>>, Numbers>("[1, null, 2.0]"),
            Ok(Some(vec![1, 2]))
        );
        assert_eq!(read::<Option<Vec<i64>>, Numbers>("null"), Ok(None));
        type Nested = List<List<Plain>>;
        let nested = read::<Vec<Vec<String>>, Nested>(r#"[["a", null], null, []]"#);
        assert_eq!(nested, Ok(vec![vec!["a".to_owned()], Vec::new()]));
    }
}
