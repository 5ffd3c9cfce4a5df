//! What an image of a sweep costs beyond the bare link: `sweep_images STORE BUILD FUNCTION TIMES`
//! takes both in turn and prints CPU times, means, with our own work included.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a measurement that meets the unexpected should stop there and then"
)]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use proofmark_capture::Builds;
use proofmark_layout::{Chosen, Placeable};

/// CPU time of this process and of its children that ended, to a hundredth of a second.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit_once(") ").unwrap().1.split(' ');
    let ticks = fields
        .skip(11)
        .take(4)
        .map(|ticks| ticks.parse::<u64>().unwrap());
    Duration::from_millis(10 * ticks.sum::<u64>())
}

fn timed(what: impl FnOnce()) -> Duration {
    let used = cpu();
    what();
    cpu() - used
}

/// Where an image has a function.
fn address(image: &Path, function: &str) -> u64 {
    let listed = Command::new("nm").arg(image).output().unwrap().stdout;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let mut lines = listed.lines();
    let line = lines
        .find(|line| line.ends_with(&format!(" {function}")))
        .unwrap();
    u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap()
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let [_, store, build, function, times] = words.as_slice() else {
        panic!("sweep_images STORE BUILD FUNCTION TIMES");
    };
    let times: u32 = times.parse().unwrap();
    let capture = Builds::open(Path::new(store)).unwrap().find(build).unwrap();
    let captured = capture.image(None).unwrap();
    let recipe = captured.as_built();
    let scratch = tempfile::tempdir().unwrap();
    let placeable = Placeable::observe(captured.for_layouts(), scratch.path()).unwrap();
    let chosen = Chosen {
        name: function.clone(),
        symbol: function.clone(),
        address: address(placeable.image(), function),
    };
    let set = placeable.place(&[chosen], 4096).unwrap();
    let first = set.first().address;
    let output = scratch.path().join("image");
    let (mut bare, mut image, mut checked) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    for turn in 0..times {
        let mut link = Command::new(&recipe.linker.path);
        link.args(&recipe.argv).current_dir(&recipe.cwd);
        bare += timed(|| assert!(link.status().unwrap().success()));
        let at = first + 64 * u64::from(turn % 64);
        let mut made = None;
        image += timed(|| made = Some(set.link(at, &output).unwrap()));
        checked += timed(|| set.verify(&[made.clone().unwrap()]).unwrap());
    }
    let mean = |whole: Duration| whole.as_secs_f64() / f64::from(times);
    println!(
        "n = {times}: bare link {:.3} s, image {:.3} s ({:.2} times), its check {:.3} s",
        mean(bare),
        mean(image),
        mean(image) / mean(bare),
        mean(checked)
    );
}
