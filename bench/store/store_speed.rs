//! Fills a store with runs, then times loading it and each view of it, on the wall and in CPU time.
//! Prints Markdown.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement prints, and stops at the unexpected"
)]

use std::time::Instant;

use proofmark_evidence::{LockedStore, Recorded, Store};
use proofmark_report::experiment::{csv, json, markdown, terminal};
use proofmark_report::{Style, experiments};

mod filled;
mod timed;

use timed::{REPEATS, Timed};

fn main() {
    let runs: u32 = std::env::args()
        .nth(1)
        .map_or(1_000_000, |runs| runs.parse().unwrap());
    let blocks = runs.div_ceil(filled::PER_BLOCK);
    let folder = tempfile::tempdir().unwrap();
    let filling = Instant::now();
    filled::fill(&mut LockedStore::open(folder.path()).unwrap(), blocks);
    let filling = filling.elapsed();
    let bytes = std::fs::metadata(folder.path().join("evidence.db"))
        .unwrap()
        .len();
    let total = blocks * filled::PER_BLOCK;
    println!(
        "{total} runs of {blocks} blocks, four numbers a run; {:.1} bytes a run on the disk; stored in {:.1} s, a sync a block",
        bytes as f64 / f64::from(total),
        filling.as_secs_f64()
    );
    println!();
    println!("| what | wall, median of {REPEATS} | least … most | CPU time, median |");
    println!("| --- | --- | --- | --- |");
    let load = || Store::open(folder.path()).unwrap().load("latest").unwrap();
    timed("open and load, every hash checked", load);
    timed("open and list", || {
        let all = Store::open(folder.path()).unwrap().list().unwrap();
        let listed = experiments::Listed {
            experiments: &all,
            ..experiments::Listed::default()
        };
        experiments::terminal(&listed, &STYLE)
    });
    let recorded = load();
    views(&recorded);
    timed("open, load and terminal: `proofmark report`", || {
        terminal(&load(), &STYLE)
    });
    timed("open, load and CSV of every run", || rows(&load()));
}

const STYLE: Style = Style {
    colour: true,
    width: 80,
    terminal: true,
};

fn views(recorded: &Recorded) {
    timed("terminal", || terminal(recorded, &STYLE));
    timed("Markdown", || markdown(recorded));
    timed("JSON", || json(recorded).to_string());
    timed("CSV of every run", || rows(recorded));
}

fn rows(recorded: &Recorded) -> Vec<u8> {
    let mut bytes = Vec::new();
    csv(recorded, &mut bytes).unwrap();
    bytes
}

/// A row of the table.
fn timed<T>(what: &str, act: impl FnMut() -> T) {
    let Timed { wall, cpu } = Timed::of(act);
    let [median, least, most, cpu] =
        [wall.median, wall.least, wall.most, cpu].map(|s| format!("{:.2} ms", s * 1000.0));
    println!("| {what} | {median} | {least} … {most} | {cpu} |");
}
