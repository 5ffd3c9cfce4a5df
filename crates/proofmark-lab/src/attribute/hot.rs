//! Which functions are in question: those in which a sampled run was, or those that were asked for.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use proofmark_code::{Crossings, Image, Program};
use proofmark_evidence::record::{HotFunction, PlaceScreening, SampledBy, SampledRun};
use proofmark_layout::Chosen;
use proofmark_measure::sample::{Place, Profile, Sampler, sample};
use proofmark_measure::{Interrupt, Unavailable};

use crate::LabError;
use crate::alone::AloneBench;
use crate::prepare::prepare;
use crate::sweep::{Apart, Found, functions, heads};

/// A function takes part from one sample in so many on.
const ONE_IN: u64 = 200;
/// Samples that tell functions of that size from chance.
const ENOUGH: u64 = 4_000;
/// Most runs for that, and the time after which no more are begun.
const RUNS: u32 = 200;
const LONG: Duration = Duration::from_secs(3);

/// Functions in question, and how they were found.
#[derive(Debug)]
pub(crate) struct Hot {
    pub(crate) sampled: Option<SampledRun>,
    pub(crate) functions: Vec<(Chosen, HotFunction)>,
}

impl Hot {
    /// The functions that these patterns mean.
    pub(super) fn asked(image: &Path, patterns: &[String]) -> Result<Hot, LabError> {
        let found = functions(image, patterns)?;
        let one = |found: &Found| {
            let record = found.record();
            let hot = HotFunction {
                name: record.name,
                symbol: record.symbol,
                bytes: record.bytes,
                loops: record.loops,
                heads: record.heads,
                samples: None,
            };
            (found.chosen.clone(), hot)
        };
        Ok(Hot {
            sampled: None,
            functions: found.iter().map(one).collect(),
        })
    }

    /// The same functions as in a record; none where the image has another number of any of them,
    /// or calls one otherwise.
    pub(super) fn again(image: &Path, known: &[HotFunction]) -> Result<Option<Hot>, LabError> {
        let program = opened(image)?;
        let image = first(&program)?;
        let apart = Apart::of(image);
        let mut functions = Vec::with_capacity(known.len());
        for one in known {
            let is_it = |index: &usize| {
                let function = &image.functions()[*index];
                let alike = function.symbol() == one.symbol && function.size() == one.bytes;
                alike && apart.name(*index) == one.name
            };
            let mut alike = (0..image.functions().len()).filter(is_it);
            let (Some(index), None) = (alike.next(), alike.next()) else {
                return Ok(None);
            };
            let (chosen, hot) = function(&apart, index, one.samples);
            functions.push((chosen, hot));
        }
        Ok(Some(Hot {
            sampled: None,
            functions,
        }))
    }

    /// Leaves those that stood out in a screening.
    pub(super) fn keep_named(&mut self, screening: &PlaceScreening) {
        let named = |hot: &HotFunction| {
            let mut places = screening.places.iter().filter(|place| place.named);
            places.any(|place| screening.functions.get(place.function as usize) == Some(hot))
        };
        self.functions.retain(|(_, hot)| named(hot));
    }

    /// The functions in which runs of the image that is placed first were, those with most samples
    /// first and `most` at most. A short program runs again until there are enough samples.
    pub(crate) fn sampled(
        bench: &mut AloneBench,
        image: &Path,
        most: usize,
        stop: &Interrupt,
    ) -> Result<Hot, LabError> {
        let (launch, program, file) = bench.sampled_launch()?;
        let began = Instant::now();
        let mut profile: Option<Profile> = None;
        for _ in 0..RUNS {
            prepare(bench.benchmark())?;
            let taken = sample(&launch, (&program, &file), stop).map_err(unsampled)?;
            let whole = profile.get_or_insert(Profile {
                total: 0,
                places: BTreeMap::new(),
                elsewhere: BTreeMap::new(),
                ..taken
            });
            whole.total += taken.total;
            for (place, count) in taken.places {
                *whole.places.entry(place).or_default() += count;
            }
            if whole.by == Sampler::Callgrind || whole.total >= ENOUGH || began.elapsed() > LONG {
                break;
            }
        }
        let none = || LabError::Fault("no run was sampled".to_owned());
        Hot::of(&profile.ok_or_else(none)?, image, most)
    }

    fn of(profile: &Profile, image: &Path, most: usize) -> Result<Hot, LabError> {
        let program = opened(image)?;
        let image = first(&program)?;
        let mut counts = vec![0_u64; image.functions().len()];
        for (place, count) in &profile.places {
            if let Some(index) = function_at(image, place) {
                counts[index] += count;
            }
        }
        let mut hot: Vec<(usize, u64)> = counts.into_iter().enumerate().collect();
        hot.retain(|(_, count)| *count > 0 && count.saturating_mul(ONE_IN) >= profile.total);
        hot.sort_by_key(|(index, count)| (std::cmp::Reverse(*count), *index));
        hot.truncate(most);
        if hot.is_empty() {
            return Err(LabError::Refused(format!(
                "a sampled run was hardly ever in the image itself ({} of {} samples): it spends \
                 its time in libraries or in the kernel\n  next: where a captured library is \
                 meant, --image; or name functions, --function PATTERN",
                profile.places.values().sum::<u64>(),
                profile.total
            )));
        }
        let apart = Apart::of(image);
        Ok(Hot {
            sampled: Some(SampledRun {
                by: match profile.by {
                    Sampler::Clock => SampledBy::Clock,
                    Sampler::Callgrind => SampledBy::Callgrind,
                },
                total: profile.total,
                in_image: profile.places.values().sum(),
            }),
            functions: hot
                .into_iter()
                .map(|(index, count)| function(&apart, index, Some(count)))
                .collect(),
        })
    }
}

fn opened(image: &Path) -> Result<Program, LabError> {
    Program::open(image).map_err(|error| {
        LabError::Refused(format!("cannot read the functions of the image: {error}"))
    })
}

fn first(program: &Program) -> Result<&Image, LabError> {
    let none = || LabError::Refused("the image has no functions".to_owned());
    program.images().first().ok_or_else(none)
}

fn unsampled(why: Unavailable) -> LabError {
    match why {
        Unavailable::Interrupted => LabError::Interrupted,
        why => LabError::Refused(format!(
            "where the program spends its time cannot be sampled: {why}\n  next: name the \
             functions in question, --function PATTERN"
        )),
    }
}

/// The function that holds a place.
fn function_at(image: &Image, place: &Place) -> Option<usize> {
    let mut functions = image.functions().iter();
    match place {
        Place::Address(at) => functions.position(|function| {
            at.checked_sub(function.address().get())
                .is_some_and(|within| within < function.size())
        }),
        Place::Symbol(symbol) => functions.position(|function| function.symbol() == *symbol),
    }
}

fn function(apart: &Apart<'_>, index: usize, samples: Option<u64>) -> (Chosen, HotFunction) {
    let function = &apart.image().functions()[index];
    let chosen = Chosen {
        name: apart.name(index),
        symbol: function.symbol(),
        address: function.address().get(),
    };
    let crossings = Crossings::of(apart.image(), index);
    let hot = HotFunction {
        name: chosen.name.clone(),
        symbol: function.symbol(),
        bytes: function.size(),
        loops: crossings.loops() as u64,
        heads: heads(&crossings),
        samples,
    };
    (chosen, hot)
}
