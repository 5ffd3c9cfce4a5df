//! The table of functions.

use proofmark_code::{Fact, FunctionFacts, Program};

use crate::number::grouped;
use crate::style::{Style, Tone};
use crate::text::{padded, plural, printable, shortened, wrapped};

/// The facts that the table always shows, with the heads of their columns.
const COLUMNS: [(Fact, &str); 8] = [
    (Fact::Bytes, "bytes"),
    (Fact::Instructions, "instr"),
    (Fact::Loops, "loops"),
    (Fact::IndirectJumps, "ind.jumps"),
    (Fact::IndirectCalls, "ind.calls"),
    (Fact::DirectCalls, "calls"),
    (Fact::TailCalls, "tails"),
    (Fact::VectorBits, "vector"),
];

/// So many members of an archive that are not read are named.
const UNREAD: usize = 3;

/// Those that a narrow terminal does without, the first ones first.
const SPARED: [Fact; 5] = [
    Fact::TailCalls,
    Fact::VectorBits,
    Fact::IndirectCalls,
    Fact::DirectCalls,
    Fact::Loops,
];
/// Columns that an address takes with what stands around it.
const ADDRESS: usize = 12;
/// Columns that a name has at least.
const NAME: usize = 24;

/// A table of functions, the first `most` of them, with the sum below it. On a terminal it has the
/// columns that there is room for.
#[must_use]
pub fn terminal(
    program: &Program,
    rows: &[FunctionFacts<'_>],
    sorted: Fact,
    most: usize,
    style: &Style,
) -> String {
    let mut columns: Vec<(Fact, &str)> = COLUMNS.to_vec();
    if !columns.iter().any(|c| c.0 == sorted) {
        columns.push((sorted, sorted.name()));
    }
    let several = program.images().len() > 1;
    let shown = &rows[..rows.len().min(most)];
    let width = |c: &(Fact, &str)| {
        let cells = shown.iter().map(|row| cell(row, c.0).chars().count());
        cells.chain([c.1.len()]).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = columns.iter().map(width).collect();
    let mut spared = Vec::new();
    for fact in SPARED.into_iter().filter(|fact| *fact != sorted) {
        if !style.terminal || used(&widths) + NAME <= style.columns() {
            break;
        }
        if let Some(at) = columns.iter().position(|c| c.0 == fact) {
            spared.push(columns.remove(at).0);
            widths.remove(at);
        }
    }
    let room = if style.terminal {
        style.columns().saturating_sub(used(&widths)).max(NAME)
    } else {
        usize::MAX
    };
    let mut text = head(&columns, &widths, style);
    for row in shown {
        for (column, width) in columns.iter().zip(&widths) {
            let aligned = format!("{:>width$}  ", cell(row, column.0));
            text.push_str(&if column.0 == sorted {
                style.paint(Tone::Figure, &aligned)
            } else {
                aligned
            });
        }
        let address = row.image.shown(row.function().address());
        text.push_str(&padded(&format!("{:x}", address.get()), 10));
        text.push_str("  ");
        text.push_str(&shortened(&name(row, several), room));
        text.push('\n');
    }
    let mut foot = foot(program, rows, shown.len(), sorted);
    if !spared.is_empty() {
        let names: Vec<&str> = spared.iter().map(|fact| fact.name()).collect();
        foot.push_str(&format!("no room here for {}\n", names.join(", ")));
    }
    foot.push_str(&unread(program));
    for line in foot
        .lines()
        .flat_map(|line| wrapped(line, style.columns(), "", "  "))
    {
        text.push_str(&style.paint(Tone::Aside, &line));
        text.push('\n');
    }
    text
}

/// The columns that everything but the name takes.
fn used(widths: &[usize]) -> usize {
    widths.iter().map(|w| w + 2).sum::<usize>() + ADDRESS
}

fn head(columns: &[(Fact, &str)], widths: &[usize], style: &Style) -> String {
    let mut text = String::new();
    for (column, width) in columns.iter().zip(widths) {
        text.push_str(&format!("{:>width$}  ", column.1));
    }
    text.push_str(&padded("address", 10));
    text.push_str("  function");
    style.paint(Tone::Aside, &text) + "\n"
}

fn cell(row: &FunctionFacts<'_>, fact: Fact) -> String {
    match row.facts.get(fact) {
        0 => "·".to_string(),
        number => grouped(number),
    }
}

/// The name, with the archive's member where there are several, and the function that a part was
/// split off from.
fn name(row: &FunctionFacts<'_>, several: bool) -> String {
    let name = printable(&row.function().name());
    match row.image.member().filter(|_| several) {
        Some(member) => format!("{name} ({})", printable(member)),
        None => name,
    }
}

fn foot(program: &Program, rows: &[FunctionFacts<'_>], shown: usize, sorted: Fact) -> String {
    let code: u64 = program
        .images()
        .iter()
        .map(proofmark_code::Image::code_bytes)
        .sum();
    let arch = program.images().first().map_or("", |i| i.arch().name());
    let bytes: u64 = rows.iter().map(|r| r.facts.get(Fact::Bytes)).sum();
    let mut text = format!(
        "{} function{}, {} bytes",
        grouped(rows.len() as u64),
        plural(rows.len()),
        grouped(bytes)
    );
    if bytes > code {
        text.push_str(", some of them the same,");
    }
    if bytes != code {
        text.push_str(&format!(" of {} bytes of code", grouped(code)));
    }
    text.push_str(&format!(", {arch}"));
    if shown < rows.len() {
        text.push_str(&format!(
            "; the first {shown} by {sorted} are shown, --all shows all"
        ));
    }
    text + "\n"
}

/// The members of an archive that hold code and are not read, a few of them.
fn unread(program: &Program) -> String {
    let members = program.unread();
    let mut text = String::new();
    for member in members.iter().take(UNREAD) {
        let name = printable(&member.member);
        text.push_str(&format!("not read: {name}, {}\n", member.what));
    }
    if members.len() > UNREAD {
        text.push_str(&format!("not read: {} more\n", members.len() - UNREAD));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proofmark_code::survey;

    use super::*;
    use crate::text::width;

    /// A member of an archive with a name of at most 15 letters.
    fn member(name: &str, bytes: &[u8]) -> Vec<u8> {
        let name = format!("{name}/");
        let size = bytes.len();
        let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644);
        [header.as_bytes(), bytes].concat()
    }

    #[test]
    fn members_that_are_not_read_are_named() {
        let mut empty = vec![0; 64];
        empty[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        (empty[16], empty[18], empty[20], empty[52]) = (3, 62, 1, 64);
        let mut archive = b"!<arch>\n".to_vec();
        archive.extend(member("empty.o", &empty));
        for number in 0..5 {
            archive.extend(member(&format!("lto{number}.o"), b"BC\xc0\xde"));
        }
        let program = Program::parse(Path::new("some.a"), archive).unwrap();
        let style = Style {
            colour: false,
            width: 80,
            terminal: true,
        };
        let text = terminal(&program, &[], Fact::Bytes, 9, &style);
        assert!(text.contains("not read: lto0.o, LLVM bitcode"), "{text}");
        assert!(text.ends_with("not read: 2 more\n"), "{text}");
    }

    #[test]
    fn a_table_fits_a_terminal_and_is_whole_elsewhere() {
        let own = std::env::current_exe().unwrap();
        let program = Program::open(&own).unwrap();
        let rows = survey(&program, &[]);
        let table = |columns, on_terminal, sorted| {
            let style = Style {
                colour: false,
                width: columns,
                terminal: on_terminal,
            };
            terminal(&program, &rows, sorted, 200, &style)
        };
        for (columns, sorted) in [(80, Fact::Bytes), (80, Fact::TailCalls), (110, Fact::Bytes)] {
            let text = table(columns, true, sorted);
            assert!(
                text.lines().all(|line| width(line) <= columns.into()),
                "{text}"
            );
            let head = text.lines().next().unwrap();
            assert_eq!(
                head.contains("tails"),
                sorted == Fact::TailCalls || columns > 80
            );
            assert_eq!(text.contains("no room here for"), columns == 80);
        }
        let whole = table(80, false, Fact::Bytes);
        assert!(!whole.contains('…') && whole.contains("tails"));
        let longest = rows.iter().take(200).map(|row| row.function().name());
        for name in longest {
            assert!(whole.contains(&printable(&name)), "{name}");
        }
    }
}
