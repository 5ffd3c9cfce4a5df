//! Prints, as Markdown, how interval and verdict fare on simulated blocks with a known truth:
//!
//! ```text
//! cargo run -p proofmark-stats --release --example simulate              the promise: coverage, false alarms, power
//! cargo run -p proofmark-stats --release --example simulate -- designs   the estimators and stopping rules that were tried
//! cargo run -p proofmark-stats --release --example simulate -- rounds    how the rounds of a block should be put together, and how many of them
//! cargo run -p proofmark-stats --release --example simulate -- certificate   what waiting for the certificate costs
//! ```
#![expect(clippy::print_stdout, reason = "a generator prints what it generates")]

#[path = "../../tests/known_truth/mod.rs"]
mod known_truth;

mod certificate;
mod compare;
mod designs;
mod promise;
mod rounds;

fn main() {
    match std::env::args().nth(1).as_deref() {
        None => print!("{}", promise::tables()),
        Some("designs") => print!("{}", compare::tables()),
        Some("certificate") => print!("{}", certificate::table()),
        Some("rounds") => print!("{}", rounds::tables()),
        Some(other) => {
            println!(
                "{other}: nothing of that name; give nothing, `designs`, `rounds` or `certificate`"
            );
        }
    }
}
