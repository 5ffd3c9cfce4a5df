//! Evidence that is measured again: the plan, and whether both machines agree.

mod json;
mod plan;
mod rows;
mod terminal;

pub use json::{plan_json, replay_json};
pub use plan::{ImagesAgainView, ObstacleView, ReplayPlanView, ReplayedBuildView, ToolAgainView};
pub use rows::{AgreedView, AgreementWord, ReplayView};
pub use terminal::{plan_terminal, replay_terminal};
