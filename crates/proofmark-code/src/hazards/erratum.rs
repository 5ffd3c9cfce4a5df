//! Intel's erratum of jumps at the ends of lines: on some processors, a jump that crosses a 32-byte
//! boundary or ends on one is not kept in the cache of decoded instructions, and with it all of its
//! line. Source: Intel, "Mitigations for Jump Conditional Code Erratum", revision 1.0, November
//! 2019, sections 2.1 (jumps of all kinds; a comparison that is fused with its jump counts as part
//! of it) and 2.2 (which processors).

use super::{LoopPlace, is_in_loop};
use crate::address::Address;
use crate::crossings::crosses;
use crate::decode::{Decode, Flow, Op};

/// Bytes of the lines that the erratum is about.
const LINE: u64 = 32;

/// A jump that crosses a 32-byte line or ends on one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JumpAt {
    /// Where it begins; with a fused comparison, where that begins.
    pub address: Address,
    /// Its length, that of a fused comparison included, in bytes.
    pub bytes: u64,
    /// Whether a comparison is fused with it.
    pub fused: bool,
    /// How it stands.
    pub touch: Touch,
    /// Whether it stands in a loop of the function.
    pub in_loop: bool,
}

/// How a jump stands to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// In two lines.
    Crosses,
    /// Its last byte is the last one of a line.
    EndsOn,
}

/// The jumps of a function that the erratum is about.
pub(super) fn read(mut decoder: impl Decode, loops: &[LoopPlace]) -> Vec<JumpAt> {
    let mut jumps = Vec::new();
    let mut op = Op::default();
    while decoder.next(&mut op) {
        if matches!(op.flow, Flow::Next | Flow::Stop) {
            continue;
        }
        let with = Some(op.flow)
            .filter(|flow| *flow == Flow::Conditional)
            .and_then(|_| decoder.fused());
        let start = with.unwrap_or(op.address);
        let bytes = op.end().wrapping_sub(start);
        let touch = if crosses(start, bytes, LINE) {
            Touch::Crosses
        } else if op.end().is_multiple_of(LINE) {
            Touch::EndsOn
        } else {
            continue;
        };
        jumps.push(JumpAt {
            address: Address::new(start),
            bytes,
            fused: with.is_some(),
            touch,
            in_loop: is_in_loop(loops, op.address),
        });
    }
    jumps
}

/// Whether the erratum is a processor's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErratumPart {
    /// Intel lists the model and its stepping.
    Listed,
    /// It is derived from Skylake as those are, and came later or is a stepping that Intel does
    /// not list: what it does is not said.
    NotSaid,
    /// It is another one.
    Other,
}

/// Models of family 6 that are derived from Skylake, each with the steppings that Intel lists.
const LISTED: [(u32, &[u32]); 7] = [
    // Skylake.
    (0x4e, &[3]),
    // Skylake-SP, -X and -D; Cascade Lake. Cooper Lake came later.
    (0x55, &[4, 7]),
    // Skylake-S, -H; Xeon E3 v5.
    (0x5e, &[3]),
    // Kaby Lake, Amber Lake, Coffee Lake, Whiskey Lake, Comet Lake (mobile).
    (0x8e, &[9, 0xa, 0xb, 0xc]),
    // Kaby Lake, Coffee Lake (desktop); Xeon E.
    (0x9e, &[9, 0xa, 0xb, 0xd]),
    // Comet Lake-S and -H came later.
    (0xa5, &[]),
    // Comet Lake-U with six cores.
    (0xa6, &[0]),
];

/// Whether the erratum is a processor's, by what `/proc/cpuinfo` says: `vendor_id`, `cpu family`,
/// `model`, `stepping`. In a virtual machine that is what the host says, true or not.
#[must_use]
pub fn erratum_part(vendor: &str, family: u32, model: u32, stepping: u32) -> ErratumPart {
    let found = LISTED.iter().find(|(one, _)| *one == model);
    match found.filter(|_| vendor == "GenuineIntel" && family == 6) {
        Some((_, steppings)) if steppings.contains(&stepping) => ErratumPart::Listed,
        Some(_) => ErratumPart::NotSaid,
        None => ErratumPart::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_derived_from_skylake_are_told_from_others() {
        use ErratumPart::{Listed, NotSaid, Other};
        for (vendor, family, model, stepping, expected) in [
            ("GenuineIntel", 6, 0x5e, 3, Listed),
            ("GenuineIntel", 6, 85, 7, Listed),
            ("GenuineIntel", 6, 158, 13, Listed),
            // Cooper Lake, Comet Lake-S.
            ("GenuineIntel", 6, 85, 11, NotSaid),
            ("GenuineIntel", 6, 0xa5, 5, NotSaid),
            // Haswell, Ice Lake, Rocket Lake.
            ("GenuineIntel", 6, 60, 3, Other),
            ("GenuineIntel", 6, 106, 6, Other),
            ("GenuineIntel", 6, 167, 1, Other),
            ("AuthenticAMD", 6, 0x5e, 3, Other),
            ("AuthenticAMD", 25, 1, 1, Other),
        ] {
            let said = erratum_part(vendor, family, model, stepping);
            assert_eq!(said, expected, "{vendor} {family} {model} {stepping}");
        }
    }
}
