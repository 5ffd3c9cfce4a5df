//! Evidence that is measured again: the plan, and whether both machines agree.

mod json;
mod plan;
mod rows;
mod terminal;
mod whole;
mod whole_terminal;

pub use json::{plan_json, replay_json, whole_json, whole_plan_json};
pub use plan::{
    CellAgainView, ImagesAgainView, ObstacleView, ReplayPlanView, ReplayedBuildView, ToolAgainView,
};
pub use rows::{AgreedView, AgreementWord, ReplayView};
pub use terminal::{plan_terminal, replay_terminal};
pub use whole::{NamedPlanView, NamedReplayView, WholePlanView, WholeReplayView, WholeWord};
pub use whole_terminal::{agreement_lines, whole_plan_terminal, whole_terminal};
