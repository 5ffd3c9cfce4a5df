//! The words that every room shares. They stand below all other crates, and nothing here does
//! anything: what is read, drawn or measured is the matter of the room that does it.
//!
//! ```
//! use proofmark_terms::{Metric, OsText, Share};
//!
//! assert!(Metric::CpuTime.survives_pauses());
//! assert_eq!(OsText::from("--fast").display(), "--fast");
//! assert_eq!("1%".parse::<Share>().map(Share::get), Ok(0.01));
//! ```

mod cache;
pub mod canonical;
mod check;
mod commit;
mod core_list;
mod digest;
mod doubles;
mod effect;
pub mod exact;
mod feature;
mod image_mark;
mod index;
mod interval;
mod layout;
pub mod lossless;
mod machine;
mod metric;
mod os_text;
mod population;
mod printable;
mod scale;
mod share;
mod sight;
mod standing;
mod unit;
mod verdict;

pub use cache::CacheShape;
pub use check::{Check, CheckStatus};
pub use commit::Commit;
pub use core_list::CoreList;
pub use digest::{CaptureId, CommitId, Digest, NotADigest, TreeId};
pub use effect::Effect;
pub use feature::Feature;
pub use image_mark::{image_marks, with_image};
pub use index::{
    AddressIndex, ArmIndex, BuildIndex, CellIndex, FunctionIndex, ImageIndex, MemberIndex,
    StateIndex,
};
pub use interval::Interval;
pub use layout::Layout;
pub use machine::{Machine, Reading};
pub use metric::Metric;
pub use os_text::OsText;
pub use population::Population;
pub use printable::{is_unseen, printable, printable_line, printable_lines};
pub use scale::{Bounded, Part};
pub use share::{Share, ShareError};
pub use sight::Sight;
pub use standing::{Holds, Standing};
pub use unit::{is_rate, is_rounded, is_time};
pub use verdict::{Better, Margin, Verdict};
