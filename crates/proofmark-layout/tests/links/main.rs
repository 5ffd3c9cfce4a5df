//! Layouts of real programs with real linkers: compiled here, linked, run.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod arranged;
mod asked;
mod drawn_data;
mod faithful;
mod hard_programs;
mod inside;
mod labels;
#[cfg(target_arch = "x86_64")]
mod large_commons;
mod lto;
mod placed;
mod plain_c;
mod programs;
mod reordered;
mod rust;
mod shared_texts;
mod slots;
mod stubs;
mod support;
mod survey;
