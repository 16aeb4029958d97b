//! Fills the arguments that nobody typed in from the file: [`filled`].

use std::collections::BTreeMap;

use super::error::Problem;
use super::file::{Pace, Placed, TargetPart};
use super::find::Config;
use super::range;
use super::settle::{Origin, Typed};
use crate::cli::check::Arguments;
use crate::cli::failure::Failure;
use crate::cli::output::ReportTarget;

/// Fills in what was not typed, with the target that is checked, and hands back where each value came from.
///
/// # Errors
///
/// A value beyond what its setting takes, and a report that is none.
pub(super) fn filled(
    arguments: &mut Arguments,
    target: Option<&TargetPart>,
    config: &Config,
    typed: Typed<'_>,
) -> Result<BTreeMap<&'static str, Origin>, Failure> {
    let mut filling = Filling {
        config,
        typed,
        origins: BTreeMap::new(),
    };
    filling.fill(arguments, target)?;
    Ok(filling.origins)
}

struct Filling<'config> {
    config: &'config Config,
    typed: Typed<'config>,
    origins: BTreeMap<&'static str, Origin>,
}

impl Filling<'_> {
    fn fill(&mut self, arguments: &mut Arguments, target: Option<&TargetPart>) -> Result<(), Failure> {
        let file = &self.config.parsed.file;
        let check = &file.check;
        if let Some(target) = target {
            arguments.base_url = Some(target.base_url.value().clone());
            self.take("writes", &mut arguments.writes, target.writes.as_ref(), Ok)?;
            if let Some(near) = &target.near_tokens {
                arguments.near_tokens = *near.value();
                self.origins
                    .insert("near_tokens", Origin::File(self.config.parsed.place(near)));
            }
            self.take("max_writes", &mut arguments.max_writes, target.max_writes.as_ref(), Ok)?;
            self.take("wait", &mut arguments.wait, target.wait.as_ref(), |wait| {
                range::seconds(wait).map(Some)
            })?;
        } else {
            let base_url = arguments.base_url.as_ref().map(|_| "base_url");
            for name in ["writes", "max_writes", "wait"].into_iter().chain(base_url) {
                self.origins
                    .extend(self.typed.origin(name).map(|origin| (name, origin)));
            }
        }
        let beside = |name: String| Ok(Some(self.config.beside(&name)));
        self.take("spec", &mut arguments.spec, check.spec.as_ref(), beside)?;
        self.take("seed", &mut arguments.seed, check.seed.as_ref(), |seed| Ok(Some(seed)))?;
        self.take("only", &mut arguments.only, check.only.as_ref(), names)?;
        self.take("skip", &mut arguments.skip, check.skip.as_ref(), names)?;
        self.take("also_send", &mut arguments.also_send, check.also_send.as_ref(), names)?;
        self.take(
            "require_facts",
            &mut arguments.require_facts,
            check.require_facts.as_ref(),
            |percent| range::percent(percent).map(Some),
        )?;
        self.take(
            "max_pages",
            &mut arguments.max_pages,
            check.max_pages.as_ref(),
            range::at_least_one,
        )?;
        self.take(
            "repeat",
            &mut arguments.repeat,
            check.repeat.as_ref(),
            range::at_least_one,
        )?;
        self.pace(arguments, target.map(|target| &target.pace), &check.pace)?;
        self.reports(arguments)
    }

    fn pace(&mut self, arguments: &mut Arguments, target: Option<&Pace>, check: &Pace) -> Result<(), Failure> {
        let rate = target.and_then(|pace| pace.rate.as_ref()).or(check.rate.as_ref());
        let jobs = target.and_then(|pace| pace.jobs.as_ref()).or(check.jobs.as_ref());
        let timeout = target.and_then(|pace| pace.timeout.as_ref()).or(check.timeout.as_ref());
        let settle = target.and_then(|pace| pace.settle.as_ref()).or(check.settle.as_ref());
        let max_time = target
            .and_then(|pace| pace.max_time.as_ref())
            .or(check.max_time.as_ref());
        self.take("max_time", &mut arguments.max_time, max_time, range::positive)?;
        self.take("rate", &mut arguments.rate, rate, |rate| {
            range::positive(rate).map(Some)
        })?;
        self.take("jobs", &mut arguments.jobs, jobs, range::jobs)?;
        self.take("timeout", &mut arguments.timeout, timeout, range::positive)?;
        self.take("settle", &mut arguments.settle, settle, range::seconds)
    }

    /// Reports that are typed take the place of all in the file.
    fn reports(&mut self, arguments: &mut Arguments) -> Result<(), Failure> {
        let parsed = &self.config.parsed;
        let mut reports: Vec<ReportTarget> = Vec::new();
        for named in parsed.file.reports.iter().flat_map(Placed::value) {
            let report: ReportTarget = named
                .value()
                .parse()
                .map_err(|reason| parsed.error(named, Problem::Report(reason)))?;
            let report = report.beside(|file| self.config.beside(file));
            if let Some(file) = report.file().filter(|file| !self.config.may_write(file)) {
                let problem = Problem::ReportOutside(file.display().to_string());
                return Err(parsed.error(named, problem).into());
            }
            if let Some(place) = report.collides(&reports) {
                return Err(parsed.error(named, Problem::ReportTwice(place)).into());
            }
            reports.push(report);
        }
        let placed = parsed.file.reports.as_ref().map(|placed| (placed, reports));
        match (self.typed.origin("report"), placed) {
            (Some(typed), _) => drop(self.origins.insert("report", typed)),
            (None, Some((placed, reports))) => {
                self.origins.insert("report", Origin::File(parsed.place(placed)));
                arguments.report = reports;
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// Takes the value of the file where nothing was typed. It has to be right in either case.
    fn take<Written: Clone, T>(
        &mut self,
        name: &'static str,
        slot: &mut T,
        placed: Option<&Placed<Written>>,
        read: impl Fn(Written) -> Result<T, String>,
    ) -> Result<(), Failure> {
        let parsed = &self.config.parsed;
        let value = placed.map(|placed| {
            let range = |reason| parsed.error(placed, Problem::Range { key: name, reason });
            read(placed.value().clone()).map_err(range).map(|value| (placed, value))
        });
        match (self.typed.origin(name), value.transpose()?) {
            (Some(typed), _) => drop(self.origins.insert(name, typed)),
            (None, Some((placed, value))) => {
                self.origins.insert(name, Origin::File(parsed.place(placed)));
                *slot = value;
            }
            (None, None) => {}
        }
        Ok(())
    }
}

#[expect(
    clippy::unnecessary_wraps,
    clippy::needless_pass_by_value,
    reason = "it stands where others refuse"
)]
fn names(placed: Vec<Placed<String>>) -> Result<Vec<String>, String> {
    Ok(placed.iter().map(|name| name.value().clone()).collect())
}
