//! A replay for programs.

use serde_json::Value;

use super::plan::ReplayPlanView;
use super::rows::ReplayView;
use crate::document::{Document, enveloped};

impl Document for ReplayPlanView {
    const SCHEMA: &'static str = "replay-plan";
}

impl Document for ReplayView {
    const SCHEMA: &'static str = "replay";
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
