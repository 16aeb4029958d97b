//! Each of our own documents is broken in each of its lines, or in some of them, and read as far as it can be.

use countersign::Contract;
use countersign::lint::lint;

use super::documents::OWN;
use crate::support::tried;

/// The ways of breaking a line; the others keep their places.
fn broken(line: &str) -> [String; 4] {
    [
        String::new(),
        format!("{line}\n{line}"),
        line.replacen(": ", ": 3 #", 1),
        line.replace("string", "text")
            .replace("object", "thing")
            .replace("#/", "#/x"),
    ]
}

#[test]
fn a_broken_document_is_read_without_the_operations_that_have_the_defect() {
    let (mut whole, mut partly, mut refused) = (0, 0, 0);
    for (name, text) in OWN {
        let lines: Vec<&str> = text.lines().collect();
        for index in (0..lines.len()).step_by(tried(12, 1)) {
            for line in broken(lines[index]) {
                let [before, after] = [&lines[..index], &lines[index + 1..]].map(|part| part.join("\n"));
                let text = format!("{before}\n{line}\n{after}\n");
                let findings = lint(name, text.clone()).findings;
                let strict = Contract::read(name, text.clone());
                match Contract::read_partly(name, text) {
                    Ok(contract) => {
                        assert_eq!(contract.defects.is_empty(), strict.is_ok(), "{name}:{index}: {line}");
                        assert!(contract.defects.len() <= findings.len(), "{name}:{index}: {line}");
                        let is_known = |operation: &str| contract.operation_named(operation).is_some();
                        let mut omitted = contract.omitted.iter();
                        assert!(
                            omitted.all(|operation| !is_known(&operation.name)),
                            "{name}:{index}: {line}"
                        );
                        whole += usize::from(contract.omitted.is_empty());
                        partly += usize::from(!contract.omitted.is_empty());
                    }
                    Err(defects) => {
                        assert!(defects.first().position.line > 0 && !findings.is_empty());
                        refused += 1;
                    }
                }
            }
        }
    }
    // Each of the three is common.
    assert!(
        [whole, partly, refused].into_iter().all(|count| count > tried(8, 100)),
        "{whole} {partly} {refused}"
    );
}
