//! What a warning says: what was found, and what would help given what the user already did.

mod code;
mod inputs;
mod layouts;
mod machine;
mod matrix;
mod numbers;
mod runs;

use proofmark_evidence::record::{SweepRemark, Warning};

pub(crate) use matrix::in_words_of_matrix;

/// A warning in words.
#[derive(PartialEq, Eq)]
pub(crate) struct Said {
    /// What was found.
    pub(crate) found: String,
    /// What would help; empty where nothing would.
    pub(crate) remedy: String,
}

fn said(found: impl Into<String>, remedy: impl Into<String>) -> Said {
    Said {
        found: found.into(),
        remedy: remedy.into(),
    }
}

/// What was found, in words.
#[must_use]
pub fn warned(warning: &Warning) -> String {
    in_words(warning).found
}

/// The words of a warning.
pub(crate) fn in_words(warning: &Warning) -> Said {
    match warning {
        Warning::ShippedApart(it) => layouts::shipped_apart(it),
        Warning::ReadsItself(it) => layouts::reads_itself(it),
        Warning::PlacementNotControlled { reason } => layouts::not_controlled(reason),
        Warning::OnePlacement { reason } => layouts::one_placement(reason),
        Warning::HardlyMovable(it) => layouts::hardly_movable(it),
        Warning::DataNotDrawn(it) => layouts::data_not_drawn(it),
        Warning::PopulationsDisagree(it) => layouts::populations_disagree(it),
        Warning::NotAtOneAddress { examples } => layouts::not_at_one_address(examples),
        Warning::Departed { builds, departure } => layouts::departed(builds, departure),
        Warning::ShortRuns { cpu_ns } => runs::short(*cpu_ns),
        Warning::BriefThreads { cpu_ns } => runs::brief_threads(*cpu_ns),
        Warning::HeldUp(it) => runs::held_up(it),
        Warning::WorkInDoubt(it) => runs::work_in_doubt(it),
        Warning::OnlyAnError(it) => runs::only_an_error(it),
        Warning::WallTimeApart(it) => runs::wall_time_apart(it),
        Warning::FewDigits(it) => numbers::few_digits(it),
        Warning::SumsApart(it) => numbers::sums_apart(it),
        Warning::State { file, more } => runs::state(file, *more),
        Warning::OutputTakenIn { bytes, share } => runs::output_taken_in(*bytes, *share),
        Warning::InputBetween { file, more } => inputs::between(file, *more),
        Warning::InputsNotTraced { why } => inputs::not_watched(why),
        Warning::EnvironmentLeftOut { names } => inputs::left_out(names),
        Warning::OwnFiles { files, more } => inputs::own_files(files, *more),
        Warning::NotAtItsPlace { why } => inputs::not_at_its_place(why),
        Warning::NotTraced { why } => inputs::libraries_not_traced(why),
        Warning::RoundsAdvice { advised, asked } => numbers::rounds(*advised, *asked),
        Warning::BlocksCorrelated { of, correlation } => numbers::correlated(of, *correlation),
        Warning::OneSidedOutliers { of, blocks } => numbers::one_sided(of, *blocks),
        Warning::SlicingShift { build, widening } => numbers::slicing(build, *widening),
        Warning::MarginMisjudged(it) => numbers::misjudged(it),
        Warning::NoIdleCore { core } => machine::no_idle_core(core),
        Warning::OthersMeasure { cores } => machine::others_measure(cores),
        Warning::HeldBySignals { why } => machine::held_by_signals(why),
        Warning::CpuByTaskClock => machine::task_clock(),
        Warning::ExpectationOfNoCell(it) => code::expectation_of_no_cell(it),
    }
}

/// What a reader must know of how a sweep or an attribution is measured.
pub(crate) fn remarked(remark: &SweepRemark) -> String {
    match remark {
        SweepRemark::BusyCore { core } => {
            let said = machine::no_idle_core(core);
            format!("{}; {}", said.found, said.remedy)
        }
        SweepRemark::FreeCores => {
            "the program has threads or asks for cores: its runs may use all of them".to_owned()
        }
        SweepRemark::TaskClock => "CPU time is told by perf's task clock; what the end of each \
                                   process takes is not in it"
            .to_owned(),
    }
}

fn and_more(more: u32) -> String {
    match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}
