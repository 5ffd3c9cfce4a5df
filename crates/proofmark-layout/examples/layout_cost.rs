//! What a layout costs beyond the bare link: both in turn, several times, and their medians.
//!
//! `cargo run --release -p proofmark-layout --example layout_cost -- 15 lld g++ main.o other.o -lm` (how often; lld, bfd or gold; the driver and its arguments, without `-o`).
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a measurement that meets the unexpected should stop there and then"
)]

#[expect(
    dead_code,
    reason = "the recorder of the tests, of which a part is needed"
)]
#[path = "../tests/links/support.rs"]
mod support;

use std::process::Command;
use std::time::{Duration, Instant};

use proofmark_layout::{LayoutSet, LinkerKind, Matching, Population};
use support::{Link, Project};

fn timed<T>(what: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = what();
    (start.elapsed(), result)
}

fn median(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    (times[0], times[times.len() / 2])
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [times, linker, driver, rest @ ..] = arguments.as_slice() else {
        panic!("how often, which linker, a driver and its arguments")
    };
    let kind = match linker.as_str() {
        "lld" => LinkerKind::Lld,
        "bfd" => LinkerKind::GnuLd,
        "gold" => LinkerKind::Gold,
        other => panic!("no linker {other}"),
    };
    let project = Project::new(&[]);
    let recipe = project.link(&Link {
        driver,
        kind,
        arguments: &rest.join(" "),
    });
    for (matching, builds) in [
        (Matching::Independent, vec![&recipe]),
        (Matching::Matched, vec![&recipe, &recipe]),
    ] {
        for population in [Population::Pad, Population::Shuffle] {
            let scratch = tempfile::tempdir().unwrap();
            let (prepared, set) = timed(|| {
                LayoutSet::prepare(&builds, matching, population, scratch.path()).unwrap()
            });
            let (mut bare, mut layout) = (Vec::new(), Vec::new());
            let mut placed = 0;
            for seed in 0..times.parse().unwrap() {
                let mut link = Command::new(&recipe.linker.path);
                link.args(&recipe.argv).current_dir(&recipe.cwd);
                bare.push(timed(|| assert!(link.status().unwrap().success())).0);
                let (took, image) =
                    timed(|| set.link(0, seed, &scratch.path().join("app")).unwrap());
                layout.push(took);
                placed = set.verify(&[image]).unwrap().placed;
            }
            let (bare, layout) = (median(bare), median(layout));
            let over = layout.1.as_secs_f64() / bare.1.as_secs_f64() - 1.0;
            println!(
                "{kind} {matching:?} {population:?}: {placed} functions; bare {:.3}/{:.3} s, layout {:.3}/{:.3} s (least/median of {times}), {:+.0} %; prepared in {:.2} s",
                bare.0.as_secs_f64(),
                bare.1.as_secs_f64(),
                layout.0.as_secs_f64(),
                layout.1.as_secs_f64(),
                over * 100.0,
                prepared.as_secs_f64()
            );
        }
    }
}
