//! The search for a commit: choices held against git's own, and whole bisections of simulated
//! blocks with known truth.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod graph;
mod levels;
mod survey;

/// The same without the older end.
fn between(parents: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let own = |own: &Vec<usize>| {
        own.iter()
            .filter(|&&one| one > 0)
            .map(|one| one - 1)
            .collect()
    };
    parents[1..].iter().map(own).collect()
}
