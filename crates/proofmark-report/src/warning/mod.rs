//! What a warning says: what was found, and what would help given what the user already did.

use proofmark_evidence::record::{Departure, NoIdleCore, SweepRemark, Unshown, Warning, Work};
use proofmark_hint::hint;
use proofmark_terms::{Interval, Margin, OsText};

/// A warning in words.
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
        Warning::ShippedApart {
            build,
            shipped,
            over_layouts,
            explained,
        } => said(
            format!(
                "as shipped, {build} differs from the base by a ratio of {shipped:.3}, over \
                 layouts by {over_layouts:.3}: placement explains no more than ±{:.1} % of that",
                explained * 100.0
            ),
            "believe neither figure until it is known what else differs; --layouts as-shipped \
             compares the files as they are",
        ),
        Warning::PlacementNotControlled { reason } => said(
            format!("placement was not varied: {reason}"),
            "capture the builds; until then a difference of a few per cent may be where the linker \
             put the code",
        ),
        Warning::ShortRuns { cpu_ns } => said(
            format!(
                "a run takes {:.1} ms of CPU time, much of it start-up and not the work that is \
                 compared",
                ms(*cpu_ns)
            ),
            "give the program more work, so that a run takes 20 ms or more",
        ),
        Warning::BriefThreads { cpu_ns } => said(
            format!(
                "a run takes {:.1} ms of CPU time and may use several cores: whether its threads \
                 or processes meet in so short a time, and for how long, is a matter of how it is \
                 started, so that runs by hand may show another ratio",
                ms(*cpu_ns)
            ),
            "give the program more work, so that a run takes 20 ms or more",
        ),
        Warning::HardlyMovable {
            build,
            movable,
            capture,
        } => said(
            format!(
                "only {:.0} % of the code of {build} can be moved, so that layouts vary little",
                movable * 100.0
            ),
            // By its content: a revision or a cell of a matrix is captured under a name that nobody
            // has seen.
            format!("{} says why", hint("builds show", &[first_digits(capture)])),
        ),
        Warning::Departed { builds, departure } => {
            let Said { found, remedy } = departed(departure);
            said(format!("{}: {found}", builds.join(", ")), remedy)
        }
        Warning::RoundsAdvice { advised, asked } => said(
            format!(
                "from what blocks and rounds cost and vary, {advised} rounds a block would narrow the interval fastest; {asked} were asked for"
            ),
            format!("--rounds {}", (*advised).max(2)),
        ),
        Warning::HeldUp {
            share,
            build,
            found,
        } => said(
            format!(
                "{:.0} % of the runs were held up by other programs on the machine, and {build} \
                 does other things then: {found}",
                share * 100.0
            ),
            "measure again when the machine is quiet; until then the ratio is that of a busy one",
        ),
        Warning::BlocksCorrelated { of, correlation } => said(
            format!(
                "the blocks of {of} follow one another (correlation {correlation:.2}): the \
                 interval is too narrow"
            ),
            "measure on a quieter machine, or with more rounds to a block (--rounds)",
        ),
        Warning::OneSidedOutliers { of, blocks } => said(
            format!(
                "{blocks} blocks of {of} lie far off on one side: rare layouts may be much worse, \
                 and the interval does not cover them"
            ),
            "measure more blocks (--blocks 20..60)",
        ),
        Warning::SlicingShift { build, widening } => said(
            format!(
                "the interval of {build} is wider by {:.2} % on each side for what slices may do \
                 to the effect",
                widening.exp_m1() * 100.0
            ),
            "--schedule interleaved measures without slices, more slowly",
        ),
        Warning::MarginMisjudged {
            margin,
            interval,
            sliced,
        } => misjudged(*margin, interval, *sliced),
        Warning::PopulationsDisagree {
            build,
            here,
            ratio,
            there,
            other_ratio,
            experiment,
        } => said(
            format!(
                "{build}: {ratio:.3} over {here} layouts, but {other_ratio:.3} over {there} \
                 layouts (experiment {}): locality is part of the effect",
                experiment.short()
            ),
            "`pad` answers for the program with its functions in the order they are in; `shuffle` for any order",
        ),
        Warning::WorkInDoubt {
            benchmark,
            build,
            beside,
            of,
            share,
            unshown,
            error,
        } => {
            let (of, unshown) = little(*of, *unshown);
            let error = error.as_ref().map_or_else(String::new, |line| {
                format!("; on standard error stands {line}")
            });
            said(
                format!(
                    "{}did {build} do the work? It takes {:.1} % of the {of} of {beside}, and \
                     {unshown}{error}",
                    on(benchmark.as_deref()),
                    share * 100.0
                ),
                "let the program print its result, which then shows it",
            )
        }
        Warning::OnlyAnError {
            benchmark,
            line,
            cpu_ns,
        } => said(
            format!(
                "{}is {line} an error? It is all that the builds print, and they end after {:.1} \
                 ms",
                on(benchmark.as_deref()),
                ms(*cpu_ns)
            ),
            "if it is one, mend the command: what is compared here is how fast the builds give up",
        ),
        Warning::ExpectationOfNoCell {
            file,
            line,
            function,
            why,
        } => said(
            format!(
                "{}:{line}: no cell was held against what is expected of {function}: it is {why}",
                file.display()
            ),
            "`build` in it has to mean the name of a cell",
        ),
        Warning::State { file, more } => said(
            format!(
                "runs write {}{}, which they read as well, or look for: each run finds what the \
                 one before has left",
                file.display(),
                and_more(*more)
            ),
            "put it back before each run with --prepare",
        ),
        Warning::OutputTakenIn { bytes, share } => said(
            format!(
                "a run prints {:.0} MiB into a file in memory, which is about {:.0} % of its CPU \
                 time: where the output goes elsewhere, effects of all else are larger than this",
                *bytes as f64 / f64::from(1 << 20),
                share * 100.0
            ),
            "`-- sh -c '{} ARGS >/dev/null'` measures without it, if the program does not look \
             where its output goes",
        ),
        Warning::InputBetween { file, more } => said(
            format!(
                "the runs of all builds read {}{} as it is now, and it was changed after one build \
                 was made and before another was",
                file.display(),
                and_more(*more)
            ),
            "if each build has one of its own, capture each of them with `--with FILE`",
        ),
        Warning::InputsNotTraced { why } => said(
            format!(
                "of the files that runs read only those that the command names were watched: {why}"
            ),
            "",
        ),
        Warning::EnvironmentLeftOut { names } => {
            let first = names.first().map(String::as_str).unwrap_or_default();
            said(
                format!(
                    "runs do not get {}, which {} set here and which the program, or what it \
                     loads, may read",
                    names.join(", "),
                    if names.len() == 1 { "is" } else { "are" }
                ),
                format!(
                    "--env {first}=\"${first}\" passes it; `env -u {first} proofmark …` takes it \
                     away here"
                ),
            )
        }
        Warning::NoIdleCore { core } => said(
            no_idle_core(core),
            "`proofmark doctor` says what else is running",
        ),
        Warning::OthersMeasure { cores } => said(
            format!(
                "another command of proofmark measured on {} meanwhile: builds that need memory, or caches that cores share, are slowed by it, and one more than the other",
                on_cores(cores)
            ),
            "measure one thing at a time, where builds differ in how they use memory",
        ),
        Warning::HeldBySignals { why } => said(
            format!(
                "processes are held by signals, which interrupt system calls that sleep: {why}"
            ),
            "a cgroup that this user may write to; `proofmark doctor` says more",
        ),
        Warning::CpuByTaskClock => said(
            "the kernel reaps children of the program by itself, so that CPU time is told by \
             perf's task clock; what the end of each process takes (to give its memory back) is \
             not in it",
            "a cgroup that this user may write to; `proofmark doctor` says more",
        ),
        Warning::NotAtOneAddress { examples } => {
            let examples: Vec<String> = examples.iter().map(|name| format!("`{name}`")).collect();
            said(
                format!(
                    "some data (such as {}) is at other addresses in the builds; usually harmless",
                    examples.join(", ")
                ),
                "",
            )
        }
        Warning::OwnFiles { files, more } => {
            let files: Vec<_> = files.iter().map(OsText::display).collect();
            said(
                format!(
                    "beside the program the builds differ in {}{}; each ran with its own",
                    files.join(", "),
                    and_more(*more)
                ),
                "",
            )
        }
        Warning::NotAtItsPlace { why } => said(
            format!(
                "captured images ran from copies of their folders and not where their builds left \
                 them: {why}"
            ),
            "allow private mount namespaces (user namespaces) to this user",
        ),
        Warning::NotTraced { why } => said(
            format!("which libraries each build mapped was not looked at: {why}"),
            "",
        ),
    }
}

/// What a reader must know of how a sweep or an attribution is measured.
pub(crate) fn remarked(remark: &SweepRemark) -> String {
    match remark {
        SweepRemark::BusyCore { core } => {
            let said = in_words(&Warning::NoIdleCore { core: core.clone() });
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

fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

fn first_digits(digest: &str) -> &str {
    const DIGITS: usize = 12;
    digest.get(..DIGITS).unwrap_or(digest)
}

fn and_more(more: u32) -> String {
    match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}

fn departed(departure: &Departure) -> Said {
    match departure {
        Departure::SectionsAdded => said(
            "measured with function sections, which the build's own objects lack: its jumps and \
             padding are not quite those of the file that it makes by itself",
            "capture it without --compile once: objects are then compiled a second time, and the \
             build stays as it is",
        ),
        Departure::WholeObjects { why } => said(
            format!(
                "layouts move whole objects: a section for each function would make another \
                 program ({why})"
            ),
            "give the build -ffunction-sections of its own if the program is meant to be the other \
             one",
        ),
        Departure::Lacking { objects, example } => said(
            format!(
                "{objects} of its objects were not compiled a second time, with function sections, \
                 and are moved as a whole ({example})"
            ),
            "capture a build that compiles everything (make clean; make)",
        ),
        Departure::LinkedAgain { how } => said(
            format!(
                "linked again from what the build linked it is another file ({how}); its functions \
                 and data are the same"
            ),
            "compare with what was measured as shipped: that is the file that the build left",
        ),
    }
}

fn misjudged(margin: Margin, interval: &Interval, sliced: bool) -> Said {
    let Interval {
        estimate,
        low,
        high,
    } = *interval;
    let [estimate, low, high] = [estimate, low, high].map(|effect| effect.relative() * 100.0);
    said(
        format!(
            "a slowdown of exactly {} %, put into the base on purpose, was measured as \
             {estimate:.2} % ({low:.2} to {high:.2} %)",
            margin.relative() * 100.0
        ),
        if sliced {
            "--schedule interleaved shows whether slices are the cause; until then do not believe \
             differences of this size"
        } else {
            "do not believe differences of this size here; `proofmark doctor` says what disturbs \
             this machine"
        },
    )
}

/// The benchmark that a sentence is about, where there are several.
fn on(benchmark: Option<&str>) -> String {
    benchmark.map_or_else(String::new, |name| format!("on {name}: "))
}

/// What one build takes of another's, and why no output shows that it did the work.
fn little(of: Work, unshown: Unshown) -> (&'static str, &'static str) {
    let of = match of {
        Work::Time => "time",
        Work::CpuTime => "CPU time",
        Work::Instructions => "instructions",
    };
    let unshown = match unshown {
        Unshown::Silent => "nothing was printed that could show it",
        Unshown::NotKept => "what the runs printed before the interruption was not kept",
        Unshown::NotCompared => "outputs were not compared",
    };
    (of, unshown)
}

/// `core 1`, `cores 1, 3`.
fn on_cores(cores: &[u32]) -> String {
    let all: Vec<String> = cores.iter().map(u32::to_string).collect();
    let word = if cores.len() == 1 { "core" } else { "cores" };
    format!("{word} {}", all.join(", "))
}

fn no_idle_core(core: &NoIdleCore) -> String {
    match core {
        NoIdleCore::Busy { core, busy_percent } => format!(
            "no core is idle: core {core}, the least busy one, was busy {busy_percent} % of the \
             time before measuring; end other work"
        ),
        NoIdleCore::Taken { core } => format!(
            "other measurements are under way on every core that may be used; core {core} is \
             shared with one: let it end first"
        ),
        NoIdleCore::OnlyOne { core } => format!(
            "only core {core} may be used: proofmark itself runs on the core that it measures"
        ),
        NoIdleCore::Unknown { why } => format!("processes are not pinned to a core: {why}"),
    }
}
