//! Functions chosen from a file, with their facts.

use rayon::prelude::*;

use crate::facts::{Fact, Facts};
use crate::image::{Function, Image};
use crate::pattern::Pattern;
use crate::program::Program;

/// So many functions are counted without other threads.
const ALONE: usize = 4;

/// A function with its facts.
#[derive(Debug, Clone)]
pub struct FunctionFacts<'a> {
    /// The image that it belongs to.
    pub image: &'a Image,
    /// Its index there.
    pub index: usize,
    /// Its facts, of its own code.
    pub facts: Facts,
}

impl FunctionFacts<'_> {
    /// The function.
    #[must_use]
    pub fn function(&self) -> &Function {
        &self.image.functions()[self.index]
    }
}

/// The functions of a file that any of the patterns means, in order of address; all of them where
/// there is no pattern.
#[must_use]
pub fn survey<'a>(program: &'a Program, patterns: &[Pattern]) -> Vec<FunctionFacts<'a>> {
    program
        .images()
        .iter()
        .flat_map(|image| rows(image, patterns))
        .collect()
}

fn rows<'a>(image: &'a Image, patterns: &[Pattern]) -> Vec<FunctionFacts<'a>> {
    if patterns.is_empty() {
        return Facts::all(image)
            .into_iter()
            .enumerate()
            .map(|(index, facts)| FunctionFacts {
                image,
                index,
                facts,
            })
            .collect();
    }
    let mut wanted: Vec<usize> = patterns.iter().flat_map(|p| p.find(image)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let row = |index| FunctionFacts {
        image,
        index,
        facts: Facts::of(image, index),
    };
    // For one function, or one and its cold piece, it takes longer to start other threads.
    if wanted.len() <= ALONE {
        return wanted.into_iter().map(row).collect();
    }
    wanted.into_par_iter().map(row).collect()
}

/// Puts those with the largest number first.
pub fn sort(rows: &mut [FunctionFacts<'_>], fact: Fact) {
    rows.sort_by_key(|row| std::cmp::Reverse(row.facts.get(fact)));
}
