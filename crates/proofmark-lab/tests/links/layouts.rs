//! Two captured builds laid out as a comparison would lay them out.

use std::path::{Path, PathBuf};

use proofmark_capture::CapturedLink;
use proofmark_evidence::LockedStore;
use proofmark_evidence::record::{
    Benchmark, CertificateUse, Design, Drawing, Inputs, LayoutControl, Question,
};
use proofmark_lab::{CountedRuns, LayoutChoice, Request, Silent, Subject, begin};
use proofmark_layout::{Captured, LayoutSet, LinkedImage, Matching};
use proofmark_terms::Population;

/// The seeds: eight layouts, of which one is compared with the build by content, as the trial is.
const SEEDS: [u64; 8] = [1, 2, 3, 4, 5, 6, 7, 16];

/// How a comparison of these builds varies placement, or why it refuses to.
pub(crate) fn control(
    subjects: &[Subject],
    population: Population,
    scratch: &Path,
) -> Result<LayoutControl, String> {
    let request = Request {
        question: Question::Compare,
        subjects: subjects.to_vec(),
        benchmark: Benchmark {
            timeout_ms: 60_000,
            allow_output_difference: true,
            ..Benchmark::default()
        },
        design: Design {
            certificate: CertificateUse::Never,
            ..Design::default()
        },
        layouts: LayoutChoice::Auto,
        population,
        seed: Some(1),
        resume: false,
        counted: CountedRuns::None,
        expectations: None,
    };
    let mut store =
        LockedStore::open(&scratch.join("evidence")).map_err(|error| error.to_string())?;
    let begun = begin(
        &request,
        &mut store,
        &mut |_| Ok(Inputs::default()),
        &mut Silent,
    );
    Ok(begun.map_err(|error| error.to_string())?.experiment.layouts)
}

/// An image of a build, drawn and checked.
pub(crate) struct Drawn {
    /// Index of the build.
    pub(crate) build: usize,
    /// The seed of its layout.
    pub(crate) seed: u64,
    /// The file.
    pub(crate) path: PathBuf,
}

/// Images of all builds in each layout, each held against the file that the build left.
pub(crate) fn draw(
    subjects: &[Subject],
    control: &LayoutControl,
    scratch: &Path,
) -> Result<Vec<Drawn>, String> {
    let (matching, population) = match control {
        LayoutControl::Drawn { how, population } => {
            let matching = match how {
                Drawing::Matched => Matching::Matched,
                Drawing::Jittered | Drawing::Inside => Matching::Jittered,
                Drawing::Independent { .. } => Matching::Independent,
            };
            (matching, *population)
        }
        LayoutControl::AsShipped { reason } => return Err(reason.clone()),
    };
    let groups: Vec<Vec<usize>> = if matching == Matching::Independent {
        (0..subjects.len()).map(|build| vec![build]).collect()
    } else {
        vec![(0..subjects.len()).collect()]
    };
    let mut drawn = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let folder = scratch.join(format!("set{number}"));
        let captured: Vec<Captured<'_>> = group
            .iter()
            .filter_map(|build| subjects[*build].links()?.first())
            .map(CapturedLink::for_layouts)
            .collect();
        let set = LayoutSet::prepare(&captured, matching, population, &folder)
            .map_err(|error| error.to_string())?;
        for seed in SEEDS {
            let images: Vec<LinkedImage> = (0..group.len())
                .map(|member| {
                    let place = folder.join(format!("image{member}-{seed}"));
                    set.link(member, seed, &place)
                })
                .collect::<Result<_, _>>()
                .map_err(|error| error.to_string())?;
            set.verify(&images).map_err(|error| error.to_string())?;
            drawn.extend(images.into_iter().map(|image| Drawn {
                build: group[image.build],
                seed,
                path: image.path,
            }));
        }
    }
    Ok(drawn)
}
