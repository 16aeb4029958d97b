//! One behaviour of a target, and what every run against such a target must do. The main types are [`Behaviour`] and
//! [`Case`].

use std::io::{self, Write as _};
use std::net::TcpStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cli::formats::{ANNOTATIONS, formats_in_turn};
use crate::cli::stub::{Received, Stub, json as response};
use crate::cli::support::{Ended, countersign};
use crate::support::leaks::{Canary, Scanner};

/// The deadline of an exchange, in seconds: many behaviours make a check wait for it.
const DEADLINE: &str = "1";
/// That of an exchange that comes to its end by itself, where a busy machine may take its time to read it.
const LONG_DEADLINE: &str = "60";
/// What no run takes beside its deadlines, however busy the machine is: a guard against one that hangs. What a response
/// may cost is bounded where it is counted, by the tests of `exchange::json` and `exchange::shapes`.
const BESIDE: Duration = Duration::from_secs(180);
/// The most memory of the checking process.
const MAX_KIB: u64 = 256 << 10;
/// More than there are processors: most of a case is waiting for a deadline.
const AT_ONCE: usize = 10;

type Answering = dyn Fn(&Case, &mut TcpStream) -> io::Result<()> + Send + Sync;

/// What a target does, and what the check must say of it.
pub(super) struct Behaviour {
    name: &'static str,
    place: Place,
    expected: Expected,
    deadline: &'static str,
    answering: Box<Answering>,
}

/// Where the target behaves like that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before any request has come.
    BeforeTheRequest,
    /// Whatever is asked for.
    Everywhere,
    /// On one list; everything else is sound.
    Tags,
}

/// What the check says of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expected {
    /// One finding, of this rule and with these words.
    Broken(&'static str, &'static str),
    /// Findings: which of them come first is the network's choice.
    Findings,
    /// Findings, and the first is of this rule; no call had a success, in these words.
    NothingSucceeded(&'static str, &'static str),
    /// Findings, and the first is of this rule.
    Several(&'static str),
    /// No finding, and that nothing can be said, in these words.
    CouldNotJudge(&'static str),
    /// Nothing: it is odd and still HTTP and JSON.
    Sound,
    /// No finding but that the list was not checked, for this reason: a target may do that in a gap.
    Undecided(&'static str),
    /// A warning of this rule and no other finding.
    Warned(&'static str),
}

/// A behaviour on its way through a run, with secrets of its own.
pub(super) struct Case {
    /// Which of the cases it is, and so which of the formats is its turn.
    turn: usize,
    behaviour: Behaviour,
    pub(super) canary: Canary,
    /// Another origin, to be lured to. Nothing may arrive there.
    pub(super) elsewhere: String,
}

impl Behaviour {
    /// On the list of tags, where the token is right.
    pub(super) fn tags(
        name: &'static str,
        expected: Expected,
        answering: impl Fn(&Case, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            place: Place::Tags,
            expected,
            deadline: DEADLINE,
            answering: Box::new(answering),
        }
    }

    /// The same, where the response is whole and nobody waits for the deadline.
    pub(super) fn whole(self) -> Self {
        Self {
            deadline: LONG_DEADLINE,
            ..self
        }
    }

    /// On every request.
    pub(super) fn everywhere(
        name: &'static str,
        expected: Expected,
        answering: impl Fn(&Case, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            place: Place::Everywhere,
            ..Self::tags(name, expected, answering)
        }
    }

    /// On every connection, before a request has come.
    pub(super) fn before_the_request(
        name: &'static str,
        expected: Expected,
        answering: impl Fn(&Case, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            place: Place::BeforeTheRequest,
            ..Self::tags(name, expected, answering)
        }
    }
}

/// Runs all cases, several at once, and fails with everything that one of them found wrong.
pub(super) fn try_all(behaviours: Vec<Behaviour>) {
    let count = behaviours.len();
    let (left, failed) = (Mutex::new(behaviours.into_iter().enumerate()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some((turn, behaviour)) = left.lock().unwrap().next() else {
                        break;
                    };
                    let name = behaviour.name;
                    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| Case::of(turn, behaviour).run())) {
                        let message = panic.downcast_ref::<String>().cloned();
                        let message = message.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
                        failed
                            .lock()
                            .unwrap()
                            .push(format!("{name}: {}", message.unwrap_or_default()));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(
        failed.is_empty(),
        "{} of {count} failed:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

impl Case {
    /// The case of a behaviour, which is the one of this number.
    pub(super) fn of(turn: usize, behaviour: Behaviour) -> Self {
        Self {
            canary: Canary::fresh(behaviour.name),
            turn,
            behaviour,
            elsewhere: String::new(),
        }
    }

    pub(super) fn run(mut self) {
        let elsewhere = Stub::start(|_, stream| stream.write_all(response("200 OK", "{}").as_bytes()));
        self.elsewhere = elsewhere.url();
        let case = Arc::new(self);
        let target = case.clone().target();
        let (started, ended, watched) = case.check(&target.url());
        let most = case.longest();
        assert!(started.elapsed() < most, "it took {:?}", started.elapsed());
        assert!(watched.peak_kib < MAX_KIB, "it took {} KiB", watched.peak_kib);
        let report = ended.json("report.json");
        assert_eq!(report["exit_code"], ended.code, "{ended:?}");
        assert!(!ended.stderr.contains("panicked"), "{ended:?}");
        case.says(&ended, &report);
        case.gives_nothing_away(&ended, &watched, &case.canary.scanner());
        assert_eq!(elsewhere.received().len(), 0, "another origin was called");
        case.sent_soundly(&target);
    }

    fn target(self: Arc<Self>) -> Stub {
        if self.behaviour.place == Place::BeforeTheRequest {
            return Stub::before_the_request(move |stream| (self.behaviour.answering)(&self, stream));
        }
        Stub::start(move |request, stream| {
            let tags = request.head.contains("/tags") && request.shows(&self.canary.token);
            if tags || self.behaviour.place == Place::Everywhere {
                (self.behaviour.answering)(&self, stream)
            } else {
                stream.write_all(self.sound(request).as_bytes())
            }
        })
    }

    fn check(&self, url: &str) -> (Instant, Ended, Watched) {
        let started = Instant::now();
        let arguments = [
            &[
                "check", "-v", "--seed", "1", "--base-url", url, "--timeout", self.behaviour.deadline,
            ][..],
            &formats_in_turn(self.turn),
        ];
        let call = countersign(&arguments.concat()).env("COUNTERSIGN_TOKEN", &self.canary.token);
        // A library that is told to say everything has nowhere to say it.
        let running = call.env("RUST_LOG", "trace").env("RUST_BACKTRACE", "1").start();
        let process = running.process();
        let watched = std::thread::spawn(move || watch(process));
        let ended = running.end();
        (started, ended, watched.join().unwrap())
    }

    /// Walks go out together, and so do the probes of one kind; each list is asked four times at most.
    fn longest(&self) -> Duration {
        let deadlines = if self.behaviour.place == Place::Tags { 4 } else { 16 };
        BESIDE + Duration::from_secs(deadlines)
    }

    fn says(&self, ended: &Ended, report: &Value) {
        let findings = report["findings"].as_array().unwrap();
        let first = &findings.first().unwrap_or(&Value::Null);
        let reported = first["received"].as_str().unwrap_or_default();
        match self.behaviour.expected {
            Expected::Broken(rule, received) => {
                assert_eq!(ended.code, 1, "{ended:?}");
                // More than one kind of request may meet it, and the service knows the scheme in one case alone.
                let is_it = |finding: &Value| finding["rule"] == rule || finding["rule"] == "equivalent-request";
                assert!(first["rule"] == rule && findings.iter().all(is_it), "{ended:?}");
                assert!(reported.contains(received), "{reported}");
            }
            // Whether a call has a success is the network's choice too.
            Expected::Findings => assert!(matches!(ended.code, 1 | 3) && !findings.is_empty(), "{ended:?}"),
            Expected::NothingSucceeded(rule, why) => {
                assert_eq!((ended.code, &first["rule"]), (3, &rule.into()), "{ended:?}");
                assert!(report["reason"].as_str().unwrap().contains(why), "{}", report["reason"]);
            }
            Expected::Several(rule) => {
                assert_eq!(ended.code, 1, "{ended:?}");
                assert_eq!(first["rule"], rule, "{ended:?}");
            }
            Expected::CouldNotJudge(why) => {
                assert_eq!((ended.code, findings.len()), (3, 0), "{ended:?}");
                assert!(report["reason"].as_str().unwrap().contains(why), "{}", report["reason"]);
            }
            Expected::Sound => {
                assert_eq!((ended.code, findings.len()), (0, 0), "{ended:?}");
                assert_eq!(row(report, "getTags /data/total: integer")["verdict"], "held");
            }
            Expected::Undecided(why) => {
                assert_eq!((ended.code, findings.len()), (0, 1), "{ended:?}");
                assert_eq!(first["rule"], "unchecked-operation", "{ended:?}");
                let rows = report["facts"]["rows"].as_array().unwrap();
                let of_tags = rows.iter().filter(|row| row["operation"] == "getTags");
                let reasons: Vec<_> = of_tags.filter_map(|row| row["reason"].as_str()).collect();
                assert!(reasons.iter().any(|reason| reason.contains(why)), "{reasons:?}");
            }
            Expected::Warned(rule) => {
                assert_eq!(ended.code, 0, "{ended:?}");
                // Each name of a field that is not documented is a finding.
                let warned = |finding: &Value| finding["rule"] == rule && finding["level"] == "warn";
                assert!(!findings.is_empty() && findings.iter().all(warned), "{ended:?}");
            }
        }
        if self.behaviour.place == Place::Tags {
            assert!(
                findings
                    .iter()
                    .filter(|finding| finding["rule"] != "equivalent-request")
                    .all(|finding| finding["operation"] == "getTags"),
                "{ended:?}"
            );
            others_are_as_ever(report);
        }
    }

    fn gives_nothing_away(&self, ended: &Ended, watched: &Watched, scanner: &Scanner) {
        scanner.assert_clean("standard output", ended.stdout.as_bytes());
        scanner.assert_clean("standard error", ended.stderr.as_bytes());
        scanner.assert_clean("the list of arguments", &watched.arguments);
        for name in ended.files() {
            let content = std::fs::read(ended.path().join(&name)).unwrap();
            scanner.assert_clean(&name, &content);
            let text = String::from_utf8_lossy(&content);
            let text = if name == ANNOTATIONS {
                messages(&text)
            } else {
                text.into_owned()
            };
            assert_eq!(interpreted(&text), None, "{name}");
        }
        assert_eq!(interpreted(&ended.stdout), None);
        assert_eq!(interpreted(&ended.stderr), None);
    }

    /// Reads alone, to this origin by its name, with the token where it belongs.
    fn sent_soundly(&self, target: &Stub) {
        let host = target.url().replace("http://", "");
        for request in target.received() {
            assert!(request.is("GET") && request.body.is_empty(), "{request:?}");
            assert_eq!(request.header("host"), Some(host.as_str()), "{request:?}");
            assert_eq!(request.header("cookie"), None, "{request:?}");
            let showing = request.head.lines().filter(|line| line.contains(&self.canary.token));
            for line in showing {
                assert!(line.to_ascii_lowercase().starts_with("authorization: "), "{line}");
            }
        }
    }

    /// What a sound service answers that knows the canary person.
    fn sound(&self, request: &Received) -> String {
        if !request.shows(&self.canary.token) {
            return response("401 Unauthorized", "{}");
        }
        let path = request.head.split(' ').nth(1).unwrap();
        let item = match path.split('?').next().and_then(|path| path.rsplit('/').next()) {
            Some("contact-database") => self.contact(),
            Some("venues") => self.venue(),
            Some("visits") => self.visit(),
            _ => json!({"id": self.canary.id, "name": self.canary.lastname}),
        };
        response("200 OK", &page(&[item]).to_string())
    }

    fn contact(&self) -> Value {
        let Canary {
            firstname,
            lastname,
            email,
            phone,
            street,
            id,
            ..
        } = &self.canary;
        let visit = json!([{"datetime": "2024-05-17T07:30:00Z", "venue": [{"id": id, "name": lastname}]}]);
        json!({
            "id": id, "firstname": firstname, "lastname": lastname, "full_name": format!("{firstname} {lastname}"),
            "gender": "female", "dob": "1990-02-28", "date_of_birth": {"day": 28, "month": 2, "year": 1990}, "age": 34,
            "email": email, "phone": phone,
            "contact_methods": [{
                "id": id, "type": "email", "contact": email, "status": "active", "created_at": "2024-05-17T07:30:00Z",
            }],
            "nationality": "GB", "country_of_residence": "IT", "tags": {"id": id, "name": lastname},
            "custom_fields": {email: street}, "status": "active",
            "first_visit": visit, "first_visited_at": "2024-05-17T07:30:00Z", "first_visited_venue": street,
            "last_visit": visit, "last_visited_at": "2024-05-17T07:30:00Z", "last_visited_venue": street,
            "excluded_channels": [phone], "created_at": "2024-05-17T07:30:00Z", "updated_at": "2024-05-17T07:30:00Z",
        })
    }

    fn venue(&self) -> Value {
        let Canary {
            lastname,
            email,
            phone,
            street,
            id,
            ..
        } = &self.canary;
        json!({
            "id": id, "name": lastname, "country": "IT", "address": street, "phone": phone, "email": email,
            "tags": [lastname], "created_at": "2024-05-17T07:30:00Z",
        })
    }

    fn visit(&self) -> Value {
        let Canary { lastname, id, .. } = &self.canary;
        json!({
            "id": 4711, "venue": {"id": id, "name": lastname}, "contact": {"id": id, "full_name": lastname},
            "datetime": "2024-05-17T07:30:00Z",
        })
    }
}

/// A sound page of these items, which are all that there are.
pub(super) fn page(items: &[Value]) -> Value {
    json!({"data": {"per_page": 10, "page": 1, "total": items.len(), "last_page": 1, "items": items}})
}

/// What was seen of a process from outside.
struct Watched {
    peak_kib: u64,
    arguments: Vec<u8>,
}

/// Watches a process until it has ended: its peak of resident memory by Linux's own account, 0 elsewhere.
fn watch(process: u32) -> Watched {
    let mut watched = Watched {
        peak_kib: 0,
        arguments: Vec::new(),
    };
    let seen = |file: &str| std::fs::read(format!("/proc/{process}/{file}")).unwrap_or_default();
    let program = |process: &str| std::fs::read_link(format!("/proc/{process}/exe")).ok();
    let (tests, process_name) = (program("self"), process.to_string());
    // Until it has become the program it shares the memory of these tests.
    while tests.is_some() && program(&process_name) == tests {
        std::thread::yield_now();
    }
    loop {
        let status = String::from_utf8(seen("status")).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        // A process that has ended has no memory any more.
        let Some(peak) = peak.and_then(|peak| peak.split_whitespace().next()) else {
            return watched;
        };
        watched.peak_kib = watched.peak_kib.max(peak.parse().unwrap());
        let arguments = seen("cmdline");
        if !watched.arguments.ends_with(&arguments) {
            watched.arguments.extend(arguments);
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

fn row<'report>(report: &'report Value, fact: &str) -> &'report Value {
    let rows = report["facts"]["rows"].as_array().unwrap();
    rows.iter().find(|row| row["fact"] == fact).unwrap()
}

/// The lists beside the tags came whole, and nothing in them is broken.
fn others_are_as_ever(report: &Value) {
    let rows = report["facts"]["rows"].as_array().unwrap();
    let others = ["getContacts", "getVenues", "getVisits"];
    let of_others = |row: &&Value| others.contains(&row["operation"].as_str().unwrap());
    for row in rows.iter().filter(of_others) {
        assert_ne!(row["verdict"], "broken", "{row}");
        let whole = row["fact"].as_str().unwrap().ends_with("response: complete");
        assert!(!whole || row["verdict"] == "held", "{row}");
    }
}

/// The text of annotations: each line is one command of ours, and this is what follows it.
fn messages(annotations: &str) -> String {
    let message = |line: &str| {
        let (command, message) = line.strip_prefix("::").and_then(|line| line.split_once("::"))?;
        let ours = ["error", "warning", "notice"].contains(&command.split(' ').next()?);
        ours.then(|| format!("{message}\n"))
    };
    let lines = annotations.lines();
    lines
        .map(|line| message(line).unwrap_or_else(|| format!("{line}\n")))
        .collect()
}

/// The first thing in an output that a terminal or a CI system would interpret.
fn interpreted(output: &str) -> Option<String> {
    let sign =
        |character: char| (character.is_control() && character != '\n') || "\u{202e}\u{2066}".contains(character);
    let command = |line: &&str| line.trim_start().starts_with("::") || line.contains("##vso[") || line.contains("##[");
    let sign = output.chars().find(|character| sign(*character));
    let sign = sign.map(|character| character.escape_unicode().to_string());
    sign.or_else(|| output.lines().find(command).map(str::to_owned))
}
