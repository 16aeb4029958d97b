//! `countersign man`: writes a manual page for the program and one for each subcommand. The main type is [`Manual`].

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use tempfile::NamedTempFile;

use super::edge;
use super::failure::Failure;
use super::staged::staged_file;

/// The arguments of `man`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The folder to write the pages to, one file each; without it all pages are printed one after another
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// A page, and the name of its file.
#[derive(Debug)]
struct Manual {
    file: String,
    text: Vec<u8>,
}

/// Prints the pages of `command`, or writes them into the folder. All are staged first, so that none is written to a
/// folder that is full or read-only.
pub(super) fn run(arguments: &Arguments, command: Command) -> Result<u8, Failure> {
    let pages = pages(command);
    match &arguments.folder {
        None => {
            let texts: Vec<_> = pages.iter().map(|page| page.text.as_slice()).collect();
            edge::print_verbatim(&texts.concat())?;
        }
        Some(folder) => write(folder, &pages)?,
    }
    Ok(0)
}

/// Returns the program's page, then those of its subcommands.
fn pages(command: Command) -> Vec<Manual> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let source = format!("{} {}", command.get_name(), command.get_version().unwrap_or_default());
    let mut names: Vec<_> = command.get_subcommands().map(page_name).collect();
    names.insert(0, page_name(&command));
    let commands = std::iter::once(&command).chain(command.get_subcommands());
    commands.map(|command| page(command, &source, &names)).collect()
}

fn page_name(command: &Command) -> String {
    command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
        .to_owned()
}

fn page(command: &Command, source: &str, names: &[String]) -> Manual {
    let man = Man::new(command.clone()).source(source).manual("countersign");
    let mut text = Vec::new();
    let mut rest = Roff::new();
    exit_codes(command, &mut rest);
    see_also(names, &page_name(command), &mut rest);
    // Writing into a Vec does not fail.
    let written = man
        .render_title(&mut text)
        .and_then(|()| man.render_name_section(&mut text))
        .and_then(|()| man.render_synopsis_section(&mut text))
        .and_then(|()| man.render_description_section(&mut text))
        .and_then(|()| sections(command, &man, &mut text))
        .and_then(|()| rest.to_writer(&mut text));
    debug_assert!(written.is_ok());
    Manual {
        file: man.get_filename(),
        text: ascii(&String::from_utf8_lossy(&text)).into_bytes(),
    }
}

/// Returns the text with every character beyond ASCII in groff's own spelling, because groff reads its input as
/// Latin-1.
fn ascii(text: &str) -> String {
    let spelled = |character: char| {
        if character.is_ascii() {
            character.to_string()
        } else {
            format!("\\[u{:04X}]", u32::from(character))
        }
    };
    text.chars().map(spelled).collect()
}

/// Writes the sections that only some commands have.
fn sections(command: &Command, man: &Man, text: &mut Vec<u8>) -> std::io::Result<()> {
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        man.render_options_section(text)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(text)?;
    }
    Ok(())
}

/// Writes the exit codes as in the command's help: a heading, and a line for each with the code first.
fn exit_codes(command: &Command, roff: &mut Roff) {
    let Some(help) = command.get_after_help() else { return };
    let help = help.to_string();
    let mut lines = help.lines();
    let heading = lines.next().unwrap_or_default().trim_end_matches(':').to_uppercase();
    roff.control("SH", [heading.as_str()]);
    for line in lines {
        match line.trim_start().split_once(' ') {
            Some((code, meaning)) if code.parse::<u8>().is_ok() => {
                roff.control("TP", []);
                roff.text([bold(code)]);
                roff.text([roman(meaning.trim_start())]);
            }
            _ => {
                roff.control("PP", []);
                roff.text([roman(line)]);
            }
        }
    }
}

fn see_also(names: &[String], own: &str, roff: &mut Roff) {
    let others: Vec<_> = names
        .iter()
        .filter(|name| *name != own)
        .map(|name| format!("{name}(1)"))
        .collect();
    roff.control("SH", ["SEE ALSO"]);
    roff.text([roman(others.join(", "))]);
}

/// Stages every page before the first is moved into place, so that a folder that cannot be written to stays
/// unchanged.
fn write(folder: &Path, pages: &[Manual]) -> Result<(), Failure> {
    let failure = |path: &Path, reason: String| Failure::ManPage {
        path: path.to_owned(),
        reason,
    };
    if !folder.is_dir() {
        let reason = if folder.exists() {
            "it is not a folder"
        } else {
            "there is no such folder; create it"
        };
        return Err(failure(folder, reason.to_owned()));
    }
    let mut staged = Vec::new();
    for page in pages {
        let place = folder.join(&page.file);
        if place.is_dir() {
            return Err(failure(&place, "it is a folder".to_owned()));
        }
        let file = written(folder, &page.text).map_err(|error| failure(&place, error.to_string()))?;
        staged.push((file, place));
    }
    for (file, place) in staged {
        let kept = file.persist(&place);
        kept.map_err(|error| failure(&place, error.error.to_string()))?;
    }
    Ok(())
}

fn written(folder: &Path, text: &[u8]) -> std::io::Result<NamedTempFile> {
    let mut file = staged_file(folder)?;
    file.write_all(text)?;
    file.as_file().sync_all()?;
    Ok(file)
}
