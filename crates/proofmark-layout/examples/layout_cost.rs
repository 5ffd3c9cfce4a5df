//! What a layout costs beyond the bare link: both in turn, several times, and their medians.
//!
//! `cargo run --release -p proofmark-layout --example layout_cost -- 15 lld g++ main.o other.o -lm`
//! (how often; lld, bfd or gold; the driver and its arguments, without `-o`).
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

use proofmark_layout::{LayoutSet, LinkedImage, LinkerKind, Matching};
use proofmark_terms::Population;
use support::{Link, Project};

/// Wall time, and CPU time of this process and its children: the one that counts where the machine
/// has other work.
fn timed<T>(what: impl FnOnce() -> T) -> (Duration, Duration, T) {
    let (start, used) = (Instant::now(), cpu());
    let result = what();
    (start.elapsed(), cpu() - used, result)
}

/// CPU time of this process and of its children that ended, to a hundredth of a second.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat
        .rsplit_once(") ")
        .unwrap()
        .1
        .split(' ')
        .skip(11)
        .take(4);
    Duration::from_millis(
        10 * fields
            .map(|ticks| ticks.parse::<u64>().unwrap())
            .sum::<u64>(),
    )
}

#[derive(Default)]
struct Cost {
    wall: Vec<Duration>,
    cpu: Duration,
}

impl Cost {
    fn add(&mut self, (wall, cpu, ()): (Duration, Duration, ())) {
        self.wall.push(wall);
        self.cpu += cpu;
    }

    fn shown(&mut self) -> String {
        self.wall.sort_unstable();
        let (least, median) = (self.wall[0], self.wall[self.wall.len() / 2]);
        format!(
            "{:.3}/{:.3} s wall, {:.3} s CPU",
            least.as_secs_f64(),
            median.as_secs_f64(),
            self.mean()
        )
    }

    fn mean(&self) -> f64 {
        self.cpu.as_secs_f64() / self.wall.len() as f64
    }
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
            let (prepared, _, set) = timed(|| {
                LayoutSet::prepare(&builds, matching, population, scratch.path()).unwrap()
            });
            let (mut bare, mut layout) = (Cost::default(), Cost::default());
            let mut placed = 0;
            let output = scratch.path().join("app");
            for seed in 0..times.parse().unwrap() {
                let mut link = Command::new(&recipe.linker.path);
                link.args(&recipe.argv).current_dir(&recipe.cwd);
                bare.add(timed(|| assert!(link.status().unwrap().success())));
                layout.add(timed(|| drop(set.link(0, seed, &output).unwrap())));
                placed = set
                    .verify(&[LinkedImage {
                        path: output.clone(),
                        build: 0,
                        seed,
                    }])
                    .unwrap()
                    .placed;
            }
            println!(
                "{kind} {matching:?} {population:?}, {placed} functions, least/median of {times} and mean: bare {}; layout {}; {:+.0} % CPU; prepared in {:.2} s",
                bare.shown(),
                layout.shown(),
                (layout.mean() / bare.mean() - 1.0) * 100.0,
                prepared.as_secs_f64()
            );
        }
    }
}
