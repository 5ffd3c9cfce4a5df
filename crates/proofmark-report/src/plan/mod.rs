//! Views of a matrix before it is measured: its toolchains, its plan, its builds.

mod built;
mod built_json;
mod forecast;
mod json;
mod terminal;
mod toolchains;

pub use built::built;
pub use built_json::{built_json, built_schema};
pub use json::{plan_json, plan_schema, toolchains_json, toolchains_schema};
pub use terminal::{PlanView, plan};
pub use toolchains::toolchains;

use proofmark_build::toolchain::{Toolchain, ToolchainError};

/// A toolchain as it was found, by its name.
pub type Found = (String, Result<Toolchain, ToolchainError>);

/// The family and the version: `clang 19.1.7`.
fn compiler(toolchain: &Toolchain) -> String {
    let clang = toolchain.reported.contains("clang");
    let family = if clang { "clang" } else { "gcc" };
    format!("{family} {}", toolchain.version)
}

/// Seconds for people: `0.4 s`, `12 s`, `3 min`.
fn seconds(seconds: f64) -> String {
    let tie = crate::text::TIE;
    if seconds < 9.95 {
        format!("{seconds:.1}{tie}s")
    } else if seconds < 100.0 {
        format!("{seconds:.0}{tie}s")
    } else {
        format!("{:.0}{tie}min", seconds / 60.0)
    }
}

/// Cells by the reason for which they have no build, in their order.
fn by_reason<'a>(
    cells: impl Iterator<Item = (&'a str, &'a str)>,
) -> impl Iterator<Item = (String, &'a str)> {
    let mut reasons: Vec<(Vec<&str>, &str)> = Vec::new();
    for (cell, why) in cells {
        match reasons.iter_mut().find(|(_, known)| *known == why) {
            Some((cells, _)) => cells.push(cell),
            None => reasons.push((vec![cell], why)),
        }
    }
    let named = reasons.into_iter();
    named.map(|(cells, why)| (cells.join(", "), why))
}
