//! How fast facts are: against the decoder alone, on one core and on all, and the difference of a
//! file with itself.
//!
//! `cargo run --release -p proofmark-code --example facts_speed -- FILE [ROUNDS]` prints the median
//! of the rounds, in milliseconds, with the least and the most. On one core it is processor time,
//! facts and decoder by turns, so that other work on the machine spoils neither; else it is the
//! clock's.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a bench prints its numbers and stops at the first fault"
)]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use object::{Object, ObjectSection};
use proofmark_code::{Arch, Facts, Pattern, Program, Sources, diff, survey};
use rustix::time::{ClockId, clock_gettime};

fn main() {
    let mut args = std::env::args().skip(1);
    let path = PathBuf::from(args.next().expect("a file"));
    let rounds: usize = args.next().map_or(9, |n| n.parse().unwrap());
    let program = Program::open(&path).unwrap();
    let functions: usize = program.images().iter().map(|i| i.functions().len()).sum();
    let bytes: u64 = program
        .images()
        .iter()
        .map(proofmark_code::Image::code_bytes)
        .sum();
    println!(
        "{}: {functions} functions, {bytes} bytes of code, n = {rounds}",
        path.display()
    );

    let one = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    let facts = || {
        program
            .images()
            .iter()
            .map(|i| black_box(Facts::all(i)).len())
            .sum::<usize>()
    };
    show("open", rounds, || {
        Program::open(&path).unwrap().images().len()
    });
    let code = code(&path);
    let decodes = program.images()[0].arch() == Arch::X86_64;
    let turns: Vec<(f64, f64)> = (0..rounds)
        .map(|_| {
            one.install(|| {
                let alone = if decodes { busy(|| decode(&code)) } else { 0.0 };
                (alone, busy(facts))
            })
        })
        .collect();
    let alone = print("decoder alone, one core", turns.iter().map(|t| t.0));
    let all = print("facts, one core", turns.iter().map(|t| t.1));
    println!("facts to decoder, by the least       {:.2}", all / alone);
    let longest = program.images()[0].functions().iter();
    let longest = longest.max_by_key(|f| f.size()).expect("a function");
    let pattern = Pattern::parse(&longest.symbol()).unwrap();
    let show_one = |what, lines: bool| {
        let times: Vec<f64> = (0..rounds)
            .map(|_| one.install(|| busy(|| one_function(&path, &pattern, lines))))
            .collect();
        print(what, times.into_iter());
    };
    show_one("the longest function, from a file", false);
    show_one("with its source line", true);
    show("facts, all cores", rounds, facts);
    show("open and facts, all cores", rounds, || {
        let program = Program::open(&path).unwrap();
        program
            .images()
            .iter()
            .map(|i| black_box(Facts::all(i)).len())
            .sum::<usize>()
    });
    show("difference with itself, open", rounds, || {
        let image = &program.images()[0];
        diff::compare(image, image).identical.len()
    });
}

/// What `inspect --function` does: opens the file, finds the function, and counts; and what line of
/// source it begins at.
fn one_function(path: &Path, pattern: &Pattern, line: bool) -> usize {
    let program = Program::open(path).unwrap();
    let rows = survey(&program, std::slice::from_ref(pattern));
    let image = &program.images()[0];
    let sources = line.then(|| Sources::open(image)).flatten();
    let found = sources.and_then(|s| s.line(rows[0].function().address()));
    rows.len() + usize::from(found.is_some())
}

/// The executable sections, stubs included.
fn code(path: &PathBuf) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let text = file
        .sections()
        .filter(|s| s.kind() == object::SectionKind::Text);
    text.map(|s| s.data().unwrap().to_vec()).collect()
}

fn decode(code: &[Vec<u8>]) -> usize {
    let mut count = 0;
    for section in code {
        let mut decoder =
            iced_x86::Decoder::with_ip(64, section, 0x1000, iced_x86::DecoderOptions::NONE);
        let mut instruction = iced_x86::Instruction::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            count += usize::from(black_box(instruction.len()) > 0);
        }
    }
    count
}

/// The processor time that this thread spends, in milliseconds.
fn busy(work: impl Fn() -> usize) -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
    };
    let start = now();
    black_box(work());
    now() - start
}

fn show(what: &str, rounds: usize, work: impl Fn() -> usize) {
    print(
        what,
        (0..rounds).map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed().as_secs_f64() * 1e3
        }),
    );
}

/// Prints the median, the least and the most, and gives the least.
fn print(what: &str, times: impl Iterator<Item = f64>) -> f64 {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    let (least, most) = (times[0], times[times.len() - 1]);
    let median = times[times.len() / 2];
    println!("{what:<32} {median:>9.2} ms   ({least:.2} to {most:.2})");
    least
}
