//! The picture in README, which `bash .ci/picture` renews.

use countersign::report::Record;

use super::browser::Looked;
use super::shown::{Page, usual};

/// The usual record with nothing in it that differs from run to run.
fn settled() -> Record {
    let mut record = usual();
    let target = std::mem::replace(&mut record.target, "https://contacts.example.com".to_owned());
    (record.started_at, record.duration_ms) = ("2024-05-17T07:30:00Z".to_owned(), 2300);
    for finding in &mut record.findings {
        finding.reproduce = finding.reproduce.replace(&target, &record.target);
        // Which of several calls at once is answered first differs.
        finding.exchange = finding.exchange.and(Some(2));
    }
    record
}

#[test]
#[ignore = "it is no test of its own: `bash .ci/picture` takes the picture"]
fn taken() {
    let page = Page::of(
        settled(),
        Looked {
            height: 1780,
            ..Looked::default()
        },
    );
    let picture = page.browser.picture();
    assert!(picture.len() < 200 << 10, "{} bytes", picture.len());
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/report.png"), picture).unwrap();
}
