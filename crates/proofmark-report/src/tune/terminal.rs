//! A tuned machine in words.

use proofmark_terms::CoreList;

use super::rows::{ChangeView, DoneWord, FailedView, ItemView, StepWord, Tuning, UndoneView};
use crate::style::{Style, Tone};
use crate::text::{plural, printable, untied, wrapped};

/// Columns of the word in front of an item, with the space behind it.
const INDENT: usize = 9;

/// What is set and what was put back; ends with a line feed, unless there is nothing to say.
#[must_use]
pub fn terminal(tuning: &Tuning, style: &Style) -> String {
    let mut lines = Vec::new();
    if let Some(core) = tuning.core {
        lines.push(format!("tuned for measuring on core {core}"));
    }
    for remark in &tuning.remarks {
        lines.extend(wrapped(remark, style.columns(), "", "  "));
    }
    if !lines.is_empty() {
        lines.push(String::new());
    }
    // What is done stands first, and what can be skipped last.
    let order = [
        StepWord::Change,
        StepWord::Hold,
        StepWord::Cannot,
        StepWord::NotAsked,
        StepWord::Good,
    ];
    for step in order {
        for item in tuning.items.iter().filter(|item| item.step == step) {
            lines.extend(entry(item, tuning.done, *style));
        }
    }
    lines.extend(failures("not set", &tuning.failed, *style));
    let mut text = lines.join("\n");
    if !text.is_empty() {
        text.push('\n');
    }
    untied(&text)
}

fn entry(item: &ItemView, done: DoneWord, style: Style) -> Vec<String> {
    let (word, tone) = match (item.step, done) {
        (StepWord::Change | StepWord::Hold, DoneWord::Looked) => ("would", Tone::Figure),
        (StepWord::Change | StepWord::Hold, _) => ("set", Tone::Figure),
        (StepWord::Cannot, _) => ("cannot", Tone::Open),
        (StepWord::NotAsked, _) => ("left", Tone::Aside),
        (StepWord::Good, _) => ("good", Tone::Even),
    };
    let head = format!(
        "{}{} {}: {}",
        style.paint(tone, word),
        " ".repeat(INDENT - 1 - word.len()),
        item.name,
        printable(&item.found)
    );
    let indent = " ".repeat(INDENT);
    let deeper = format!("{indent}  ");
    let mut lines = wrapped(&head, style.columns(), "", &indent);
    for line in grouped(&item.changes) {
        lines.extend(wrapped(&line, style.columns(), &indent, &deeper));
    }
    if let Some(why) = &item.why {
        lines.extend(wrapped(&printable(why), style.columns(), &indent, &deeper));
    }
    if matches!(item.step, StepWord::Change | StepWord::Hold) {
        let worth = format!("worth: {}", item.worth);
        lines.extend(wrapped(&worth, style.columns(), &indent, &deeper));
    }
    lines
}

/// Changes that are alike but for a number in their path, on one line:
/// `/proc/irq/{24-30}/smp_affinity_list: 0-1 → 0`.
fn grouped(changes: &[ChangeView]) -> Vec<String> {
    let mut groups: Vec<(&str, &str, &ChangeView, Vec<u32>)> = Vec::new();
    for change in changes {
        let (before, number, after) = around_number(&change.path);
        let alike = groups.iter_mut().find(|(one, other, first, _)| {
            number.is_some()
                && (*one, *other) == (before, after)
                && (&first.before, &first.after) == (&change.before, &change.after)
        });
        match alike {
            Some((.., numbers)) => numbers.extend(number),
            None => groups.push((before, after, change, number.into_iter().collect())),
        }
    }
    let lines = groups.into_iter().map(|(begin, end, first, numbers)| {
        let path = if numbers.len() > 1 {
            let numbers: CoreList = numbers.into_iter().collect();
            format!("{begin}{{{numbers}}}{end}")
        } else {
            first.path.clone()
        };
        let (before, after) = (printable(&first.before), printable(&first.after));
        format!("{}: {before} → {after}", printable(&path))
    });
    lines.collect()
}

/// A path around its last number.
fn around_number(path: &str) -> (&str, Option<u32>, &str) {
    let digit = |letter: char| letter.is_ascii_digit();
    let Some(last) = path.rfind(digit) else {
        return (path, None, "");
    };
    let first = path[..=last]
        .rfind(|letter| !digit(letter))
        .map_or(0, |at| at + 1);
    (
        &path[..first],
        path[first..=last].parse().ok(),
        &path[last + 1..],
    )
}

/// What was put back, in a line where all went well; ends with a line feed.
#[must_use]
pub fn undone(undone: &UndoneView, style: &Style) -> String {
    let count = undone.restored;
    let mut lines = vec![match count {
        0 => "put back: nothing".to_owned(),
        _ => format!("put back: {count} setting{}", plural(count)),
    }];
    for left in &undone.left {
        let text = format!(
            "left: {} is {} now, which somebody else set; it was {} before, and {} while tuned",
            printable(&left.path),
            printable(&left.now),
            printable(&left.before),
            printable(&left.after)
        );
        lines.extend(wrapped(&text, style.columns(), "", "  "));
    }
    if !undone.gone.is_empty() {
        let text = format!("no longer there: {}", printable(&undone.gone.join(", ")));
        lines.extend(wrapped(&text, style.columns(), "", "  "));
    }
    lines.extend(failures("not put back", &undone.failed, *style));
    if !undone.failed.is_empty() {
        let next = "next: `proofmark tune --undo` tries again, as the next command does";
        lines.push(next.to_owned());
    }
    lines.join("\n") + "\n"
}

fn failures(what: &str, failed: &[FailedView], style: Style) -> Vec<String> {
    let lines = failed.iter().flat_map(|one| {
        let text = format!("{what}: {}: {}", printable(&one.path), printable(&one.why));
        wrapped(&text, style.columns(), "", "  ")
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: Style = Style {
        colour: false,
        width: 100,
        terminal: false,
    };

    fn change(path: &str, before: &str, after: &str) -> ChangeView {
        ChangeView {
            path: path.to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
        }
    }

    #[test]
    fn changes_that_are_alike_stand_on_one_line() {
        let interrupt = |number: u32, before: &str| {
            let path = format!("/proc/irq/{number}/smp_affinity_list");
            change(&path, before, "0")
        };
        let changes = [
            interrupt(24, "0-1"),
            interrupt(25, "0-1"),
            interrupt(9, "1"),
            interrupt(30, "0-1"),
            change("/proc/sys/vm/swappiness", "60", "0"),
        ];
        assert_eq!(
            grouped(&changes),
            [
                "/proc/irq/{24-25,30}/smp_affinity_list: 0-1 → 0",
                "/proc/irq/9/smp_affinity_list: 1 → 0",
                "/proc/sys/vm/swappiness: 60 → 0",
            ]
        );
    }

    #[test]
    fn every_change_is_said_with_what_it_is_worth_and_what_cannot_be_done_with_why() {
        let item = |name, step, why: Option<&str>, changes| ItemView {
            name,
            found: "found".to_owned(),
            step,
            why: why.map(str::to_owned),
            worth: "steadier runs",
            changes,
        };
        let mut tuning = Tuning {
            done: DoneWord::Looked,
            core: Some(1),
            remarks: vec!["This is a container.".to_owned()],
            items: vec![
                item("turbo", StepWord::Cannot, Some("not visible"), vec![]),
                item("aslr", StepWord::NotAsked, None, vec![]),
                item(
                    "swappiness",
                    StepWord::Change,
                    None,
                    vec![change("/proc/sys/vm/swappiness", "60", "0")],
                ),
            ],
            failed: vec![],
            undone: None,
            as_root: None,
        };
        let said = terminal(&tuning, &STYLE);
        let expected = "\
tuned for measuring on core 1
This is a container.

would    swappiness: found
         /proc/sys/vm/swappiness: 60 → 0
         worth: steadier runs
cannot   turbo: found
         not visible
left     aslr: found
";
        assert_eq!(said, expected);
        tuning.done = DoneWord::Tuned;
        assert!(terminal(&tuning, &STYLE).contains("set      swappiness"));
    }

    #[test]
    fn what_somebody_else_changed_is_named() {
        let mut view = UndoneView {
            restored: 1,
            ..UndoneView::default()
        };
        assert_eq!(undone(&view, &STYLE), "put back: 1 setting\n");
        view.left.push(super::super::rows::LeftView {
            path: "/proc/sys/vm/swappiness".to_owned(),
            before: "60".to_owned(),
            after: "0".to_owned(),
            now: "10".to_owned(),
        });
        let said = undone(&view, &STYLE);
        assert!(said.contains("swappiness is 10 now"), "{said}");
    }
}
