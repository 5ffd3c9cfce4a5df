//! Layouts drawn from a seed, and the linkers that carry them out.
//!
//! A [`Recipe`] says how a build was linked; [`relink`] links it again as shipped. A [`LayoutSet`]
//! links it in layouts: a pure [`draw`] says where each function goes, and **copies of the
//! relocatable inputs are patched, not the link steered**:
//!
//! * Each section of code is a unit. It gets a handle, an appended hidden symbol, by which it is
//!   ordered (lld) and found again in the image (all linkers); for GNU ld and gold it gets a name
//!   that sorts as well. No two units share a handle, so statics of one name are told apart.
//! * The gap behind a unit is part of its section: copies have room behind each section of code,
//!   and a layout writes sizes and names where they stand. Longer gaps, and what only other builds
//!   have, are fillers in an object of our own, which also makes the code of every seed equally
//!   long, so that nothing behind it moves.
//! * Data keeps its order, and grows by the gaps that are drawn behind it. In matched layouts it is
//!   kept in step by slots: sections grow to the largest version among the builds. Ballast at the
//!   start of each block makes up for what stands before it: tables of symbols and relocations that
//!   differ between builds. Common symbols are defined by an object of our own, behind all others;
//!   texts and constants that a linker would merge across objects stand with other constants.
//! * [`LayoutSet::verify`] reads all of this back from the linked images.
//!
//! A [`PlacedSet`] places on purpose what a seed does not draw: some functions at given addresses,
//! and everything else at one address in all images. In a [`SlotSet`] each function's place is
//! drawn by itself, so that some are kept while all others are drawn again.
//!
//! What is never moved: initialisers and finalisers, constructor tables, linker sets, notes, unwind
//! tables. Machines whose linkers shorten code (RISC-V, LoongArch) are refused.
//!
//! ```
//! use proofmark_layout::{Function, draw};
//! use proofmark_terms::Population;
//!
//! let functions = ["main", "run", "help"].map(|key| Function {
//!     key: key.to_owned(),
//!     alignment: 16,
//!     slot: 64,
//! });
//! let layout = draw(&functions, 7, Population::Pad);
//! // In the build's own order, aligned, and the same whenever it is drawn from this seed.
//! assert!(layout.iter().map(|placement| placement.function).eq(0..3));
//! assert!(layout.iter().all(|placement| placement.start % 16 == 0));
//! assert_eq!(layout, draw(&functions, 7, Population::Pad));
//! ```

mod alike;
mod arranged;
mod asked;
mod assembly;
mod behind;
mod build_id;
mod captured;
mod commons;
mod content;
mod data;
mod density;
mod draw;
mod elf;
mod error;
mod evened;
mod extent;
mod faithful;
mod freedom;
mod inside;
mod labels;
mod link;
mod linker;
mod members;
mod name;
mod object_texts;
mod observed;
mod pairing;
mod placed;
mod plan;
mod prepared;
mod recipe;
mod reordered;
mod seen;
mod set;
mod shared_texts;
mod slots;
mod sorted;
mod sources;
mod staged;
mod starts;
mod strip;
mod survey;
mod taken_back;
mod undrawn;
mod units;
mod unmerged;
mod verify;

pub use alike::{Alike, MATCHED_UP_TO};
pub use arranged::{Arranged, Arrangement, Kept, arranged};
pub use asked::{Asked, asked};
pub use assembly::{Assembly, pack};
pub use captured::Captured;
pub use density::{Footprint, Spread};
pub use draw::{Function, Placement, draw, room};
pub use error::LayoutError;
pub use evened::{Evened, evened};
pub use extent::asks_for_end_of_data;
pub use faithful::{changed_after_link, check_compiled_twice};
pub use freedom::{Freedom, Hindrance, Undrawn, UndrawnData};
pub use inside::{Inner, Point, Within};
pub use link::relink;
pub use members::with_members;
pub use placed::{Chosen, InsideSet, Placeable, PlacedImage, PlacedSet, Reach, Spot, Why};
pub use recipe::{ArchiveMember, Input, InputKind, Linker, LinkerKind, Lto, Recipe};
pub use set::{LayoutSet, LinkedImage, Matching};
pub use slots::{Mix, SlotSet, SlottedImage, Unmoved};
pub use survey::{Movability, Reason, movability};
pub use taken_back::{TakenBack, taken_back};
pub use verify::{Elsewhere, Promises};
