//! Finds a function in an assembler's text, and where within it padding may go. Pure.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::flow::{Step, heads};
use super::line::{Line, jumps, leaves, line, words};
use super::region::{Region, Spot};
use super::text::Text;

impl Text {
    /// A function by its symbol; none where the text has no such function, or not in one piece.
    pub(super) fn region(&self, symbol: &str) -> Option<Region> {
        let is_start = |text: &String| matches!(line(text), Line::Label(label) if label == symbol);
        let start = self.lines.iter().position(is_start)?;
        let is_end = |text: &String| {
            matches!(line(text), Line::Directive(".size", rest)
                if rest.split(',').next().map(|name| name.trim().trim_matches('"')) == Some(symbol))
        };
        let length = self.lines.get(start..)?.iter().position(is_end)?;
        let lines = start..start + length;
        let home = *self.sections.get(start)?;
        let unwinding = lines
            .clone()
            .find(|at| self.lines[*at].trim() == ".cfi_endproc" && self.sections[*at] == home);
        Some(Region {
            symbol: symbol.to_string(),
            spots: self.spots(&lines, home),
            lines,
            unwinding,
        })
    }

    /// The labels of a region that a jump or a table leads to, with whether a loop begins there.
    fn targets(&self, lines: &Range<usize>, home: usize) -> HashMap<&str, bool> {
        let within = || lines.clone().filter(|at| self.sections[*at] == home);
        let labels: Vec<&str> = within()
            .filter_map(|at| match line(&self.lines[at]) {
                Line::Label(label) if label.starts_with(".L") => Some(label),
                _ => None,
            })
            .collect();
        let numbers: HashMap<&str, usize> = labels.iter().copied().zip(0..).collect();
        let named = |operands: &str| -> Vec<usize> {
            let known = words(operands).filter_map(|word| numbers.get(word).copied());
            known.collect()
        };
        let (mut steps, mut taken, mut led) = (Vec::new(), self.taken(&numbers), HashSet::new());
        for at in within() {
            match line(&self.lines[at]) {
                Line::Label(label) => steps.extend(numbers.get(label).map(|at| Step::Label(*at))),
                Line::Code(word, operands) => {
                    let to = named(operands);
                    led.extend(&to);
                    if !jumps(word) {
                        taken.extend(&to);
                    }
                    steps.push(Step::Code {
                        anywhere: jumps(word) && operands.contains('*'),
                        to: if jumps(word) { to } else { Vec::new() },
                        leaves: leaves(word, operands),
                    });
                }
                _ => {}
            }
        }
        led.extend(&taken);
        let heads = heads(&steps, &taken);
        let told = led
            .into_iter()
            .map(|label| (labels[label], heads.contains(&label)));
        told.collect()
    }

    /// Labels that tables of data name.
    fn taken(&self, numbers: &HashMap<&str, usize>) -> HashSet<usize> {
        let silent = [".debug", ".gcc_except_table", ".eh_frame"];
        let tells = |name: &String| !silent.iter().any(|start| name.starts_with(start));
        let tells: Vec<bool> = self.names.iter().map(tells).collect();
        let mut taken = HashSet::new();
        for (text, section) in self.lines.iter().zip(&self.sections) {
            if let Line::Directive(
                ".long" | ".quad" | ".word" | ".value" | ".4byte" | ".8byte",
                rest,
            ) = line(text)
                && tells[*section]
            {
                taken.extend(words(rest).filter_map(|word| numbers.get(word)));
            }
        }
        taken
    }

    fn spots(&self, lines: &Range<usize>, home: usize) -> Vec<Spot> {
        let targets = self.targets(lines, home);
        let mut spots = Vec::new();
        let (mut falls, mut by_hand) = (true, false);
        let mut here: Option<Spot> = None;
        let keep = |spot: &Spot| {
            !spot.aligns.is_empty() || spot.is_head || (spot.is_target && !spot.falls)
        };
        for at in lines
            .clone()
            .skip(1)
            .filter(|at| self.sections[*at] == home)
        {
            let text = &self.lines[at];
            match text.trim() {
                "#APP" => by_hand = true,
                "#NO_APP" => by_hand = false,
                _ => {}
            }
            let new = || Spot {
                line: at,
                falls,
                ..Spot::default()
            };
            match line(text) {
                // What people wrote stays as it is.
                Line::Align | Line::Label(_) | Line::Code(..) if by_hand => {
                    spots.extend(here.take().filter(keep));
                    falls = true;
                }
                Line::Align => here.get_or_insert_with(new).aligns.push(at),
                Line::Label(label) => {
                    if let Some(is_head) = targets.get(label) {
                        let spot = here.get_or_insert_with(new);
                        spot.is_target = true;
                        spot.is_head |= is_head;
                    }
                }
                Line::Code(word, operands) => {
                    spots.extend(here.take().filter(keep));
                    falls = !leaves(word, operands);
                }
                Line::Directive(..) | Line::Nothing => {}
            }
        }
        spots.extend(here.filter(keep));
        spots
    }
}
