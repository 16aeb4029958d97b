//! The lines of the contract that a finding points to, numbered, with the relevant names marked.

use maud::{Markup, html};

use crate::report::excerpt::{Excerpt, Mark};

/// Returns the numbered lines.
pub(super) fn source(excerpt: &Excerpt) -> Markup {
    let mut before: Option<u32> = None;
    html! {
        pre.source {
            @for line in &excerpt.lines {
                @if before.replace(line.number).is_some_and(|before| before + 1 < line.number) {
                    span.line.apart { span.line-number aria-hidden="true" { "⋮" } "\n" }
                }
                span.line {
                    span.line-number { (line.number) } " "
                    (marked(&line.text, line.number, excerpt)) "\n"
                }
            }
        }
    }
}

/// Returns a line with its marks.
fn marked(text: &str, number: u32, excerpt: &Excerpt) -> Markup {
    let mut marks = vec![(excerpt.primary, true)];
    marks.extend(excerpt.schema_name.map(|name| (name, false)));
    marks.retain(|(mark, _)| mark.line == number);
    marks.sort_by_key(|(mark, _)| mark.start);
    let (mut parts, mut at) = (Vec::new(), 0);
    for (Mark { start, end, .. }, primary) in marks {
        // A mark within another one would be shown twice.
        if start >= at && start < end {
            parts.push((part(text, at, start), part(text, start, end), primary));
            at = end;
        }
    }
    html! {
        @for (before, meant, primary) in parts {
            (before)
            @if primary { mark { (meant) } } @else { b { (meant) } }
        }
        (part(text, at, usize::MAX))
    }
}

/// Returns the characters from `start` to before `end`.
fn part(text: &str, start: usize, end: usize) -> String {
    text.chars().skip(start).take(end.saturating_sub(start)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::excerpt::ExcerptLine;

    fn excerpt(primary: (u32, usize, usize), schema_name: Option<(u32, usize, usize)>) -> Excerpt {
        let mark = |(line, start, end)| Mark { line, start, end };
        let line = |number, text: &str| ExcerptLine {
            number,
            cut_before: 0,
            text: text.to_owned(),
        };
        Excerpt {
            lines: vec![line(3, "äge: <b>"), line(9, "type: x")],
            primary: mark(primary),
            schema_name: schema_name.map(mark),
        }
    }

    #[test]
    fn what_is_meant_is_marked_and_lines_left_out_are_reported() {
        let reported = source(&excerpt((9, 0, 4), Some((3, 0, 3)))).into_string();
        assert!(reported.contains("<b>äge</b>: &lt;b&gt;\n"), "{reported}");
        assert!(
            reported.contains("<mark>type</mark>: x\n") && reported.contains("⋮"),
            "{reported}"
        );
    }

    #[test]
    fn marks_beyond_a_line_or_within_each_other_lose_no_character_of_it() {
        for (primary, schema_name) in [
            ((3, 2, 400), None),
            ((3, 400, 2), Some((3, 1, 2))),
            ((3, 0, 8), Some((3, 2, 4))),
        ] {
            let reported = source(&excerpt(primary, schema_name)).into_string();
            let text: String = reported
                .split('<')
                .filter_map(|part| part.split_once('>'))
                .map(|(_, text)| text)
                .collect();
            assert!(text.contains("3 äge: &lt;b&gt;\n"), "{reported}");
        }
    }
}
