//! Pictures of results, as SVG and PNG, light and dark.
//!
//! All pictures are drawn here, by one library, with one font that is part of the program (a
//! machine that measures often has none) and one scale of colours that colour-blind people read.
//! Flame graphs are drawn by a library of their own and looked at in a browser, and a profile is a
//! file for one: both are made here from stacks of calls.
//! Nothing here knows what is shown: numbers, words and marks come from whoever asks.
//!
//! ```
//! use proofmark_picture::{Format, HeatCell, HeatMap, Theme, heat_maps};
//!
//! let cell = |value: f64| Some(HeatCell { value, text: format!("{value:.1}") });
//! let map = HeatMap {
//!     title: "f".into(),
//!     about: "two rows of two".into(),
//!     columns: vec!["0".into(), "1".into()],
//!     rows: vec!["0x10".into(), "0x20".into()],
//!     cells: vec![vec![cell(1.0), cell(1.2)], vec![None, cell(1.1)]],
//!     scale: "time / as shipped".into(),
//!     marked: vec![(0, 0)],
//! };
//! let svg = heat_maps(&[map], Format::Svg, Theme::Light)?;
//! assert!(svg.starts_with(b"<svg"));
//! # Ok::<(), proofmark_picture::PictureError>(())
//! ```

mod bars;
mod colour;
mod error;
mod flame;
mod font;
mod heat_map;
mod page;
mod profile;
mod stack;
mod timeline;

pub use bars::{Bar, Bars, bars};
pub use colour::{Rgb, Theme, on_scale};
pub use error::PictureError;
pub use flame::{Flames, flame_difference, flame_graph, gone};
pub use heat_map::{HeatCell, HeatMap, heat_maps};
pub use page::Format;
pub use profile::{Samples, TimedStack, profile};
pub use stack::{Stack, folded, folded_difference};
pub use timeline::{LevelLine, Mark, Span, Timeline, timelines};
