//! The addresses of a sweep: which were asked for, and which of them the function can take.

use proofmark_evidence::record::{LeftOut, SweepDesign, SweptAddress};
use std::path::Path;

use proofmark_code::{Crossings, Program};
use proofmark_layout::{PlacedSet, Spot};

use super::choose::Found;
use super::images::Images;
use super::moving::Moving;
use crate::LabError;

/// A page, in bytes.
const PAGE: u64 = 4096;
/// Most bytes of a window.
const WIDEST: u64 = 1 << 20;
/// Most addresses.
const MOST: usize = 4096;

/// Addresses that are measured, and those that are left out.
#[derive(Debug)]
pub(super) struct Addresses {
    pub(super) measured: Vec<SweptAddress>,
    pub(super) left_out: Vec<LeftOut>,
}

/// The bytes that the window must have for what is asked.
///
/// # Errors
///
/// When there is nothing to sweep, or too much.
pub(super) fn window(design: &SweepDesign, against: bool) -> Result<u64, LabError> {
    let refused = |why: String| Err(LabError::Refused(why));
    if !design.at.is_empty() {
        return Ok(PAGE);
    }
    if design.step == 0 {
        return refused(
            "a step of 0 bytes leads nowhere\n  next: --step 1, or as many bytes as lie between \
             two starts"
                .to_owned(),
        );
    }
    if design.step >= design.range {
        return refused(format!(
            "a range of {} bytes in steps of {} has one start only\n  next: a larger --range, or a \
             smaller --step",
            design.range, design.step
        ));
    }
    if design.range > WIDEST {
        return refused(format!(
            "a range of {} bytes does not fit: a window has {WIDEST} at most, and addresses repeat \
             their low bits long before\n  next: --range 4096 --step 64 covers a page",
            design.range
        ));
    }
    let each = design.range.div_ceil(design.step);
    let (count, of_each) = if against {
        (each.saturating_mul(each), ", each against each,")
    } else {
        (each, "")
    };
    if count > MOST as u64 {
        return refused(format!(
            "a range of {} bytes in steps of {}{of_each} has {count} starts, and a sweep measures \
             {MOST} at most\n  next: a smaller --range, or a larger --step",
            design.range, design.step
        ));
    }
    Ok(design.range)
}

/// The addresses of a design, by what the functions can take.
///
/// # Errors
///
/// When fewer than two are left.
pub(super) fn addresses(
    images: &mut Images,
    design: &SweepDesign,
    found: (&[Found], &[Found]),
) -> Result<Addresses, LabError> {
    let mut addresses = Addresses {
        measured: Vec::new(),
        left_out: Vec::new(),
    };
    match images.set() {
        Moving::Starts(set) => {
            let all: Vec<Found> = found.0.iter().chain(found.1).cloned().collect();
            for spot in asked(set, design) {
                match set.can_start(spot) {
                    Ok(()) => addresses.measured.push(crossed(spot, set, &all)),
                    Err(why) => addresses.leave_out(spot.address, why.to_string()),
                }
            }
        }
        Moving::Inside { set, .. } => {
            for (address, why) in set.left_out() {
                addresses.leave_out(*address, why.clone());
            }
            let all: Vec<u64> = set.addresses().collect();
            let start = set.start();
            for address in all {
                let image = images.at(&[address.into()])?.remove(0);
                addresses.measured.push(read(address, start, &image)?);
            }
        }
    }
    if addresses.measured.len() < 2 {
        let why = addresses.left_out.first().map_or_else(
            || "there is one start only".to_owned(),
            |left| format!("{} starts are left out: {}", left.count, left.why),
        );
        let next = if design.at.is_empty() {
            "a larger --range, or another --step"
        } else {
            "name another address in --at, such as --at 0x180,0x190"
        };
        return Err(LabError::Refused(format!(
            "a sweep needs two addresses at least; {why}\n  next: {next}"
        )));
    }
    Ok(addresses)
}

/// The starts that a design asks for, in ascending order.
fn asked(set: &PlacedSet, design: &SweepDesign) -> Vec<Spot> {
    let starts = |first: u64| -> Vec<u64> {
        let mut asked: Vec<u64> = if design.at.is_empty() {
            let steps = 0..design.range.div_ceil(design.step);
            steps.map(|step| first + step * design.step).collect()
        } else {
            let within = |at: &u64| first + at.wrapping_sub(first) % PAGE;
            design.at.iter().map(within).collect()
        };
        asked.sort_unstable();
        asked.dedup();
        asked
    };
    let first = set.first();
    let others: Vec<Option<u64>> = match first.other {
        Some(other) => starts(other).into_iter().map(Some).collect(),
        None => vec![None],
    };
    let with = |address| others.iter().map(move |&other| Spot { address, other });
    starts(first.address).into_iter().flat_map(with).collect()
}

impl Addresses {
    fn leave_out(&mut self, address: u64, why: String) {
        match self.left_out.iter_mut().find(|left| left.why == why) {
            Some(left) => left.count += 1,
            None => self.left_out.push(LeftOut {
                count: 1,
                first: address,
                why,
            }),
        }
    }
}

/// What of the functions crosses lines when they start there.
fn crossed(spot: Spot, set: &PlacedSet, found: &[Found]) -> SweptAddress {
    let all = found.iter().map(|one| &one.crossings);
    let starts = set.starts(spot);
    SweptAddress {
        other: spot.other,
        ..counted(spot.address, all.zip(starts))
    }
}

/// What of a function crosses lines in an image in which code is moved within it.
fn read(address: u64, start: u64, image: &Path) -> Result<SweptAddress, LabError> {
    let unread = |why: String| LabError::Fault(format!("cannot read a linked image: {why}"));
    let program = Program::open(image).map_err(|error| unread(error.to_string()))?;
    let image = program.images().first();
    let image = image.ok_or_else(|| unread("it has no functions".to_owned()))?;
    let all = image.functions();
    let index = all.iter().position(|one| one.address().get() == start);
    let crossings = index.map(|index| Crossings::of(image, index));
    Ok(counted(address, crossings.iter().zip([start])))
}

/// What of functions crosses lines at their starts.
fn counted<'a>(
    address: u64,
    functions: impl Iterator<Item = (&'a Crossings, u64)>,
) -> SweptAddress {
    let mut swept = SweptAddress {
        address,
        other: None,
        branches_32: 0,
        branches_64: 0,
        heads_32: 0,
        heads_64: 0,
    };
    for (crossings, at) in functions {
        swept.branches_32 += crossings.branches(at, 32);
        swept.branches_64 += crossings.branches(at, 64);
        swept.heads_32 += crossings.heads(at, 32);
        swept.heads_64 += crossings.heads(at, 64);
    }
    swept
}
