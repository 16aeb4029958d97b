//! `rules` and `explain`: what users read about the rules before and after a finding.

use countersign::rules::RULES;

use super::support::countersign;

#[test]
fn the_rules_are_one_page() {
    countersign(&["rules"]).run().matches("rules");
}

#[test]
fn every_rule_is_on_the_page_with_its_level_and_its_source() {
    let page = countersign(&["rules"]).run().stdout;
    for rule in RULES {
        let line = page.lines().find(|line| line.starts_with(&format!("{} ", rule.name)));
        assert!(
            line.is_some_and(|line| line.contains(&format!(" {} ", rule.level))),
            "{}",
            rule.name
        );
        let first = rule.source.split(' ').next().unwrap();
        assert!(page.contains(&format!("source: {first}")), "{}", rule.name);
    }
}

#[test]
fn a_rule_is_explained_with_its_example() {
    countersign(&["explain", "wrong-type"]).run().matches("explain");
    countersign(&["explain", "null-value"]).run().matches("explain_warning");
}

#[test]
fn every_rule_is_explained_within_its_lines() {
    for rule in RULES {
        let ended = countersign(&["explain", rule.name]).run();
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
        let lines: Vec<_> = ended.stdout.lines().collect();
        assert_eq!(lines[0], format!("{}: {}", rule.name, rule.level));
        assert!(lines.iter().all(|line| line.chars().count() <= 100), "{ended:?}");
        assert!(
            lines.contains(&format!("example       {}", rule.example.fact).as_str()),
            "{ended:?}"
        );
    }
}

#[test]
fn an_unknown_rule_is_reported_with_the_near_one_and_all() {
    let ended = countersign(&["explain", "wrong-typ"]).run();
    let message = ended.is_one_error(2);
    assert!(message.starts_with("there is no rule `wrong-typ` (did you mean `wrong-type`?); the rules are `"));
    assert!(RULES.iter().all(|rule| message.contains(&format!("`{}`", rule.name))));
}
