//! The whole of a sweep, from a request to a conclusion in the store.

use proofmark_evidence::record::{Inputs, Sweep};
use proofmark_evidence::{RecordedSweep, SweepId};
use proofmark_layout::Placeable;
use proofmark_measure::read_machine;
use proofmark_terms::BuildIndex;

use super::addresses::{Addresses, addresses, window};
use super::bench::SweepBench;
use super::choose::{Found, functions};
use super::conduct::{SweepUnderWay, conduct};
use super::images::Images;
use super::look::look;
use super::request::SweepRequest;
use super::trap::is_run;
use crate::LabError;
use crate::bench::BenchParts;
use crate::budget::Budget;
use crate::builds::held::held;
use crate::builds::refuse_special;
use crate::clock::now_ms;
use crate::experiment::digest;
use crate::inputs::{self, Look, changed_since};
use crate::laboratory::{Laboratory, emptied};
use crate::observer::{Event, Observer};
use crate::places::{Original, Places, Take, libraries};
use crate::prepare::set_up;

/// Carries a sweep out, or goes on where it was interrupted.
///
/// # Errors
///
/// When the function cannot be moved, a run fails, or the user stops; finished blocks are in the
/// store.
pub fn run_sweep(
    laboratory: &mut Laboratory<'_>,
    request: &SweepRequest,
    observer: &mut dyn Observer,
) -> Result<SweepId, LabError> {
    let began_ms = now_ms();
    let range = window(&request.design)?;
    let work = laboratory.folder.join("work");
    emptied(&work)?;
    let subjects = std::slice::from_ref(&request.subject);
    refuse_special(subjects)?;
    let original = Original::of(&request.benchmark, laboratory.folder)?;
    let subjects = held(subjects, &work.join("held"))?;
    set_up(&request.benchmark)?;
    libraries::check(&subjects, |_| &request.benchmark)?;

    observer.tell(&Event::Preparing("the function's images"));
    let (mut images, found) = images(request, range, &work)?;
    let asked = addresses(images.set(), &request.design, &found)?;

    let mut sitting = Sitting {
        request,
        found: &found,
        asked,
        began_ms,
    };
    let places = Places::of(&subjects, original.clone())?;
    let parts = BenchParts::claim(work.join("run"), places, &laboratory.stop)?;
    let mut bench = SweepBench::new(&request.benchmark, parts, 0);
    let key = sitting.key()?;
    let taken_up = if request.resume {
        laboratory.store.unfinished_sweep(&key)?
    } else {
        None
    };
    let taken_up = taken_up.filter(|recorded| sitting.goes_on(recorded, &images, observer));
    let under_way = match taken_up {
        Some(recorded) => {
            observer.tell(&Event::Resumed {
                blocks: u32::try_from(recorded.blocks.len()).unwrap_or(u32::MAX),
            });
            sitting.again(recorded)
        }
        None => {
            let own = laboratory.folder;
            let reads = || {
                let places = Places::of(&subjects, original.clone())?;
                let staged = places.to_be_looked_at(&subjects, &work)?;
                let looks: Vec<Look<'_>> = staged
                    .iter()
                    .map(|staged| Look {
                        benchmark: &request.benchmark,
                        image: &staged.path,
                        view: staged.view.clone(),
                        bound: places.covered(Take::first(BuildIndex::BASE)),
                        original: original.as_ref(),
                    })
                    .collect();
                inputs::find(&looks, &subjects, own, &laboratory.stop, sitting.budget(0))
            };
            let inputs = reads()?;
            observer.tell(&Event::Preparing("the program: a few runs"));
            let sweep =
                sitting.begin((&mut bench, &mut images), inputs, &work, &laboratory.stop)?;
            let id = laboratory.store.begin_sweep(&key, &sweep)?;
            SweepUnderWay {
                id,
                sweep,
                blocks: Vec::new(),
                budget: sitting.budget(0),
                concluded: 0,
            }
        }
    };
    let id = under_way.id.clone();
    let sweep = &under_way.sweep;
    bench.begin(sweep.design.seed, &sweep.inputs, sweep.pinned);
    conduct(
        under_way,
        &mut bench,
        &mut images,
        laboratory.store,
        observer,
    )?;
    Ok(id)
}

/// What the images are made from, and the functions that move in them.
fn images(
    request: &SweepRequest,
    range: u64,
    work: &std::path::Path,
) -> Result<(Images, Vec<Found>), LabError> {
    let links = request.subject.links().ok_or_else(|| {
        LabError::Refused(format!(
            "{} is a file that was not captured: its functions cannot be moved\n  next: capture the build that makes it, `proofmark capture NAME -- BUILD…`",
            request.subject.name
        ))
    })?;
    let link = links.first().ok_or_else(|| {
        LabError::Refused("a captured build without a link: capture it again".to_owned())
    })?;
    let build = Placeable::observe(link.for_layouts(), &work.join("set"))?;
    let found = functions(build.image(), &request.functions)?;
    let chosen: Vec<_> = found.iter().map(|found| found.chosen.clone()).collect();
    let set = build.place(&chosen, range)?;
    Ok((Images::new(set, work.join("images"))?, found))
}

/// One sitting of a sweep.
struct Sitting<'a> {
    request: &'a SweepRequest,
    found: &'a [Found],
    asked: Addresses,
    began_ms: u64,
}

impl Sitting<'_> {
    /// What makes two requests the same: all that was asked, and nothing that was drawn or found.
    fn key(&self) -> Result<String, LabError> {
        let mut design = self.request.design.clone();
        (design.seed, design.budget_ms) = (0, None);
        let asked = serde_json::json!({
            "sweep": self.request.subject.record(),
            "functions": self.request.functions,
            "benchmark": self.request.benchmark,
            "design": design,
            "seed": self.request.seed.map(|seed| seed.to_string()),
        });
        digest(&asked)
    }

    fn budget(&self, earlier_ms: u64) -> Budget {
        Budget::of(self.request.design.budget_ms, self.began_ms, earlier_ms)
    }

    /// Whether an unfinished sweep is of the same images and inputs.
    fn goes_on(
        &self,
        recorded: &RecordedSweep,
        images: &Images,
        observer: &mut dyn Observer,
    ) -> bool {
        let sweep = &recorded.sweep;
        let same = sweep.as_shipped == images.set().as_shipped()
            && sweep.addresses == self.asked.measured
            && sweep.functions == self.found.iter().map(Found::record).collect::<Vec<_>>();
        let changed = changed_since(&sweep.inputs);
        if let Some(path) = &changed {
            observer.tell(&Event::Anew {
                path: &path.display(),
                blocks: recorded.blocks.len(),
            });
        }
        same && changed.is_none()
    }

    fn again(&self, recorded: RecordedSweep) -> SweepUnderWay {
        let earlier_ms = recorded.blocks.iter().map(|block| block.took_ms).sum();
        SweepUnderWay {
            id: recorded.id,
            sweep: recorded.sweep,
            concluded: recorded.conclusion.map_or(0, |_| recorded.blocks.len()),
            blocks: recorded.blocks,
            budget: self.budget(earlier_ms),
        }
    }

    /// What is fixed before the first block.
    fn begin(
        &mut self,
        (bench, images): (&mut SweepBench, &mut Images),
        inputs: Inputs,
        work: &std::path::Path,
        stop: &proofmark_measure::Interrupt,
    ) -> Result<Sweep, LabError> {
        let request = self.request;
        let manner = look(bench, images, stop)?;
        let is_run = is_run(bench, images, work)?;
        let mut design = request.design.clone();
        design.seed = request.seed.unwrap_or_else(rand::random);
        Ok(Sweep {
            build: request.subject.record(),
            functions: self.found.iter().map(Found::record).collect(),
            benchmark: request.benchmark.clone(),
            design,
            as_shipped: images.set().as_shipped(),
            addresses: self.asked.measured.clone(),
            left_out: self.asked.left_out.clone(),
            is_run,
            inputs,
            group: manner.group,
            rounds: manner.rounds,
            pinned: manner.pinned,
            remarks: manner.remarks,
            machine: read_machine(),
            proofmark: env!("CARGO_PKG_VERSION").to_owned(),
            began_ms: self.began_ms,
        })
    }
}
