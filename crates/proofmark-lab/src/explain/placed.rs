//! Where the hot code of the builds' own images stands.

use std::collections::BTreeMap;
use std::path::Path;

use proofmark_code::hazards::{ErratumPart, Hazards, SharedCode, erratum_part};
use proofmark_code::{Address, Image, Program};
use proofmark_evidence::record::{HotBy, HotPlace, JumpErratum, PlacedCode, PlacedImage};
use proofmark_measure::model::{Caches, Misses, Model};
use proofmark_measure::sample::{Place, Profile};

/// An instruction that is this share of all that were executed, or more, is hot: what runs only at
/// the start of a program takes no line from what runs all the time.
const HOT: f64 = 1e-5;
/// A function with this share of the samples, or more, is hot.
const SAMPLED: f64 = 0.005;
/// So many functions are kept.
const FUNCTIONS: usize = 512;

/// How often addresses of an image were seen: executions of instructions, or samples.
pub(super) struct Seen {
    by: HotBy,
    at: BTreeMap<u64, u64>,
}

impl Seen {
    /// By a simulated run.
    pub(super) fn simulated(model: &Model) -> Seen {
        let places = model.places.iter();
        let executed = |(at, misses): (&u64, &Misses)| (*at, misses.instructions);
        Seen {
            by: HotBy::Model,
            at: places.map(executed).collect(),
        }
    }

    /// By a sampled run; none where it tells of functions alone.
    pub(super) fn sampled(profile: &Profile) -> Option<Seen> {
        let places = profile.places.iter();
        let address = |(place, count): (&Place, &u64)| match place {
            Place::Address(at) => Some((*at, *count)),
            Place::Symbol(_) => None,
        };
        let at: BTreeMap<u64, u64> = places.filter_map(address).collect();
        (!at.is_empty()).then_some(Seen {
            by: HotBy::Samples,
            at,
        })
    }
}

/// Where the hot code of two files stands, by what was seen of each.
pub(super) fn placed(files: [&Path; 2], seen: &[Seen; 2], caches: &Caches) -> PlacedCode {
    let of = |index: usize| -> Result<PlacedImage, String> {
        let program = Program::open(files[index]).map_err(|error| error.to_string())?;
        let image = program.images().first();
        let image = image.ok_or_else(|| format!("{} holds no code", files[index].display()))?;
        Ok(of_image(image, &seen[index], caches))
    };
    match (of(0), of(1)) {
        (Ok(base), Ok(new)) => PlacedCode::Read {
            by: seen[0].by,
            cache: caches.i1.to_string(),
            erratum: erratum(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
            base,
            new,
        },
        (Err(reason), _) | (_, Err(reason)) => PlacedCode::Unread { reason },
    }
}

fn of_image(image: &Image, seen: &Seen, caches: &Caches) -> PlacedImage {
    let all = seen.at.values().sum::<u64>().max(1) as f64;
    let mut by_function: BTreeMap<usize, u64> = BTreeMap::new();
    for (at, count) in &seen.at {
        if let Some(index) = image.function_covering(Address::new(*at)) {
            *by_function.entry(index).or_default() += count;
        }
    }
    let mut hot: Vec<(usize, f64)> = by_function
        .into_iter()
        .map(|(index, count)| (index, count as f64 / all))
        .filter(|(_, share)| {
            *share
                >= if seen.by == HotBy::Model {
                    HOT
                } else {
                    SAMPLED
                }
        })
        .collect();
    hot.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let shared = match seen.by {
        HotBy::Model => {
            let executed = seen.at.iter();
            let executed = executed.filter(|(_, count)| **count as f64 >= HOT * all);
            let executed = executed.map(|(at, _)| Address::new(*at));
            SharedCode::of_addresses(image, executed, caches.i1)
        }
        HotBy::Samples => {
            let indices: Vec<usize> = hot.iter().map(|(index, _)| *index).collect();
            SharedCode::of_functions(image, &indices, caches.i1)
        }
    };
    let overfull = shared.in_overfull();
    let functions = hot.iter().take(FUNCTIONS);
    PlacedImage {
        lines: shared.lines,
        pages: shared.pages.len() as u64,
        room: shared.sets.first().map_or(0, |set| set.room),
        fullest: shared.sets.iter().map(|set| set.lines).max().unwrap_or(0),
        overfull: shared.overfull().count() as u64,
        beyond: shared.lines_beyond(),
        functions: functions
            .map(|(index, share)| hot_place(image, *index, *share, overfull.contains(index)))
            .collect(),
    }
}

fn hot_place(image: &Image, index: usize, share: f64, in_overfull: bool) -> HotPlace {
    let hazards = Hazards::of(image, index);
    let function = &image.functions()[index];
    let in_loops = |count: usize| count as u64;
    HotPlace {
        symbol: function.symbol(),
        name: function.name(),
        start: function.address().get(),
        share,
        in_overfull,
        loops: hazards.loops.len() as u64,
        loops_across: hazards.loops_across(64) as u64,
        lines_beyond: hazards.lines_beyond(64),
        jumps: in_loops(hazards.jumps.iter().filter(|jump| jump.in_loop).count()),
        far_calls: in_loops(hazards.far_calls.iter().filter(|call| call.in_loop).count()),
        vector_bits: hazards.vector_bits,
        spills: hazards.stack_loads + hazards.stack_stores,
    }
}

/// Whether the erratum of jumps is that of the processor that `/proc/cpuinfo` tells of.
fn erratum(info: &str) -> JumpErratum {
    match part(info) {
        Some(ErratumPart::Listed) => JumpErratum::Listed,
        Some(ErratumPart::NotSaid) => JumpErratum::NotSaid,
        Some(ErratumPart::Other) | None => JumpErratum::Other,
    }
}

/// What the first processor says of itself; none where it says less.
fn part(info: &str) -> Option<ErratumPart> {
    let of = |key: &str| {
        info.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == key).then(|| value.trim())
        })
    };
    let number = |key: &str| of(key)?.parse().ok();
    Some(erratum_part(
        of("vendor_id")?,
        number("cpu family")?,
        number("model")?,
        number("stepping")?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_erratum_is_that_of_the_processor_at_hand() {
        let info = |model: u32, stepping: u32| {
            format!(
                "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: {model}\n\
                 model name\t: a 7\nstepping\t: {stepping}\n"
            )
        };
        assert_eq!(erratum(&info(85, 7)), JumpErratum::Listed);
        assert_eq!(erratum(&info(85, 11)), JumpErratum::NotSaid);
        assert_eq!(erratum(&info(167, 1)), JumpErratum::Other);
        assert_eq!(erratum("model\t: x\n"), JumpErratum::Other);
    }
}
