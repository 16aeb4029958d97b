//! What is known about a gap: [`Answer`], with its [`Claim`].

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::learned::in_words;

/// What is known about a gap at one location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The gap's id.
    pub gap: String,
    /// The operation; none if the answer is about several.
    pub operation: Option<String>,
    /// The location in the contract, as a JSON pointer; none if the answer is about the gap as a whole.
    #[serde(rename = "place")]
    pub location: Option<String>,
    /// How well it is known.
    pub state: AnswerState,
    /// What is claimed: if the observations disagree, what most of them show; none if nothing can be told.
    pub claim: Option<Claim>,
    /// The observations: ordinary exchanges as well as trials, despite the name that it has in the JSON.
    #[serde(rename = "trials")]
    pub observations: ObservationCounts,
    /// What other observations show, if they disagree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dissent: Vec<Dissent>,
    /// Why nothing can be told; none if something is claimed.
    pub reason: Option<WhyUnanswered>,
}

/// The fewest agreeing observations from which anything follows about responses that were not observed.
const MIN_FOR_BOUND: u64 = 10;

impl Answer {
    /// Returns how many of the responses that were not observed may differ, in words that follow the count of those
    /// that were: `; of the responses not seen, at most 3 in 37 differ (95 % confidence)`. With n observations that
    /// agree, it is 95 % certain that at most 3 in n differ: the rule of three. Nothing follows from a few of them, nor
    /// where observations are not responses.
    pub(crate) fn bound_on_unseen(&self) -> String {
        let all = self.observations.supporting.saturating_add(self.observations.against);
        let counts_responses = self.claim.as_ref().is_some_and(Claim::counts_responses);
        match all {
            MIN_FOR_BOUND.. if self.state == AnswerState::Seen && counts_responses => {
                format!("; of the responses not seen, at most 3 in {all} differ (95 % confidence)")
            }
            _ => String::new(),
        }
    }
}

/// How well an answer is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerState {
    /// Nothing can be told, for the reason that is given.
    CannotTell,
    /// Several runs, an hour or more apart, agree.
    Established,
    /// The trials of one run agree.
    Indicated,
    /// All observations agree, and fewer than four trials prove it. If n responses, ten or more, show what each
    /// response shows as a whole, such as its status, it is 95 % certain that at most 3 in n of those not seen differ.
    Seen,
    /// Observations disagree.
    Unstable,
}

impl AnswerState {
    /// Returns the state in words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CannotTell => "cannot tell",
            Self::Established => "established",
            Self::Indicated => "indicated",
            Self::Seen => "seen",
            Self::Unstable => "unstable",
        }
    }
}

/// How many observations an answer has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TrialCounts")]
pub struct ObservationCounts {
    /// Those that show what is claimed.
    #[serde(rename = "for")]
    pub supporting: u64,
    /// Those that show something else.
    pub against: u64,
    /// Those that decide nothing: void ones.
    pub void: u64,
}

/// What some observations show, where others show something else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dissent {
    /// What they show.
    pub claim: Claim,
    /// How many there are.
    pub count: u64,
}

/// Why nothing can be told about a gap.
// The order matters: where answers are joined, the first of their reasons counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WhyCannotTell")]
pub enum WhyUnanswered {
    /// Traffic does not answer it.
    #[serde(rename = "ask whoever runs the service")]
    AskTheOperator,
    /// What was seen or asked is inconclusive: too little, or something else may explain it.
    #[serde(rename = "confounded")]
    Inconclusive,
    /// The run had sent as many requests as it may before enough of them asked about it.
    #[serde(rename = "limit of requests")]
    LimitOfRequests,
    /// The target rejected every request that would have shown it.
    #[serde(rename = "refused")]
    Rejected,
    /// Requests succeeded, but no response had a value there, or the run could create too few records to ask. Reports
    /// in JSON spell it `no row`.
    #[serde(rename = "no row")]
    NoValue,
    /// No exchange showed it.
    #[serde(rename = "out of reach")]
    NotObserved,
    /// Only a write shows it, and the run may not write.
    #[serde(rename = "needs writes")]
    NeedsWrites,
}

impl WhyUnanswered {
    /// Returns the reason in words. Reports in JSON keep shorter spellings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AskTheOperator => "ask whoever runs the service",
            Self::Inconclusive => "what was seen is inconclusive",
            Self::LimitOfRequests => "the limit of requests was reached; raise the setting `max_requests`",
            Self::NeedsWrites => "needs writes",
            Self::NoValue => "no response had a value there, or too few records could be created to ask",
            Self::NotObserved => "nothing that was sent showed it",
            Self::Rejected => "every request that would show it was rejected",
        }
    }
}

/// What an answer claims.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Claim {
    /// How long something takes.
    Duration {
        /// The shortest and the longest time that were seen, in milliseconds, rounded outward to tens.
        after_ms: [u64; 2],
    },
    /// What headers announce of the operation.
    HeaderAnnouncements {
        /// What they announce.
        announced: Vec<Announcement>,
    },
    /// What a list returns for a page beyond its last.
    BeyondLastPage {
        /// What it is.
        beyond: BeyondLast,
        /// Its status.
        status: u16,
    },
    /// What the body of a success contains.
    Body {
        /// Its form.
        body: BodyForm,
        /// The fields of an object, by name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        properties: Option<Vec<String>>,
    },
    /// The status that rejects a request for one reason.
    Condition {
        /// The reason.
        condition: Condition,
        /// The status.
        status: u16,
    },
    /// The formats of a date.
    Dates {
        /// Those that requests may have, as far as they are known.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        accepted: Vec<DateFormat>,
        /// The one that responses have.
        #[serde(rename = "answered")]
        in_responses: DateFormat,
    },
    /// What else a field of a create causes.
    SideEffect {
        /// `nothing-shown`, or for example `records-a-visit`, if another list, whose items the contract calls `Visit`,
        /// then has an item about the record.
        does: String,
    },
    /// Whether a record is created that equals another.
    Duplicate {
        /// What becomes of it.
        #[serde(rename = "equal")]
        duplicate: Duplicate,
    },
    /// By which of its fields the entries of an array refer to a record.
    Entries {
        /// The fields that are accepted, by name.
        entries: Vec<String>,
    },
    /// What the body of an error contains.
    Error {
        /// Its media type.
        media_type: String,
        /// The fields of a JSON object, by name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        properties: Option<Vec<String>>,
    },
    /// How a value is written.
    Form {
        /// The form.
        form: WrittenForm,
    },
    /// Whether the value may be null.
    MayBeNull {
        /// Always true where responses are observed; only a person writes `false`.
        null: bool,
    },
    /// Whether there is a rate limit.
    Limited {
        /// Whether a request was rejected with 429.
        limited: bool,
        /// How many requests in a second got a response, if none was rejected.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_least_per_second: Option<u64>,
    },
    /// How long a text may be.
    MaxLength {
        /// The number of characters of the longest one that is accepted.
        longest: usize,
    },
    /// The order of a list.
    Order {
        /// The order.
        order: ListOrder,
    },
    /// The number of items on a page.
    PageSize {
        /// The number.
        per_page: u64,
    },
    /// Which fields of a request's body are required.
    Required {
        /// Their pointers, in order; `*` is any element of an array, and what is in an object is required where that is
        /// sent.
        required: Vec<String>,
    },
    /// Whether a header is sent.
    HeaderSent {
        /// Whether it is.
        sent: bool,
    },
    /// Whether a field accepts any value.
    AllowedValues {
        /// Which values it accepts.
        set: ValueSet,
    },
    /// Whether a value comes back as it was sent.
    Spelling {
        /// How it comes back.
        spelling: ReturnedSpelling,
    },
    /// The status of a success.
    Status {
        /// The status.
        status: u16,
    },
    /// The types that the values of an object have.
    Types {
        /// The types that were seen.
        types: Vec<MemberType>,
    },
    /// What becomes of a field, or of an identifier, that the service does not know.
    UnknownHandled {
        /// What becomes of it.
        #[serde(rename = "unknown")]
        handling: UnknownHandling,
        /// The status, if the answer is about an identifier.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
    },
    /// What becomes of the fields that an update does not send.
    UnsentFields {
        /// What becomes of them.
        unsent: UnsentFields,
    },
}

/// Times are rounded outward to multiples of this: smaller differences are due to the machines and the network.
const STEP_MS: u64 = 10;

impl Claim {
    /// Returns the claim that something takes a time from `from` to `to`.
    pub(super) fn duration(from: Duration, to: Duration) -> Self {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let step = Duration::from_millis(STEP_MS);
        let to = to.saturating_add(step.saturating_sub(Duration::from_nanos(1)));
        let rounded = |time: Duration| millis(time) / STEP_MS * STEP_MS;
        Self::Duration {
            after_ms: [rounded(from), rounded(to)],
        }
    }

    /// Whether each response that could show something else is one observation. Of a time or a rate, more is claimed
    /// than one response shows; a value counts once for each time that it occurs in a response; and a response without
    /// null, or without a header that announces something, is no observation.
    fn counts_responses(&self) -> bool {
        !matches!(
            self,
            Self::Duration { .. }
                | Self::HeaderAnnouncements { .. }
                | Self::Dates { .. }
                | Self::Form { .. }
                | Self::MayBeNull { .. }
                | Self::Limited { .. }
                | Self::Types { .. }
        )
    }

    /// Returns the claim with its lists in order: a person may write them in any.
    pub(crate) fn sorted(mut self) -> Self {
        match &mut self {
            Self::HeaderAnnouncements { announced } => announced.sort_unstable(),
            Self::Dates { accepted, .. } => accepted.sort_unstable(),
            Self::Types { types } => types.sort_unstable(),
            Self::Body {
                properties: Some(names),
                ..
            }
            | Self::Entries { entries: names }
            | Self::Error {
                properties: Some(names),
                ..
            }
            | Self::Required { required: names } => names.sort_unstable(),
            _ => {}
        }
        self
    }

    /// Returns what two observations show together, if neither contradicts the other: one interval that has both times,
    /// the higher of two rates, every type that was seen.
    pub(super) fn merged_with(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Duration { after_ms: one }, Self::Duration { after_ms: other }) => Some(Self::Duration {
                after_ms: [one[0].min(other[0]), one[1].max(other[1])],
            }),
            (
                Self::Limited {
                    limited: false,
                    at_least_per_second: one,
                },
                Self::Limited {
                    limited: false,
                    at_least_per_second: other,
                },
            ) => Some(Self::Limited {
                limited: false,
                at_least_per_second: *one.max(other),
            }),
            (Self::HeaderAnnouncements { announced: some }, Self::HeaderAnnouncements { announced: others }) => {
                Some(Self::HeaderAnnouncements {
                    announced: union(some, others),
                })
            }
            (Self::Types { types: some }, Self::Types { types: others }) => Some(Self::Types {
                types: union(some, others),
            }),
            _ => (self == other).then(|| self.clone()),
        }
    }
}

/// Returns everything that is in either of the two, in order.
fn union<T: Ord + Copy>(some: &[T], others: &[T]) -> Vec<T> {
    let all: BTreeSet<_> = some.iter().chain(others).copied().collect();
    all.into_iter().collect()
}

impl fmt::Display for Claim {
    /// Writes the claim for people: `status: 201`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = serde_json::to_value(self).unwrap_or_default();
        formatter.write_str(&in_words(&written))
    }
}

/// Declares a part of a claim that has one of a few values, which JSON writes in kebab-case.
macro_rules! claim_enum {
    ($(#[$about:meta])+ $name:ident { $($(#[$says:meta])+ $variant:ident,)+ }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        $(#[$about])+
        pub enum $name {
            $($(#[$says])+ $variant,)+
        }
    };
}

claim_enum! {
    /// Which values a field accepts.
    ValueSet {
        /// Those of a list.
        Closed,
        /// Any.
        Open,
    }
}

claim_enum! {
    /// What a header announces of an operation.
    Announcement {
        /// That it is deprecated, or will be: `Deprecation` (RFC 9745).
        Deprecation,
        /// That it will no longer respond: `Sunset` (RFC 8594).
        Sunset,
    }
}

claim_enum! {
    /// What a list returns for a page beyond its last.
    BeyondLast {
        /// A page without items.
        Empty,
        /// The first page.
        FirstPage,
        /// The last page.
        LastPage,
        /// A rejection.
        #[serde(rename = "refused")]
        Rejected,
    }
}

claim_enum! {
    /// The form of a body.
    BodyForm {
        /// An array.
        Array,
        /// There is none.
        None,
        /// An object.
        Object,
        /// Anything else.
        Other,
    }
}

claim_enum! {
    /// A reason to reject a request.
    Condition {
        /// The body is invalid.
        InvalidBody,
        /// There is no credential.
        NoCredential,
        /// The identifier in the path names no record.
        UnknownRecord,
        /// Nobody issued the credential.
        WrongCredential,
    }
}

claim_enum! {
    /// A format of a date.
    #[schemars(rename = "DateForm")]
    DateFormat {
        /// Any text, even one that is no date.
        Any,
        /// DD/MM/YYYY, with any separator.
        DayFirst,
        /// YYYY-MM-DD.
        IsoDate,
        /// MM/DD/YYYY, with any separator.
        MonthFirst,
        /// A date with a time.
        Timestamp,
    }
}

claim_enum! {
    /// What becomes of a record that equals another.
    #[schemars(rename = "Equal")]
    Duplicate {
        /// It is created.
        Accepted,
        /// It is rejected.
        #[serde(rename = "refused")]
        Rejected,
    }
}

claim_enum! {
    /// The order of a list, by the time when its items were created.
    ListOrder {
        /// The latest first.
        NewestFirst,
        /// The earliest first.
        OldestFirst,
        /// Any other.
        Other,
    }
}

claim_enum! {
    /// A type of JSON (RFC 8259, section 3).
    MemberType {
        /// An array.
        Array,
        /// `true` or `false`.
        Boolean,
        /// `null`.
        Null,
        /// A number.
        Number,
        /// An object.
        Object,
        /// A string.
        String,
    }
}

claim_enum! {
    /// How a value comes back.
    #[schemars(rename = "Spelling")]
    ReturnedSpelling {
        /// As it was sent.
        AsSent,
        /// With some letters in another case.
        Changed,
    }
}

claim_enum! {
    /// What becomes of something in a request that the service does not know.
    UnknownHandling {
        /// The request is accepted without it.
        Ignored,
        /// The request is rejected.
        #[serde(rename = "refused")]
        Rejected,
    }
}

claim_enum! {
    /// What becomes of the fields that an update does not send.
    UnsentFields {
        /// They become blank.
        Cleared,
        /// They keep their values.
        Kept,
    }
}

claim_enum! {
    /// How a timestamp or an identifier is written.
    WrittenForm {
        /// A timestamp by RFC 3339 with a numeric offset.
        Offset,
        /// A timestamp in another form.
        Other,
        /// Date and time with a space between them.
        Space,
        /// A timestamp by RFC 3339 with the suffix `Z`.
        Utc,
        /// A timestamp by RFC 3339 with the suffix `Z`, always with a fraction of a second.
        UtcFraction,
        /// An identifier of digits.
        Integer,
        /// An identifier in another form.
        Text,
        /// A hyphenated UUID in lower case.
        UuidLower,
        /// A hyphenated UUID in upper case.
        UuidUpper,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Claims of each form, as they are and as they are written.
    pub(in crate::gaps) fn all_claims() -> impl Iterator<Item = (Claim, Value)> {
        let asked = claims_of_trials().into_iter();
        claims().into_iter().chain(claims_of_calls()).chain(asked)
    }

    fn claims() -> Vec<(Claim, Value)> {
        let names = || Some(vec!["errors".to_owned(), "message".to_owned()]);
        let (media_type, status) = ("application/json".to_owned(), 401);
        vec![
            (Claim::Status { status: 201 }, json!({"status": 201})),
            (
                Claim::Condition {
                    condition: Condition::NoCredential,
                    status,
                },
                json!({"condition": "no-credential", "status": 401}),
            ),
            (
                Claim::Body {
                    body: BodyForm::None,
                    properties: None,
                },
                json!({"body": "none"}),
            ),
            (
                Claim::Error {
                    media_type,
                    properties: names(),
                },
                json!({"media_type": "application/json", "properties": ["errors", "message"]}),
            ),
            (
                Claim::Form {
                    form: WrittenForm::UtcFraction,
                },
                json!({"form": "utc-fraction"}),
            ),
            (Claim::PageSize { per_page: 10 }, json!({"per_page": 10})),
            (
                Claim::Dates {
                    accepted: Vec::new(),
                    in_responses: DateFormat::IsoDate,
                },
                json!({"answered": "iso-date"}),
            ),
            (
                Claim::Order {
                    order: ListOrder::OldestFirst,
                },
                json!({"order": "oldest-first"}),
            ),
            (Claim::MayBeNull { null: true }, json!({"null": true})),
            (
                Claim::Types {
                    types: vec![MemberType::Null, MemberType::String],
                },
                json!({"types": ["null", "string"]}),
            ),
        ]
    }

    /// What the times, the rate and the headers of calls claim.
    fn claims_of_calls() -> Vec<(Claim, Value)> {
        vec![
            (Claim::Duration { after_ms: [20, 130] }, json!({"after_ms": [20, 130]})),
            (
                Claim::HeaderAnnouncements {
                    announced: vec![Announcement::Deprecation, Announcement::Sunset],
                },
                json!({"announced": ["deprecation", "sunset"]}),
            ),
            (
                Claim::Limited {
                    limited: true,
                    at_least_per_second: None,
                },
                json!({"limited": true}),
            ),
            (
                Claim::Limited {
                    limited: false,
                    at_least_per_second: Some(40),
                },
                json!({"limited": false, "at_least_per_second": 40}),
            ),
        ]
    }

    /// What trials claim.
    fn claims_of_trials() -> Vec<(Claim, Value)> {
        vec![
            (
                Claim::BeyondLastPage {
                    beyond: BeyondLast::LastPage,
                    status: 200,
                },
                json!({"beyond": "last-page", "status": 200}),
            ),
            (
                Claim::Dates {
                    accepted: vec![DateFormat::DayFirst, DateFormat::IsoDate],
                    in_responses: DateFormat::IsoDate,
                },
                json!({"accepted": ["day-first", "iso-date"], "answered": "iso-date"}),
            ),
            (
                Claim::Entries {
                    entries: vec!["id".to_owned()],
                },
                json!({"entries": ["id"]}),
            ),
            (
                Claim::Duplicate {
                    duplicate: Duplicate::Accepted,
                },
                json!({"equal": "accepted"}),
            ),
            (Claim::MaxLength { longest: 255 }, json!({"longest": 255})),
            (
                Claim::SideEffect {
                    does: "nothing-shown".to_owned(),
                },
                json!({"does": "nothing-shown"}),
            ),
            (
                Claim::Required {
                    required: vec!["/methods/*/type".to_owned(), "/name".to_owned()],
                },
                json!({"required": ["/methods/*/type", "/name"]}),
            ),
            (Claim::AllowedValues { set: ValueSet::Closed }, json!({"set": "closed"})),
            (
                Claim::Spelling {
                    spelling: ReturnedSpelling::AsSent,
                },
                json!({"spelling": "as-sent"}),
            ),
            (
                Claim::UnknownHandled {
                    handling: UnknownHandling::Rejected,
                    status: Some(404),
                },
                json!({"unknown": "refused", "status": 404}),
            ),
            (
                Claim::UnknownHandled {
                    handling: UnknownHandling::Ignored,
                    status: None,
                },
                json!({"unknown": "ignored"}),
            ),
            (
                Claim::UnsentFields {
                    unsent: UnsentFields::Kept,
                },
                json!({"unsent": "kept"}),
            ),
            (Claim::HeaderSent { sent: false }, json!({"sent": false})),
        ]
    }

    #[test]
    fn each_claim_is_written_as_documented_and_read_back() {
        for (claim, written) in all_claims() {
            assert_eq!(serde_json::to_value(&claim).unwrap(), written);
            assert_eq!(serde_json::from_value::<Claim>(written).unwrap(), claim);
        }
    }

    #[test]
    fn a_claim_with_anything_else_in_it_is_not_read() {
        assert!(serde_json::from_value::<Claim>(json!({"status": 201, "name": "Ada"})).is_err());
        assert!(serde_json::from_value::<Claim>(json!({"form": "Ada"})).is_err());
    }

    #[test]
    fn a_claim_reads_as_words() {
        let error = Claim::Error {
            media_type: "application/json".to_owned(),
            properties: Some(vec!["errors".to_owned(), "message".to_owned()]),
        };
        assert_eq!(
            error.to_string(),
            "media type: application/json, properties: errors message"
        );
        let time = Claim::Duration { after_ms: [20, 130] };
        assert_eq!(time.to_string(), "takes 20 to 130 ms");
        let entries = Claim::Entries {
            entries: vec!["id".to_owned(), "name".to_owned()],
        };
        assert_eq!(entries.to_string(), "entries: by id or by name");
        let dates = Claim::Dates {
            accepted: Vec::new(),
            in_responses: DateFormat::IsoDate,
        };
        assert_eq!(dates.to_string(), "shown in responses: iso-date");
    }

    #[test]
    fn a_share_of_the_responses_is_told_only_where_each_response_is_an_observation() {
        let told = |claim: Value, supporting: u64| {
            let answer = Answer {
                gap: "gap".to_owned(),
                operation: None,
                location: None,
                state: AnswerState::Seen,
                claim: serde_json::from_value(claim).unwrap(),
                observations: ObservationCounts {
                    supporting,
                    ..ObservationCounts::default()
                },
                dissent: Vec::new(),
                reason: None,
            };
            answer.bound_on_unseen()
        };
        let of_12 = "; of the responses not seen, at most 3 in 12 differ (95 % confidence)";
        for claim in [
            json!({"status": 201}),
            json!({"sent": true}),
            json!({"per_page": 10}),
            json!({"order": "oldest-first"}),
        ] {
            assert_eq!(told(claim.clone(), 12), of_12, "{claim}");
            assert_eq!(told(claim.clone(), 9), "", "{claim}");
        }
        for claim in [
            json!({"announced": ["deprecation"]}),
            json!({"null": true}),
            json!({"types": ["string"]}),
            json!({"form": "utc"}),
            json!({"answered": "iso-date"}),
            json!({"after_ms": [20, 130]}),
            json!({"limited": true}),
        ] {
            assert_eq!(told(claim.clone(), 400), "", "{claim}");
        }
    }

    #[test]
    fn a_time_is_rounded_outward() {
        let after = |from, to| {
            let Claim::Duration { after_ms } = Claim::duration(Duration::from_micros(from), Duration::from_micros(to))
            else {
                panic!("a time");
            };
            after_ms
        };
        assert_eq!(after(0, 0), [0, 0]);
        assert_eq!(after(9_999, 1), [0, 10]);
        assert_eq!(after(20_000, 20_000), [20, 20]);
        assert_eq!(after(29_999, 130_001), [20, 140]);
        assert_eq!(
            Claim::duration(Duration::MAX, Duration::MAX),
            Claim::Duration {
                after_ms: [u64::MAX / STEP_MS * STEP_MS; 2]
            }
        );
    }
}
