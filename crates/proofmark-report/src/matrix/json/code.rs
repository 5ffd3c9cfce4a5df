//! The machine code of a matrix's cells, for programs.

use proofmark_evidence::record::{CellCode, FactFound};
use schemars::JsonSchema;
use serde::Serialize;

/// The machine code of one cell.
#[derive(Serialize, JsonSchema)]
pub(super) struct CodeOfCell {
    cell: u32,
    facts: Vec<FactView>,
    /// Conditions of the expectations that hold; absent where there are no expectations.
    held: Option<u64>,
    /// Those that do not, a line each.
    broken: Vec<String>,
}

/// A fact of a function.
#[derive(Serialize, JsonSchema)]
struct FactView {
    /// FUNCTION:FACT.
    fact: String,
    /// The count; absent where it could not be read.
    value: Option<u64>,
    /// Why it could not be read.
    why: Option<String>,
}

impl CodeOfCell {
    pub(super) fn of(cell: u32, code: &CellCode, facts: &[String]) -> Self {
        let fact = |(fact, found): (&String, &FactFound)| {
            let (value, why) = match found {
                FactFound::Counted { value } => (Some(*value), None),
                FactFound::Unavailable { why } => (None, Some(why.clone())),
            };
            FactView {
                fact: fact.clone(),
                value,
                why,
            }
        };
        let expected = code.expectations.as_ref();
        CodeOfCell {
            cell,
            facts: facts.iter().zip(&code.facts).map(fact).collect(),
            held: expected.map(|found| found.held),
            broken: expected.map_or_else(Vec::new, |found| found.broken.clone()),
        }
    }
}
