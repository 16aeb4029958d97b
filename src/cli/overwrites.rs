//! Makes sure that no output replaces a file that the command reads. The main function is [`reject_overwrites`].
//!
//! # Design
//!
//! Files are compared, not names: another spelling, a link or `/proc/self/fd` may lead to the same file. They are
//! compared before anything is opened, because opening an output may already change or create it.

use std::path::Path;

use super::edge;
use super::failure::Failure;
use super::format::Reported;
use super::output::ReportOption;

/// A file, with its description for the user: "the contract", "the residue".
pub(super) type DescribedPath<'path> = (&'static str, &'path Path);

/// Rejects an output that would replace or add to an input.
///
/// # Errors
///
/// [`Failure::Usage`], which names both files.
pub(super) fn reject_overwrites(outputs: &[DescribedPath<'_>], inputs: &[DescribedPath<'_>]) -> Result<(), Failure> {
    let pairs = outputs
        .iter()
        .flat_map(|output| inputs.iter().map(move |input| (output, input)));
    for ((output, to), (input, from)) in pairs {
        if edge::same_file(to, from) {
            return Err(Failure::Usage(format!(
                "{output} goes to `{}`, which is {input} `{}`; name another file for it",
                to.display(),
                from.display()
            )));
        }
    }
    Ok(())
}

/// Returns the files that reports go to.
pub(super) fn reports<Content: Reported>(targets: &[ReportOption<Content>]) -> Vec<DescribedPath<'_>> {
    let files = targets.iter().filter_map(ReportOption::file);
    files.map(|file| ("a report", file)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meets(output: &Path, input: &Path) -> bool {
        reject_overwrites(&[("a report", output)], &[("the contract", input)]).is_err()
    }

    #[test]
    fn a_file_is_known_again_however_it_is_spelled() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        // Neither is there yet.
        assert!(meets(&at("new"), &at("./new")));
        assert!(!meets(&at("new"), &at("other")));
        std::fs::write(at("input"), "").unwrap();
        std::fs::write(at("other"), "").unwrap();
        let up = at("..").join(folder.path().file_name().unwrap()).join("input");
        assert!(meets(&up, &at("input")));
        assert!(!meets(&at("other"), &at("input")));
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_the_file_that_they_are_of() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("input"), "").unwrap();
        std::fs::hard_link(at("input"), at("hard")).unwrap();
        symlink("input", at("soft")).unwrap();
        symlink(folder.path(), at("folder")).unwrap();
        for name in ["hard", "soft", "folder/input", "folder/hard", "folder/folder/soft"] {
            assert!(meets(&at(name), &at("input")), "{name}");
            assert!(meets(&at("input"), &at(name)), "{name}");
        }
        // What a link leads to need not be there.
        symlink("absent", at("dangling")).unwrap();
        symlink("dangling", at("twice")).unwrap();
        assert!(meets(&at("twice"), &at("absent")));
        symlink("round", at("round")).unwrap();
        assert!(!meets(&at("round"), &at("absent")));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_open_file_is_known_by_its_number_and_a_device_is_nobodys() {
        use std::os::fd::AsRawFd as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("input");
        let open = std::fs::File::create(&path).unwrap();
        let number = format!("/proc/self/fd/{}", open.as_raw_fd());
        assert!(meets(Path::new(&number), &path));
        assert!(!meets(Path::new("/dev/null"), &path));
    }
}
