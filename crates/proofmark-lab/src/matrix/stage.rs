//! The real worlds of a matrix: a bench for each benchmark, on one instrument and one core, with
//! one maker of images.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use proofmark_evidence::record::Warning;
use proofmark_measure::Interrupt;
use proofmark_terms::{BuildIndex, CellIndex, MemberIndex};

use super::conduct::Stage;
use super::member::MatrixUnderWay;
use crate::bench::{Alongside, Bench, BenchParts};
use crate::builds::Subject;
use crate::error::LabError;
use crate::images::{Cache, Maker, Making};
use crate::output::Printed;
use crate::places::Places;
use crate::rig::Rig;

/// All benches of a matrix.
pub(super) struct Benches {
    benches: Vec<Bench>,
    maker: Option<Rc<RefCell<Maker>>>,
}

impl Benches {
    /// Sets all benches up; with the builds of which no image can be made.
    pub(super) fn set_up(
        matrix: &MatrixUnderWay,
        subjects: &[Subject],
        folder: &Path,
        stop: &Interrupt,
    ) -> Result<(Self, Vec<LabError>), LabError> {
        let work = folder.join("work");
        let places = Places::of(subjects, None)?;
        let shared = BenchParts::claim(work.join("run"), places, stop)?;
        let (maker, broken) = maker(matrix, subjects, folder, &shared)?;
        let bench = |(index, member): (usize, &super::MemberUnderWay)| {
            let parts = shared.shared(work.join(format!("run-{index}")));
            let alongside = Alongside {
                maker: maker.clone(),
                ..Alongside::default()
            };
            Bench::new(&member.under_way.experiment, subjects, parts, alongside)
        };
        let benches = matrix.members.iter().enumerate().map(bench).collect();
        Ok((Benches { benches, maker }, broken))
    }

    /// What the runs of each benchmark have to show for their work.
    pub(super) fn printed(&self) -> Vec<Printed> {
        self.benches.iter().map(Rig::printed).collect()
    }

    /// What a reader must know of the machine and the images.
    pub(super) fn remarks(&self) -> Vec<Warning> {
        self.benches.iter().flat_map(Bench::remarks).collect()
    }
}

impl Stage for Benches {
    fn rig(&mut self, member: MemberIndex) -> &mut dyn Rig {
        &mut self.benches[member.place()]
    }

    fn need(&mut self, cells: &[CellIndex]) {
        if let Some(maker) = &self.maker {
            let builds: Vec<BuildIndex> = cells.iter().map(|cell| cell.build()).collect();
            maker.borrow().want(&builds);
        }
    }
}

/// The maker of images, from the first block on that any benchmark lacks.
#[expect(clippy::type_complexity, reason = "what is made, and what cannot be")]
fn maker(
    matrix: &MatrixUnderWay,
    subjects: &[Subject],
    folder: &Path,
    shared: &BenchParts,
) -> Result<(Option<Rc<RefCell<Maker>>>, Vec<LabError>), LabError> {
    let Some(member) = matrix.members.first() else {
        return Ok((None, Vec::new()));
    };
    let piloted = matrix
        .members
        .iter()
        .all(|member| member.under_way.pilot.is_some());
    let first = matrix
        .members
        .iter()
        .map(super::MemberUnderWay::blocks)
        .min();
    let started = Maker::start(Making {
        experiment: &member.under_way.experiment,
        subjects,
        folder: &folder.join("work"),
        cache: Cache::open(folder.join("cache"))?,
        first: first.filter(|_| piloted),
        core: shared.core.core(),
        benchmarks: u32::try_from(matrix.members.len()).unwrap_or(u32::MAX),
    })?;
    Ok(match started {
        None => (None, Vec::new()),
        Some((maker, broken)) => (Some(Rc::new(RefCell::new(maker))), broken),
    })
}
