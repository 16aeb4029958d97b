//! Splits the check of a contract between several machines. The main type is [`Shard`].

use std::fmt;
use std::str::FromStr;

use crate::history::RunTag;

/// The reason that is given for what another shard checks.
pub const ANOTHER_SHARD: &str = "another shard checks this";

/// Why a plan does not call an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotCalled {
    /// Another shard checks it.
    AnotherShard,
    /// It is not called for this reason.
    Because(String),
}

impl fmt::Display for NotCalled {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::AnotherShard => ANOTHER_SHARD,
            Self::Because(reason) => reason,
        })
    }
}

/// One shard of several, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    number: u32,
    of: u32,
}

/// Why a string or a pair of numbers is not a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// The number is greater than the number of shards.
    #[error("there is no shard {number} of {of}; the last one is {of}/{of}")]
    Beyond {
        /// The number.
        number: u32,
        /// The number of shards as given.
        of: u32,
    },
    /// The string does not have two numbers.
    #[error("a shard is written K/N, such as 1/3 for the first of three")]
    Form,
    /// The number of shards is 0.
    #[error("a plan is not split into 0 shards; write 1/1 for the whole plan")]
    ZeroShards,
    /// There are more shards than are allowed.
    #[error("{0} shards are too many; a plan is split into {max} at most", max = Shard::MAX)]
    TooMany(u32),
    /// The number is 0.
    #[error("shard numbers start at 1; if the CI index starts at 0, add 1")]
    Zero,
}

impl Shard {
    /// The maximum number of shards of a plan.
    pub const MAX: u32 = 10_000;

    /// The only shard of a plan that is not split.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Makes shard `number` of `of` shards.
    ///
    /// # Errors
    ///
    /// Fails for a number that is not from 1 to `of`, and for `of` beyond [`Self::MAX`].
    pub fn new(number: u32, of: u32) -> Result<Self, ShardError> {
        match (number, of) {
            (_, 0) => Err(ShardError::ZeroShards),
            (_, of) if of > Self::MAX => Err(ShardError::TooMany(of)),
            (0, _) => Err(ShardError::Zero),
            (number, of) if number > of => Err(ShardError::Beyond { number, of }),
            (number, of) => Ok(Self { number, of }),
        }
    }

    /// Returns its number, from 1.
    #[must_use]
    pub fn number(self) -> u32 {
        self.number
    }

    /// Returns the number of shards.
    #[must_use]
    pub fn of(self) -> u32 {
        self.of
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (number, of) = text.split_once('/').ok_or(ShardError::Form)?;
        let read = |digits: &str| {
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| plain).ok_or(ShardError::Form)
        };
        Self::new(read(number)?, read(of)?)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.of)
    }
}

impl RunTag {
    /// Returns the run tag of a shard, which differs from that of every other shard of the run: the run's tag, advanced
    /// by the shard's number. Without a shard the tag stays unchanged.
    #[must_use]
    pub fn of_shard(self, shard: Option<Shard>) -> Self {
        let number = shard.and_then(|shard| usize::try_from(shard.number).ok());
        self.advanced_by(number.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(text: &str) -> String {
        text.parse::<Shard>().unwrap_err().to_string()
    }

    #[test]
    fn a_shard_is_two_numbers() {
        for (text, number, of) in [("1/1", 1, 1), ("2/3", 2, 3), ("10000/10000", 10_000, 10_000)] {
            let shard: Shard = text.parse().unwrap();
            assert_eq!((shard.number(), shard.of()), (number, of));
            assert_eq!(shard.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_shard_is_rejected_with_what_to_write() {
        for text in [
            "", "1", "1/", "/3", "1/3/5", "a/b", "1 / 3", "-1/3", "+1/3", "1/99999999999",
        ] {
            assert!(rejected(text).contains("K/N"), "{text}");
        }
        assert!(rejected("0/3").contains("add 1"));
        assert!(rejected("4/3").contains("the last one is 3/3"));
        assert!(rejected("0/0").contains("1/1"));
        assert!(rejected("1/10001").contains("10000"));
    }

    #[test]
    fn shards_that_start_in_one_second_with_one_seed_have_run_tags_of_their_own() {
        let run_tag = RunTag::new(7, 1_800_000_000);
        assert_eq!(run_tag.clone().of_shard(None), run_tag);
        let run_tags = |seed| {
            (1..=Shard::MAX).map(move |number| RunTag::new(seed, 1).of_shard(Shard::new(number, Shard::MAX).ok()))
        };
        for seed in 0..3 {
            let run_tags: std::collections::HashSet<_> =
                run_tags(seed).map(|run_tag| run_tag.as_str().to_owned()).collect();
            assert_eq!(run_tags.len(), 10_000);
            assert!(run_tags.iter().all(|run_tag| run_tag.len() == 8));
        }
    }
}
