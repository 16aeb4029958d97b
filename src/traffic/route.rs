//! Finds the operation that a recorded request calls. The main type is [`Router`].

use std::collections::{BTreeSet, HashMap};

use matchit::Router as Paths;
use percent_encoding::percent_decode_str;
use reqwest::Url;
use serde_json::Value;

use crate::contract::Contract;
use crate::contract::document::Node;
use crate::contract::operation::OperationId;
use crate::contract::path_template::PathTemplate;
use crate::exchange::Target;

/// Matches requests to operations by base URL, method and path template; a literal takes precedence over a parameter
/// (OpenAPI 3.0.3, section 4.7.8.1).
pub(super) struct Router {
    methods: HashMap<String, MethodRoutes>,
    base: Base,
    /// Whether nobody has said where the service is.
    is_inferred: bool,
    /// The origins besides the chosen one at which operations were called.
    others: BTreeSet<String>,
}

/// The operations of one method.
#[derive(Default)]
struct MethodRoutes {
    /// The operations, with their identifiers; `None` for those that the contract omits.
    operations: Vec<(Option<OperationId>, PathTemplate)>,
    /// The indexes of those whose parameters are each a whole segment of the path.
    whole: Paths<Vec<usize>>,
    /// The indexes of those that have a parameter that is only a part of a segment.
    partial: Vec<usize>,
}

/// The values in a path, by the names of their parameters.
type PathValues<'name, 'path> = Vec<(&'name str, &'path str)>;

/// Where the service is.
enum Base {
    /// At one of these.
    Known(Vec<Target>),
    /// At the first origin at which an operation is called.
    First,
}

/// A call of an operation.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) operation: OperationId,
    /// The path under the base URL, with its query.
    pub(super) path: String,
    /// The values in the path, by parameter.
    pub(super) path_values: Vec<(String, Value)>,
}

/// Why a request calls no operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoCall {
    NoOperation,
    /// The path matches several templates, none of which is closer than the others.
    Ambiguous,
    /// The contract's document has the operation, but it could not be read.
    Omitted,
    OtherOrigin,
}

/// The number of other origins that are remembered: a browser's traffic may go to many.
const MAX_OTHERS: usize = 8;

impl Router {
    /// Makes a router for a service at the base URL, or else at one of the contract's servers, or else at the first
    /// origin at which the traffic calls an operation.
    pub(super) fn new(contract: &Contract, base: Option<Target>) -> Self {
        let known: Vec<_> = base.map_or_else(|| servers(contract), |base| vec![base]);
        let mut methods: HashMap<String, MethodRoutes> = HashMap::new();
        for id in contract.operation_ids() {
            let operation = contract.operation(id);
            let method = methods.entry(operation.method.to_string()).or_default();
            method.add(Some(id), PathTemplate::read(&operation.path));
        }
        // Omitted operations take precedence over others as they would if they could be judged.
        for operation in &contract.omitted {
            let method = methods.entry(operation.method.to_string()).or_default();
            method.add(None, PathTemplate::read(&operation.path));
        }
        Self {
            methods,
            is_inferred: known.is_empty(),
            base: if known.is_empty() {
                Base::First
            } else {
                Base::Known(known)
            },
            others: BTreeSet::new(),
        }
    }

    /// Returns the base URL; `None` where nobody has named it and no operation was called.
    pub(super) fn base(&self) -> Option<&Target> {
        match &self.base {
            Base::Known(targets) => targets.first(),
            Base::First => None,
        }
    }

    /// Whether the base URL is that of the first call, because neither the user nor the contract names one.
    pub(super) fn is_inferred(&self) -> bool {
        self.is_inferred
    }

    /// Returns the other origins at which operations were called; only the first few are kept.
    pub(super) fn others(&self) -> &BTreeSet<String> {
        &self.others
    }

    /// Returns the operation that a request calls.
    pub(super) fn call(&mut self, method: &str, url: &Url) -> Result<Call, NoCall> {
        let origin = url.origin();
        match &self.base {
            Base::Known(targets) => {
                let mut bases = targets.iter().filter(|base| base.is_at(url)).peekable();
                if bases.peek().is_none() {
                    return Err(self.note_other_origin(method, url));
                }
                let mut below = bases.filter_map(|base| below(url.path(), &base.base_path()));
                below
                    .find_map(|path| self.find(method, path, url))
                    .unwrap_or(Err(NoCall::NoOperation))
            }
            Base::First => {
                let found = self.find(method, url.path(), url);
                let call = found.unwrap_or(Err(NoCall::NoOperation))?;
                if let Ok(target) = Target::parse(&origin.ascii_serialization()) {
                    self.base = Base::Known(vec![target]);
                }
                Ok(call)
            }
        }
    }

    /// Returns [`NoCall::OtherOrigin`], and notes the URL's origin if its path would be a call.
    fn note_other_origin(&mut self, method: &str, url: &Url) -> NoCall {
        let Base::Known(targets) = &self.base else {
            return NoCall::OtherOrigin;
        };
        let mut paths = targets.iter().filter_map(|base| below(url.path(), &base.base_path()));
        let is_call = paths.any(|path| self.find(method, path, url).is_some());
        if is_call && self.others.len() < MAX_OTHERS {
            self.others.insert(url.origin().ascii_serialization());
        }
        NoCall::OtherOrigin
    }

    fn find(&self, method: &str, path: &str, url: &Url) -> Option<Result<Call, NoCall>> {
        let (operation, values) = match self.methods.get(method)?.find(path)? {
            Ok(found) => found,
            Err(why) => return Some(Err(why)),
        };
        let Some(operation) = operation else {
            return Some(Err(NoCall::Omitted));
        };
        let decoded = |value: &str| Value::from(percent_decode_str(value).decode_utf8_lossy());
        let path_values = values.iter().map(|(name, value)| ((*name).to_owned(), decoded(value)));
        let query = url.query().map_or_else(String::new, |query| format!("?{query}"));
        Some(Ok(Call {
            operation,
            path: format!("{path}{query}"),
            path_values: path_values.collect(),
        }))
    }
}

impl MethodRoutes {
    fn add(&mut self, id: Option<OperationId>, template: PathTemplate) {
        let index = self.operations.len();
        if template.has_whole_parameters() {
            let numbered = template.numbered();
            // Two templates that differ in the names of their parameters are the same path.
            match self.whole.at_mut(&numbered) {
                Ok(same) if self.operations[same.value[0]].1.numbered() == numbered => same.value.push(index),
                _ => drop(self.whole.insert(numbered, vec![index])),
            }
        } else {
            self.partial.push(index);
        }
        self.operations.push((id, template));
    }

    /// Returns the operation of a path, with the values in it; `Err` where several are equally close.
    fn find<'path>(&self, path: &'path str) -> Option<Result<(Option<OperationId>, PathValues<'_, 'path>), NoCall>> {
        let whole = self.whole.at(path).map_or(&[][..], |found| found.value);
        let matching = whole.iter().chain(&self.partial).filter_map(|index| {
            let (id, template) = self.operations.get(*index)?;
            Some((template.precedence(), *id, template.values(path)?))
        });
        let mut matching: Vec<_> = matching.collect();
        matching.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        if let [(one, ..), (other, ..), ..] = matching.as_slice()
            && one == other
        {
            return Some(Err(NoCall::Ambiguous));
        }
        let (_, id, values) = matching.into_iter().next()?;
        Some(Ok((id, values)))
    }
}

/// Returns the path under a base path.
fn below<'path>(path: &'path str, base: &str) -> Option<&'path str> {
    let below = path.strip_prefix(base)?;
    below.starts_with('/').then_some(below)
}

/// Returns the servers of the contract that are complete URLs without variables.
fn servers(contract: &Contract) -> Vec<Target> {
    let servers = contract.document.node("/servers").map_or(&[][..], Node::elements);
    let urls = servers.iter().filter_map(|server| server.member("url")?.string());
    urls.filter(|url| !url.contains('{'))
        .filter_map(|url| Target::parse(url).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contract(servers: &str) -> Contract {
        let response = "responses: {'200': {description: a}}";
        let parameter =
            |name: &str| format!("parameters: [{{name: {name}, in: path, required: true, schema: {{type: string}}}}]");
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: Pets, version: '1'}}\n{servers}paths:\n  /pets/{{id}}:\n    {}\n    get: {{operationId: \
             getPet, {response}}}\n    delete: {{operationId: deletePet, {response}}}\n  /pets/mine:\n    get: {{operationId: \
             getMine, {response}}}\n",
            parameter("id")
        );
        Contract::read("pets.yaml", text).unwrap()
    }

    fn called(contract: &Contract, router: &mut Router, method: &str, url: &str) -> Result<String, NoCall> {
        let call = router.call(method, &Url::parse(url).unwrap())?;
        let values: Vec<_> = call
            .path_values
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        Ok(format!(
            "{} {} {}",
            contract.operation(call.operation).name,
            call.path,
            values.join(",")
        ))
    }

    #[test]
    fn a_literal_precedes_a_parameter_and_each_method_has_its_own_paths() {
        let contract = contract("");
        let mut router = Router::new(&contract, None);
        for (method, path, expected) in [
            ("GET", "/pets/mine?a=1", Ok("getMine /pets/mine?a=1 ")),
            ("GET", "/pets/a%20b", Ok("getPet /pets/a%20b id=\"a b\"")),
            ("DELETE", "/pets/mine", Ok("deletePet /pets/mine id=\"mine\"")),
            ("POST", "/pets/mine", Err(NoCall::NoOperation)),
            ("GET", "/pets", Err(NoCall::NoOperation)),
            ("GET", "/pets/a/b", Err(NoCall::NoOperation)),
        ] {
            let called = called(&contract, &mut router, method, &format!("https://a.example.com{path}"));
            assert_eq!(called.as_deref(), expected.as_deref(), "{method} {path}");
        }
    }

    #[test]
    fn a_parameter_may_be_a_part_of_a_segment_and_more_literal_text_comes_first() {
        let operation = |path: &str, name: &str| {
            let names = path.split('{').skip(1).filter_map(|piece| piece.split_once('}'));
            let parameters: Vec<_> = names
                .map(|(name, _)| format!("{{name: {name}, in: path, required: true, schema: {{type: string}}}}"))
                .collect();
            format!(
                "  {path}:\n    get: {{operationId: {name}, parameters: [{}], responses: {{'200': {{description: a}}}}}}\n",
                parameters.join(", ")
            )
        };
        let paths = [
            ("/reports/{id}", "report"),
            ("/reports/{id}.json", "asJson"),
            ("/reports/{id}.{format}", "asAny"),
            ("/reports/latest.json", "latest"),
            ("/{list}/first.json", "first"),
            ("/a/{x}-{y}", "compare"),
        ];
        let paths: String = paths.iter().map(|(path, name)| operation(path, name)).collect();
        let text = format!("openapi: 3.0.3\ninfo: {{title: Reports, version: '1'}}\npaths:\n{paths}");
        let contract = Contract::read("reports.yaml", text).unwrap();
        let mut router = Router::new(&contract, None);
        for (path, expected) in [
            ("/reports/1", Ok("report /reports/1 id=\"1\"")),
            ("/reports/a%2Fb.json", Ok("asJson /reports/a%2Fb.json id=\"a/b\"")),
            (
                "/reports/1.xml?a=b",
                Ok("asAny /reports/1.xml?a=b id=\"1\",format=\"xml\""),
            ),
            ("/reports/latest.json", Ok("latest /reports/latest.json ")),
            ("/reports/first.json", Ok("asJson /reports/first.json id=\"first\"")),
            ("/a/first.json", Ok("first /a/first.json list=\"a\"")),
            ("/a/1-2", Ok("compare /a/1-2 x=\"1\",y=\"2\"")),
            ("/a/1-2-3", Ok("compare /a/1-2-3 ")),
            ("/a/12", Err(NoCall::NoOperation)),
            ("/reports/", Err(NoCall::NoOperation)),
        ] {
            let called = called(&contract, &mut router, "GET", &format!("https://a.example.com{path}"));
            assert_eq!(called.as_deref(), expected.as_deref(), "{path}");
        }
    }

    #[test]
    fn a_path_that_matches_two_templates_alike_is_a_call_of_neither() {
        let operation = |path: &str| format!("  {path}: {{get: {{responses: {{'200': {{description: a}}}}}}}}\n");
        let paths = [
            "/pets/{id}", "/pets/{name}", "/pets/mine", "/a/{x}.json", "/a/{y}.json", "/a/{x}",
        ];
        let paths: String = paths.map(operation).concat();
        let text = format!("openapi: 3.0.3\ninfo: {{title: Pets, version: '1'}}\npaths:\n{paths}");
        let contract = Contract::read("pets.yaml", text).unwrap();
        let mut router = Router::new(&contract, None);
        for (path, expected) in [
            ("/pets/17", Err(NoCall::Ambiguous)),
            ("/pets/mine", Ok("GET /pets/mine /pets/mine ")),
            ("/a/b.json", Err(NoCall::Ambiguous)),
            ("/a/b", Ok("GET /a/{x} /a/b x=\"b\"")),
        ] {
            let called = called(&contract, &mut router, "GET", &format!("https://a.example.com{path}"));
            assert_eq!(called.as_deref(), expected.as_deref(), "{path}");
        }
    }

    #[test]
    fn a_base_url_has_its_own_origin_and_path() {
        let contract = contract("");
        let base = Target::parse("https://a.example.com/v1").unwrap();
        let mut router = Router::new(&contract, Some(base));
        for (url, expected) in [
            ("https://a.example.com/v1/pets/mine", Ok("getMine /pets/mine ")),
            ("https://a.example.com/v10/pets/mine", Err(NoCall::NoOperation)),
            ("https://a.example.com/pets/mine", Err(NoCall::NoOperation)),
            ("https://b.example.com/v1/pets/mine", Err(NoCall::OtherOrigin)),
            ("http://a.example.com/v1/pets/mine", Err(NoCall::OtherOrigin)),
        ] {
            assert_eq!(
                called(&contract, &mut router, "GET", url).as_deref(),
                expected.as_deref(),
                "{url}"
            );
        }
        let others: Vec<_> = router.others().iter().map(String::as_str).collect();
        assert_eq!(others, ["http://a.example.com", "https://b.example.com"]);
    }

    #[test]
    fn without_a_base_url_the_service_is_at_a_server_of_the_contract_or_where_its_paths_are_called_first() {
        let named = contract(
            "servers: [{url: 'https://a.example.com/v1'}, {url: '{any}/v2', variables: {any: {default: b}}}]\n",
        );
        let mut router = Router::new(&named, None);
        let other = called(&named, &mut router, "GET", "https://b.example.com/pets/mine");
        assert_eq!(other, Err(NoCall::OtherOrigin));
        let contract = contract("");
        let mut router = Router::new(&contract, None);
        assert!(router.base().is_none());
        for url in [
            "https://cdn.example.com/a.js",
            "https://a.example.com/pets/mine",
            "https://b.example.com/pets/mine",
        ] {
            drop(called(&contract, &mut router, "GET", url));
        }
        assert_eq!(
            router.base().map(Target::origin).as_deref(),
            Some("https://a.example.com")
        );
        assert_eq!(router.others().iter().collect::<Vec<_>>(), ["https://b.example.com"]);
    }

    #[test]
    fn a_call_of_an_operation_that_is_left_out_is_taken_for_no_other() {
        let text = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths:\n  \
                    /pets/{id}: {get: {responses: {'200': {description: a}}}}\n  \
                    /pets/mine: {get: {responses: {'200': 3}}}\n";
        let contract = Contract::read_partly("pets.yaml", text.to_owned()).unwrap();
        let mut router = Router::new(&contract, None);
        let mut call = |path: &str| {
            let url = Url::parse(&format!("https://a.example.com{path}")).unwrap();
            router.call("GET", &url).map(|call| call.operation)
        };
        assert_eq!(call("/pets/mine"), Err(NoCall::Omitted));
        assert_eq!(call("/pets/17"), Ok(OperationId(0)));
    }
}
