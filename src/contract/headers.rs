//! Reads which headers a response documents. The main function is [`stated`].

use super::document::{Document, Node};
use super::load::{is_http_token, is_json, resolve};
use super::operation::StatusPattern;
use super::pointer;
use super::shape::StatedHeader;

/// The headers of which a document's statement is not judged, in lower case: that of the media type, which `content`
/// states (OpenAPI 3.0.3, section 4.7.17.1); those of the connection, the coding and the time of a response, which the
/// HTTP stack of the service, of this program or of anything between them sets or removes; those that name a server or
/// cache; cookies, of which a response has one only if the client has none; and the one that a service must not send
/// without TLS (RFC 6797, section 7.2).
const UNJUDGED_HEADERS: [&str; 17] = [
    "age",
    "alt-svc",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "keep-alive",
    "proxy-authenticate",
    "proxy-connection",
    "server",
    "set-cookie",
    "strict-transport-security",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// Headers whose presence alone is judged: a gateway that compresses or caches changes their values.
const CHANGED_ON_THE_WAY: [&str; 3] = ["cache-control", "etag", "vary"];

/// Whether a response has a header only for what the request says of its origin: the protocol CORS of browsers.
fn is_of_cors(name: &str) -> bool {
    name.starts_with("access-control-")
}

/// Returns the headers that the response at the location documents, but for those that are not judged. A 304 repeats
/// only some of the headers of a 200 (RFC 9110, section 15.4.5).
pub(super) fn stated<'document>(
    document: &'document Document,
    status: StatusPattern,
    response: &str,
) -> Vec<StatedHeader<'document>> {
    if matches!(status, StatusPattern::Exact(100..200 | 304) | StatusPattern::Class(1)) {
        return Vec::new();
    }
    let headers = pointer::join(response, "headers");
    let members = document.members_at(&headers).iter();
    let judged = members.filter(|member| {
        let name = member.name.to_ascii_lowercase();
        is_http_token(&name) && !UNJUDGED_HEADERS.contains(&name.as_str()) && !is_of_cors(&name)
    });
    let found = judged.filter_map(|member| {
        let at = resolve(document, pointer::join(&headers, &member.name));
        let node = document.node(&at)?;
        let media = node.members_of("content").iter();
        let json = media.into_iter().find(|media| is_json(&media.name));
        let json_schema = json.filter(|json| json.node.member("schema").is_some());
        let in_json =
            json_schema.map(|json| pointer::join(&pointer::join(&pointer::join(&at, "content"), &json.name), "schema"));
        let is_changed = CHANGED_ON_THE_WAY.contains(&member.name.to_ascii_lowercase().as_str());
        let plain = node.member("schema").map(|_| pointer::join(&at, "schema"));
        Some(StatedHeader {
            name: &member.name,
            is_required: node.member("required").and_then(Node::boolean) == Some(true),
            is_json: plain.is_none() && in_json.is_some(),
            schema: plain.or(in_json).filter(|_| !is_changed),
            pointer: at,
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use crate::contract::testing::of_paths;

    /// Returns the facts about headers, without the name of the operation.
    fn stated(method: &str, responses: &str) -> Vec<String> {
        let paths = format!("/things: {{{method}: {{operationId: get, responses: {{{responses}}}}}}}");
        let components = "headers: {Total: {required: true, schema: {type: integer, minimum: 0}}}";
        let contract = of_paths(&paths, components).unwrap();
        let names = contract
            .facts
            .iter()
            .map(|fact| fact.name.strip_prefix("get ").unwrap());
        names
            .filter(|name| name.contains("header"))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn presence_type_and_other_keywords_are_facts() {
        let expected = [
            "header X-Total: present",
            "header X-Total: integer",
            "header X-Total: minimum",
        ];
        let referred = "headers: {X-Total: {$ref: '#/components/headers/Total'}}";
        assert_eq!(
            stated("get", &format!("'200': {{description: a, {referred}}}")),
            expected
        );
        let written = "headers: {X-Total: {schema: {type: integer}}, X-Note: {schema: {type: string}}, X-Open: {}}";
        assert_eq!(
            stated("get", &format!("'200': {{description: a, {written}}}")),
            ["header X-Total: integer"]
        );
    }

    #[test]
    fn all_but_the_first_success_with_headers_are_named_by_their_status() {
        let header = "headers: {X-Total: {required: true}}";
        let responses = ["'200': {description: a}".to_owned()];
        let others =
            ["'201'", "2XX", "'404'", "default"].map(|status| format!("{status}: {{description: a, {header}}}"));
        let responses = [responses.as_slice(), &others].concat().join(", ");
        let expected = ["", "2XX ", "404 ", "default "].map(|status| format!("{status}header X-Total: present"));
        assert_eq!(stated("get", &responses), expected);
    }

    #[test]
    fn headers_of_the_connection_and_of_other_requests_state_nothing() {
        for name in [
            "Content-Type",
            "content-length",
            "Date",
            "Set-Cookie",
            "Transfer-Encoding",
            "Access-Control-Allow-Origin",
            "Strict-Transport-Security",
            "'X Blank'",
        ] {
            let header = format!("headers: {{{name}: {{required: true, schema: {{type: integer}}}}}}");
            assert!(
                stated("get", &format!("'200': {{description: a, {header}}}")).is_empty(),
                "{name}"
            );
        }
        let header = "headers: {ETag: {required: true}}";
        assert_eq!(stated("get", &format!("'200': {{description: a, {header}}}")).len(), 1);
        assert!(stated("get", &format!("'304': {{description: a, {header}}}")).is_empty());
        assert!(stated("head", &format!("'200': {{description: a, {header}}}")).is_empty());
    }
}
