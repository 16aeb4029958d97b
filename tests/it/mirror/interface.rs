//! States what the document says about the interface and each operation.

use super::body::Body;
use super::document::Document;
use super::operation::{Operation, identifier};
use super::statement::Statements;

impl Document {
    /// Everything that the document says about requests and responses.
    pub(super) fn statements(&self) -> Statements {
        let mut said = Statements::default();
        self.say_interface(&mut said);
        for row in self.section("Endpoints / Summary").rows() {
            let operation = Operation::read(self, row);
            self.say_operation(&mut said, &operation);
        }
        said
    }

    fn say_interface(&self, said: &mut Statements) {
        let opening = &self.sections[0];
        let paths = opening.after("All paths are relative to ");
        said.say("interface", opening.title(), "");
        said.say("interface server", paths, "");
        said.note(
            "interface server note",
            &format!("All paths are relative to {paths}"),
            "",
        );
        said.say("interface server variables", paths.trim_matches(['{', '}']), "");
        said.note("interface note", &self.capabilities(), "What the service does");
        let version = self
            .section("Versioning")
            .after("The version is part of the path: every path begins with ");
        let version = version.rsplit('/').next().unwrap_or_default();
        said.say("interface version", version, "Versioning");
        let credential = "The client sends the header Authorization";
        let sent = self.section("Authentication").after(credential);
        said.note("interface credential", &format!("{credential}{sent}"), "Authentication");
    }

    /// What the service does, in one sentence.
    fn capabilities(&self) -> String {
        let section = self.section("What the service does");
        let opening = section
            .after("The service is ")
            .strip_suffix(" with these capabilities:");
        let listed = section.texts().skip(1).filter(|text| !text.ends_with("not shown."));
        let listed: Vec<_> = listed
            .map(|text| text.trim_end_matches('.').replace(", and ", " and "))
            .collect();
        format!(
            "{}: {}",
            opening.expect("the capabilities are listed"),
            listed.join(", ").to_lowercase()
        )
    }

    fn say_operation(&self, said: &mut Statements, operation: &Operation) {
        let (id, heading) = (identifier(&operation.name), operation.heading.as_str());
        said.say(
            &id,
            format!("{} {}", operation.method, operation.path),
            "Endpoints / Summary",
        );
        said.say(format!("{id} name"), &operation.name, heading);
        said.say(format!("{id} security"), self.security(), "Authentication");
        for parameter in &operation.parameters {
            let location = format!("{id} parameter {}", parameter.name);
            said.say(&location, &parameter.value, heading);
            if let Some(note) = &parameter.note {
                said.note(format!("{location} note"), note, heading);
            }
        }
        if let Some(request) = &operation.request {
            Body::of(self, said, "optional").say_whole(&format!("{id} request"), request, heading);
        }
        for response in &operation.responses {
            let location = format!("{id} response {}", response.status);
            said.note(&location, &response.description, &response.heading);
            if let Some(body) = &response.body {
                Body::of(self, said, "required").say_whole(&location, body, heading);
            }
        }
    }

    /// The scheme of every endpoint, as `name: type scheme`.
    fn security(&self) -> String {
        let said = self
            .section("Authentication")
            .after("Every endpoint uses the scheme named ");
        let (name, words) = said.split_once(", which is ").expect("the scheme has a name");
        let scheme = words
            .strip_suffix(" authentication")
            .expect("the scheme is one of authentication");
        format!("{name}: {}", scheme.to_lowercase())
    }

    /// The one media type of requests and responses.
    pub(super) fn media_type(&self) -> &str {
        let types = self
            .section("Resources and their fields")
            .after("All requests and responses use ");
        types.split_once(". ").expect("the media type ends its sentence").0
    }
}
