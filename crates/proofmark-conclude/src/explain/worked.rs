//! Which functions execute more instructions, by a simulated run of each build.

use std::collections::HashMap;

use proofmark_evidence::record::{CodeBetween, PlaceOf, SimulatedRuns};

use super::places::renamed;

/// A place whose instructions differ by less than this share of the whole difference does the same
/// work.
const SAME: f64 = 0.01;

/// New less base of executed instructions, by place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Worked {
    /// Of the image's functions that differ, by the build's symbol.
    pub functions: HashMap<String, f64>,
    /// Of everything else: libraries, and other processes.
    pub elsewhere: f64,
}

impl Worked {
    /// What simulated runs say; `None` where nothing is known of functions.
    pub(super) fn of(runs: Option<&SimulatedRuns>, code: &CodeBetween) -> Option<Worked> {
        let Some(SimulatedRuns::Counted {
            base,
            new,
            functions: Some(functions),
            ..
        }) = runs
        else {
            return None;
        };
        let renamed = renamed(code);
        let mut found: HashMap<String, f64> = HashMap::new();
        for one in functions {
            let [base, new] = one.instructions.map(|count| count as f64);
            let symbol = one.symbol.as_str();
            let as_new = renamed.get(symbol).copied().unwrap_or(symbol);
            *found.entry(as_new.to_owned()).or_default() -= base;
            *found.entry(symbol.to_owned()).or_default() += new;
        }
        let all = new.instructions as f64 - base.instructions as f64;
        let elsewhere = all - found.values().sum::<f64>();
        Some(Worked {
            functions: found,
            elsewhere,
        })
    }

    /// Whether a place executes another number of instructions.
    pub(super) fn differs(&self, place: &PlaceOf) -> bool {
        let all = self.functions.values().sum::<f64>() + self.elsewhere;
        let by = match place {
            PlaceOf::Function { symbol, .. } => self.functions.get(symbol).copied().unwrap_or(0.0),
            PlaceOf::Kernel => 0.0,
            PlaceOf::Library { .. } | PlaceOf::Nameless | PlaceOf::Unknown => self.elsewhere,
        };
        by.abs() > SAME * all.abs()
    }
}
