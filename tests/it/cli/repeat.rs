//! `check --repeat`: the same plan several times, judged as one run.

use super::support::{Running, check, concerning, countersign};
use super::target::Target;
use crate::support::tried;

#[test]
fn every_round_sends_the_plan_and_the_summary_shows_the_rounds() {
    let target = Target::sound();
    let (_, once) = check(&target.url(), &[]).report();
    let (ended, thrice) = check(&target.url(), &["--repeat", "3"]).report();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(
        (&once["requests"]["rounds"], &thrice["requests"]["rounds"]),
        (&1.into(), &3.into())
    );
    // A wrong token is shown in the first round alone, three times.
    let sent = |report: &serde_json::Value| report["requests"]["sent"].as_u64().unwrap();
    assert_eq!(sent(&thrice), 3 * sent(&once) - 2 * 3);
    assert!(ended.stdout.contains("  rounds    3, "), "{ended:?}");
    assert_eq!(once["facts"], thrice["facts"]);
}

#[test]
fn rounds_that_are_under_way_together_say_what_rounds_in_turn_say() {
    let target = Target::changed("/venues", |body| {
        body["data"]["items"][0].as_object_mut().unwrap().remove("country");
    });
    let rounds = tried(4, 8).to_string();
    let soak = |jobs: &str| {
        let (ended, report) = check(&target.url(), &["--repeat", &rounds, "--jobs", jobs]).report();
        assert_eq!(ended.code, 1, "{ended:?}");
        report
    };
    let (in_turn, together) = (soak("1"), soak("64"));
    for expected in ["facts", "requests"] {
        assert_eq!(in_turn[expected], together[expected]);
    }
    assert_eq!(in_turn["requests"]["rounds"].to_string(), rounds);
    assert_eq!(in_turn["findings"][0]["count"], together["findings"][0]["count"]);
}

#[test]
fn findings_of_all_rounds_are_one_with_a_count() {
    let target = Target::changed("/venues", |body| {
        for item in body["data"]["items"].as_array_mut().unwrap() {
            item.as_object_mut().unwrap().remove("country");
        }
    });
    let (_, once) = check(&target.url(), &[]).report();
    let (ended, twice) = check(&target.url(), &["--repeat", "2"]).report();
    assert_eq!(ended.code, 1);
    let findings = |report: &serde_json::Value| report["findings"].as_array().unwrap().clone();
    assert_eq!((findings(&once).len(), findings(&twice).len()), (1, 1));
    let count = |report| findings(report)[0]["count"].as_u64().unwrap();
    assert_eq!(count(&twice), 2 * count(&once));
}

#[test]
fn all_rounds_together_leave_no_more_than_max_writes() {
    let target = Target::sound();
    let rounds = tried(2, 4);
    let repeat = rounds.to_string();
    let arguments = ["--writes", "--max-writes", "7", "--repeat", &repeat, "-v"];
    let (ended, report) = check(&target.url(), &arguments).report();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(report["residue"].as_array().unwrap().len(), 7);
    assert_eq!(report["requests"]["rounds"], rounds);
    // Once the budget is spent, what this run made is still updated. A round has at most 19 updates: without the last
    // round there are not so many.
    let updates = ended
        .stderr
        .lines()
        .filter(|line| line.contains(" PUT ") && line.contains("-> 2"));
    let updates = updates.count();
    assert!(updates > (rounds - 1) * 19, "{updates} updates: {}", ended.stderr);
}

#[test]
fn rounds_are_one_or_more() {
    for rounds in ["0", "-1", "many"] {
        let ended = countersign(&["check", "--repeat", rounds]).run();
        assert!(ended.is_one_error(2).contains("--repeat"), "{ended:?}");
    }
}

#[cfg(unix)]
#[test]
fn rounds_that_are_interrupted_report_what_was_judged() {
    use std::io::Write as _;

    use super::stub::{Stub, sound};
    let (sender, enough) = std::sync::mpsc::channel();
    let came = std::sync::Mutex::new((0, sender));
    let target = Stub::start(move |request, stream| {
        let mut came = came.lock().unwrap();
        came.0 += 1;
        if came.0 == 300 {
            came.1.send(()).unwrap();
        }
        drop(came);
        stream.write_all(sound(request).as_bytes())
    });
    let arguments = [
        "--repeat", "1000000", "--report", "terminal", "--report", "json=report.json",
    ];
    let running = check(&target.url(), &arguments).start();
    enough.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
    running.signal("INT");
    let ended = running.end();
    let report = ended.json("report.json");
    assert_eq!((ended.code, &report["outcome"]), (130, &"interrupted".into()));
    assert!(report["facts"]["held"].as_u64().unwrap() > 0, "{report}");
    assert!(report["requests"]["rounds"].as_u64().unwrap() > 2, "{report}");
}

#[test]
fn checks_with_one_seed_that_start_together_do_not_find_the_records_of_each_other() {
    let target = Target::sound();
    let arguments = [&["--writes"][..], &concerning("createContact")].concat();
    let running = [(); 2].map(|()| check(&target.url(), &arguments).start());
    for ended in running.map(Running::end) {
        assert_eq!(ended.code, 0, "{ended:?}");
    }
}
