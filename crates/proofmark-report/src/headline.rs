//! What a terminal shows first of an experiment: the figure, what it says, and what it rests on.

use crate::style::{Style, Tone};
use crate::text::{width, wrapped};

/// `time new/base 0.967 [0.961, 0.973]   new is 3.3 % faster   95 %, CPU time, decided after block
/// 14`, on as many lines as it takes.
pub(crate) fn headline(
    style: Style,
    question: &str,
    figure: &str,
    (words, tone): (&str, Tone),
    basis: &str,
) -> Vec<String> {
    let columns = style.columns();
    let (asked, said) = (width(question) + 1 + width(figure), width(words));
    let figure = style.paint(Tone::Figure, figure);
    let paint = |line: &str| style.paint(tone, line);
    let aside = |line: &String| format!("  {}", style.paint(Tone::Aside, line.trim_start()));
    if asked + 3 + said + 3 + width(basis) <= columns {
        let gap = " ".repeat((columns - asked - 3 - said - width(basis)).min(10));
        return vec![format!(
            "{question} {figure}   {}{gap}{}",
            paint(words),
            style.paint(Tone::Aside, basis)
        )];
    }
    let mut lines = if asked <= columns {
        vec![format!("{question} {figure}")]
    } else {
        let mut lines = wrapped(question, columns, "", "  ");
        lines.push(format!("  {figure}"));
        lines
    };
    if asked + 3 + said <= columns {
        lines = vec![format!("{question} {figure}   {}", paint(words))];
    } else {
        lines.extend(
            wrapped(words, columns, "  ", "  ")
                .iter()
                .map(|line| format!("  {}", paint(line.trim_start()))),
        );
    }
    lines.extend(wrapped(basis, columns, "  ", "  ").iter().map(aside));
    lines
}
