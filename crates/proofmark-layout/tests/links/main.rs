//! Layouts of real programs with real linkers: compiled here, linked, run.

mod hard_programs;
mod plain_c;
mod programs;
mod support;
