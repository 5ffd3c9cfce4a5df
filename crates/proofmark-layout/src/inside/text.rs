//! The text that an object was assembled from, by lines, and the same with other padding. Pure.

use std::collections::{HashMap, HashSet};

use super::line::{Line, line};
use super::region::Region;

/// Bytes of one directive of padding: of much longer ones the assembler makes a jump.
const PIECE: u64 = 64;

/// The text of an object, by lines.
pub(super) struct Text {
    pub(super) lines: Vec<String>,
    /// The section of each line, as an index.
    pub(super) sections: Vec<usize>,
    /// Names of the sections.
    pub(super) names: Vec<String>,
}

/// What becomes of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Edit {
    /// Bytes of padding at each spot, in place of what the compiler asked for; as it asked without.
    pub(super) pads: Option<Vec<u64>>,
    /// Bytes that its unwinding information has more, and that mean nothing.
    pub(super) unwinding: u64,
    /// Symbols stand before and behind the padding of each spot.
    pub(super) marked: bool,
}

/// The symbol before (`a`) or behind (`b`) the padding of a spot.
pub(super) fn mark(region: usize, spot: usize, end: char) -> String {
    format!("pmi.{region}.{spot}.{end}")
}

impl Text {
    pub(super) fn new(text: &str) -> Text {
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        let mut names = vec![".text".to_string()];
        let (mut now, mut before, mut pushed) = (0, 0, Vec::new());
        let mut sections = Vec::with_capacity(lines.len());
        for text in &lines {
            if let Line::Directive(word, rest) = line(text) {
                let first = rest.split(',').next().unwrap_or_default().trim();
                let next = match word {
                    ".text" | ".data" | ".bss" => Some(word),
                    ".section" | ".pushsection" => Some(first.trim_matches('"')),
                    _ => None,
                };
                if word == ".pushsection" {
                    pushed.push((now, before));
                }
                if let Some(name) = next {
                    let known = names.iter().position(|known| known == name);
                    before = now;
                    now = known.unwrap_or_else(|| {
                        names.push(name.to_string());
                        names.len() - 1
                    });
                } else if word == ".previous" {
                    (now, before) = (before, now);
                } else if word == ".popsection"
                    && let Some(popped) = pushed.pop()
                {
                    (now, before) = popped;
                }
            }
            sections.push(now);
        }
        Text {
            lines,
            sections,
            names,
        }
    }

    /// The text with these functions changed.
    pub(super) fn with(&self, edits: &[(&Region, &Edit)]) -> String {
        let mut before: HashMap<usize, String> = HashMap::new();
        let mut dropped: HashSet<usize> = HashSet::new();
        for (number, (region, edit)) in edits.iter().enumerate() {
            for (index, spot) in region.spots.iter().enumerate() {
                let label = |end| match edit.marked {
                    true => format!("{}:\n", mark(number, index, end)),
                    false => String::new(),
                };
                let behind = match (&edit.pads, spot.aligns.last()) {
                    (None, Some(last)) => last + 1,
                    _ => spot.line,
                };
                let pad = edit.pads.as_ref().and_then(|pads| pads.get(index));
                let first = before.entry(spot.line).or_default();
                first.push_str(&label('a'));
                first.push_str(&padding(pad.copied().unwrap_or(0)));
                before.entry(behind).or_default().push_str(&label('b'));
                if pad.is_some() {
                    dropped.extend(&spot.aligns);
                }
            }
            if let Some(end) = region.unwinding.filter(|_| edit.unwinding > 0) {
                let nothing = vec!["0"; usize::try_from(edit.unwinding).unwrap_or(0)].join(",");
                let line = format!("\t.cfi_escape {nothing}\n");
                before.entry(end).or_default().push_str(&line);
            }
        }
        let mut out = String::with_capacity(self.lines.iter().map(|line| line.len() + 1).sum());
        for (at, line) in self.lines.iter().enumerate() {
            if let Some(first) = before.get(&at) {
                out.push_str(first);
            }
            if !dropped.contains(&at) {
                out.push_str(line);
                out.push('\n');
            }
        }
        out
    }
}

/// Directives for so many bytes of padding.
fn padding(bytes: u64) -> String {
    let mut text = String::new();
    let mut rest = bytes;
    while rest > 0 {
        let piece = rest.min(PIECE);
        text.push_str(&format!("\t.nops {piece}\n"));
        rest -= piece;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As gcc writes it: a loop that is fallen into, a table, a join that is fallen into, a part
    /// behind a jump.
    const WORK: &str = "\t.section\t.text.work,\"ax\",@progbits\n\t.p2align 4\n\t.globl\twork\n\
\t.type\twork, @function\nwork:\n.LFB1:\n\t.cfi_startproc\n\ttestq\t%rdi, %rdi\n\tjle\t.L15\n\
\t.p2align 4,,10\n\t.p2align 3\n.L14:\n.LVL3:\n\tje\t.L3\n.L4:\n\tja\t.L5\n\tjmp\t*%rax\n\
\t.section\t.rodata\n\t.align 4\n.L7:\n\t.long\t.L8-.L7\n\t.section\t.text.work\n.L8:\n\taddq\t$1, %rdx\n\
\t.p2align 4,,10\n.L5:\n#APP\n\t.p2align 3\n.L77:\n\tnop\n#NO_APP\n\tjne\t.L14\n\tret\n.L3:\n\tjmp\t.L4\n\
.L15:\n\tret\n\t.cfi_endproc\n.LFE1:\n\t.size\twork, .-work\n\t.section\t.debug_x\n\t.quad\t.LVL3\n";

    #[test]
    fn padding_goes_where_the_compiler_aligns_loops_begin_and_jumps_lead_to() {
        let text = Text::new(WORK);
        let region = text.region("work").unwrap();
        let told: Vec<(bool, bool, bool, usize)> = region
            .spots
            .iter()
            .map(|spot| (spot.is_head, spot.is_target, spot.falls, spot.aligns.len()))
            .collect();
        let expected = [
            (true, true, true, 2),   // .L14
            (false, true, false, 0), // .L8, behind the jump through the table
            (false, true, true, 1),  // .L5
            (false, true, false, 0), // .L3
            (false, true, false, 0), // .L15
        ];
        // .L4 is a join that code falls into and that the compiler did not align.
        assert_eq!(told, expected);
        assert!(text.region("wor").is_none() && text.region("works").is_none());
    }

    #[test]
    fn other_padding_takes_the_place_of_alignment_and_nothing_else_changes() {
        let text = Text::new(WORK);
        let region = text.region("work").unwrap();
        assert_eq!(text.with(&[(&region, &Edit::default())]), WORK);
        let edit = Edit {
            pads: Some(vec![70, 0, 3, 0, 0]),
            unwinding: 2,
            marked: true,
        };
        let changed = text.with(&[(&region, &edit)]);
        assert!(
            changed.contains("\tjle\t.L15\npmi.0.0.a:\n\t.nops 64\n\t.nops 6\npmi.0.0.b:\n.L14:")
        );
        assert!(
            changed.contains("%rdx\npmi.0.2.a:\n\t.nops 3\npmi.0.2.b:\n.L5:\n#APP\n\t.p2align 3")
        );
        assert!(changed.contains("\t.cfi_escape 0,0\n\t.cfi_endproc"));
        assert!(changed.contains(".rodata\n\t.align 4\n.L7:"));
        let plain = |text: &str| -> Vec<String> {
            let added = |line: &&str| {
                line.contains("pmi.") || line.contains(".nops") || line.contains("_escape")
            };
            let aligns = |line: &&str| line.contains(".p2align 4,,10") || *line == "\t.p2align 3";
            let lines = text.lines().filter(|line| !added(line) && !aligns(line));
            lines.map(str::to_string).collect()
        };
        assert_eq!(plain(&changed), plain(WORK));
        let marked = Edit {
            marked: true,
            ..Edit::default()
        };
        let marked = text.with(&[(&region, &marked)]);
        assert!(marked.contains("pmi.0.0.a:\n\t.p2align 4,,10\n\t.p2align 3\npmi.0.0.b:\n.L14:"));
    }
}
