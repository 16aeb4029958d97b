use super::*;
use crate::diff::{DanglingReference, diff, read};
use crate::report::Terminal;

const OLD: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1'}
paths:
  /things:
    get:
      operationId: listThings
      responses:
        '200':
          description: All
          content:
            application/json:
              schema:
                type: object
                required: [total]
                properties:
                  total: {type: integer}
                  name: {type: string}
  /others:
    get:
      responses: {'204': {description: Done}}
";

/// A difference of each meaning, in two operations.
fn sample() -> Diff {
    let new = OLD
        .replace(
            "total: {type: integer}",
            "total: {type: number}\n                  size: {type: integer}",
        )
        .replace("                  name: {type: string}\n", "")
        .replace("/others", "/more");
    let read = |name: &str, text: &str| read(name, text.to_owned()).unwrap();
    diff(&read("old.yaml", OLD), &read("new.yaml", &new), None)
}

#[test]
fn the_reports_of_a_diff() {
    let diff = sample();
    crate::testing::with_snapshots(|| {
        insta::assert_snapshot!("diff_terminal", diff_terminal(&diff, &Terminal::default()));
        insta::assert_snapshot!("diff_json", diff_json(&diff));
        insta::assert_snapshot!("diff_markdown", diff_markdown(&diff));
        insta::assert_snapshot!("diff_changelog", diff_changelog(&diff));
        insta::assert_snapshot!("diff_github", diff_github(&diff));
        let mut sarif: serde_json::Value = serde_json::from_str(&diff_sarif(&diff)).unwrap();
        // Each kind has a line in the registry; here their number would drown the rest.
        sarif["runs"][0]["tool"]["driver"]["rules"] = "…".into();
        insta::assert_snapshot!("diff_sarif", serde_json::to_string_pretty(&sarif).unwrap());
    });
}

#[test]
fn a_deprecation_that_ends_is_a_change() {
    let read = |text: String| read("things.yaml", text).unwrap();
    let plain = read(OLD.to_owned());
    let deprecated = OLD.replace("name: {type: string}", "name: {type: string, deprecated: true}");
    let deprecated = read(deprecated.replace("operationId:", "deprecated: true\n      operationId:"));
    for (old, new, section) in [
        (&plain, &deprecated, "### Deprecated"),
        (&deprecated, &plain, "### Changed"),
    ] {
        let text = diff_changelog(&diff(old, new, None));
        let sections: Vec<_> = text.lines().filter(|line| line.starts_with("###")).collect();
        assert_eq!(sections, [section], "{text}");
    }
}

#[test]
fn a_file_of_a_revision_is_named_with_it_and_annotated_without_it() {
    let mut diff = sample();
    for document in [&mut diff.old, &mut diff.new] {
        document.revision = Some("main".to_owned());
    }
    assert!(diff_terminal(&diff, &Terminal::default()).contains("\nmain:old.yaml -> main:new.yaml: "));
    assert!(diff_github(&diff).contains("::error file=new.yaml,line="));
    assert!(diff_sarif(&diff).contains("\"uri\": \"old.yaml\""));
}

#[test]
fn a_reference_that_leads_to_nothing_is_listed_and_no_sameness_is_claimed() {
    let text = OLD.replace("{description: Done}", "{$ref: 'other.yaml#/Done'}");
    let text = text.replace(
        "name: {type: string}",
        "name: {$ref: '#/components/schemas/Name', example: {$ref: a}}",
    );
    let document = read("old.yaml", text).unwrap();
    assert_eq!(
        diff_terminal(&diff(&document, &document, None), &Terminal::default())
            .lines()
            .skip_while(|line| !line.starts_with("dangling"))
            .collect::<Vec<_>>(),
        [
            "dangling references:",
            "  #/components/schemas/Name (old.yaml:17:26)",
            "  other.yaml#/Done (old.yaml:20:27)",
            "  #/components/schemas/Name (old.yaml:17:26)",
            "  other.yaml#/Done (old.yaml:20:27)",
            "",
            "old.yaml -> old.yaml: no difference is seen, but nothing could be compared behind 4 dangling references",
        ]
    );
}

#[test]
fn references_that_lead_to_nothing_are_listed_next_to_differences() {
    let text = OLD.replace("{description: Done}", "{$ref: 'other.yaml#/Done'}");
    let read = |name: &str, text: &str| read(name, text.to_owned()).unwrap();
    let new = text.replace("total: {type: integer}", "total: {type: number}");
    let mut diff = diff(&read("old.yaml", &text), &read("new.yaml", &new), None);
    let verdict = "; nothing could be compared behind 2 dangling references";
    assert!(diff_terminal(&diff, &Terminal::default()).contains(verdict));
    let markdown = diff_markdown(&diff);
    let rows = [
        "<summary>Dangling references: 2</summary>",
        "| `other.yaml#/Done` | old | 20 |\n| `other.yaml#/Done` | new | 20 |\n",
        verdict,
    ];
    assert!(rows.iter().all(|row| markdown.contains(row)), "{markdown}");
    let github = diff_github(&diff);
    let annotation = "::warning file=new.yaml,line=20,title=dangling reference::nothing could be compared behind \
                      other.yaml#/Done\n";
    assert!(github.contains(annotation) && github.contains(verdict), "{github}");
    let sarif: serde_json::Value = serde_json::from_str(&diff_sarif(&diff)).unwrap();
    let notifications = &sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    let line = |index: usize| {
        let location = &notifications[index]["locations"][0]["physicalLocation"];
        (
            location["artifactLocation"]["uri"].as_str(),
            location["region"]["startLine"].as_u64(),
        )
    };
    assert_eq!(
        [line(0), line(1)],
        [(Some("old.yaml"), Some(20)), (Some("new.yaml"), Some(20))]
    );
    diff.dangling_references = crate::diff::DanglingReferences::default();
    for text in [diff_markdown(&diff), diff_github(&diff), diff_sarif(&diff)] {
        assert!(
            !text.to_lowercase().contains("dangling") && !text.contains("Notification"),
            "{text}"
        );
    }
}

#[test]
fn what_is_not_annotated_is_counted_with_the_references_that_lead_to_nothing() {
    let mut diff = sample();
    let reference = DanglingReference {
        target: "other.yaml#/Done".to_owned(),
        location: diff.differences[0].new.clone(),
    };
    diff.dangling_references.new = vec![reference; 3];
    let one = diff.differences[0].clone();
    for (differences, references, omitted) in [
        (7, 3, None),
        (
            8,
            3,
            Some("; 1 more dangling reference is not annotated, see the step summary"),
        ),
        (
            11,
            3,
            Some("; 1 more difference and 3 more dangling references are not annotated, see the step summary"),
        ),
        (
            12,
            0,
            Some("; 2 more differences are not annotated, see the step summary"),
        ),
    ] {
        diff.differences = vec![one.clone(); differences];
        diff.dangling_references.new.truncate(references);
        let github = diff_github(&diff);
        assert_eq!(github.lines().count(), 11.min(differences + references + 1), "{github}");
        let found = github.find("not annotated").is_some();
        assert_eq!(found, omitted.is_some(), "{github}");
        assert!(omitted.is_none_or(|omitted| github.contains(omitted)), "{github}");
    }
}

#[test]
fn a_fact_of_another_file_is_listed_with_it() {
    let mut diff = sample();
    diff.facts.gained[0].file = Some("parts/things.yaml".to_owned());
    assert!(diff_markdown(&diff).contains("| gained | `parts/things.yaml:`16 |"));
}

#[test]
fn two_documents_that_mean_the_same_have_one_line() {
    let document = read("old.yaml", OLD.to_owned()).unwrap();
    let text = diff_terminal(&diff(&document, &document, None), &Terminal::default());
    assert_eq!(text, "old.yaml -> old.yaml: the two documents mean the same\n");
}

#[test]
fn no_text_of_a_document_is_a_command_or_ends_a_cell() {
    let hostile = "\"a\\n::error::x ##[warning] \\u001b[2J `|` ](b)\"";
    let with = |kind: &str| OLD.replace("name: {type: string}", &format!("{hostile}: {{type: {kind}}}"));
    let read = |text: String| read("a,b:c.yaml", text).unwrap();
    let diff = diff(&read(with("string")), &read(with("integer")), None);
    assert_eq!(diff.differences.len(), 1);
    for text in [
        diff_terminal(&diff, &Terminal::default()),
        diff_json(&diff),
        diff_changelog(&diff),
        diff_markdown(&diff),
        diff_sarif(&diff),
    ] {
        assert!(!text.contains('\u{1b}') && !text.contains("##["), "{text}");
        assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text}");
    }
    let github = diff_github(&diff);
    assert!(
        github
            .lines()
            .all(|line| line.starts_with("::error ") || line.starts_with("::notice ")),
        "{github}"
    );
    assert_eq!(github.lines().count(), 2);
    let row = diff_markdown(&diff);
    let row = row.lines().find(|line| line.contains("**breaking**")).unwrap();
    assert_eq!(row.replace("\\|", "").matches('|').count(), 7, "{row}");
}

#[test]
fn a_long_name_loses_its_middle_and_a_short_text_nothing() {
    let name = "a".repeat(900) + "z";
    let read = |text: String| read("things.yaml", text).unwrap();
    let new = OLD
        .replace(" name:", &format!(" {name}:"))
        .replace("/others", &format!("/{name}"));
    let diff = diff(&read(OLD.to_owned()), &read(new), None);
    for text in [
        diff_terminal(&diff, &Terminal::default()),
        diff_markdown(&diff),
        diff_github(&diff),
    ] {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!text.contains(&"a".repeat(100)), "{text}");
        assert!(
            text.contains("aaa…aaa") && text.contains("az` of the 200 response is new"),
            "{text}"
        );
    }
    assert!(diff_json(&diff).contains(&name));
    assert_eq!(
        short("`/data/name` was integer, is string"),
        "`/data/name` was integer, is string"
    );
    assert_eq!(short(&"a b ".repeat(1_000)).chars().count(), LONGEST_TEXT + 1);
}

#[test]
fn a_table_that_is_cut_says_by_how_much() {
    let mut diff = sample();
    let one = diff.differences[0].clone();
    diff.differences = vec![one; 5_000];
    let text = diff_markdown(&diff);
    assert!(text.len() < crate::report::MAX_BYTES);
    let rows = text
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| service"))
        .count();
    assert!(text.contains(&format!("{} more differences are not listed here.", 5_000 - rows)));
    for max_bytes in [0, 10, 200, 1_000] {
        assert!(diff_markdown_within(&diff, max_bytes).len() <= max_bytes);
    }
}
