//! The store as others use it: through its public functions, through SQL, through damaged files,
//! and killed.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod append_only;
mod appending;
mod attributions;
mod bisections;
mod damage;
mod enclosures;
mod ended;
mod finding;
mod kill;
mod later;
mod lock;
mod made;
mod matrices;
mod opening;
mod private;
mod read_only;
mod series;
mod sweeps;
mod uses;
