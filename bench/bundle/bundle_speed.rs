//! Fills a store with runs, then makes a bundle of it and verifies that: time on the wall, CPU time,
//! and the most memory that each takes. Prints Markdown.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement prints, and stops at the unexpected"
)]

use proofmark_conclude::verify::verify;
use proofmark_evidence::bundle::{Content, Packed, Packing};
use proofmark_evidence::{LockedStore, Store};

#[path = "../store/filled.rs"]
mod filled;
#[path = "../store/timed.rs"]
mod timed;

use timed::{REPEATS, Timed};

fn main() {
    let runs: u32 = std::env::args()
        .nth(1)
        .map_or(1_000_000, |runs| runs.parse().unwrap());
    let blocks = runs.div_ceil(filled::PER_BLOCK);
    let total = f64::from(blocks * filled::PER_BLOCK);
    let folder = tempfile::tempdir().unwrap();
    filled::fill(&mut LockedStore::open(folder.path()).unwrap(), blocks);
    let file = folder.path().join("full.pmb");

    let make = || {
        let store = Store::open(folder.path()).unwrap();
        let bundled = store.bundled(&["latest".to_owned()]).unwrap();
        let packed = Packed::new(&store, &bundled, Packing::default(), "0.1.0").unwrap();
        packed.write(&file).unwrap()
    };
    let check = || {
        // As the command does: the digest that names the file, and then the store in it.
        std::hint::black_box(Content::read(&file).unwrap().digest());
        verify(&Store::open_bundle(&file).unwrap()).unwrap()
    };
    let bytes = make() as f64;
    println!(
        "{total} runs of {blocks} blocks, four numbers a run; {:.1} bytes a run in the bundle",
        bytes / total
    );
    println!();
    println!(
        "| what | wall, median of {REPEATS} | least … most | CPU time, median | memory, most |"
    );
    println!("| --- | --- | --- | --- | --- |");
    timed("`proofmark bundle`: gathered, packed, written", make);
    timed(
        "`proofmark verify`: every hash, every plan, every number",
        check,
    );
}

/// A row of the table. Memory is all that the process has in it, its own code included.
fn timed<T>(what: &str, act: impl FnMut() -> T) {
    forget_most_memory();
    let Timed { wall, cpu } = Timed::of(act);
    let memory = most_memory_kib() as f64 / 1024.0;
    println!(
        "| {what} | {:.2} s | {:.2} s … {:.2} s | {cpu:.2} s | {memory:.0} MiB |",
        wall.median, wall.least, wall.most
    );
}

/// `VmHWM` begins anew (`/proc/PID/clear_refs`, proc(5)).
fn forget_most_memory() {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
}

/// `VmHWM`: the most memory that was resident.
fn most_memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let most = most.and_then(|most| most.trim().strip_suffix(" kB"));
    most.unwrap().trim().parse().unwrap()
}
