//! A series of commits that were measured beside anchors: its lines, how two of its points differ,
//! and what a comparison of two of them says.

mod apart;
mod line;
mod pair;
mod suspected;
mod watch;

pub use apart::{Apart, How, PartApart, apart};
pub use line::{Line, LinePoint, NotMeasured, Way, is_same_line, lines};
pub use pair::{LevelChange, PairFound, pair_found, two_ways};
pub use suspected::Suspected;
pub use watch::{AlarmCount, AlarmSeen, Watched};
