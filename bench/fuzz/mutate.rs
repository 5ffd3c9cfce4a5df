//! What readers are tried with: texts that are changed at random, each by its own seed, so that
//! whatever a reader falls over can be made again.

use std::time::{Duration, Instant};

use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// What readers like least, put in anywhere.
const PIECES: [&str; 24] = [
    "",
    "\0",
    "\n",
    "\r\n",
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "&#x110000;",
    "]]>",
    "-",
    "0",
    "-0",
    "1e999",
    "NaN",
    "18446744073709551616",
    "4294967295",
    "../",
    "⟨private 0⟩",
    "\u{feff}",
];

/// A generator for this seed.
pub(crate) fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A text with one to eight changes: bytes flipped, cut out, doubled, or replaced.
pub(crate) fn changed(text: &[u8], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..random.random_range(1..=8) {
        let from = random.random_range(0..=bytes.len());
        let most = (bytes.len() - from).min(1 << random.random_range(0..12));
        let to = from + random.random_range(0..=most);
        match random.random_range(0..5) {
            0 if from < bytes.len() => bytes[from] ^= 1 << random.random_range(0..8),
            1 => drop(bytes.drain(from..to)),
            2 => {
                let doubled = bytes[from..to].to_vec();
                bytes.splice(from..from, doubled);
            }
            3 => bytes.truncate(from),
            _ => {
                let piece = PIECES.choose(random).copied().unwrap_or_default();
                bytes.splice(from..to.min(from + 4), piece.bytes());
            }
        }
    }
    bytes
}

/// Tries seeds one after the other: so many as CI does, or for `PROOFMARK_FUZZ_SECONDS` from
/// `PROOFMARK_FUZZ_SEED` on. An input that takes longer than `PROOFMARK_FUZZ_LIMIT_MS` is a hang.
///
/// # Panics
///
/// As `with` does, after its seed was printed.
pub(crate) fn each_seed(in_ci: u64, with: impl Fn(u64)) {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .map(|text| text.parse::<u64>().unwrap())
    };
    let seconds = number("PROOFMARK_FUZZ_SECONDS").map(Duration::from_secs);
    let limit = number("PROOFMARK_FUZZ_LIMIT_MS").map(Duration::from_millis);
    let first = number("PROOFMARK_FUZZ_SEED").unwrap_or(0);
    let began = Instant::now();
    let mut tried = 0;
    for seed in first.. {
        let over = match seconds {
            Some(seconds) => began.elapsed() >= seconds,
            None => tried >= in_ci,
        };
        if over {
            break;
        }
        let failed = Failed(seed);
        let one = Instant::now();
        with(seed);
        let took = one.elapsed();
        assert!(
            limit.is_none_or(|limit| took <= limit),
            "{took:?} for one input"
        );
        std::mem::forget(failed);
        tried += 1;
    }
    println!("{tried} inputs, from seed {first} on");
}

/// Says which seed it was when a reader panics.
struct Failed(u64);

impl Drop for Failed {
    fn drop(&mut self) {
        eprintln!("PROOFMARK_FUZZ_SEED={} fails", self.0);
    }
}
