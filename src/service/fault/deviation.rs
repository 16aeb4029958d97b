//! One deliberate deviation: [`Fault`].

use super::arrays::ArrayFault;
use super::awkward::Distortion;
use super::creates::CreateFault;
use super::edge_case::{EdgeCaseFailure, FaultyEdgeCase};
use super::expected::{ExpectedFinding, ProposedFault};
use super::locations::Edit;
use super::pages::PageFault;
use super::request::RequestFault;
use super::response::ResponseFault;
use super::spelling::SpellingFault;
use super::writes::WriteFault;

/// One deliberate deviation, and what a check must report of it.
#[derive(Debug)]
pub struct Fault {
    /// Its name, as `--fault` takes it.
    pub name: String,
    /// What the service does with it, in a few words.
    pub about: String,
    /// The rule that must see it.
    pub rule: &'static str,
    /// The operation that it breaks, or the security scheme that it breaks in every operation.
    pub operation: String,
    /// The fact that it breaks, by its name in `countersign facts`; none where the contract states none.
    pub fact: Option<String>,
    /// Where in the response, as a JSON pointer with `*` for any one token; empty for the whole response.
    pub pointer: String,
    /// The other findings that may show it, each as good as the first: a fault in many fields is reported on one.
    pub other_findings: Vec<ExpectedFinding>,
    pub(super) deviation: Deviation,
}

/// What is done to which operation.
#[derive(Clone, Debug)]
pub(super) struct Deviation {
    /// The operation whose requests or responses are changed.
    pub(super) on: String,
    pub(super) kind: DeviationKind,
}

/// The ways to deviate; `order` in `layer` has the order in which responses are changed.
#[derive(Clone, Debug)]
pub(super) enum DeviationKind {
    /// What is sent is changed on its way in.
    Request(RequestFault),
    /// A value that is valid but awkward is stored as another.
    Distortion(Distortion),
    /// An array of several elements is stored as another.
    Array(ArrayFault),
    /// A request is rejected or misread because of how it is written.
    Spelling(SpellingFault),
    /// An update gives its record another identifier.
    IdentifierChanged,
    /// A write is done more or less often than it was sent, or two creates at once are mixed up.
    Write(WriteFault),
    /// An edge case is answered with a 500, or incompletely.
    EdgeCase {
        edge_case: FaultyEdgeCase,
        failure: EdgeCaseFailure,
    },
    /// The numbers or the items of a page are wrong.
    Page(PageFault),
    /// What a create returns and what is listed afterwards do not agree.
    Create(CreateFault),
    /// A location of a success is changed.
    Location { pattern: String, edit: Edit },
    /// A response is changed as a whole.
    Response(ResponseFault),
}

impl<Kind> ProposedFault<Kind> {
    /// Makes a fault of it, which deviates as `kind` says; `None` where nothing would show it.
    pub(super) fn fault(self, kind: impl FnOnce(Kind) -> DeviationKind) -> Option<Fault> {
        let mut expected = self.expected.into_iter();
        let ExpectedFinding { rule, fact, pointer } = expected.next()?;
        Some(Fault {
            name: name(&self.on, "", &self.deviation),
            about: self.about,
            rule,
            operation: self.on.clone(),
            fact,
            pointer,
            other_findings: expected.collect(),
            deviation: Deviation {
                on: self.on,
                kind: kind(self.kind),
            },
        })
    }
}

/// Returns the name of a fault: the operation, the location, the deviation.
pub(super) fn name(operation: &str, pattern: &str, deviation: &str) -> String {
    format!("{operation}{}:{deviation}", pattern.replace('*', "each"))
}

/// Returns a location in words.
pub(super) fn in_words(subject: &str) -> String {
    if subject == "body" {
        "the body".to_owned()
    } else {
        subject.replace('*', "each")
    }
}
