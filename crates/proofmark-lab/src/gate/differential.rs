//! Inputs that each build has to answer as base does: the same output, the same end.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use proofmark_evidence::record::Benchmark;
use proofmark_measure::End;
use proofmark_project::GateDefinition;

use super::bench::{Answer, GateBench};
use super::inputs::{Input, Inputs};
use super::judged::{Judged, ended};
use super::kept::{kept, read_of};
use super::shrink::shrink;
use crate::error::{LabError, of_file};

/// Inputs without an answer that are named, at most.
const NAMED: usize = 20;

/// Trials of smaller inputs, at most.
const TRIALS: u32 = 300;

/// Judges each build; the first one is base, of which is only said that it answers.
pub(super) fn judge(
    bench: &GateBench<'_>,
    (name, gate): (&str, &GateDefinition),
    cells: &[&str],
    tell: &mut dyn FnMut(&str),
) -> Result<Vec<Judged>, LabError> {
    let base = Judged {
        passed: true,
        said: "base: the others are held against its answers".to_owned(),
        ..Judged::default()
    };
    let mut judged = vec![base];
    for (build, cell) in cells.iter().enumerate().skip(1) {
        tell(cell);
        let pair = Pair {
            bench,
            gate: (name, gate),
            base: bench.benchmark(gate, 0),
            new: bench.benchmark(gate, build),
            cells: [cells[0], cell],
            build,
        };
        judged.push(pair.judge()?);
    }
    Ok(judged)
}

/// Base and a build.
struct Pair<'a> {
    bench: &'a GateBench<'a>,
    gate: (&'a str, &'a GateDefinition),
    base: Benchmark,
    new: Benchmark,
    cells: [&'a str; 2],
    build: usize,
}

impl Pair<'_> {
    fn judge(&self) -> Result<Judged, LabError> {
        let (name, gate) = self.gate;
        let mut inputs = Inputs::new(self.bench, name, gate)?;
        // Those on which both agree.
        let mut alike: Vec<Answer> = Vec::new();
        let (mut unsteady, mut unanswered) = (Vec::new(), Vec::new());
        let (mut first, mut written) = (true, BTreeSet::new());
        let began = Instant::now();
        // What lies in the folder is tried whole; the time is for what is made up.
        while let Some(input) = inputs.next(began.elapsed() > gate.time)? {
            if std::mem::take(&mut first) {
                written = self.written(&input.bytes)?;
            }
            let [base, new] = self.answers(&input.bytes)?;
            if !base.is_one() {
                unanswered.push(input.name);
            } else if base == new {
                alike.push(base);
            } else if self.answers(&input.bytes)?[0] != base {
                unsteady.push(input.name);
            } else {
                return self.differs(&input);
            }
        }
        let left_out = [
            (&unsteady, "does not answer the same twice"),
            (&unanswered, "does not answer in its time"),
        ];
        let left_out = left_out.iter().filter(|(inputs, _)| !inputs.is_empty());
        let left_out: String = left_out
            .map(|(inputs, what)| format!("; {} that {} {what}", inputs.len(), self.cells[0]))
            .collect();
        if alike.is_empty() {
            return Err(self.unjudged(match unanswered.is_empty() {
                true => "answers no input the same twice",
                false => "answers no input the same twice and in its time (`timeout`)",
            }));
        }
        if !alike.iter().any(|answer| answer.end.succeeded()) {
            return Err(self.unjudged("ends with an error on every input"));
        }
        if alike.iter().all(|answer| !answer.opened) {
            return Err(self.unjudged("never opens its image, whatever the input"));
        }
        if alike
            .iter()
            .all(|answer| answer.silent && answer.end == alike[0].end)
        {
            return Err(self.unjudged(
                "prints nothing and ends in one way on every input, so that there is nothing to \
                 compare",
            ));
        }
        let one = alike.len() > 1 && alike.iter().all(|answer| *answer == alike[0]);
        if let Some(file) = written.first().filter(|_| one) {
            return Err(self.unjudged(&format!(
                "prints the same on every input, and writes {}: its answers may be there, and are \
                 not compared (let the command print them, as in `sh -c '{{}} … && cat FILE'`)",
                file.display()
            )));
        }
        Ok(Judged {
            passed: true,
            said: format!(
                "{} answered as by {}{left_out}",
                many(alike.len()),
                self.cells[0]
            ),
            flaky: unsteady,
            differs: self.without_answer(&unanswered),
        })
    }

    /// Inputs that base was ended on, a line each.
    fn without_answer(&self, inputs: &[String]) -> Vec<String> {
        let said = ended(End::TimedOut);
        let line = |input: &String| format!("{input}: {} {said}", self.cells[0]);
        inputs.iter().take(NAMED).map(line).collect()
    }

    /// Base answers nothing that a build could be held against.
    fn unjudged(&self, what: &str) -> LabError {
        let [base, _] = self.cells;
        LabError::Gate {
            gate: self.gate.0.to_owned(),
            why: format!(
                "{base}, with which the others are compared, {what}\n  next: run its command by \
                 hand on one input, and mend the command or the inputs"
            ),
        }
    }

    /// The files that runs of base leave; none where a run cannot be traced. Refuses a build whose
    /// runs read them: they may tell base's answers. Looked at on one input.
    fn written(&self, input: &[u8]) -> Result<BTreeSet<PathBuf>, LabError> {
        self.bench.give(input)?;
        let Some(base) = self.bench.traced(&self.base, 0)? else {
            return Ok(BTreeSet::new());
        };
        let mut kept = kept(&base);
        kept.remove(&self.bench.file);
        // Each build sees a copy of its own.
        kept.retain(|path| !self.bench.is_in_tree(path));
        self.bench.give(input)?;
        let new = self.bench.traced(&self.new, self.build)?;
        let Some(path) = new.as_ref().and_then(|new| read_of(new, &kept)) else {
            return Ok(kept);
        };
        let [base, new] = self.cells;
        Err(LabError::Gate {
            gate: self.gate.0.to_owned(),
            why: format!(
                "runs of {new} read {}, which runs of {base} write: they may tell the answers of \
                 {base}\n  next: let the command remove it first, or run in an empty folder",
                path.display()
            ),
        })
    }

    /// What both make of an input, base first.
    fn answers(&self, input: &[u8]) -> Result<[Answer; 2], LabError> {
        self.bench.give(input)?;
        let base = self.bench.answer(&self.base, 0)?;
        // A program may write to its input.
        self.bench.give(input)?;
        Ok([base, self.bench.answer(&self.new, self.build)?])
    }

    /// The smallest input found on which both differ, kept.
    fn differs(&self, input: &Input) -> Result<Judged, LabError> {
        let smallest = shrink(&input.bytes, TRIALS, |smaller| {
            let [base, new] = self.answers(smaller)?;
            // It stands only where both are steady.
            let differ = base.is_one() && base != new;
            Ok::<bool, LabError>(differ && self.answers(smaller)? == [base, new])
        })?;
        let [base, new] = self.answers(&smallest)?;
        let kept = self.keep(&smallest)?;
        let [base_cell, new_cell] = self.cells;
        let how = match (base.opened == new.opened, base.end == new.end) {
            (false, _) => "the image of one of them is never opened".to_owned(),
            (true, true) => format!("{base_cell} and {new_cell} print different output"),
            (true, false) => format!(
                "{base_cell} {}, {new_cell} {}",
                ended(base.end),
                ended(new.end)
            ),
        };
        Ok(Judged {
            differs: vec![
                format!("{}: {how}", input.name),
                format!(
                    "smallest input found: {}, in {}",
                    bytes(smallest.len()),
                    kept.display()
                ),
            ],
            ..Judged::failed(format!("{} is answered differently", input.name))
        })
    }

    fn keep(&self, input: &[u8]) -> Result<PathBuf, LabError> {
        let plain = |text: &str| {
            let letters = text.chars();
            letters
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
                .collect::<String>()
        };
        let folder = self.bench.kept.join(format!("gate-{}", plain(self.gate.0)));
        fs::create_dir_all(&folder).map_err(of_file("make", &folder))?;
        let path = folder.join(plain(self.cells[1]));
        fs::write(&path, input).map_err(of_file("write", &path))?;
        Ok(path)
    }
}

fn many(inputs: usize) -> String {
    match inputs {
        1 => "1 input".to_owned(),
        _ => format!("{inputs} inputs"),
    }
}

fn bytes(number: usize) -> String {
    match number {
        1 => "1 byte".to_owned(),
        _ => format!("{number} bytes"),
    }
}
