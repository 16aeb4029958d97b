//! `plan`: what a check would send, printed before it is sent, and compared with what a recording service then
//! receives.

use std::sync::{Arc, Mutex};

use axum::extract::Request;
use axum::middleware::{self, Next};

use super::stub::{Stub, sound};
use super::support::{TOKEN, check, countersign};
use super::target::{Target, reference};
use crate::support::tried;

/// Which credential a request shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Empty,
    Nothing,
    OtherScheme,
    Right,
    Wrong,
}

/// A request as the service saw it.
#[derive(Clone, Debug)]
struct Seen {
    method: String,
    path: String,
    shown: Shown,
}

/// A line of the plan.
#[derive(Clone, Debug)]
struct Line {
    method: String,
    path: String,
    shown: Shown,
    writes: bool,
    /// Whether it is sent whatever the target shows.
    always: bool,
}

impl Line {
    fn is_like(&self, other: &Self) -> bool {
        (&self.method, &self.path, self.shown) == (&other.method, &other.path, other.shown)
    }

    fn sends(&self, seen: &Seen) -> bool {
        let (template, path) = (self.path.split('/'), seen.path.split('/'));
        let same = |(part, sent): (&str, &str)| part == sent || part.starts_with('{');
        self.method == seen.method
            && self.shown == seen.shown
            && template.clone().count() == path.clone().count()
            && template.zip(path).all(same)
    }
}

/// The groups of a plan in order, each with its lines: an empty line ends what is under way together.
fn groups(plan: &str) -> Vec<Vec<Line>> {
    let (mut groups, mut shown, mut always): (Vec<Vec<Line>>, _, _) = (vec![Vec::new()], Shown::Right, true);
    for line in plan.lines().take_while(|line| *line != "not called") {
        let words: Vec<_> = line.split_whitespace().collect();
        if line.starts_with(|first: char| first.is_ascii_lowercase()) && !line.contains(" steps, ") {
            shown = match line {
                line if line.starts_with("call with an empty token") => Shown::Empty,
                line if line.starts_with("call without a credential") => Shown::Nothing,
                line if line.contains("a second page without a credential") => Shown::Nothing,
                line if line.starts_with("call with the token under another scheme") => Shown::OtherScheme,
                line if line.starts_with("call with a wrong token") => Shown::Wrong,
                _ => Shown::Right,
            };
        } else if words.first() == Some(&"each:") {
            always = !words.contains(&"none") && !words.contains(&"none,");
        } else if words.first() == Some(&"then") {
            groups.last_mut().unwrap().push(Line {
                method: words[1].to_owned(),
                path: words[2].to_owned(),
                shown: Shown::Right,
                writes: false,
                always: true,
            });
        } else if line.is_empty() {
            groups.push(Vec::new());
        } else if line[..line.len().min(6)].trim().parse::<u32>().is_ok() && words.get(1) != Some(&"steps,") {
            // A number further to the right is one of an awkward value's name.
            let writes = words[1] == "write";
            let at = if writes { 2 } else { 1 };
            groups.last_mut().unwrap().push(Line {
                method: words[at].to_owned(),
                path: words[at + 1].to_owned(),
                shown,
                writes,
                always,
            });
        }
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// What a check with these arguments sends to the reference service.
fn sent(arguments: &[&str]) -> Vec<Seen> {
    let record: Arc<Mutex<Vec<Seen>>> = Arc::default();
    let seen = record.clone();
    let layer = middleware::from_fn(move |request: Request, next: Next| {
        let credential = request
            .headers()
            .get("authorization")
            .map(|value| value.to_str().unwrap().to_owned());
        let shown = match credential.as_deref() {
            None => Shown::Nothing,
            // The scheme's name is of any case.
            Some(value) if value.strip_prefix("bearer ") == Some(TOKEN) => Shown::Right,
            Some(value) if value == format!("Bearer {TOKEN}") => Shown::Right,
            Some("Bearer") => Shown::Empty,
            Some(value) if value.starts_with("Bearer ") => Shown::Wrong,
            Some(_) => Shown::OtherScheme,
        };
        seen.lock().unwrap().push(Seen {
            method: request.method().to_string(),
            path: request.uri().path().to_owned(),
            shown,
        });
        next.run(request)
    });
    let target = Target::serve(reference().layer(layer));
    let ended = check(&target.url(), arguments).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    let seen = record.lock().unwrap();
    seen.clone()
}

/// The plan of the same check, against an address that nobody listens at.
fn planned(arguments: &[&str]) -> String {
    let fixed = ["plan", "--seed", "1", "--base-url", "http://127.0.0.1:1"];
    let ended = countersign(&[&fixed, arguments].concat()).run();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    ended.stdout
}

#[test]
fn a_check_sends_what_its_plan_says_in_that_order_and_all_of_it() {
    let ways = [
        &["--jobs", "1"][..],
        &["--writes"],
        &["--writes", "--only", "createTag"],
        &["--writes", "--shard", "1/3"],
        &["--writes", "--skip", "createVisit", "--skip", "getTags"],
        &["--writes", "--shard", "3/3"],
        &["--shard", "2/2"],
    ];
    // The last three are of further parts of the plan.
    let tried = tried(ways.len() - 3, ways.len());
    for arguments in ways.into_iter().take(tried) {
        let groups = groups(&planned(arguments));
        let mut at = 0;
        let sent = sent(arguments);
        for seen in &sent {
            let next = (at..groups.len()).find(|group| groups[*group].iter().any(|line| line.sends(seen)));
            at = next.unwrap_or_else(|| panic!("{seen:?} is not planned after group {at}: {groups:?}"));
        }
        // Groups that send the same cannot be distinguished, so the lines are counted.
        for line in groups.iter().flatten().filter(|line| line.always) {
            let same = groups
                .iter()
                .flatten()
                .filter(|other| other.always && other.is_like(line));
            let (planned, sent) = (same.count(), sent.iter().filter(|seen| line.sends(seen)).count());
            assert!(
                sent >= planned,
                "{arguments:?}: {line:?} is planned {planned} times and was sent {sent} times"
            );
        }
    }
}

/// A contract whose records can be deleted.
const THINGS: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1'}
paths:
  /things:
    post:
      operationId: createThing
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}
      responses:
        '201': {description: Created, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
  /things/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      operationId: getThing
      responses:
        '200': {description: One, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
        '404': {description: None}
    delete:
      operationId: deleteThing
      responses: {'204': {description: Deleted}, '404': {description: None}}
components:
  schemas:
    New: {type: object, required: [name], properties: {name: {type: string}}}
    Thing: {type: object, required: [id, name], properties: {id: {type: string}, name: {type: string}}}
";

#[test]
fn writes_are_marked_and_a_plan_of_reads_has_none() {
    let writing = groups(&planned(&["--writes"]));
    for line in writing.iter().flatten() {
        assert_eq!(line.writes, line.method != "GET", "{line:?}");
    }
    assert!(writing.iter().flatten().any(|line| line.writes));
    let reading = planned(&[]);
    assert!(groups(&reading).iter().flatten().all(|line| !line.writes));
    assert!(reading.contains("createTag: needs writes, which are off"), "{reading}");
}

#[test]
fn a_cleanup_that_deletes_nothing_is_announced() {
    let announced = |arguments: &[&str]| {
        let ended = countersign(&[&["plan", "--cleanup"], arguments].concat())
            .file("things.yaml", THINGS)
            .run();
        assert_eq!(ended.code, 0, "{ended:?}");
        let note = ended.stderr.strip_prefix("note: cleanup deletes nothing: ");
        assert_eq!(note.is_none(), ended.stderr.is_empty(), "{ended:?}");
        note.map(|why| why.trim_end().to_owned())
    };
    let things = |arguments: &[&'static str]| announced(&[&["--spec", "things.yaml"], arguments].concat());
    let reading = things(&["--base-url", "https://api.example.invalid"]);
    assert_eq!(reading.as_deref(), Some("it needs writes (--writes)"));
    assert_eq!(things(&["--writes"]), None);
    let skipped = "the plan has no DELETE for the records that are created";
    assert_eq!(things(&["--writes", "--skip", "deleteThing"]).as_deref(), Some(skipped));
    let reads = things(&["--writes", "--skip", "createThing"]);
    assert_eq!(reads.as_deref(), Some("the plan creates nothing"));
    let lacking = "the contract has no DELETE for the records that are created";
    assert_eq!(announced(&["--writes"]).as_deref(), Some(lacking));
}

#[test]
fn a_plan_sends_nothing_and_needs_no_token() {
    let target = Stub::start(|request, stream| {
        use std::io::Write as _;
        stream.write_all(sound(request).as_bytes())
    });
    let ended = countersign(&["plan", "--writes", "--base-url", &target.url()]).run();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    let absent = ["plan", "--base-url", "http://127.0.0.1:1", "--token-file", "absent"];
    let residue = ["--residue", "residue.jsonl", "--report", "json=report.json"];
    let ended = countersign(&[&absent[..], &residue].concat()).run();
    assert_eq!((ended.code, ended.files()), (0, Vec::new()), "{ended:?}");
    assert_eq!(target.received().len(), 0);
}

#[test]
fn the_plan_of_the_built_in_contract_is_reported() {
    countersign(&["plan", "--seed", "1"]).run().matches("plan");
}

#[test]
fn a_verbose_plan_names_each_fact() {
    let plan = planned(&["--writes", "-v"]);
    let facts = countersign(&["facts"]).run().stdout;
    let mut names = 0;
    for line in facts.lines().filter(|line| line.ends_with(')')) {
        let (_, rest) = line.split_once(' ').unwrap();
        let (fact, _) = rest.trim_start().rsplit_once("  (").unwrap();
        assert!(plan.lines().any(|line| line.trim_start() == fact), "{fact}");
        names += 1;
    }
    assert!(names > 400);
}

#[test]
fn an_unknown_operation_is_rejected_as_the_check_rejects_it() {
    let plan = countersign(&["plan", "--only", "getTag"]).run();
    let check = countersign(&["check", "--only", "getTag"]).run();
    assert_eq!(plan.is_one_error(2), check.is_one_error(2));
}

#[test]
fn an_unknown_rule_is_rejected_as_the_check_rejects_it() {
    let plan = countersign(&["plan", "--deny", "wrong-tpye"]).run();
    let check = countersign(&["check", "--deny", "wrong-tpye"]).run();
    assert_eq!(plan.is_one_error(2), check.is_one_error(2));
    assert_eq!(countersign(&["plan", "--deny", "wrong-type"]).run().code, 0);
}

#[test]
fn a_plan_of_learn_has_one_round_whatever_the_configuration_repeats() {
    for (command, rounds) in [(&["plan", "--learn"][..], 0), (&["plan"], 1)] {
        let ended = countersign(command)
            .file("countersign.toml", "[check]\nrepeat = 3\n")
            .run();
        assert_eq!(ended.code, 0, "{ended:?}");
        assert_eq!(ended.stdout.matches("; 3 rounds").count(), rounds, "{ended:?}");
    }
}
