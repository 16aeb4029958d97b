//! `countersign lint`: exit codes and reports.

use super::formats::{keeps, sarif_schema};
use super::support::{Ended, countersign};

const SOUND: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1'}
paths:
  /things:
    get:
      operationId: getThings
      responses:
        '200':
          description: All
          content:
            application/json: {schema: {type: integer}}
";

fn broken() -> String {
    SOUND.replace("type: integer", "type: integr, required: []")
}

fn lint(arguments: &[&str], text: &str) -> Ended {
    let call = countersign(&[&["lint"], arguments].concat());
    call.file("sound.yaml", SOUND).file("things.yaml", text).run()
}

const WRONG_TYPE: &str = "things.yaml:11:41 (/paths/~1things/get/responses/200/content/application~1json/schema/type): this \
                          must be one of `array`, `boolean`, `integer`, `number`, `object`, `string`, not `integr`; correct \
                          the value; a check leaves out getThings [wrong-type]\n";
const EMPTY: &str = "things.yaml:11:55 (/paths/~1things/get/responses/200/content/application~1json/schema/required): this \
                     `required` names no property; remove it [empty-required]\n";

#[test]
fn the_exit_code_says_whether_something_is_wrong() {
    let ended = lint(&["sound.yaml"], SOUND);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "sound.yaml: no defect\n"));
    let ended = lint(&["sound.yaml", "things.yaml"], &broken());
    let expected = format!("sound.yaml: no defect\n{WRONG_TYPE}{EMPTY}things.yaml: 2 defects\n");
    assert_eq!((ended.code, ended.stdout), (1, expected));
    let ended = lint(&["-q", "things.yaml"], &broken());
    assert_eq!((ended.code, ended.stdout.as_str()), (1, "things.yaml: 2 defects\n"));
    let ended = lint(&["things.yaml"], "paths: [\n");
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("this is not YAML"), "{ended:?}");
    let ended = lint(&["absent.yaml"], SOUND);
    assert!(ended.is_one_error(2).contains("`absent.yaml`"));
    let ended = lint(&["absent.yaml", "sound.yaml"], SOUND);
    assert_eq!((ended.code, ended.stdout.as_str()), (2, "sound.yaml: no defect\n"));
    assert!(ended.stderr.contains("`absent.yaml`"), "{ended:?}");
    let ended = lint(
        &[
            "absent.yaml", "gone.yaml", "sound.yaml", "--report", "json=absent/a.json",
        ],
        SOUND,
    );
    assert_eq!(ended.code, 4, "{ended:?}");
    for absent in ["`absent.yaml`", "`gone.yaml`"] {
        assert!(ended.stderr.contains(absent), "{ended:?}");
    }
    assert_eq!(lint(&[], SOUND).code, 2);
    let ended = lint(&["things.yaml", "--report", "json=things.yaml"], SOUND);
    assert!(ended.is_one_error(2).contains("name another file"));
}

#[test]
fn a_file_in_another_encoding_says_so() {
    let read = |bytes: &[u8]| {
        let call = countersign(&["lint", "other.yaml"]).file("other.yaml", bytes);
        call.run().is_one_error(2).to_owned()
    };
    let latin_1 = read(b"openapi: 3.0.3\ninfo: {title: \xe9t\xe9, version: '1'}\n");
    assert!(
        latin_1.contains("it is not UTF-8 from line 2 on; save it as UTF-8"),
        "{latin_1}"
    );
    let utf_16 = read(b"\xff\xfeo\0p\0");
    assert!(utf_16.contains("it is UTF-16; save it as UTF-8"), "{utf_16}");
}

fn parsed(ended: &Ended, name: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(ended.path().join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn each_report_has_every_defect() {
    let reports = [
        "--report", "json=a.json", "--report", "sarif=a.sarif", "--report", "github",
    ];
    let ended = lint(&[&["things.yaml"], &reports[..]].concat(), &broken());
    assert_eq!(ended.code, 1, "{ended:?}");
    let json = parsed(&ended, "a.json");
    let findings = json["files"][0]["findings"].as_array().unwrap();
    let rules: Vec<_> = findings
        .iter()
        .map(|finding| finding["rule"].as_str().unwrap())
        .collect();
    assert_eq!(rules, ["wrong-type", "empty-required"]);
    assert_eq!((&findings[0]["line"], &findings[0]["column"]), (&11.into(), &41.into()));
    assert_eq!(findings[0]["left_out"][0], "getThings");
    let sarif = parsed(&ended, "a.sarif");
    keeps(&sarif_schema(), &sarif);
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let levels: Vec<_> = results.iter().map(|result| result["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["error", "warning"]);
    let mut lines = ended.stdout.lines();
    let error = "::error file=things.yaml,line=11,col=41,title=wrong-type::this must be one of";
    assert!(lines.next().unwrap().starts_with(error), "{ended:?}");
    assert!(
        lines
            .next()
            .unwrap()
            .starts_with("::warning file=things.yaml,line=11,col=55")
    );
    assert_eq!(
        lines.next(),
        Some("::notice title=countersign lint::things.yaml: 2 defects")
    );
}

#[test]
fn what_a_document_contains_cannot_control_a_terminal_or_a_ci_system() {
    let hostile = SOUND.replace(
        "getThings",
        "\"a\\e[31m\\n::error::b\"\n      Summary: a\n      parameters: 3",
    );
    for report in ["terminal", "github"] {
        let ended = lint(&["things.yaml", "--report", report], &hostile);
        assert_eq!(ended.code, 1);
        assert!(!ended.stdout.contains('\u{1b}'), "{ended:?}");
        assert!(!ended.stdout.contains("\n::error::b"), "{ended:?}");
    }
}
