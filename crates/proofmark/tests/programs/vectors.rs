//! A small Rust program: generics, trait objects, a panic that is caught, a module that another
//! build replaces.

use std::collections::BTreeMap;
use std::process::ExitCode;

mod complain;

trait Shape {
    fn area(&self) -> u64;
}

struct Square(u64);
struct Strip<const SIDES: u64>(u64);

impl Shape for Square {
    fn area(&self) -> u64 {
        self.0 * self.0
    }
}

impl<const SIDES: u64> Shape for Strip<SIDES> {
    fn area(&self) -> u64 {
        self.0 * SIDES
    }
}

fn round(number: u64) -> u64 {
    let shapes: Vec<Box<dyn Shape>> = (0..64)
        .map(|side| -> Box<dyn Shape> {
            if side % 3 == 0 {
                Box::new(Square(side + number))
            } else {
                Box::new(Strip::<7>(side))
            }
        })
        .collect();
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for shape in &shapes {
        *sums.entry(format!("{:x}", shape.area() % 11)).or_default() += shape.area();
    }
    sums.values().enumerate().map(|(index, sum)| sum * (index as u64 + 1)).sum()
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| panic!("on purpose")).is_err();
    let total: u64 = (0..1000).map(|number| round(number % 10)).sum();
    println!("{total} {caught}");
    if caught && total == EXPECTED {
        ExitCode::SUCCESS
    } else {
        complain::complain(total)
    }
}

const EXPECTED: u64 = 240_315_200;
