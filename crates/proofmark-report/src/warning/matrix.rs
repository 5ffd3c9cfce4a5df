//! What would help where a matrix is warned of something: its benchmarks and builds stand in a
//! file, which has keys and no options.

use proofmark_evidence::record::{Departure, Warning};

use super::{Said, in_words};

/// The words of a warning of a matrix.
pub(crate) fn in_words_of_matrix(warning: &Warning) -> Said {
    let said = in_words(warning);
    match remedy(warning) {
        Some(remedy) => Said { remedy, ..said },
        None => said,
    }
}

/// What would help, where that is another thing than for `compare`.
fn remedy(warning: &Warning) -> Option<String> {
    let remedy = match warning {
        Warning::State { .. } => "put it back before each run by `prepare` in [benchmark]",
        Warning::OutputTakenIn { .. } => {
            "`command = \"sh -c '{} ARGS >/dev/null'\"` in [benchmark] measures without it, if the \
             program does not look where its output goes"
        }
        Warning::WallTimeApart(_) => {
            "the answer is about CPU time alone; `metric = \"wall\"` in [benchmark] compares runs \
             from start to end"
        }
        Warning::InputBetween { .. } => {
            "if each cell has one of its own, let the build write it: it is kept with the cell"
        }
        Warning::Departed {
            departure: Departure::Lacking { .. },
            ..
        } => "let the build of the cell compile them, through {cc} or {cxx}",
        Warning::Departed {
            departure: Departure::SectionsAdded,
            ..
        } => "",
        Warning::EnvironmentLeftOut { names } => {
            let first = names.first().map(String::as_str).unwrap_or_default();
            return Some(format!(
                "`env = {{ {first} = \"…\" }}` in [benchmark] passes it; `env -u {first} \
                 proofmark …` takes it away here"
            ));
        }
        _ => return None,
    };
    Some(remedy.to_owned())
}

#[cfg(test)]
mod tests {
    use proofmark_evidence::record::{
        DrawnWork, FewDigits, ReadsItself, ShippedApart, SumsApart, WallTimeApart,
    };

    use super::*;

    /// The options of `matrix run` that hints may name.
    const OPTIONS: [&str; 4] = ["--layouts", "--rounds", "--blocks", "--schedule"];

    fn all() -> Vec<Warning> {
        let (build, why) = ("gcc".to_owned(), "why".to_owned());
        let departed = |departure| Warning::Departed {
            builds: vec![build.clone()],
            departure,
        };
        vec![
            Warning::ShippedApart(ShippedApart {
                build: build.clone(),
                shipped: 1.1,
                over_layouts: 1.0,
                explained: Some(0.01),
                drawn: None,
            }),
            Warning::ReadsItself(ReadsItself {
                build: build.clone(),
                drawn: DrawnWork::Unknown { why: why.clone() },
            }),
            Warning::PlacementNotControlled {
                reason: "asked for with --layouts as-shipped".to_owned(),
            },
            Warning::OnePlacement {
                reason: "asked for with --layouts as-shipped".to_owned(),
            },
            Warning::ShortRuns { cpu_ns: 1 },
            Warning::BriefThreads { cpu_ns: 1 },
            departed(Departure::SectionsAdded),
            departed(Departure::WholeObjects { why: why.clone() }),
            departed(Departure::Lacking {
                objects: 1,
                example: why.clone(),
            }),
            departed(Departure::LinkedAgain { how: why.clone() }),
            Warning::RoundsAdvice {
                advised: 2,
                asked: 1,
            },
            Warning::BlocksCorrelated {
                of: build.clone(),
                correlation: 0.5,
            },
            Warning::OneSidedOutliers {
                of: build.clone(),
                blocks: 2,
            },
            Warning::SlicingShift {
                build: build.clone(),
                widening: 0.1,
            },
            Warning::WallTimeApart(WallTimeApart {
                build: build.clone(),
                beside: build.clone(),
                wall_ns: 2,
                beside_wall_ns: 1,
            }),
            Warning::SumsApart(SumsApart {
                benchmark: Some("sort".to_owned()),
                build: build.clone(),
                beside: Some(build.clone()),
                in_the_middle: 1.0,
                in_sum: 1.2,
            }),
            Warning::FewDigits(FewDigits {
                build: build.clone(),
                beside: build.clone(),
                step: 1.0,
                unseen: 0.1,
            }),
            Warning::State {
                file: "/x".into(),
                more: 0,
            },
            Warning::OutputTakenIn {
                bytes: 1 << 20,
                share: 0.5,
            },
            Warning::InputBetween {
                file: "/x".into(),
                more: 0,
            },
            Warning::InputsNotTraced { why: why.clone() },
            Warning::EnvironmentLeftOut {
                names: vec!["OPT".to_owned()],
            },
            Warning::OthersMeasure { cores: vec![1] },
            Warning::HeldBySignals { why: why.clone() },
            Warning::CpuByTaskClock,
            Warning::OwnFiles {
                files: vec!["/x".into()],
                more: 0,
            },
            Warning::NotAtItsPlace { why: why.clone() },
            Warning::NotTraced { why },
        ]
    }

    #[test]
    fn what_helps_a_matrix_is_something_that_it_has() {
        for warning in all() {
            let Said { remedy, .. } = in_words_of_matrix(&warning);
            let words = remedy.split(|c: char| c != '-' && !c.is_ascii_alphanumeric());
            for option in words.filter(|word| word.starts_with("--")) {
                assert!(OPTIONS.contains(&option), "{}: {remedy}", warning.code());
            }
            assert!(!remedy.contains("capture"), "{}: {remedy}", warning.code());
        }
    }
}
