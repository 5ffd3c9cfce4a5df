//! A replay for programs.

use serde_json::Value;

use super::plan::ReplayPlanView;
use super::rows::ReplayView;
use super::whole::{WholePlanView, WholeReplayView};
use crate::document::{Document, enveloped};

impl Document for ReplayPlanView {
    const SCHEMA: &'static str = "replay-plan";
}

impl Document for ReplayView {
    const SCHEMA: &'static str = "replay";
}

impl Document for WholePlanView {
    const SCHEMA: &'static str = "replay-whole-plan";
}

impl Document for WholeReplayView {
    const SCHEMA: &'static str = "replay-whole";
}

/// What a replay would do, for programs.
#[must_use]
pub fn plan_json(plan: &ReplayPlanView) -> Value {
    enveloped(plan)
}

/// What came of one, for programs.
#[must_use]
pub fn replay_json(replay: &ReplayView) -> Value {
    enveloped(replay)
}

/// What a replay of several experiments would do, for programs.
#[must_use]
pub fn whole_plan_json(plan: &WholePlanView) -> Value {
    enveloped(plan)
}

/// What came of one, for programs.
#[must_use]
pub fn whole_json(whole: &WholeReplayView) -> Value {
    enveloped(whole)
}
