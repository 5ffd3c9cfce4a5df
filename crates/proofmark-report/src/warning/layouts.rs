//! Warnings about where code lies, in words.

use proofmark_evidence::record::{
    DataNotDrawn, Departure, DrawnWork, HardlyMovable, PopulationsDisagree, ReadsItself,
    ShippedApart, UndrawnData,
};
use proofmark_hint::hint;

use super::{Said, said};
use crate::number::grouped;

pub(super) fn shipped_apart(warning: &ShippedApart) -> Said {
    let ShippedApart {
        build,
        shipped,
        over_layouts,
        explained,
        drawn,
    } = warning;
    let explains = match explained {
        Some(most) => format!(
            "what layouts draw explains no more than ±{:.1} % of that",
            most * 100.0
        ),
        None => "blocks are too few to tell how much of that layouts explain".to_owned(),
    };
    let apart = format!(
        "as shipped, {build} differs from the base by a ratio of {shipped:.3}, over layouts by \
         {over_layouts:.3}: {explains}"
    );
    match drawn {
        Some(DrawnWork::Same) => said(
            format!(
                "{apart}. Drawn images run the same instructions as the files themselves: that is \
                 placement too, of a kind that no layout here has"
            ),
            "the verdict is about the change, wherever the code lies; --layouts as-shipped \
             compares the files as they lie",
        ),
        Some(drawn @ DrawnWork::Evened { .. }) => said(
            format!("{apart}. There is no verdict: {}", other_work(drawn)),
            "--layouts independent gives each build its own data",
        ),
        Some(drawn @ DrawnWork::Reordered { .. }) => said(
            format!("{apart}. There is no verdict: {}", other_work(drawn)),
            "--layouts independent gives each build its own order",
        ),
        Some(drawn @ DrawnWork::Spread { .. }) => said(
            format!("{apart}. There is no verdict: {}", other_work(drawn)),
            "--layouts independent lays each build out on its own",
        ),
        Some(drawn) => said(
            format!("{apart}. There is no verdict: {}", other_work(drawn)),
            COMPARE_FILES,
        ),
        None => said(
            apart,
            format!("believe neither figure until it is known what else differs; {COMPARE_FILES}"),
        ),
    }
}

pub(super) fn reads_itself(warning: &ReadsItself) -> Said {
    let ReadsItself { build, drawn } = warning;
    said(
        format!(
            "runs of {build} read the executable file that they run, which is another file in each \
             layout. There is no verdict: {}",
            other_work(drawn)
        ),
        COMPARE_FILES,
    )
}

/// What to do where layouts are another program.
const COMPARE_FILES: &str = "--layouts as-shipped compares the files as they are";

/// How drawn images differ from those as shipped in what they do.
fn other_work(drawn: &DrawnWork) -> String {
    match drawn {
        DrawnWork::Same => "drawn images run the same instructions".to_owned(),
        DrawnWork::Other {
            build,
            shipped,
            drawn,
        } => format!(
            "{build} runs {} instructions as shipped and {} in a drawn layout, so that it behaves \
             otherwise there (a program that looks at its own code or at its addresses may do that)",
            grouped(*shipped),
            grouped(*drawn)
        ),
        DrawnWork::Evened {
            build,
            count,
            example,
        } => {
            let more = match count.saturating_sub(1) {
                0 => String::new(),
                more => format!(", and {} more", grouped(more)),
            };
            format!(
                "layouts give both builds data of one size, and in the files that of {build} has \
                 another size ({example}{more})"
            )
        }
        DrawnWork::Reordered {
            build,
            count,
            example,
        } => format!(
            "layouts have one order of functions and data for both builds, and in the file of \
             {build} {} of them stand in another one, such as {example}",
            grouped(*count)
        ),
        DrawnWork::Spread {
            build,
            code,
            lines: [own_lines, lines],
            pages: [own_pages, pages],
        } => format!(
            "layouts leave room in {build} for what only the other build has: its {} lies in {} \
             cache lines in {} pages in the file, and in {} in {} there",
            if *code { "code" } else { "data" },
            grouped(*own_lines),
            grouped(*own_pages),
            grouped(*lines),
            grouped(*pages)
        ),
        DrawnWork::Unknown { why } => {
            format!("nobody knows whether drawn images do the same work ({why})")
        }
    }
}

pub(super) fn not_controlled(reason: &str) -> Said {
    said(
        format!("placement was not varied: {reason}"),
        format!(
            "{}; until then a difference of a few per cent may be where the linker put the code",
            if reason.starts_with("asked for") {
                "leave that out"
            } else {
                "capture the builds"
            }
        ),
    )
}

pub(super) fn one_placement(reason: &str) -> Said {
    said(
        format!(
            "placement was not varied: {reason}. All builds are one program, so that its code lies \
             at the same places in each; how large the effect would be in other places is not known"
        ),
        if reason.starts_with("asked for") {
            "leave that out"
        } else {
            "capture the build of the program, and each block has another layout of it"
        },
    )
}

pub(super) fn hardly_movable(warning: &HardlyMovable) -> Said {
    let HardlyMovable {
        build,
        movable,
        capture,
    } = warning;
    said(
        format!(
            "only {:.0} % of the code of {build} can be moved, so that layouts vary little",
            movable * 100.0
        ),
        // By its content: a revision or a cell of a matrix is captured under a name that nobody
        // has seen.
        format!("{} says why", hint("builds show", &[first_digits(capture)])),
    )
}

pub(super) fn data_not_drawn(warning: &DataNotDrawn) -> Said {
    let DataNotDrawn { builds, what, why } = warning;
    let stays = match what {
        UndrawnData::Distances => {
            return said(
                format!(
                    "{}: sections with names of their own ({why}) are longer or shorter than in the \
                     first build. What stands behind them is elsewhere in all layouts alike. A \
                     difference may be where it lies",
                    builds.join(", ")
                ),
                "",
            );
        }
        UndrawnData::Heap => {
            return said(
                format!(
                    "the heaps of runs begin at a page in all layouts ({why}). A difference may be \
                     where allocated data lies"
                ),
                "",
            );
        }
        UndrawnData::All => "layouts leave data where the linker puts it",
        UndrawnData::Constants => "layouts leave constants where the linker puts them",
        UndrawnData::Merged => {
            "layouts leave texts and constants that the linker merges where it puts them"
        }
        UndrawnData::Sections => {
            "layouts leave sections with names of their own where the linker puts them"
        }
    };
    said(
        format!(
            "{}: {stays} ({why}). A difference may be where these lie",
            builds.join(", ")
        ),
        "",
    )
}

pub(super) fn populations_disagree(warning: &PopulationsDisagree) -> Said {
    let PopulationsDisagree {
        build,
        here,
        ratio,
        there,
        other_ratio,
        experiment,
    } = warning;
    said(
        format!(
            "{build}: {ratio:.3} over {here} layouts, but {other_ratio:.3} over {there} \
             layouts (experiment {}): locality is part of the effect",
            experiment.short()
        ),
        "`pad` answers for the program with its functions in the order they are in; \
         `shuffle` for any order",
    )
}

pub(super) fn not_at_one_address(examples: &[String]) -> Said {
    let examples: Vec<String> = examples.iter().map(|name| format!("`{name}`")).collect();
    said(
        format!(
            "some code or data (such as {}) is at other addresses in the builds; harmless where it \
             is seldom used",
            examples.join(", ")
        ),
        "",
    )
}

pub(super) fn departed(builds: &[String], departure: &Departure) -> Said {
    let Said { found, remedy } = departure_in_words(departure);
    said(format!("{}: {found}", builds.join(", ")), remedy)
}

fn departure_in_words(departure: &Departure) -> Said {
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
        Departure::BuiltOtherwise => said(
            "built once more from the same sources it is another program, and one build stands for \
             it: the difference may be a rebuild",
            "--repeat 4 builds each revision four times, and each block draws one of these builds",
        ),
    }
}

fn first_digits(digest: &str) -> &str {
    const DIGITS: usize = 12;
    digest.get(..DIGITS).unwrap_or(digest)
}
