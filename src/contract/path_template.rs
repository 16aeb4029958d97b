//! Matches path templates in which a parameter may be only a part of a segment. The main type is [`PathTemplate`].
//!
//! # Design
//!
//! `matchit`, which routes recorded requests, treats a parameter as a whole segment. A template such as
//! `/reports/{id}.json` is matched here instead, in time linear in the path: a regular expression with several
//! parameters in a segment may backtrack over a long path.

use std::cmp::Reverse;

/// A path template.
#[derive(Debug)]
pub struct PathTemplate {
    segments: Vec<Segment>,
}

/// What is between two slashes.
#[derive(Debug)]
struct Segment {
    /// The text before the first parameter.
    prefix: String,
    /// The parameters, each with the text after it.
    parameters: Vec<(String, String)>,
}

/// Sorts the templates that match a path: at the first segment in which two differ, the one with more literal text
/// comes first.
pub type Precedence = Vec<Reverse<usize>>;

impl PathTemplate {
    /// Reads a template as the contract has it.
    #[must_use]
    pub fn read(path: &str) -> Self {
        let segments = path.split('/').map(Segment::read);
        Self {
            segments: segments.collect(),
        }
    }

    /// Returns the names of the parameters, in the order of the path.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let parameters = self.segments.iter().flat_map(|segment| &segment.parameters);
        parameters.map(|(name, _)| name.as_str())
    }

    /// Whether each parameter is a whole segment.
    #[must_use]
    pub fn has_whole_parameters(&self) -> bool {
        self.segments.iter().all(|segment| match segment.parameters.as_slice() {
            [] => true,
            [(_, rest)] => segment.prefix.is_empty() && rest.is_empty(),
            _ => false,
        })
    }

    /// Returns the template as `matchit` reads it, where each parameter is a whole segment. The parameters are
    /// numbered, because `matchit` treats two names at the same position as a conflict.
    #[must_use]
    pub fn numbered(&self) -> String {
        let mut number = 0;
        self.with(|_| {
            number += 1;
            format!("{{p{number}}}")
        })
    }

    /// Returns the template with another text for each parameter.
    pub(crate) fn with(&self, mut text: impl FnMut(&str) -> String) -> String {
        let segments = self.segments.iter().map(|segment| {
            let parameters = segment.parameters.iter().map(|(name, rest)| text(name) + rest);
            segment.prefix.clone() + &parameters.collect::<String>()
        });
        segments.collect::<Vec<_>>().join("/")
    }

    /// Returns the parameters with their values in a path that matches, still encoded; those of a segment that can be
    /// divided in several ways are left out. `None` if the path does not match.
    #[must_use]
    pub fn values<'path>(&self, path: &'path str) -> Option<Vec<(&str, &'path str)>> {
        let mut values = Vec::new();
        let mut parts = path.split('/');
        for segment in &self.segments {
            values.extend(segment.values(parts.next()?)?);
        }
        parts.next().is_none().then_some(values)
    }

    /// Returns what sorts the template among others that match a path.
    #[must_use]
    pub fn precedence(&self) -> Precedence {
        let literal = |segment: &Segment| {
            let rests = segment.parameters.iter().map(|(_, rest)| rest.len());
            Reverse(segment.prefix.len() + rests.sum::<usize>())
        };
        self.segments.iter().map(literal).collect()
    }
}

impl Segment {
    fn read(text: &str) -> Self {
        let mut pieces = text.split('{');
        let prefix = pieces.next().unwrap_or_default().to_owned();
        let parameters = pieces.map(|piece| {
            let (name, rest) = piece.split_once('}').unwrap_or((piece, ""));
            (name.to_owned(), rest.to_owned())
        });
        Self {
            prefix,
            parameters: parameters.collect(),
        }
    }

    fn values<'path>(&self, part: &'path str) -> Option<Vec<(&str, &'path str)>> {
        let Some(((last, suffix), others)) = self.parameters.split_last() else {
            return (part == self.prefix).then(Vec::new);
        };
        let whole = part.strip_prefix(&*self.prefix)?.strip_suffix(&**suffix)?;
        let mut values = Vec::new();
        let mut rest = whole;
        for (name, divider) in others {
            // A value has at least one character, and the path of a URL is ASCII.
            let (value, after) = rest.split_at_checked(1 + rest.get(1..)?.find(&**divider)?)?;
            values.push((name.as_str(), value));
            rest = after.strip_prefix(&**divider)?;
        }
        values.push((last.as_str(), rest));
        let is_clear = others
            .iter()
            .all(|(_, divider)| whole.find(&**divider) == whole.rfind(&**divider));
        (!rest.is_empty()).then(|| if is_clear { values } else { Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(template: &str, path: &str) -> Option<String> {
        let template = PathTemplate::read(template);
        let values = template.values(path)?;
        let values = values.iter().map(|(name, value)| format!("{name}={value}"));
        Some(values.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_parameter_may_be_a_part_of_a_segment_and_has_a_character() {
        for (template, path, expected) in [
            ("/a/{id}.json", "/a/b.json", Some("id=b")),
            ("/a/{id}.json", "/a/b.json.json", Some("id=b.json")),
            ("/a/{id}.json", "/a/.json", None),
            ("/a/{id}.json", "/a/b", None),
            ("/a/{id}.json", "/a/b.json/", None),
            ("/a/{id}.json", "/a/b/c.json", None),
            ("/a/{id}:copy/{to}", "/a/b:copy/c", Some("id=b to=c")),
            ("/v{version}/a", "/v2/a", Some("version=2")),
            ("/v{version}/a", "/v/a", None),
            ("/a/({x},{y})", "/a/(1,2)", Some("x=1 y=2")),
            ("/a/{x}-{y}", "/a/b-", None),
            ("/a/{x}-{y}", "/a/-b", None),
            ("/a/{x}-{y}", "/a/-", None),
            ("/a/{x}-{y}", "/a/b", None),
        ] {
            assert_eq!(values(template, path).as_deref(), expected, "{template} {path}");
        }
    }

    #[test]
    fn values_that_can_be_divided_in_several_ways_are_unknown() {
        for (template, path, expected) in [
            ("/{x}-{y}/{z}", "/a-b-c/d", "z=d"),
            ("/{x}-{y}", "/a--b", ""),
            ("/{x}{y}", "/abc", ""),
            ("/{x}--{y}", "/a---b", ""),
            ("/{x}-{y}.{z}", "/a-b.c", "x=a y=b z=c"),
        ] {
            assert_eq!(values(template, path).as_deref(), Some(expected), "{template} {path}");
        }
    }

    #[test]
    fn only_whole_parameters_are_left_to_the_router() {
        for (path, numbered) in [
            ("/a/{id}/{id2}", Some("/a/{p1}/{p2}")),
            ("/a", Some("/a")),
            ("/a/{x}.b", None),
            ("/{x}{y}", None),
        ] {
            let template = PathTemplate::read(path);
            let whole = template.has_whole_parameters().then(|| template.numbered());
            assert_eq!(whole.as_deref(), numbered, "{path}");
        }
    }
}
