//! Histories whose blocks are drawn from recorded ones. Each commit is one of the recorded builds
//! of its level, another one than the ends; where its link put it, and when it was measured by the
//! script, is one of the recorded blocks.

use std::error::Error;
use std::path::Path;

use proofmark_conclude::{main_arm, values};
use proofmark_evidence::{Recorded, Store};
use proofmark_terms::BuildIndex;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::world::{COMMITS, World};

/// Builds of each level, in the order of `bench/bisect/record.py`.
const BUILDS: usize = 4;

/// Runs of the script.
const RUNS: usize = 5;

/// What is asked of a recording: the level by its place in it.
pub(crate) const LEVELS: [(&str, usize); 4] =
    [("+1 %", 1), ("+2 %", 2), ("+5 %", 3), ("placement only", 0)];

/// What was recorded of a block: by build, the mean of ln of its runs, and ln of the median of the
/// first five.
type Measured = Vec<[f64; 2]>;

/// An experiment.
pub(crate) struct Recording {
    blocks: Vec<Measured>,
}

impl Recording {
    pub(crate) fn read(store: &str, experiment: &str) -> Result<Recording, Box<dyn Error>> {
        let recorded = Store::open(Path::new(store))?.load(experiment)?;
        let builds = recorded.experiment.builds.len();
        if builds != BUILDS * LEVELS.len() {
            return Err(format!("{builds} builds are none of bench/bisect/record.py").into());
        }
        let blocks = 0..recorded.blocks.len();
        let blocks = blocks.map(|at| measured(&recorded, at, builds));
        Ok(Recording {
            blocks: blocks.collect::<Result<_, _>>()?,
        })
    }

    /// A history with this level from one commit on.
    pub(crate) fn world(&self, level: usize, first: usize, seed: u64) -> Replayed<'_> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // Builds 0 and 1 of the levels are the ends.
        let commit = |at: usize, rng: &mut ChaCha8Rng| {
            let own = if at < first { 0 } else { level };
            let build = match at {
                _ if at + 1 == COMMITS => 1,
                _ => rng.random_range(2..BUILDS),
            };
            [own * BUILDS + build, rng.random_range(0..self.blocks.len())]
        };
        let commits = (0..COMMITS).map(|at| commit(at, &mut rng));
        Replayed {
            recording: self,
            commits: commits.collect(),
            older: [0, rng.random_range(0..self.blocks.len())],
            rng,
        }
    }
}

/// One block of a recording.
fn measured(recorded: &Recorded, at: usize, builds: usize) -> Result<Measured, Box<dyn Error>> {
    let schedule = recorded.pilot.as_ref().ok_or("no pilot")?.schedule;
    let block = &recorded.blocks[at];
    let of = |build: usize| {
        let arm = main_arm(&recorded.experiment, BuildIndex(u32::try_from(build)?));
        let mut logs: Vec<f64> = values(block, arm, schedule)
            .into_iter()
            .map(f64::ln)
            .collect();
        if logs.is_empty() {
            return Err(format!("block {at} lacks build {build}").into());
        }
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        // The script makes five runs.
        logs.truncate(RUNS);
        logs.sort_by(f64::total_cmp);
        Ok([mean, logs[logs.len() / 2]])
    };
    (0..builds).map(of).collect()
}

/// One history.
pub(crate) struct Replayed<'a> {
    recording: &'a Recording,
    /// The build of each commit, and the block in which the script measured it.
    commits: Vec<[usize; 2]>,
    older: [usize; 2],
    rng: ChaCha8Rng,
}

impl Replayed<'_> {
    /// The means of some builds in one block.
    fn block<const N: usize>(&mut self, builds: [usize; N]) -> [f64; N] {
        let at = self.rng.random_range(0..self.recording.blocks.len());
        builds.map(|build| self.recording.blocks[at][build][0])
    }

    fn newer(&self) -> usize {
        self.commits[COMMITS - 1][0]
    }
}

impl World for Replayed<'_> {
    fn ends(&mut self) -> f64 {
        let [older, newer] = self.block([self.older[0], self.newer()]);
        newer - older
    }

    fn beside(&mut self, commit: usize) -> [f64; 2] {
        let own = self.commits[commit][0];
        let [older, newer, own] = self.block([self.older[0], self.newer(), own]);
        [older - own, newer - own]
    }

    fn median(&mut self, commit: Option<usize>) -> f64 {
        let [build, block] = commit.map_or(self.older, |commit| self.commits[commit]);
        self.recording.blocks[block][build][1]
    }
}
