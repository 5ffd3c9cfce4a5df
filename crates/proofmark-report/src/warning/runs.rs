//! Warnings about what runs do, in words.

use proofmark_evidence::record::{HeldUp, OnlyAnError, Unshown, WallTimeApart, Work, WorkInDoubt};
use proofmark_terms::OsText;

use super::{Said, and_more, said};

pub(super) fn short(cpu_ns: u64) -> Said {
    said(
        format!(
            "a run takes {:.1} ms of CPU time, much of it start-up and not the work that is \
             compared",
            ms(cpu_ns)
        ),
        "give the program more work, so that a run takes 20 ms or more",
    )
}

pub(super) fn brief_threads(cpu_ns: u64) -> Said {
    said(
        format!(
            "a run takes {:.1} ms of CPU time and may use several cores: whether its threads \
             or processes meet in so short a time, and for how long, is a matter of how it is \
             started, so that runs by hand may show another ratio",
            ms(cpu_ns)
        ),
        "give the program more work, so that a run takes 20 ms or more",
    )
}

pub(super) fn held_up(warning: &HeldUp) -> Said {
    let HeldUp {
        share,
        build,
        found,
    } = warning;
    said(
        format!(
            "{:.0} % of the runs were held up by other programs on the machine, and {build} \
             does other things then: {found}",
            share * 100.0
        ),
        "measure again when the machine is quiet; until then the ratio is that of a busy one",
    )
}

pub(super) fn work_in_doubt(warning: &WorkInDoubt) -> Said {
    let WorkInDoubt {
        benchmark,
        build,
        beside,
        of,
        share,
        unshown,
        error,
    } = warning;
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

pub(super) fn only_an_error(warning: &OnlyAnError) -> Said {
    let OnlyAnError {
        benchmark,
        line,
        cpu_ns,
    } = warning;
    said(
        format!(
            "{}is {line} an error? It is all that the builds print, and they end after {:.1} \
             ms",
            on(benchmark.as_deref()),
            ms(*cpu_ns)
        ),
        "if it is one, mend the command: what is compared here is how fast the builds give up",
    )
}

pub(super) fn wall_time_apart(warning: &WallTimeApart) -> Said {
    let WallTimeApart {
        build,
        beside,
        wall_ns,
        beside_wall_ns,
    } = warning;
    said(
        format!(
            "from start to end a run of {build} takes {:.1} ms and one of {beside} {:.1} ms, \
             which CPU time does not show: they wait, also for a busy core, or use several cores \
             at once",
            ms(*wall_ns),
            ms(*beside_wall_ns)
        ),
        "the answer is about CPU time alone; --metric wall compares runs from start to end",
    )
}

pub(super) fn state(file: &OsText, more: u32) -> Said {
    said(
        format!(
            "runs leave {}{} otherwise than they find it: each run finds what the one before \
             has left",
            file.display(),
            and_more(more)
        ),
        "put it back before each run with --prepare",
    )
}

pub(super) fn output_taken_in(bytes: u64, share: f64) -> Said {
    said(
        format!(
            "a run prints {:.0} MiB into a file in memory, which is about {:.0} % of its CPU \
             time: where the output goes elsewhere, effects of all else are larger than this",
            bytes as f64 / f64::from(1 << 20),
            share * 100.0
        ),
        "`-- sh -c '{} ARGS >/dev/null'` measures without it, if the program does not look \
         where its output goes",
    )
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

/// The benchmark that a sentence is about, where there are several.
pub(super) fn on(benchmark: Option<&str>) -> String {
    benchmark.map_or_else(String::new, |name| format!("on {name}: "))
}

fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}
