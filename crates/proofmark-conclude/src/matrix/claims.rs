//! Claims held against every baseline, all on one suite: the benchmarks that a claim is about,
//! whoever fails on one of them.

use proofmark_evidence::record::{Against, Claim, JudgedClaim, Missing, benchmark_name};
use proofmark_stats::{AtLeast, Holds, Looks, Standing};
use proofmark_terms::{CellIndex, MemberIndex};

use super::sheet::Sheet;

/// What the blocks say of a claim so far.
pub struct Judged {
    /// The benchmarks that it is judged on.
    pub over: Vec<MemberIndex>,
    against: Vec<Against>,
    missing: Vec<Missing>,
    standing: Standing,
    /// The cells against which more blocks could still say something.
    pub open: Vec<CellIndex>,
}

impl Sheet<'_> {
    /// What is said of a claim. A baseline without a build, one that is out of a benchmark of the
    /// claim and one with too few blocks leave it open as far as they go: of a smaller suite
    /// nothing would be known that was claimed.
    pub fn judge(&self, claim: &Claim) -> Judged {
        let over = self.about(&claim.benchmarks);
        let bases = self.held_against(claim);
        let (able, lacking): (Vec<CellIndex>, Vec<CellIndex>) = bases
            .iter()
            .partition(|&&base| self.lacks(&over, base).is_none());
        let unable = self.lacks(&over, claim.new);
        let held = if unable.is_some() {
            &[]
        } else {
            able.as_slice()
        };
        let (mut against, mut young) = (Vec::new(), Vec::new());
        for &base in held {
            match self.against(claim, &over, base) {
                Some(one) => against.push(one),
                None => young.push(base),
            }
        }
        let mut missing = self.unbuilt_baselines();
        let named = std::iter::once(claim.new).filter(|_| unable.is_some());
        for cell in named.chain(lacking) {
            missing.extend(self.lacks(&over, cell).map(|why| self.missing(cell, why)));
        }
        let too_young = |&base: &CellIndex| self.missing(base, "has too few blocks".to_owned());
        missing.extend(young.iter().map(too_young));
        let decided = young.is_empty() && standing(&against, 0).is_decided();
        Judged {
            standing: standing(&against, missing.len()),
            open: if decided { Vec::new() } else { held.to_vec() },
            over,
            against,
            missing,
        }
    }

    fn against(&self, claim: &Claim, over: &[MemberIndex], baseline: CellIndex) -> Option<Against> {
        let effects = self.suite(over, claim.new, baseline);
        let judge = AtLeast {
            gain: claim.at_least,
            better: self.better(over),
            margin: self.design.margin,
        };
        let look = |looks: &Looks| {
            let rule = self.rule(looks, over, claim.new, baseline);
            Some(rule.look(&effects)?.interval)
        };
        let (alone, together) = (look(&self.levels.alone)?, look(&self.levels.together)?);
        Some(Against {
            baseline,
            alone,
            holds_alone: judge.judge(&alone),
            together,
            holds: judge.judge(&together),
        })
    }

    /// The benchmarks of a suite that a cell is out of, at whatever size, in words.
    fn lacks(&self, over: &[MemberIndex], cell: CellIndex) -> Option<String> {
        let sizes = self.at_all_sizes(over).into_iter();
        let out = sizes.filter(|&member| self.is_out(member, cell));
        let members = out.map(|member| &self.run.members[member.place()]);
        let names: Vec<String> = members
            .map(|member| benchmark_name(&member.benchmark, member.size.as_ref()))
            .collect();
        (!names.is_empty()).then(|| format!("is out of {}", names.join(", ")))
    }

    fn unbuilt_baselines(&self) -> Vec<Missing> {
        let unbuilt = self.asked.unbuilt.iter().filter(|cell| cell.baseline);
        let fails = |cell: &str| {
            let mut gates = self.asked.gates.iter();
            gates.any(|gate| !gate.passed && gate.cell == cell)
        };
        let missing = unbuilt.map(|cell| Missing {
            cell: cell.cell.clone(),
            why: match fails(&cell.cell) {
                true => "fails a gate".to_owned(),
                false => "has no build".to_owned(),
            },
        });
        missing.collect()
    }

    fn missing(&self, cell: CellIndex, why: String) -> Missing {
        let name = cell.of(&self.run.cells);
        Missing {
            cell: name.cloned().unwrap_or_default(),
            why,
        }
    }

    /// All claims, judged.
    pub fn claims(&self) -> Vec<JudgedClaim> {
        let judged = |claim: &Claim| {
            let judged = self.judge(claim);
            JudgedClaim {
                claim: claim.clone(),
                over: judged.over,
                against: judged.against,
                missing: judged.missing,
                standing: judged.standing,
            }
        };
        self.asked.claims.iter().map(judged).collect()
    }
}

/// What is said of a claim by those baselines that have figures, and as many that have none.
fn standing(against: &[Against], without: usize) -> Standing {
    let all = |holds: fn(&Against) -> Holds| -> Vec<Holds> {
        let known = against.iter().map(holds);
        known.chain(vec![Holds::Open; without]).collect()
    };
    Standing::of(&all(|one| one.holds_alone), &all(|one| one.holds))
}
