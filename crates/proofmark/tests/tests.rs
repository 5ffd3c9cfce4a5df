//! The command, asked as users ask it, and the rules that hold over all of the sources.
//!
//! All of it is one program: linking takes its time once, and a test that waits leaves its core to
//! the tests of other files.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod asked;
mod attribute;
mod bad_input;
mod bisect;
mod budget;
mod compare;
mod damaged_programs;
mod disassembled;
mod documents;
mod evidence;
mod explain;
mod gates;
mod gc;
mod heap;
mod hints;
mod history;
mod history_run;
mod history_stands;
mod interrupted;
mod joined;
mod ledger;
mod libraries;
mod machine_code;
mod matrix;
mod matrix_copies;
mod matrix_inputs;
mod matrix_key;
mod matrix_parts;
mod matrix_revision;
mod matrix_run;
mod matrix_times;
mod mercurial;
mod newcomer;
mod one_name;
mod private;
mod real_programs;
mod refused_layouts;
mod remedies;
mod replay;
mod replay_cells;
mod replay_whole;
mod revisions;
mod rooms;
mod support;
mod sweep;
mod unprivileged;
