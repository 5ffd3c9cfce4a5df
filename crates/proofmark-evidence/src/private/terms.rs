//! What is private in the words that all rooms share.

use proofmark_terms::{Commit, Machine, Metric, Reading};

use super::{Class, Hand, Parts, Texts, parts};

parts!(Machine { facts: inner });

parts!(Commit {
    id: open,
    parents: open,
    tree: open,
    author: whole,
    date: open,
    subject: mixed,
});

impl Parts for std::collections::BTreeMap<String, Reading> {
    fn each(&mut self, hand: &mut Hand<'_>) {
        self.values_mut().for_each(|reading| reading.each(hand));
    }
}

impl Parts for Reading {
    fn each(&mut self, hand: &mut Hand<'_>) {
        match self {
            Reading::Known(text) | Reading::Unavailable(text) => text.texts(Class::Mixed, hand),
        }
    }
}

parts!(
    enum Metric {
        CpuTime,
        WallTime,
        PeakMemory,
        Output {
            pattern: mixed,
            unit: mixed,
            higher_is_better: open,
        },
    }
);
