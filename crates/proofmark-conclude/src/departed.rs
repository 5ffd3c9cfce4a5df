//! In what the images of captured builds are not what the builds make by themselves, said of every
//! result.

use proofmark_evidence::record::{Build, BuildOrigin, Departure, Experiment, Warning};

/// One warning for each kind of departure, with the builds that it is of.
pub(crate) fn departed(experiment: &Experiment) -> Vec<Warning> {
    of_builds(&experiment.builds, experiment.layouts.is_drawn())
}

fn of_builds(builds: &[Build], varied: bool) -> Vec<Warning> {
    let told = |departure: &Departure| {
        let always = [Departure::SectionsAdded, Departure::BuiltOtherwise];
        varied || always.contains(departure)
    };
    let mut found: Vec<(&Departure, Vec<String>)> = Vec::new();
    for build in builds {
        for departure in of(build).iter().filter(|departure| told(departure)) {
            match found.iter_mut().find(|(known, _)| *known == departure) {
                Some((_, builds)) => builds.push(build.name.clone()),
                None => found.push((departure, vec![build.name.clone()])),
            }
        }
    }
    let warning = |(departure, builds): (&Departure, Vec<String>)| Warning::Departed {
        builds,
        departure: departure.clone(),
    };
    found.into_iter().map(warning).collect()
}

fn of(build: &Build) -> &[Departure] {
    match &build.origin {
        BuildOrigin::Captured { departures, .. } => departures,
        BuildOrigin::Executable { .. } => &[],
    }
}

#[cfg(test)]
mod tests {
    use proofmark_evidence::record::Images;

    use super::*;

    fn build(name: &str, departures: Vec<Departure>) -> Build {
        Build {
            name: name.to_owned(),
            origin: BuildOrigin::Captured {
                ids: Vec::new(),
                movable: 1.0,
                departures,
            },
            images: Images::of_program(name, blake3::hash(b"").into()),
            revision: None,
            patches: Vec::new(),
            toolchain: Vec::new(),
            run_as: None,
            tree: None,
            built_by: None,
        }
    }

    #[test]
    fn builds_that_depart_alike_share_a_warning() {
        let lacking = |example: &str| Departure::Lacking {
            objects: 2,
            example: example.to_owned(),
        };
        let builds = [
            build("base", vec![Departure::SectionsAdded]),
            build("new", vec![Departure::SectionsAdded, lacking("a.o: x")]),
        ];
        let alike = Warning::Departed {
            builds: vec!["base".to_owned(), "new".to_owned()],
            departure: Departure::SectionsAdded,
        };
        let alone = Warning::Departed {
            builds: vec!["new".to_owned()],
            departure: lacking("a.o: x"),
        };
        assert_eq!(of_builds(&builds, true), [alike.clone(), alone]);
        assert_eq!(of_builds(&builds, false), [alike]);
    }
}
