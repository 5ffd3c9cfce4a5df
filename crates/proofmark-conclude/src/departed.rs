//! In what the images of captured builds are not what the builds make by themselves, said of every
//! result.

use proofmark_evidence::record::{
    Build, BuildOrigin, Departure, Experiment, LayoutControl, Warning,
};

use crate::warnings::warning;

/// One warning for each kind of departure, with the builds that it is of.
pub(crate) fn departed(experiment: &Experiment) -> Vec<Warning> {
    let varied = !matches!(experiment.layouts, LayoutControl::AsShipped { .. });
    let mut found: Vec<(Warning, Vec<&str>)> = Vec::new();
    for build in &experiment.builds {
        for departure in of(build) {
            if !varied && *departure != Departure::SectionsAdded {
                continue;
            }
            let warning = told(departure);
            match found.iter_mut().find(|(known, _)| *known == warning) {
                Some((_, builds)) => builds.push(&build.name),
                None => found.push((warning, vec![&build.name])),
            }
        }
    }
    let named = |(warning, builds): (Warning, Vec<&str>)| Warning {
        found: format!("{}: {}", builds.join(", "), warning.found),
        ..warning
    };
    found.into_iter().map(named).collect()
}

fn of(build: &Build) -> &[Departure] {
    match &build.origin {
        BuildOrigin::Captured { departures, .. } => departures,
        BuildOrigin::Executable { .. } => &[],
    }
}

fn told(departure: &Departure) -> Warning {
    match departure {
        Departure::SectionsAdded => warning(
            "function-sections-added",
            "measured with function sections, which the build's own objects lack: its jumps and padding are not quite those of the file that it makes by itself",
            "capture it without --compile once: objects are then compiled a second time, and the build stays as it is",
        ),
        Departure::WholeObjects { why } => warning(
            "whole-objects-moved",
            format!(
                "layouts move whole objects: a section for each function would make another program ({why})"
            ),
            "give the build -ffunction-sections of its own if the program is meant to be the other one",
        ),
        Departure::Lacking { objects, example } => warning(
            "not-compiled-twice",
            format!(
                "{objects} of its objects were not compiled a second time, with function sections, and are moved as a whole ({example})"
            ),
            "capture a build that compiles everything (make clean; make)",
        ),
        Departure::LinkedAgain { how } => warning(
            "linked-again-differs",
            format!(
                "linked again from what the build linked it is another file ({how}); its functions and data are the same"
            ),
            "compare with what was measured as shipped: that is the file that the build left",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(name: &str, departures: Vec<Departure>) -> Build {
        Build {
            name: name.to_owned(),
            origin: BuildOrigin::Captured {
                ids: Vec::new(),
                movable: 1.0,
                departures,
            },
            image: String::new(),
            toolchain: Vec::new(),
            run_as: None,
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
        let said: Vec<Vec<&Departure>> =
            builds.iter().map(|one| of(one).iter().collect()).collect();
        assert_eq!(said[1].len(), 2);
        assert_eq!(told(&lacking("a.o: x")).code, "not-compiled-twice");
        assert!(told(&lacking("a.o: x")).found.contains("a.o: x"));
    }
}
