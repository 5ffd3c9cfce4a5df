//! How fast facts are: against the decoder alone, on one core and on all, and the difference of a file with itself.
//!
//! `cargo run --release -p proofmark-code --example facts_speed -- FILE [ROUNDS]` prints the median of the rounds, in milliseconds.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a bench prints its numbers and stops at the first fault"
)]

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use object::{Object, ObjectSection};
use proofmark_code::{Arch, Facts, Program, diff};

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
    if program.images()[0].arch() == Arch::X86_64 {
        let code = code(&path);
        show("decoder alone, one core", rounds, || decode(&code));
    }
    show("facts, one core", rounds, || one.install(facts));
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

fn show(what: &str, rounds: usize, work: impl Fn() -> usize) {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "{what:<32} {:>9.2} ms   ({:.2} to {:.2})",
        times[rounds / 2],
        times[0],
        times[rounds - 1]
    );
}
