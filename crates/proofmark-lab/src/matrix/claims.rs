//! Claims held against every baseline.

use proofmark_evidence::record::{Against, Claim, JudgedClaim};
use proofmark_stats::{AtLeast, Holds, Looks, Standing};

use super::sheet::Sheet;

impl Sheet<'_> {
    /// Each baseline that has enough blocks, and what is said of the claim. It is undecided as long as one lacks them.
    pub(super) fn judge(&self, claim: &Claim) -> (Vec<Against>, Standing) {
        let bases = self.held_against(claim);
        let against: Vec<Against> = bases
            .iter()
            .filter_map(|&base| self.against(claim, base))
            .collect();
        if against.len() < bases.len() {
            return (against, Standing::Undecided);
        }
        let alone: Vec<Holds> = against.iter().map(|one| one.holds_alone).collect();
        let together: Vec<Holds> = against.iter().map(|one| one.holds).collect();
        let standing = Standing::of(&alone, &together);
        (against, standing)
    }

    fn against(&self, claim: &Claim, baseline: u32) -> Option<Against> {
        let over = self.over(claim.new, baseline, &claim.benchmarks);
        let effects = self.suite(&over, claim.new, baseline);
        let judge = AtLeast {
            gain: claim.at_least,
            better: self.better(&over),
            margin: self.design.margin,
        };
        let look = |looks: &Looks| {
            let rule = self.rule(looks, &over, claim.new, baseline);
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

    /// All claims, judged.
    pub(super) fn claims(&self) -> Vec<JudgedClaim> {
        let judged = |claim: &Claim| {
            let (against, standing) = self.judge(claim);
            JudgedClaim {
                claim: claim.clone(),
                against,
                standing,
            }
        };
        self.asked.claims.iter().map(judged).collect()
    }
}
