//! Sampled runs of one image, by function and by source line.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use proofmark_code::{Address, Image, Program, Sources};
use proofmark_evidence::record::{
    SampledBy, SampledElsewhere, SampledFunction, SampledLine, SampledRuns,
};
use proofmark_measure::sample::{BETWEEN, Elsewhere, Place, Profile, Sampler, sample};
use proofmark_measure::{End, Interrupt, Unavailable};

use crate::bench::{Bench, SampledLaunch};
use crate::error::LabError;

/// So many lines of a function are kept.
const LINES: usize = 8;

/// Why a run could not be sampled: the user stopped, or nothing here can tell where a run is.
pub(super) enum Unsampled {
    Stopped(LabError),
    Unavailable(String),
}

impl From<LabError> for Unsampled {
    fn from(error: LabError) -> Self {
        Unsampled::Stopped(error)
    }
}

/// One sampled run of a placed arm; a run that fails is an error.
pub(super) fn run(
    bench: &mut Bench,
    arm: usize,
    (ignore_exit, stop): (bool, &Interrupt),
) -> Result<Profile, Unsampled> {
    let SampledLaunch { launch, path, file } = bench.launch_sampled(arm)?;
    let profile = match sample(&launch, (&path, &file), stop) {
        Err(Unavailable::Interrupted) => return Err(LabError::Interrupted.into()),
        Err(why) => return Err(Unsampled::Unavailable(why.to_string())),
        Ok(profile) => profile,
    };
    match profile.end {
        End::Exited(status) if status != 0 && !ignore_exit => {
            Err(LabError::Refused(format!(
                "a sampled run ended with status {status}, and those that were measured did not\n                   next: look whether the program behaves the same without a terminal or pipes"
            ))
            .into())
        }
        _ => Ok(profile),
    }
}

/// Runs of one image added up. In a drawn layout the address of a function without a name tells
/// nothing: all of these are one.
pub(super) fn added(
    profiles: &[Profile],
    (file, is_drawn): (&Path, bool),
) -> Result<SampledRuns, LabError> {
    let program = Program::open(file).map_err(|error| {
        LabError::Refused(format!("cannot read the functions of the image: {error}"))
    })?;
    let by = match profiles.first().map(|profile| profile.by) {
        Some(Sampler::Callgrind) => SampledBy::Callgrind,
        _ => SampledBy::Clock,
    };
    let sum = |of: &dyn Fn(&Profile) -> u64| profiles.iter().map(of).sum::<u64>();
    let ns = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let samples = sum(&|profile| profile.total);
    let places = profiles.iter().flat_map(|profile| &profile.places);
    let functions = program
        .images()
        .first()
        .map(|image| functions((image, is_drawn), places));
    let is_clock = by == SampledBy::Clock;
    Ok(SampledRuns {
        by,
        runs: u32::try_from(profiles.len()).unwrap_or(u32::MAX),
        // Callgrind's own time says nothing of the program's: an instruction stands for a
        // nanosecond.
        cpu_ns: if is_clock {
            sum(&|profile| ns(profile.spent.cpu)).max(1)
        } else {
            samples.max(1)
        },
        wall_ns: if is_clock {
            sum(&|profile| ns(profile.spent.wall)).max(1)
        } else {
            samples.max(1)
        },
        page_faults: sum(&|profile| profile.spent.page_faults),
        waits: sum(&|profile| profile.spent.waits),
        preempted: sum(&|profile| profile.spent.preempted),
        samples,
        between_ns: if is_clock { ns(BETWEEN) } else { 1 },
        functions: functions.unwrap_or_default(),
        elsewhere: elsewhere(profiles),
    })
}

/// Samples of a function, in all and by line.
#[derive(Default)]
struct Seen {
    name: String,
    samples: u64,
    lines: BTreeMap<(String, u32), u64>,
}

/// Samples by function. Those of functions that the file does not name are one.
fn functions<'a>(
    (image, is_drawn): (&Image, bool),
    places: impl Iterator<Item = (&'a Place, &'a u64)>,
) -> Vec<SampledFunction> {
    let sources = Sources::open(image);
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    for (place, count) in places {
        let (symbol, name) = called((image, is_drawn), place);
        let function = seen.entry(symbol).or_default();
        function.name = name;
        function.samples += count;
        if let (Place::Address(at), Some(sources)) = (place, &sources)
            && let Some(line) = sources.line(Address::new(*at))
        {
            let file = Path::new(&line.file).file_name().unwrap_or_default();
            let line = (file.to_string_lossy().into_owned(), line.line);
            *function.lines.entry(line).or_default() += count;
        }
    }
    let all = seen.into_iter().map(|(symbol, seen)| SampledFunction {
        symbol,
        name: seen.name,
        samples: seen.samples,
        lines: most(seen.lines),
    });
    all.collect()
}

/// The symbol and the name of the function that holds a place. In the images of two builds
/// functions without a name have nothing in common, but where both stand as their linker put them.
pub(super) fn called((image, is_drawn): (&Image, bool), place: &Place) -> (String, String) {
    let index = match place {
        Place::Address(at) => {
            let functions = image.functions();
            let after = functions.partition_point(|one| one.address().get() <= *at);
            let index = after.checked_sub(1);
            index.filter(|index| {
                let one = &functions[*index];
                at - one.address().get() < one.size()
            })
        }
        Place::Symbol(symbol) => {
            return (symbol.clone(), proofmark_code::demangle(symbol));
        }
    };
    match index.map(|index| &image.functions()[image.whole(index)]) {
        Some(function) if function.is_named() || !is_drawn => (function.symbol(), function.name()),
        _ => (String::new(), String::new()),
    }
}

fn most(lines: BTreeMap<(String, u32), u64>) -> Vec<SampledLine> {
    let mut lines: Vec<SampledLine> = lines
        .into_iter()
        .map(|((file, line), samples)| SampledLine {
            file,
            line,
            samples,
        })
        .collect();
    lines.sort_by_key(|line| Reverse(line.samples));
    lines.truncate(LINES);
    lines
}

/// Samples outside of the image.
fn elsewhere(profiles: &[Profile]) -> Vec<SampledElsewhere> {
    let mut files: BTreeMap<Option<String>, u64> = BTreeMap::new();
    for (place, count) in profiles.iter().flat_map(|profile| &profile.elsewhere) {
        let file = match place {
            Elsewhere::File(path) => {
                let name = Path::new(path).file_name().unwrap_or_default();
                Some(name.to_string_lossy().into_owned())
            }
            Elsewhere::Lent => Some("[vdso]".to_owned()),
            Elsewhere::Unknown => None,
        };
        *files.entry(file).or_default() += count;
    }
    let all = files.into_iter();
    all.map(|(file, samples)| SampledElsewhere { file, samples })
        .collect()
}
