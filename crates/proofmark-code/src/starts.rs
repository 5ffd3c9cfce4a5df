//! Tables of addresses that were written down: numbers, among data or in a text, that are where
//! functions of an image start.

use std::collections::{BTreeSet, HashSet};

/// Fewer functions than this may be numbers that happen to be their addresses.
const FEWEST: usize = 3;
/// The same of decimal numbers in a text: those that people write are round, as addresses are.
const FEWEST_DECIMAL: usize = 8;
/// Of the numbers that lie in the code, so many are where a function starts: of multiples of 16,
/// say, hardly any are.
const MOST: f64 = 0.9;
/// Fewer digits than this are no address: code begins behind the first page.
const FEWEST_DIGITS: usize = 4;
/// So many digits are of a hexadecimal number, whichever they are.
const PADDED: usize = 8;

/// Where functions of an image start.
#[derive(Clone, Debug)]
pub struct Starts {
    all: HashSet<u32>,
    lowest: u32,
    highest: u32,
}

impl Starts {
    /// None where addresses do not fit four bytes, or there is no function.
    #[must_use]
    pub fn new(addresses: impl IntoIterator<Item = u64>) -> Option<Starts> {
        let addresses = addresses.into_iter().map(|at| u32::try_from(at).ok());
        let all: HashSet<u32> = addresses.collect::<Option<_>>()?;
        Some(Starts {
            lowest: all.iter().copied().min()?,
            highest: all.iter().copied().max()?,
            all,
        })
    }

    /// Whether numbers are a table of functions.
    #[must_use]
    pub fn are_in(&self, numbers: impl IntoIterator<Item = u32>) -> bool {
        self.are_at_least(FEWEST, numbers)
    }

    fn are_at_least(&self, fewest: usize, numbers: impl IntoIterator<Item = u32>) -> bool {
        let (mut within, mut at_starts, mut different) = (0_u32, 0_u32, BTreeSet::new());
        for number in numbers {
            if !(self.lowest..=self.highest).contains(&number) {
                continue;
            }
            within += 1;
            if self.all.contains(&number) {
                at_starts += 1;
                different.insert(number);
            }
        }
        different.len() >= fewest && f64::from(at_starts) >= MOST * f64::from(within)
    }

    /// Whether bytes hold a table of functions as text: hexadecimal numbers, as `nm` prints them,
    /// or decimal ones.
    #[must_use]
    pub fn are_in_text(&self, bytes: &[u8]) -> bool {
        self.are_in(words(bytes).filter_map(hexadecimal))
            || self.are_at_least(FEWEST_DECIMAL, words(bytes).filter_map(decimal))
    }

    /// Whether a file's bytes hold a table of functions, as text or as numbers of four or eight
    /// bytes in this machine's order.
    #[must_use]
    pub fn are_in_bytes(&self, bytes: &[u8]) -> bool {
        // The lower half of an address of eight bytes is one of four.
        let words = bytes.as_chunks::<4>().0.iter();
        self.are_in(words.map(|word| u32::from_le_bytes(*word))) || self.are_in_text(bytes)
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| !byte.is_ascii_alphanumeric())
}

/// A number that is written as a hexadecimal one: by its sign, by digits that no other has, or with
/// zeros in front.
fn hexadecimal(word: &[u8]) -> Option<u32> {
    if let [b'0', b'x' | b'X', digits @ ..] = word {
        return number(digits, 16);
    }
    // A word of letters that happen to be digits is none.
    let has_digits = word.iter().any(u8::is_ascii_digit);
    let has_letters = word.iter().any(u8::is_ascii_alphabetic);
    (has_digits && (has_letters || word.len() >= PADDED))
        .then(|| number(word, 16))
        .flatten()
}

fn decimal(word: &[u8]) -> Option<u32> {
    number(word, 10)
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    if !(FEWEST_DIGITS..=16).contains(&digits.len()) {
        return None;
    }
    let digits = std::str::from_utf8(digits).ok()?;
    u32::try_from(u64::from_str_radix(digits, radix).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code() -> Starts {
        Starts::new([0x1139, 0x1150, 0x11a0, 0x1200, 0x1400]).unwrap()
    }

    #[test]
    fn a_table_of_functions_is_known_among_other_numbers() {
        let table = [0, 0x1150, 0, 7, 0x1200, 0x1400, 0x0040_0000];
        assert!(code().are_in(table));
        assert!(!code().are_in([0x1150, 0x1150, 0x1150, 0x1200]));
        assert!(code().are_in_bytes(&table.map(u32::to_le_bytes).concat()));
        assert!(Starts::new([0x1150, 1 << 33]).is_none());
    }

    #[test]
    fn numbers_that_happen_to_be_addresses_are_no_table() {
        // All multiples of 16 among the code: five of them are functions.
        assert!(!code().are_in((0x1140..0x1400).step_by(16)));
        assert!(!code().are_in(0..0x10000));
    }

    #[test]
    fn a_table_may_be_text() {
        let nm = b"0000000000001150 T one\n0000000000001200 t two\n0000000000001400 T added\n";
        assert!(code().are_in_text(nm));
        assert!(code().are_in_bytes(nm));
        assert!(code().are_in_text(b"[0x1139, 0x1150, 0x11a0]"));
        assert!(!code().are_in_text(b"4409 4432 4512"));
        let nine = Starts::new((1..10).map(|at| 4096 + 48 * at)).unwrap();
        let text: Vec<String> = (1..10).map(|at| (4096 + 48 * at).to_string()).collect();
        assert!(nine.are_in_text(text.join(",").as_bytes()));
        assert!(!code().are_in_text(b"1150 1200 and 1144 1148 1300 lines"));
        assert!(!code().are_in_text(b"1150x 1200y 1400z"));
        // Words of the digits a to f.
        let starts = Starts::new([0xadde, 0xface, 0xdead, 0xbeef]).unwrap();
        assert!(!starts.are_in_text(b"face dead beef"));
    }
}
