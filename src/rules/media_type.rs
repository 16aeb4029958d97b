//! `media-type`: an answer comes as another media type than the documented one.

use super::evidence::ExchangeSeen;
use super::level::Level;
use super::rule::{Example, Judging, Rule};
use super::verdict::Sink;
use crate::contract::fact::FactKind;
use crate::contract::is_json;
use crate::contract::operation::Answer as DocumentedAnswer;
use crate::exchange::redact::tell_media_type;

pub(super) static RULE: Rule = Rule {
    name: "media-type",
    level: Level::Deny,
    summary: "A documented body comes as a media type that is documented for it.",
    explanation: "A client chooses its reader by the Content-Type. The built-in contract documents application/json \
                  for every answer; a contract given by --spec may document others and ranges. Parameters such as \
                  charset and the case do not matter.",
    leaves_alone: "Answers without a documented body, and errors: how they come is a gap.",
    mend: "Send the documented Content-Type, or document the one that is sent.",
    source: "Resources and their fields: all requests and responses use application/json; OpenAPI 3.0.3, section \
             4.7.14",
    example: Example {
        fact: "getTags media type: application/json",
        documented: "application/json",
        received: "text/html",
        pointer: "",
        #[cfg(test)]
        shown: || crate::rules::testing::Bench::of("getTags").answer(200, Some("text/html"), "{}"),
    },
    judge: Judging::Exchange(judge),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let with_body = seen.documented.filter(|documented| !documented.media_types.is_empty());
    let (Some(answer), Some(documented)) = (seen.success(), with_body) else {
        return;
    };
    let Some(fact) = seen.contract.fact_of(seen.id, FactKind::MediaType) else {
        return;
    };
    let received = answer.media_type();
    if received
        .as_ref()
        .is_some_and(|received| documented.media_types.iter().any(|known| admits(known, received)))
    {
        sink.held(fact);
    } else {
        sink.broken(fact, String::new, || {
            received.map_or_else(|| "no media type".to_owned(), |media| tell_media_type(&media))
        });
    }
}

/// Whether the answer comes as one of the documented media types that is not JSON.
pub(super) fn is_documented_otherwise(documented: &DocumentedAnswer, received: &str) -> bool {
    let mut others = documented.media_types.iter().filter(|known| !is_json(known));
    others.any(|known| admits(known, received))
}

/// Whether the documented media type, which may be a range and have parameters, admits the received one.
fn admits(documented: &str, received: &str) -> bool {
    let documented = documented.split(';').next().unwrap_or_default().trim();
    match documented.strip_suffix('*') {
        Some(range) => range == "*/" || received.starts_with(range),
        None => documented == received,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Bench, Told};
    use crate::rules::{Reason, Verdict};

    fn typed(media_type: Option<&str>) -> Told {
        Bench::of("getTags").answer(200, media_type, r#"{"data": {}}"#)
    }

    #[test]
    fn the_documented_type_holds_with_parameters_and_in_any_case() {
        for media_type in [
            "application/json",
            "application/json; charset=utf-8",
            "application/json;charset=UTF-8",
            "Application/JSON",
        ] {
            let told = typed(Some(media_type));
            assert_eq!(told.kind(FactKind::MediaType), Verdict::Held, "{media_type}");
        }
    }

    #[test]
    fn another_type_breaks_it_and_its_text_is_told_only_when_it_is_well_known() {
        for (media_type, received) in [
            (Some("text/html; charset=utf-8"), "text/html"),
            (Some("application/problem+json"), "application/problem+json"),
            (Some("application/hal+json"), "another media type, string(20)"),
            (Some("application/x-ada"), "another media type, string(17)"),
            (Some(""), "another media type, string(0)"),
            (None, "no media type"),
        ] {
            let told = typed(media_type);
            assert_eq!(told.kind(FactKind::MediaType), Verdict::Broken, "{media_type:?}");
            assert_eq!(told.received("media-type"), received);
        }
    }

    #[test]
    fn an_error_may_come_as_anything() {
        let told = Bench::of("getTags").answer(404, Some("text/html"), "<html>");
        assert_eq!(told.kind(FactKind::MediaType), Verdict::Undecided(Reason::NotShown));
        let told = Bench::of("createTag").answer(422, Some("text/html"), "<html>");
        assert_eq!(told.kind(FactKind::MediaType), Verdict::Undecided(Reason::NotShown));
    }

    #[test]
    fn a_success_without_a_documented_body_needs_no_media_type() {
        let json = "content: {application/json: {schema: {type: object}}}";
        let bench = Bench::responses(&format!(
            "'200': {{description: Things, {json}}}\n'204': {{description: None}}"
        ));
        let told = bench.answer(204, None, "");
        assert_eq!(told.kind(FactKind::MediaType), Verdict::Undecided(Reason::NotShown));
        assert!(told.verdicts.findings().is_empty());
    }

    #[test]
    fn a_range_admits_what_is_in_it() {
        let bench =
            Bench::responses("'200': {description: Things, content: {'text/*': {}, 'application/json; v=1': {}}}");
        for (media_type, verdict) in [
            ("text/csv", Verdict::Held),
            ("application/json", Verdict::Held),
            ("image/png", Verdict::Broken),
        ] {
            let told = bench.answer(200, Some(media_type), "1");
            assert_eq!(told.kind(FactKind::MediaType), verdict, "{media_type}");
        }
    }

    #[test]
    fn the_finding_points_at_the_documented_content() {
        let responses = "/paths/~1organization~1v1~1tags/get/responses/2XX/content";
        assert_eq!(typed(None).places("media-type"), ("", responses));
    }
}
