//! Breaks texts into lines for a terminal. The function is [`hanging_indent`].

/// Returns a head and the text after it, broken between words so that no line is wider than `width` characters. Further
/// lines are indented to the text's first word. A word that is too wide is on a line of its own.
pub(crate) fn hanging_indent(head: &str, text: &str, width: usize) -> String {
    let mut wrapped = head.to_owned();
    let mut column = head.chars().count();
    let indent = column;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > indent && column + 1 + length > width {
            wrapped.push('\n');
            wrapped.push_str(&" ".repeat(indent));
            column = indent;
        } else if column > indent {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += length;
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_filled_and_hang_below_the_first_word() {
        let wrapped = hanging_indent("why  ", "one two three four", 13);
        assert_eq!(wrapped, "why  one two\n     three\n     four");
    }

    #[test]
    fn a_word_that_is_too_wide_stands_alone() {
        assert_eq!(hanging_indent("", "a /organization/v1 b", 8), "a\n/organization/v1\nb");
    }

    #[test]
    fn nothing_to_say_leaves_the_head() {
        assert_eq!(hanging_indent("source: ", "", 80), "source: ");
    }
}
