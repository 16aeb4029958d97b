//! `countersign completions`: the scripts, and how a real shell reads them.

use std::process::Command;

use super::support::countersign;

/// What bash offers for the last of these words, with our script loaded.
fn offered(words: &[&str]) -> Vec<String> {
    let script = countersign(&["completions", "bash"]).run();
    assert_eq!((script.code, script.stderr.as_str()), (0, ""));
    let file = script.path().join("completions.bash");
    std::fs::write(&file, &script.stdout).unwrap();
    // Bash itself names the function that it would call, and this is how it calls it.
    let ask = "source \"$1\"; shift
        registered=$(complete -p countersign) || exit 9
        [[ $registered =~ -F\\ ([^ ]+) ]] || exit 8
        COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1)) COMP_LINE=\"$*\"
        COMP_POINT=${#COMP_LINE}
        \"${BASH_REMATCH[1]}\" countersign \"${*: -1}\" \"${*: -2:1}\"
        printf '%s\\n' \"${COMPREPLY[@]}\"";
    let bash = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", ask, "bash"])
        .arg(&file)
        .args(words)
        .output()
        .unwrap();
    assert!(bash.status.success(), "{bash:?}");
    assert!(bash.stderr.is_empty(), "{bash:?}");
    let offered = String::from_utf8(bash.stdout).unwrap();
    offered.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands() {
    assert_eq!(offered(&["countersign", "che"]), ["check"]);
    assert_eq!(offered(&["countersign", "completions", "fi"]), ["fish"]);
}

#[test]
fn bash_completes_flags_in_their_long_form() {
    assert_eq!(offered(&["countersign", "check", "--base"]), ["--base-url"]);
    assert_eq!(offered(&["countersign", "check", "--verb"]), ["--verbose"]);
    assert_eq!(offered(&["countersign", "check", "--color", "al"]), ["always"]);
}

#[test]
fn bash_completes_rules_and_operations_by_name() {
    assert_eq!(offered(&["countersign", "explain", "wrong"]), ["wrong-type"]);
    assert_eq!(offered(&["countersign", "check", "--deny", "wrong"]), ["wrong-type"]);
    let operations = offered(&["countersign", "plan", "--only", "createC"]);
    assert_eq!(operations, ["createContact", "createContactMethod"]);
}

#[test]
fn every_shell_has_a_script() {
    for (shell, known) in [
        ("bash", "undocumented-field"),
        ("elvish", "--base-url"),
        ("fish", "undocumented-field"),
        ("powershell", "--base-url"),
        ("zsh", "undocumented-field"),
    ] {
        let ended = countersign(&["completions", shell]).run();
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
        assert!(ended.stdout.contains(known), "{shell}");
    }
}

#[test]
fn an_unknown_shell_is_reported_with_the_known_ones() {
    let ended = countersign(&["completions", "bsh"]).run();
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
    for part in ["'bsh'", "'bash'", "powershell", "zsh"] {
        assert!(ended.stderr.contains(part), "{ended:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_script_that_cannot_be_written_ends_in_4() {
    let binary = env!("CARGO_BIN_EXE_countersign");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ended = Command::new(binary)
        .args(["completions", "bash"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(4));
    assert!(String::from_utf8(ended.stderr).unwrap().contains("standard output"));
}
