//! Evidence that is measured again: the plan, and whether both machines agree.

mod json;
mod rows;
mod terminal;

pub use json::{plan_json, replay_json};
pub use rows::{
    AgreedView, AgreementWord, ImagesAgainView, ObstacleView, ReplayPlanView, ReplayView,
    ReplayedBuildView, ToolAgainView,
};
pub use terminal::{plan_terminal, replay_terminal};
