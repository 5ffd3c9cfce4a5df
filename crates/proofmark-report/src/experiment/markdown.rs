//! A recorded experiment for a pull request: the finding in two lines, the rest folded.

use proofmark_evidence::Recorded;

use crate::markup::{code, escaped};
use crate::method::{
    blocks, command, layout_reason, left_out, limits, machine, method, programs, provenance, trees,
    warnings,
};
use crate::number::counted;
use crate::text::untied;
use crate::warning::{Said, in_words};
use crate::{comparison, null};

/// An experiment as Markdown (GitHub's); ends with a line feed.
#[must_use]
pub fn markdown(recorded: &Recorded) -> String {
    let (mut lines, details) = match (&recorded.conclusion, &recorded.null_conclusion) {
        (Some(conclusion), _) => comparison::markdown::lines(recorded, conclusion),
        (None, Some(null)) => null::markdown::lines(recorded, null),
        (None, None) => (vec![unfinished(recorded)], Vec::new()),
    };
    lines.extend(warned(recorded));
    lines.extend(["", "<details><summary>How this was measured</summary>", ""].map(str::to_owned));
    lines.extend(details);
    lines.extend(facts(recorded));
    lines.extend(["", "</details>"].map(str::to_owned));
    untied(&(lines.join("\n") + "\n"))
}

fn unfinished(recorded: &Recorded) -> String {
    let names: Vec<String> = recorded
        .experiment
        .builds
        .iter()
        .map(|build| escaped(&build.name))
        .collect();
    let done = counted(blocks(recorded), "block", "blocks");
    format!(
        "**Unfinished**: {}, {done} measured, no verdict yet",
        names.join(", ")
    )
}

/// The warnings in full, each behind an empty line.
pub(super) fn warned(recorded: &Recorded) -> Vec<String> {
    let each = warnings(recorded).iter().flat_map(|warning| {
        let Said { found, remedy } = in_words(warning);
        let remedy = if remedy.is_empty() {
            String::new()
        } else {
            format!(" → {}", escaped(&remedy))
        };
        [String::new(), format!("> ⚠ {}{remedy}", escaped(&found))]
    });
    each.collect()
}

/// How it was measured, a line each.
pub(super) fn facts(recorded: &Recorded) -> Vec<String> {
    let joined = |items: Vec<String>| escaped(&items.join(" · "));
    let mut lines = vec![format!("* Measured: {}", joined(method(recorded)))];
    lines.extend(
        trees(recorded)
            .iter()
            .chain(&programs(recorded))
            .map(|line| format!("* {}", escaped(line))),
    );
    lines.extend(layout_reason(recorded).map(|reason| format!("* Layouts: {}", escaped(&reason))));
    lines.extend(left_out(recorded.private).map(|left_out| format!("* {}", escaped(left_out))));
    lines.extend(limits(recorded).map(|limits| format!("* {}", escaped(&limits))));
    lines.push(format!("* Benchmark: {}", code(&command(recorded))));
    for build in &recorded.experiment.builds {
        let tools = build.toolchain.iter();
        let toolchain: Vec<String> = tools.map(|tool| escaped(&tool.to_string())).collect();
        lines.push(format!(
            "* Build {}: {}",
            escaped(&build.name),
            toolchain.join("; ")
        ));
    }
    let machine = machine(recorded);
    lines.extend((!machine.is_empty()).then(|| format!("* Machine: {}", joined(machine))));
    lines.push(format!(
        "* Evidence: {}",
        joined(provenance(recorded)) + &format!(" · seed {}", recorded.experiment.seed)
    ));
    lines.extend(
        recorded
            .notes
            .iter()
            .map(|note| format!("* Note: {}", escaped(&note.text))),
    );
    lines
}
