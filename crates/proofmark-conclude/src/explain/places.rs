//! Where the time of both builds is, and where it differs beyond noise.

use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};
use proofmark_evidence::record::{
    CodeBetween, DifferenceFound, FunctionBetween, LineFound, PlaceFound, PlaceOf, SampledRuns,
};
use proofmark_stats::mean_at;

/// How often intervals of one kind may miss the truth, all together.
pub(super) const ALPHA: f64 = 0.05;
/// Places from this share of the base's CPU time on, in either build, are held against noise.
const FROM: f64 = 0.005;

/// A place, by what it is recognised by in both builds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Symbol(String),
    Nameless,
    Library(String),
    Kernel,
    Unknown,
}

/// Where the time of a run is, in nanoseconds, in the order of the record: what is equal stays in
/// it, also for whoever has the record without its private names.
type Times = IndexMap<Key, f64>;

/// Time by source line of a function.
type Lines = IndexMap<(String, u32), [f64; 2]>;

/// Sampled runs of both builds in one block: of the base and of the build.
pub(super) type Pair<'a> = [&'a SampledRuns; 2];

/// Where the time is, the largest difference first, and how many places were held against noise.
pub(super) fn places(blocks: &[Pair<'_>], code: &CodeBetween) -> (Vec<PlaceFound>, u32) {
    let renamed = renamed(code);
    let each: Vec<(f64, Times, Times)> = blocks
        .iter()
        .map(|[base, new]| {
            let of_base = times(base, Some(&renamed));
            (of_run(base), of_base, times(new, None))
        })
        .collect();
    let keys: IndexSet<&Key> = each
        .iter()
        .flat_map(|(_, base, new)| base.keys().chain(new.keys()))
        .collect();
    let found = keys.into_iter().map(|key| Shares::of(key.clone(), &each));
    let found: Vec<Shares> = found.collect();
    let compared = found.iter().filter(|one| one.is_compared()).count();
    let names = names(blocks);
    let mut places: Vec<PlaceFound> = found
        .iter()
        .map(|one| place(one, compared, (blocks, &renamed), (code, &names)))
        .collect();
    let size = |one: &PlaceFound| {
        let by = one.difference.map_or(one.new - one.base, |by| by.estimate);
        (one.difference.is_some(), by.abs())
    };
    places.sort_by(|a, b| {
        let (a, b) = (size(a), size(b));
        b.0.cmp(&a.0).then(b.1.total_cmp(&a.1))
    });
    (places, u32::try_from(compared).unwrap_or(u32::MAX))
}

/// The time of one place in each block, as a share of the base's.
struct Shares {
    key: Key,
    base: Vec<f64>,
    new: Vec<f64>,
}

impl Shares {
    fn of(key: Key, each: &[(f64, Times, Times)]) -> Shares {
        let share = |times: &Times, run: f64| times.get(&key).copied().unwrap_or(0.0) / run;
        Shares {
            base: each
                .iter()
                .map(|(run, base, _)| share(base, *run))
                .collect(),
            new: each.iter().map(|(run, _, new)| share(new, *run)).collect(),
            key,
        }
    }

    fn is_compared(&self) -> bool {
        mean(&self.base).max(mean(&self.new)) >= FROM
    }
}

fn place(
    shares: &Shares,
    compared: usize,
    (blocks, renamed): (&[Pair<'_>], &HashMap<&str, &str>),
    (code, names): (&CodeBetween, &HashMap<&str, &str>),
) -> PlaceFound {
    let differences: Vec<f64> = shares
        .new
        .iter()
        .zip(&shares.base)
        .map(|(n, b)| n - b)
        .collect();
    let level = ALPHA / compared.max(1) as f64;
    let difference = shares
        .is_compared()
        .then(|| difference(&differences, level))
        .flatten();
    let of_several = |symbol: &String| match code {
        CodeBetween::Read { several, .. } => several.contains(symbol),
        CodeBetween::Unread { .. } => false,
    };
    let changed = match &shares.key {
        // Nobody can tell which of them runs.
        Key::Symbol(symbol) if of_several(symbol) => None,
        Key::Symbol(symbol) => changed(code, symbol),
        _ => None,
    };
    let line = match &shares.key {
        Key::Symbol(symbol) if difference.is_some() => line(blocks, renamed, symbol),
        _ => None,
    };
    PlaceFound {
        place: match &shares.key {
            Key::Symbol(symbol) => PlaceOf::Function {
                name: {
                    let name = names
                        .get(symbol.as_str())
                        .map_or(symbol.as_str(), |name| *name);
                    let several = if of_several(symbol) { " (several)" } else { "" };
                    format!("{name}{several}")
                },
                symbol: symbol.clone(),
            },
            Key::Nameless => PlaceOf::Nameless,
            Key::Library(file) => PlaceOf::Library { file: file.clone() },
            Key::Kernel => PlaceOf::Kernel,
            Key::Unknown => PlaceOf::Unknown,
        },
        base: mean(&shares.base),
        new: mean(&shares.new),
        difference,
        code: changed,
        line,
    }
}

/// The mean of differences with its interval; none of fewer than two blocks.
pub(super) fn difference(differences: &[f64], level: f64) -> Option<DifferenceFound> {
    let (estimate, half) = mean_at(differences, level)?;
    Some(DifferenceFound {
        estimate,
        low: estimate - half,
        high: estimate + half,
    })
}

/// CPU time of one run, in nanoseconds.
pub(super) fn of_run(runs: &SampledRuns) -> f64 {
    runs.cpu_ns as f64 / f64::from(runs.runs.max(1))
}

/// Where the CPU time of one run is. What samples in user space do not account for is the kernel's.
fn times(sampled: &SampledRuns, renamed: Option<&HashMap<&str, &str>>) -> Times {
    let each = sampled.between_ns as f64 / f64::from(sampled.runs.max(1));
    let mut times = Times::new();
    let mut known = 0;
    for function in &sampled.functions {
        let symbol = function.symbol.as_str();
        let symbol = renamed
            .and_then(|all| all.get(symbol))
            .map_or(symbol, |new| *new);
        let key = if symbol.is_empty() {
            Key::Nameless
        } else {
            Key::Symbol(symbol.to_owned())
        };
        *times.entry(key).or_default() += function.samples as f64 * each;
        known += function.samples;
    }
    for place in &sampled.elsewhere {
        let key = place
            .file
            .as_ref()
            .map_or(Key::Unknown, |file| Key::Library(file.clone()));
        *times.entry(key).or_default() += place.samples as f64 * each;
        known += place.samples;
    }
    let rest = sampled.samples.saturating_sub(known);
    if rest > 0 {
        *times.entry(Key::Nameless).or_default() += rest as f64 * each;
    }
    let in_user_space = sampled.samples as f64 * each;
    times.insert(Key::Kernel, of_run(sampled) - in_user_space);
    times
}

/// The build's symbol of each function that goes by another one in the base.
pub(super) fn renamed(code: &CodeBetween) -> HashMap<&str, &str> {
    let pairs = match code {
        CodeBetween::Read { renamed, .. } => renamed.as_slice(),
        CodeBetween::Unread { .. } => &[],
    };
    let pairs = pairs.iter();
    pairs
        .map(|[base, new]| (base.as_str(), new.as_str()))
        .collect()
}

fn changed(code: &CodeBetween, symbol: &str) -> Option<FunctionBetween> {
    match code {
        CodeBetween::Read { functions, .. } => {
            functions.iter().find(|one| one.symbol == symbol).cloned()
        }
        CodeBetween::Unread { .. } => None,
    }
}

/// What people call each symbol.
fn names<'a>(blocks: &[Pair<'a>]) -> HashMap<&'a str, &'a str> {
    let sampled = blocks.iter().flatten().copied();
    let functions = sampled.flat_map(|sampled: &SampledRuns| &sampled.functions);
    functions
        .map(|one| (one.symbol.as_str(), one.name.as_str()))
        .collect()
}

/// The line of a function of which the time differs most.
fn line(blocks: &[Pair<'_>], renamed: &HashMap<&str, &str>, symbol: &str) -> Option<LineFound> {
    let mut lines = Lines::new();
    for block in blocks {
        let run = of_run(block[0]) * blocks.len() as f64;
        for (build, sampled) in block.iter().enumerate() {
            let each = sampled.between_ns as f64 / f64::from(sampled.runs.max(1)) / run;
            for function in &sampled.functions {
                let own = function.symbol.as_str();
                let is_it = own == symbol || build == 0 && renamed.get(own) == Some(&symbol);
                for line in function.lines.iter().filter(|_| is_it) {
                    let at = lines.entry((line.file.clone(), line.line)).or_default();
                    at[build] += line.samples as f64 * each;
                }
            }
        }
    }
    let size = |times: &[f64; 2]| (times[1] - times[0]).abs();
    let most = lines
        .into_iter()
        .max_by(|a, b| size(&a.1).total_cmp(&size(&b.1)));
    most.map(|((file, line), [base, new])| LineFound {
        file,
        line,
        base,
        new,
    })
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use proofmark_evidence::record::{
        FunctionChange, SampledBy, SampledElsewhere, SampledFunction,
    };

    use super::*;

    /// Four samples in one run.
    fn ran() -> SampledRuns {
        SampledRuns {
            by: SampledBy::Clock,
            runs: 1,
            cpu_ns: 4_000_000,
            wall_ns: 4_000_000,
            page_faults: 0,
            waits: 0,
            preempted: 0,
            samples: 4,
            between_ns: 1_000_000,
            functions: Vec::new(),
            elsewhere: Vec::new(),
        }
    }

    /// Who checks the evidence gets the same list.
    #[test]
    fn places_with_as_much_time_come_in_one_order() {
        let files = [
            "libc.so.6",
            "libm.so.6",
            "ld-linux-x86-64.so.2",
            "libz.so.1",
        ];
        let run = SampledRuns {
            elsewhere: files
                .map(|file| SampledElsewhere {
                    file: Some(file.to_owned()),
                    samples: 1,
                })
                .to_vec(),
            ..ran()
        };
        let code = CodeBetween::Unread {
            reason: String::new(),
        };
        let found = places(&[[&run, &run], [&run, &run]], &code).0;
        let named: Vec<PlaceOf> = found.into_iter().map(|one| one.place).collect();
        let of = |file: &str| PlaceOf::Library {
            file: file.to_owned(),
        };
        assert_eq!(named[..4], files.map(of));
        assert_eq!(named[4..], [PlaceOf::Kernel]);
    }

    /// Which of two functions of one name runs is not known, nor whether it is the changed one.
    #[test]
    fn functions_of_one_name_are_marked_and_have_no_code() {
        let run = SampledRuns {
            functions: ["step", "alone"]
                .map(|symbol| SampledFunction {
                    symbol: symbol.to_owned(),
                    name: symbol.to_owned(),
                    samples: 2,
                    lines: Vec::new(),
                })
                .to_vec(),
            ..ran()
        };
        let changed = |symbol: &str| FunctionBetween {
            symbol: symbol.to_owned(),
            how: FunctionChange::Changed,
            bytes: [1, 2],
            instructions: [1, 2],
            calls: [0, 0],
            indirect_jumps: None,
        };
        let code = CodeBetween::Read {
            functions: ["step", "alone"].map(changed).to_vec(),
            renamed: Vec::new(),
            named: [3, 3],
            several: vec!["step".to_owned()],
        };
        let found = places(&[[&run, &run], [&run, &run]], &code).0;
        let named = found.iter().filter_map(|one| match &one.place {
            PlaceOf::Function { name, .. } => Some((name.as_str(), one.code.is_some())),
            _ => None,
        });
        let expected = [("step (several)", false), ("alone", true)];
        assert_eq!(named.collect::<Vec<_>>(), expected);
    }
}
