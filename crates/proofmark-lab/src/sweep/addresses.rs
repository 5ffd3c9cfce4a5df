//! The addresses of a sweep: which were asked for, and which of them the function can take.

use proofmark_evidence::record::{LeftOut, SweepDesign, SweptAddress};
use proofmark_layout::PlacedSet;

use super::choose::Found;
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
pub(super) fn window(design: &SweepDesign) -> Result<u64, LabError> {
    let refused = |why: String| Err(LabError::Refused(why));
    if !design.at.is_empty() {
        return Ok(PAGE);
    }
    if design.step == 0 {
        return refused(
            "a step of 0 bytes leads nowhere\n  next: --step 1, or as many bytes as lie between two starts".to_owned(),
        );
    }
    if design.step >= design.range {
        return refused(format!(
            "a range of {} bytes in steps of {} has one start only\n  next: a larger --range, or a smaller --step",
            design.range, design.step
        ));
    }
    if design.range > WIDEST {
        return refused(format!(
            "a range of {} bytes does not fit: a window has {WIDEST} at most, and addresses repeat their low bits long before\n  next: --range 4096 --step 64 covers a page",
            design.range
        ));
    }
    let count = design.range.div_ceil(design.step);
    if count > MOST as u64 {
        return refused(format!(
            "a range of {} bytes in steps of {} has {count} starts, and a sweep measures {MOST} at most\n  next: a smaller --range, or a larger --step",
            design.range, design.step
        ));
    }
    Ok(design.range)
}

/// The addresses of a design, by what the function can take.
///
/// # Errors
///
/// When fewer than two are left.
pub(super) fn addresses(
    set: &PlacedSet,
    design: &SweepDesign,
    found: &[Found],
) -> Result<Addresses, LabError> {
    let first = set.first();
    let mut asked: Vec<u64> = if design.at.is_empty() {
        let steps = 0..design.range.div_ceil(design.step);
        steps.map(|step| first + step * design.step).collect()
    } else {
        let within = |at: &u64| first + at.wrapping_sub(first) % PAGE;
        design.at.iter().map(within).collect()
    };
    asked.sort_unstable();
    asked.dedup();
    let mut addresses = Addresses {
        measured: Vec::new(),
        left_out: Vec::new(),
    };
    for address in asked {
        match set.can_start(address) {
            Ok(()) => addresses.measured.push(crossed(address, set, found)),
            Err(why) => addresses.leave_out(address, why.to_string()),
        }
    }
    if addresses.measured.len() < 2 {
        let why = addresses.left_out.first().map_or_else(
            || "there is one start only".to_owned(),
            |left| format!("{} starts are left out: {}", left.count, left.why),
        );
        return Err(LabError::Refused(format!(
            "a sweep needs two addresses at least; {why}\n  next: a larger --range, or another --step"
        )));
    }
    Ok(addresses)
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

/// What of the functions crosses lines when the first one starts at `address`.
fn crossed(address: u64, set: &PlacedSet, found: &[Found]) -> SweptAddress {
    let mut swept = SweptAddress {
        address,
        branches_32: 0,
        branches_64: 0,
        heads_32: 0,
        heads_64: 0,
    };
    for (one, at) in found.iter().zip(set.starts(address)) {
        swept.branches_32 += one.crossings.branches(at, 32);
        swept.branches_64 += one.crossings.branches(at, 64);
        swept.heads_32 += one.crossings.heads(at, 32);
        swept.heads_64 += one.crossings.heads(at, 64);
    }
    swept
}
