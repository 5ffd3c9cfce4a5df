//! What callgrind wrote of one process (its manual, chapter "Callgrind Format Specification"):
//! `events:` names the columns, lines `ob=` and `fn=` name what follows, `calls=` is followed by
//! what the callee cost, and a line that begins with an address is what one instruction cost.

use super::Misses;
use super::misses::{FIELDS, Field};

/// What an instruction cost.
pub(super) struct Cost<'a> {
    /// The file that it is of.
    pub(super) object: &'a str,
    /// The function that it is of, as the symbol table has it.
    pub(super) symbol: &'a str,
    /// Where it stands, as linked.
    pub(super) address: u64,
    pub(super) misses: Misses,
}

/// Hands out each cost, those of callees left out, which have lines of their own.
pub(super) fn costs<'a>(text: &'a str, mut each: impl FnMut(&Cost<'a>)) -> Result<(), String> {
    let mut columns: Vec<Option<Field>> = Vec::new();
    let (mut object, mut symbol, mut of_callee) = ("", "", false);
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("ob=") {
            object = name;
        } else if let Some(name) = line.strip_prefix("fn=") {
            // A function that calls itself has a number behind an apostrophe.
            symbol = name.split('\'').next().unwrap_or(name);
        } else if let Some(names) = line.strip_prefix("events:") {
            columns = names.split_whitespace().map(field).collect();
        } else if let Some(positions) = line.strip_prefix("positions:") {
            if !positions.split_whitespace().eq(["instr", "line"]) {
                return Err(format!("positions are{positions}, not addresses and lines"));
            }
        } else if line.starts_with("calls=") {
            of_callee = true;
        } else if let Some(rest) = line.strip_prefix("0x")
            && !std::mem::take(&mut of_callee)
        {
            let cost = cost(rest, &columns).ok_or_else(|| format!("no cost: {line}"))?;
            let (address, misses) = cost;
            each(&Cost {
                object,
                symbol,
                address,
                misses,
            });
        }
    }
    let knows = |wanted: &str| FIELDS.iter().any(|(name, _)| *name == wanted);
    let all = columns.iter().flatten().count() == FIELDS.len() && knows("Ir");
    all.then_some(())
        .ok_or_else(|| "not all events are in it".to_owned())
}

fn field(name: &str) -> Option<Field> {
    let mut fields = FIELDS.iter();
    fields
        .find(|(one, _)| *one == name)
        .map(|(_, field)| *field)
}

/// `401136 12 3 0 1`: address, line, and counts, of which the last zeros are left out.
fn cost(line: &str, columns: &[Option<Field>]) -> Option<(u64, Misses)> {
    let mut words = line.split_ascii_whitespace();
    let address = u64::from_str_radix(words.next()?, 16).ok()?;
    words.next()?;
    let mut misses = Misses::default();
    for (word, column) in words.zip(columns) {
        let count = word.parse().ok()?;
        if let Some(field) = column {
            *field(&mut misses) = count;
        }
    }
    Some((address, misses))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "positions: instr line\nevents: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim\n";

    #[test]
    fn costs_are_those_of_each_instruction_itself() {
        let text = format!(
            "{HEAD}\nob=/x/app\nfl=a.c\nfn=main\n0x1139 3 10 2 1\n0x113d 4 5 0 0 1\n\
             cob=/lib/libc.so\ncfn=puts\ncalls=1 0\n0x113d 4 900 7\n0x1142 5 1 0 0 0 0 0 0 0 0 1 1\n\
             fn=step'2\n0x1150 9 40\n\nob=/lib/libc.so\nfn=puts\n0x900 0 900 7\n\ntotals: 956 9\n"
        );
        let mut found = Vec::new();
        costs(&text, |cost| {
            let m = cost.misses;
            let counts = [m.instructions, m.reads, m.i1, m.branches_missed()];
            found.push((cost.object, cost.symbol, cost.address, counts));
        })
        .unwrap();
        let expected = [
            ("/x/app", "main", 0x1139, [10, 2, 0, 0]),
            ("/x/app", "main", 0x113d, [5, 0, 1, 0]),
            ("/x/app", "main", 0x1142, [1, 0, 0, 1]),
            ("/x/app", "step", 0x1150, [40, 0, 0, 0]),
            ("/lib/libc.so", "puts", 0x900, [900, 7, 0, 0]),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_not_as_it_was_asked_for_is_no_count() {
        for text in [
            "",
            "events: Ir\nfn=f\n",
            "positions: line\nevents: Ir\n",
            &format!("{HEAD}0x12 3 x\n"),
            &format!("{HEAD}0x12\n"),
        ] {
            assert!(costs(text, |_| ()).is_err(), "{text}");
        }
    }
}
