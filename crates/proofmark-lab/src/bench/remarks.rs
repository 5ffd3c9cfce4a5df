//! What a reader must know of the machine and the images beside the numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use proofmark_evidence::record::{DataNotDrawn, HeapStart, NoIdleCore, UndrawnData, Warning};
use proofmark_layout::{self as layout, Elsewhere, Undrawn};
use proofmark_measure::{CoreChoice, Grouping};
use proofmark_terms::{BuildIndex, OsText};

use super::{Bench, left_out};

/// Files of the builds' own, and data, that a remark names.
const NAMED: usize = 3;

impl Bench {
    /// All there is to remark.
    pub(super) fn all_remarks(&self) -> Vec<Warning> {
        let mut remarks = Vec::new();
        if let Some(core) = not_idle(&self.core).filter(|_| self.pinned) {
            remarks.push(Warning::NoIdleCore { core });
        }
        if !self.others.is_empty() {
            let cores = self.others.iter().copied().collect();
            remarks.push(Warning::OthersMeasure { cores });
        }
        if let Grouping::Signals { why } = self.runner.grouping() {
            remarks.push(Warning::HeldBySignals { why: why.clone() });
        }
        remarks.extend(self.runner.remark());
        remarks.extend(self.watched.remarks());
        let images = self.shipped.iter().flatten().map(PathBuf::as_path);
        let files = images.chain(self.watched.fixed());
        remarks.extend(left_out::remark(&self.experiment.benchmark, files));
        remarks.extend(self.remarks_on_places());
        if let Some(maker) = &self.alongside.maker {
            remarks.extend(self.undrawn(maker.borrow().undrawn()));
        }
        remarks.extend(elsewhere(&self.elsewhere));
        remarks.extend(self.printing.remark(&self.experiment.benchmark.metric));
        remarks
    }

    /// Data that layouts leave where the linker puts it, or the kernel: a remark for each reason.
    fn undrawn(&self, found: &[(BuildIndex, Undrawn)]) -> Vec<Warning> {
        let mut remarks: Vec<DataNotDrawn> = Vec::new();
        for (build, undrawn) in found {
            let what = match undrawn.what {
                layout::UndrawnData::All => UndrawnData::All,
                layout::UndrawnData::Constants => UndrawnData::Constants,
                layout::UndrawnData::Merged => UndrawnData::Merged,
                layout::UndrawnData::Sections => UndrawnData::Sections,
                layout::UndrawnData::Distances => UndrawnData::Distances,
            };
            let why = undrawn.why.to_string();
            let Some(build) = build.of(&self.experiment.builds) else {
                continue;
            };
            let name = build.name.clone();
            match remarks
                .iter_mut()
                .find(|one| one.what == what && one.why == why)
            {
                Some(one) if one.builds.contains(&name) => {}
                Some(one) => one.builds.push(name),
                None => remarks.push(DataNotDrawn {
                    builds: vec![name],
                    what,
                    why,
                }),
            }
        }
        if let HeapStart::AtPage { why: Some(why) } = &self.experiment.heap {
            remarks.push(DataNotDrawn {
                builds: Vec::new(),
                what: UndrawnData::Heap,
                why: why.clone(),
            });
        }
        remarks.into_iter().map(Warning::DataNotDrawn).collect()
    }

    /// What each build ran with, and how sure that is.
    fn remarks_on_places(&self) -> Vec<Warning> {
        let mut remarks = Vec::new();
        let different = self.places.unlike();
        let files: Vec<OsText> = different
            .iter()
            .take(NAMED)
            .map(|path| path.as_path().into())
            .collect();
        if !files.is_empty() {
            let more = u32::try_from(different.len() - files.len()).unwrap_or(u32::MAX);
            remarks.push(Warning::OwnFiles { files, more });
        }
        if let Some(why) = self.places.unusable() {
            remarks.push(Warning::NotAtItsPlace {
                why: why.to_owned(),
            });
        }
        if let Some(why) = &self.mapped.untraced
            && !different.is_empty()
        {
            remarks.push(Warning::NotTraced { why: why.clone() });
        }
        remarks
    }
}

/// What there was in the place of an idle core.
pub(crate) fn not_idle(core: &CoreChoice) -> Option<NoIdleCore> {
    match core {
        CoreChoice::Idle { .. } => None,
        &CoreChoice::Busy { core, busy_percent } => Some(NoIdleCore::Busy { core, busy_percent }),
        &CoreChoice::Taken { core } => Some(NoIdleCore::Taken { core }),
        &CoreChoice::OnlyOne { core } => Some(NoIdleCore::OnlyOne { core }),
        CoreChoice::Unknown { why } => Some(NoIdleCore::Unknown { why: why.clone() }),
    }
}

/// Data that layouts could not keep at one address.
fn elsewhere(shared: &BTreeMap<String, Elsewhere>) -> Option<Warning> {
    let examples: BTreeSet<&str> = shared.values().map(|shared| &*shared.example).collect();
    let examples: Vec<String> = examples
        .into_iter()
        .take(NAMED)
        .map(str::to_owned)
        .collect();
    (!examples.is_empty()).then_some(Warning::NotAtOneAddress { examples })
}
