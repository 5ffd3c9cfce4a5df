//! The machine, written down: what a reader needs to know before believing a number from it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One thing read off the machine, or the reason why it could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reading {
    /// As found.
    Known(String),
    /// Not to be had, and why.
    Unavailable(String),
}

impl Reading {
    /// The words, known or not.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Reading::Known(text) | Reading::Unavailable(text) => text,
        }
    }
}

/// A machine at one moment. Keys are stable words: `cpu`, `microcode`, `kernel`, `governor`,
/// `turbo`, `smt`, `hypervisor`, `cores`, `memory`, `load`, `steal`, `aslr`, `perf-events`,
/// `cgroup`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Machine {
    /// What was read, by key.
    pub facts: BTreeMap<String, Reading>,
}

/// What stays of a machine when it is started again: what it is made of, and never a reading that
/// goes up and down.
const LASTING: [&str; 4] = ["cpu", "microcode", "hypervisor", "cores"];

impl Machine {
    /// Only what stays when the machine is started again.
    #[must_use]
    pub fn lasting(&self) -> Machine {
        let lasts = |key: &str| LASTING.contains(&key);
        let facts = self.facts.iter().filter(|(key, _)| lasts(key));
        Machine {
            facts: facts
                .map(|(key, fact)| (key.clone(), fact.clone()))
                .collect(),
        }
    }

    /// The model of its processor, or why it is not known.
    #[must_use]
    pub fn processor(&self) -> &str {
        self.facts.get("cpu").map_or("unknown", Reading::text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_up_and_down_does_not_last() {
        let fact = |key: &str| (key.to_owned(), Reading::Known(format!("a {key}")));
        let keys = [
            "cpu",
            "microcode",
            "kernel",
            "load",
            "steal",
            "cores",
            "turbo",
        ];
        let machine = Machine {
            facts: keys.into_iter().map(fact).collect(),
        };
        let kept = machine.lasting().facts;
        let kept: Vec<&str> = kept.keys().map(String::as_str).collect();
        assert_eq!(kept, ["cores", "cpu", "microcode"]);
        assert_eq!(machine.processor(), "a cpu");
    }
}
