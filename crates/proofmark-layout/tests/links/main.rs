//! Layouts of real programs with real linkers: compiled here, linked, run.

mod plain_c;
mod support;
