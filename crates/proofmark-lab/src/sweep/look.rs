//! The runs before the first block: what the program is like, and how long it takes.

use std::time::Duration;

use proofmark_conclude::RoundAt;
use proofmark_evidence::record::SweepRemark;
use proofmark_measure::Interrupt;

use super::images::Images;
use crate::LabError;
use crate::alone::{AloneBench, Nature, Put, nature};

/// Addresses that share an anchor in a block: the anchor's runs are then an eighth of all.
const GROUP: u32 = 7;
/// Time that the runs of an image shall take in a block.
const IN_A_BLOCK: Duration = Duration::from_millis(100);
/// Fewest and most rounds of a block: spread takes two.
const ROUNDS: (u32, u32) = (2, 15);

/// How the blocks of a sweep will be measured.
#[derive(Debug)]
pub(super) struct Manner {
    pub(super) group: u32,
    pub(super) rounds: u32,
    pub(super) pinned: bool,
    pub(super) remarks: Vec<SweepRemark>,
}

/// Looks at the program with the function where it was shipped.
pub(super) fn look(
    bench: &mut AloneBench,
    images: &mut Images,
    stop: &Interrupt,
) -> Result<Manner, LabError> {
    let shipped = images.set().as_shipped();
    let image = images.at(&[shipped])?.remove(0);
    let put = Put {
        name: "as shipped".to_owned(),
        image,
    };
    bench.place(RoundAt::FIRST, &[put])?;
    let Nature {
        run,
        pinned,
        remarks,
    } = nature(bench, stop)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "kept within small bounds"
    )]
    let fit = (IN_A_BLOCK.as_secs_f64() / run.as_secs_f64()).min(1000.0) as u32;
    Ok(Manner {
        group: GROUP,
        rounds: fit.clamp(ROUNDS.0, ROUNDS.1),
        pinned,
        remarks,
    })
}
