//! What recorded blocks say: evidence in, conclusion out. Nothing here measures, links or starts a
//! process, so that whoever has the evidence can draw its conclusion again.
//!
//! [`conclude`] is for a comparison, [`conclude_null`] for a null test, [`conclude_matrix`] for a
//! matrix; [`bisect`] is for the search for a commit. [`verify`] computes all of it again from
//! evidence that somebody else recorded. The rules by which an experiment stops are
//! [`rules`], and where it stands meanwhile is
//! [`standings`].
//!
//! ```no_run
//! use std::path::Path;
//!
//! use proofmark_conclude::{rules, standings};
//! use proofmark_evidence::Store;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let recorded = Store::open(Path::new(".proofmark"))?.load("latest")?;
//! if let Some(pilot) = &recorded.pilot {
//!     let rules = rules(&recorded.experiment, pilot, &recorded.blocks)?;
//!     for standing in standings(&recorded.experiment, pilot, &rules, &recorded.blocks)? {
//!         println!("{standing:?}");
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod a_run;
pub mod again;
mod agreement;
mod apart;
mod arms;
mod at_once;
mod attribute;
pub mod bisect;
mod certificate;
mod conclude;
mod count;
mod departed;
mod drawn;
mod draws;
mod effects;
mod error;
pub mod explain;
mod few_digits;
mod forecast;
mod groups;
mod held_up;
pub mod history;
pub mod ledger;
mod matrix;
mod measured;
mod name;
mod null;
mod placement;
mod rule;
mod scheme;
pub mod series;
mod sums;
mod sweep;
mod times;
pub mod verify;
mod wall_time;
mod warnings;
pub mod with_builds;
pub mod with_images;
mod withheld;

pub use agreement::{Agreed, agreements, is_of_shipped, prints_otherwise};
pub use arms::{all_builds, arms_of, build_of, main_arm, of_builds, values};
pub use attribute::{
    AnchoredLayout, NextAttributionBlock, anchored_layouts, conclude_attribution,
    conclude_screening, is_last_stage, next_attribution_block, planned_attribution_blocks,
    screen_places,
};
pub use certificate::{Taxing, arms_in, awaited, taxing};
pub use conclude::{SoFar, conclude, rules, standings};
pub use count::{Count, Counted, SAME_WORK, apart};
pub use drawn::{
    CountedDrawn, DrawnCounts, Evened, InQuestion, drawn_work, in_question, judge_drawn,
    with_evened,
};
pub use draws::{Draws, RoundAt};
pub use effects::effects;
pub use error::ConcludeError;
pub use forecast::{Begun, BlockTime, MatrixForecast, PlannedLayouts, PlannedMember};
pub use groups::{Group, groups};
pub use matrix::{
    Ended, MatrixEvidence, MemberEvidence, Sheet, against_cell, comparisons, conclude_matrix,
    members_warned_of, of_member,
};
pub use null::conclude_null;
pub use rule::{better, looks};
pub use scheme::Scheme;
pub use sweep::{NextSweepBlock, SweepOrder, conclude_sweep, extremes, next_sweep_block};
pub use times::{SHORT_NS, of_round, of_rounds};
pub use withheld::{is_withheld, matched_fall_short};
