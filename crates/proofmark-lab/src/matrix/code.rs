//! What the machine code of each cell holds, read from the images as the builds made them.

use std::path::{Path, PathBuf};

use proofmark_code::comparison::Kept;
use proofmark_code::expect::Expectations;
use proofmark_code::{Fact, Pattern, Program, survey};
use proofmark_evidence::record::{CellCode, Expectation, FactFound};
use rayon::prelude::*;

use crate::LabError;
use crate::request::Subject;

/// A fact of some functions: `run:indirect_jumps`.
struct Wanted {
    pattern: Pattern,
    fact: Fact,
}

/// Reads what was asked for in all cells; nothing where nothing was.
pub(super) fn read(
    subjects: &[Subject],
    facts: &[String],
    expectations: Option<&Expectations>,
) -> Result<Vec<CellCode>, LabError> {
    if facts.is_empty() && expectations.is_none() {
        return Ok(Vec::new());
    }
    let wanted = facts
        .iter()
        .map(|text| Wanted::parse(text))
        .collect::<Result<Vec<_>, _>>()?;
    let read = |subject: &Subject| {
        let image = subject.shipped().into_iter().next();
        CellCode {
            facts: facts_of(image.as_deref(), &wanted),
            expectations: expectations
                .map(|expectations| expected(image, expectations, &subject.name)),
        }
    };
    Ok(subjects.par_iter().map(read).collect())
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
            LabError::Plan(format!(
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

fn facts_of(image: Option<&Path>, wanted: &[Wanted]) -> Vec<FactFound> {
    let unavailable = |why: String| FactFound::Unavailable { why };
    let program = image
        .ok_or_else(|| "there is no image".to_owned())
        .and_then(|image| Program::open(image).map_err(|error| error.to_string()));
    let program = match program {
        Ok(program) => program,
        Err(why) => return vec![unavailable(why); wanted.len()],
    };
    let found = |wanted: &Wanted| {
        let rows = survey(&program, std::slice::from_ref(&wanted.pattern));
        if rows.is_empty() {
            return unavailable(format!("no function `{}`", wanted.pattern.text()));
        }
        FactFound::Counted {
            value: rows.iter().map(|row| row.facts.get(wanted.fact)).sum(),
        }
    };
    wanted.iter().map(found).collect()
}

fn expected(image: Option<PathBuf>, expectations: &Expectations, name: &str) -> Expectation {
    let kept = image
        .ok_or_else(|| "there is no image".to_owned())
        .and_then(|image| Kept::by(&image, expectations, name).map_err(|error| error.to_string()));
    match kept {
        Ok(kept) => Expectation {
            held: kept.held,
            broken: kept.broken,
        },
        Err(why) => Expectation {
            held: 0,
            broken: vec![why],
        },
    }
}
