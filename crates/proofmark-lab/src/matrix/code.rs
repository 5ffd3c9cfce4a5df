//! What the machine code of each cell holds, read from the images as the builds made them.

use proofmark_code::comparison::Kept;
use proofmark_code::expect::{Expectation, Expectations};
use proofmark_code::{Arch, Fact, Pattern, Program, survey};
use proofmark_evidence::record::{self, CellCode, ExpectationOfNoCell, FactFound, Warning};
use rayon::prelude::*;

use crate::builds::Subject;
use crate::error::LabError;

/// A fact of some functions: `run:indirect_jumps`.
struct Wanted {
    pattern: Pattern,
    fact: Fact,
}

/// What was read.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// A cell each; nothing where nothing was asked.
    pub(super) cells: Vec<CellCode>,
    /// Expectations that no cell was held against.
    idle: Vec<Warning>,
}

impl Read {
    /// Puts its warnings in the place of those of an earlier reading.
    pub(super) fn warn(&mut self, remarks: &mut Vec<Warning>) {
        remarks.retain(|warning| !matches!(warning, Warning::ExpectationOfNoCell(_)));
        remarks.append(&mut self.idle);
    }
}

/// Reads what was asked for in all cells.
pub(super) fn read(
    subjects: &[Subject],
    facts: &[String],
    expectations: Option<&Expectations>,
) -> Result<Read, LabError> {
    if facts.is_empty() && expectations.is_none() {
        return Ok(Read::default());
    }
    let wanted = facts
        .iter()
        .map(|text| Wanted::parse(text))
        .collect::<Result<Vec<_>, _>>()?;
    let read = |subject: &Subject| {
        let image = subject.shipped().into_iter().next();
        let program = image
            .ok_or_else(|| "there is no image".to_owned())
            .and_then(|image| Program::open(&image).map_err(|error| error.to_string()));
        let code = CellCode {
            facts: facts_of(program.as_ref(), &wanted),
            expectations: expectations
                .map(|expectations| expected(program.as_ref(), expectations, &subject.name)),
        };
        let arch = program.ok().and_then(|program| {
            let first = program.images().first();
            first.map(proofmark_code::Image::arch)
        });
        (code, (subject.name.clone(), arch))
    };
    let (cells, known): (Vec<CellCode>, Vec<_>) = subjects.par_iter().map(read).unzip();
    Ok(Read {
        cells,
        idle: expectations.map_or_else(Vec::new, |expectations| idle(expectations, &known)),
    })
}

/// Expectations that are about none of these cells: what is said of other builds alone would else
/// pass by not being looked at.
fn idle(expectations: &Expectations, cells: &[(String, Option<Arch>)]) -> Vec<Warning> {
    let of_none = |one: &&Expectation| {
        let about = |(name, arch): &(String, Option<Arch>)| {
            arch.is_none_or(|arch| one.excluded(arch, name).is_none())
        };
        !cells.iter().any(about)
    };
    let warning = |one: &Expectation| {
        let (_, why) = cells
            .iter()
            .find_map(|(name, arch)| Some((name, one.excluded((*arch)?, name)?)))?;
        Some(Warning::ExpectationOfNoCell(ExpectationOfNoCell {
            file: expectations.path().into(),
            line: one.line as u64,
            function: one.function.text().to_owned(),
            why,
        }))
    };
    let idle = expectations.list().iter().filter(of_none);
    idle.filter_map(warning).collect()
}

/// Whether these are facts of functions.
pub(super) fn check(facts: &[String]) -> Result<(), LabError> {
    facts
        .iter()
        .try_for_each(|text| Wanted::parse(text).map(drop))
}

impl Wanted {
    fn parse(text: &str) -> Result<Self, LabError> {
        let wrong = |why: String| {
            LabError::Refused(format!(
                "`{text}` is no fact of a function: {why}\n  next: write FUNCTION:FACT, such as \"run:indirect_jumps\""
            ))
        };
        let (pattern, fact) = text
            .rsplit_once(':')
            .ok_or_else(|| wrong("there is no colon in it".to_owned()))?;
        let known = || {
            let names: Vec<&str> = Fact::ALL.iter().map(|fact| fact.name()).collect();
            format!("there is no fact `{fact}`, but {}", names.join(", "))
        };
        Ok(Wanted {
            fact: Fact::named(fact).ok_or_else(|| wrong(known()))?,
            pattern: Pattern::parse(pattern).map_err(|error| wrong(error.to_string()))?,
        })
    }
}

fn facts_of(program: Result<&Program, &String>, wanted: &[Wanted]) -> Vec<FactFound> {
    let unavailable = |why: String| FactFound::Unavailable { why };
    let program = match program {
        Ok(program) => program,
        Err(why) => return vec![unavailable(why.clone()); wanted.len()],
    };
    let found = |wanted: &Wanted| {
        let rows = survey(program, std::slice::from_ref(&wanted.pattern));
        if rows.is_empty() {
            return unavailable(format!("no function `{}`", wanted.pattern.text()));
        }
        FactFound::Counted {
            value: rows.iter().map(|row| row.facts.get(wanted.fact)).sum(),
        }
    };
    wanted.iter().map(found).collect()
}

fn expected(
    program: Result<&Program, &String>,
    expectations: &Expectations,
    name: &str,
) -> record::Expectation {
    match program {
        Ok(program) => {
            let kept = Kept::of(program, expectations, name);
            record::Expectation {
                held: kept.held,
                broken: kept.broken,
            }
        }
        Err(why) => record::Expectation {
            held: 0,
            broken: vec![why.clone()],
        },
    }
}
