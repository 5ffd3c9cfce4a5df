//! Builds that are one program: said at once, and not measured.

use proofmark_lab::{Alike, Subject, alike};
use proofmark_report::{Gate, GateOutcome};

use crate::commands::compare::CompareArgs;
use crate::commands::report::FormatArg;
use crate::context;
use crate::exit::Exit;

/// The answer where all builds are the base; `None` where there is something to measure. Of those
/// that are among others it is only said.
pub(crate) fn answer(subjects: &[Subject], args: &CompareArgs) -> anyhow::Result<Option<Exit>> {
    let Some((base, others)) = subjects.split_first() else {
        return Ok(None);
    };
    let ways: Vec<(&Subject, Option<Alike>)> = others
        .iter()
        .map(|other| (other, alike(base, other)))
        .collect();
    let known = |way: &Option<Alike>| matches!(way, Some(Alike::Bytes | Alike::Loaded));
    let all = ways.iter().all(|(_, way)| known(way));
    let told: Vec<String> = ways
        .iter()
        .filter_map(|(other, way)| Some(said(&base.name, &other.name, (*way)?)))
        .collect();
    if !all {
        for line in told {
            context::say(&format!("proofmark: {line}"));
        }
        return Ok(None);
    }
    show(base, &ways, &told, args)?;
    let gates = args.fail_if.iter().chain(&args.require);
    Ok(Some(judged(gates)))
}

fn said(base: &str, new: &str, way: Alike) -> String {
    match way {
        Alike::Bytes => format!("{new} and {base} are the same bytes, libraries included"),
        Alike::Loaded => format!(
            "{new} and {base} are the same program: they differ in debug information, symbol names or the build id alone"
        ),
        Alike::Perhaps => format!(
            "{new} and {base} are the same bytes; only what they load or read while they run, or do by their names, can differ"
        ),
    }
}

fn show(
    base: &Subject,
    ways: &[(&Subject, Option<Alike>)],
    told: &[String],
    args: &CompareArgs,
) -> anyhow::Result<()> {
    let text = format!(
        "{}.\nNothing was measured. Where what differs lies beside them, --measure-equal measures all the same.\n",
        told.join(".\n")
    );
    let json = args.output.json || args.output.format == FormatArg::Json;
    match args.output.format {
        _ if json => {
            let builds: Vec<serde_json::Value> = ways
                .iter()
                .map(|(other, way)| {
                    let how = match way {
                        Some(Alike::Loaded) => "same-when-loaded",
                        _ => "same-bytes",
                    };
                    serde_json::json!({ "name": other.name, "how": how })
                })
                .collect();
            context::print_json(&serde_json::json!({
                "schema": "proofmark-equal/1",
                "base": base.name,
                "equal": builds,
            }))
        }
        // There is no sample.
        FormatArg::Csv => {
            context::say(text.trim_end());
            Ok(())
        }
        _ => context::print(&text),
    }
}

/// Gates hold or fail by a ratio of exactly 1.
fn judged<'a>(gates: impl Iterator<Item = &'a Gate>) -> Exit {
    let mut exit = Exit::Done;
    for gate in gates {
        if let GateOutcome::Failed { why } = gate.judge_equal() {
            exit = Exit::Failed;
            context::say(&format!("proofmark: {why}"));
        }
    }
    exit
}
