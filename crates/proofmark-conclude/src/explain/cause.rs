//! The first cause of a change, by what is known of it.

use proofmark_evidence::record::{
    Cause, Counted, FunctionBetween, FunctionChange, PlaceFound, PlaceOf,
};
use proofmark_terms::{Interval, Margin};

use super::kernel::{calls, kernel, untold};
use super::known::{Known, LOCK, MOST, more};
use super::missed::Missed;
use super::processor::Missing;

/// Of what a function that stands by itself takes, so much is missing in the one that it was a part
/// of.
const MOVED: f64 = 1.0 / 3.0;
/// Of what is the only thing that the model sees to differ, this much of a change is enough: it
/// knows the miss, and not what a branch that nobody can foresee does to the foresight of those
/// beside it.
const ALONE: f64 = 0.25;
/// So much at the most may all else carry then that the model sees.
const LITTLE: f64 = 0.05;

/// The first cause. It is the first of these that carries at least half of the change: waiting, the
/// kernel (system calls, bytes or page faults), what system calls cost at the least, instructions,
/// what the processor misses where time differs, a library, functions whose machine code changed,
/// the kernel of which no count tells. Where it is none of these, it is branches, if nothing else
/// differs in the model and they carry a quarter.
#[must_use]
pub fn first_cause(known: &Known<'_>) -> Cause {
    if let Some(none) = no_change(known) {
        return none;
    }
    let change = known.change.estimate.ratio() - 1.0;
    let carries = |part: f64| part / change >= MOST;
    waiting(known, carries)
        .or_else(|| kernel(known, carries))
        .or_else(|| calls(known, carries))
        .or_else(|| work(known, carries))
        .or_else(|| caches(known, change))
        .or_else(|| library(known, carries))
        .or_else(|| changed_code(known, carries))
        .or_else(|| untold(known, carries))
        .or_else(|| branches_alone(known, change))
        .unwrap_or_else(|| Cause::Unexplained {
            suspects: of_that_sign(known).filter_map(name).collect(),
        })
}

/// Where the builds do not differ over layouts: whether they do as shipped. An interval that holds
/// both no difference and one beyond the margin decides nothing.
fn no_change(known: &Known<'_>) -> Option<Cause> {
    let by_place = |shipped: &Interval| differs_by_place(&known.change, shipped, known.margin);
    if known.as_shipped.as_ref().is_some_and(by_place) {
        return Some(Cause::Placement);
    }
    if beyond(&known.change, known.margin) {
        return None;
    }
    let edge = known.margin.ln();
    let inside = known.change.low.ln() >= -edge && known.change.high.ln() <= edge;
    Some(if inside {
        Cause::NoDifference
    } else {
        Cause::Undecided
    })
}

/// Whether an interval excludes 1, and its estimate lies beyond the margin.
fn beyond(interval: &Interval, margin: Margin) -> bool {
    let excludes = interval.low.ln() > 0.0 || interval.high.ln() < 0.0;
    excludes && interval.estimate.ln().abs() > margin.ln()
}

/// Whether the images as shipped differ, and show more beyond layouts than layouts show.
pub(super) fn differs_by_place(over: &Interval, shipped: &Interval, margin: Margin) -> bool {
    let apart = shipped.low > over.high || shipped.high < over.low;
    let more = (shipped.estimate.ln() - over.estimate.ln()).abs();
    beyond(shipped, margin) && apart && more > over.estimate.ln().abs()
}

/// Waiting that was measured; or what is left of wall time that CPU time does not make, where
/// threads wait for each other more often: on a busy machine the wall time of a few sampled runs
/// differs by what others do.
fn waiting(known: &Known<'_>, carries: impl Fn(f64) -> bool) -> Option<Cause> {
    let measured = known.waiting.differs() && carries(known.waiting.estimate);
    let longer = known.change.estimate.ln();
    let more_of = |what: Counted| more(known, what) * longer > 0.0;
    let told = known.call == Some(LOCK)
        && more_of(Counted::SystemCalls)
        && more_of(Counted::Waits)
        && !carries(known.cpu.estimate);
    (known.of_wall_time && (measured || told)).then_some(Cause::Waiting)
}

fn work(known: &Known<'_>, carries: impl Fn(f64) -> bool) -> Option<Cause> {
    let mut counts = known.counts.iter();
    let counted = counts.find(|one| one.what == Counted::Instructions && one.differs)?;
    if !(counted.base > 0.0 && carries(counted.new / counted.base - 1.0)) {
        return None;
    }
    if let Some(inlining) = inlining(known, &carries) {
        return Some(inlining);
    }
    let Some(worked) = known.worked else {
        let function = of_that_sign(known).find_map(name);
        return Some(Cause::Work { function });
    };
    let (with, without): (Vec<&PlaceFound>, Vec<&PlaceFound>) =
        of_that_sign(known).partition(|place| worked.differs(&place.place));
    let by = |place: &PlaceFound| place.difference.map_or(0.0, |by| by.estimate);
    // What takes longer for the same instructions is no work.
    if carries(without.into_iter().map(by).sum()) {
        return None;
    }
    Some(Cause::Work {
        function: with.into_iter().find_map(name),
    })
}

/// A function that is only in one build, and took its time from one that is in both: what one gains
/// less what the other loses has to carry the change. Of several pairs it is the one that carries
/// most.
fn inlining(known: &Known<'_>, carries: &impl Fn(f64) -> bool) -> Option<Cause> {
    let change = known.change.estimate.ln();
    let by = |one: &PlaceFound| one.difference.map_or(0.0, |by| by.estimate);
    let is = |one: &PlaceFound, how: &[FunctionChange]| {
        let of = |code: &FunctionBetween| how.contains(&code.how);
        differs(one) && name(one).is_some() && one.code.as_ref().is_some_and(of)
    };
    let alone = [FunctionChange::Added, FunctionChange::Removed];
    let places = || known.places.iter();
    let own = places().filter(|one| is(one, &alone) && by(one) * change > 0.0);
    let pairs = own.flat_map(|own| {
        let lost = places().filter(|one| is(one, &[FunctionChange::Changed]));
        lost.map(move |lost| (by(own), by(lost), own, lost))
    });
    let moved = |gained: f64, lost: f64| -lost / gained >= MOVED && carries(gained + lost);
    let (_, _, own, lost) = pairs
        .filter(|(gained, lost, _, _)| moved(*gained, *lost))
        .max_by(|a, b| (a.0 + a.1).abs().total_cmp(&(b.0 + b.1).abs()))?;
    Some(Cause::NoLongerInlined {
        function: name(own)?,
        of: name(lost)?,
    })
}

/// What the processor misses most, and then the rest of it: misses have to differ where the time
/// does. Where nobody knows that, the first alone may be it.
fn caches(known: &Known<'_>, change: f64) -> Option<Cause> {
    let by = known.processor?;
    let mut all = [
        (Missing::Branches, Cause::Branches),
        (Missing::Instructions, Cause::InstructionCache),
        (Missing::Data, Cause::DataCache),
    ];
    all.sort_by(|a, b| by.of(b.0).abs().total_cmp(&by.of(a.0).abs()));
    let tried = if known.missed.is_some() { all.len() } else { 1 };
    let mut all = all.into_iter().take(tried);
    let found = all.find(|(what, _)| misses_carry(known, change, (*what, MOST)));
    found.map(|(_, cause)| cause)
}

/// Whether misses make at least such a part of the change, and half of it is where they differ.
fn misses_carry(known: &Known<'_>, change: f64, (what, least): (Missing, f64)) -> bool {
    let by = known.processor.map_or(0.0, |by| by.of(what));
    let told = (what, by, least);
    let there = |missed: &Missed| missed.time_there(known.places, change > 0.0, told);
    let is_there = |time: f64| time / change >= MOST;
    by / change >= least && known.missed.and_then(there).is_none_or(is_there)
}

/// Branches, where a model sees nothing else that differs, and no work does.
fn branches_alone(known: &Known<'_>, change: f64) -> Option<Cause> {
    let by = known.processor?;
    let share = |part: f64| part / change;
    let work = more(known, Counted::Instructions);
    let little = [by.data, by.instructions].map(share);
    let alone = little.iter().all(|part| part.abs() <= LITTLE) && work == 0.0;
    (alone && misses_carry(known, change, (Missing::Branches, ALONE))).then_some(Cause::Branches)
}

fn library(known: &Known<'_>, carries: impl Fn(f64) -> bool) -> Option<Cause> {
    let mut places = known.places.iter().filter(|one| differs(one));
    places.find_map(|one| match (&one.place, one.difference) {
        (PlaceOf::Library { file }, Some(by)) if carries(by.estimate) => {
            Some(Cause::Library { file: file.clone() })
        }
        _ => None,
    })
}

/// Functions whose code changed, where they carry it together; the one that carries most is named.
fn changed_code(known: &Known<'_>, carries: impl Fn(f64) -> bool) -> Option<Cause> {
    let changed: Vec<&PlaceFound> = of_that_sign(known)
        .filter(|one| one.code.is_some())
        .collect();
    let together = changed.iter().filter_map(|one| one.difference);
    let together: f64 = together.map(|by| by.estimate).sum();
    let first = changed.first()?;
    if !carries(together) {
        return None;
    }
    Some(Cause::ChangedCode {
        function: name(first)?,
    })
}

/// Functions and libraries whose time differs beyond noise in the direction of the change, that
/// with the largest difference first.
fn of_that_sign<'a>(known: &Known<'a>) -> impl Iterator<Item = &'a PlaceFound> {
    let change = known.change.estimate.ln();
    let same = move |one: &&PlaceFound| {
        let by = one.difference.map_or(0.0, |by| by.estimate);
        differs(one) && by * change > 0.0 && name(one).is_some()
    };
    let mut all: Vec<&PlaceFound> = known.places.iter().filter(same).collect();
    let size = |one: &PlaceFound| one.difference.map_or(0.0, |by| by.estimate.abs());
    all.sort_by(|a, b| size(b).total_cmp(&size(a)));
    all.into_iter()
}

fn differs(place: &PlaceFound) -> bool {
    place
        .difference
        .is_some_and(|difference| difference.differs())
}

/// The name of a function or of a library.
fn name(place: &PlaceFound) -> Option<String> {
    match &place.place {
        PlaceOf::Function { name, .. } => Some(name.clone()),
        PlaceOf::Library { file } => Some(file.clone()),
        _ => None,
    }
}
