//! Numbers of an explanation, as they are written.

use proofmark_evidence::record::{
    Counted, DifferenceFound, FunctionBetween, FunctionChange, PlaceFound, PlaceOf,
};

use crate::number::{grouped, signed};

/// A share of the base's time: `12.3 %`.
pub(super) fn share(share: f64) -> String {
    // Below noise the kernel's share may come out negative.
    let percent = (share * 1e3).round() / 10.0;
    format!("{:.1} %", if percent == 0.0 { 0.0 } else { percent })
}

/// A difference of shares with its interval: `+7.1 % [+6.2, +8.0]`.
pub(super) fn difference(found: &DifferenceFound) -> String {
    let bound = |bound: f64| {
        let digits = format!("{:+.1}", bound * 100.0);
        digits.replace('-', "−")
    };
    format!(
        "{} % [{}, {}]",
        bound(found.estimate),
        bound(found.low),
        bound(found.high)
    )
}

/// A count, in whole numbers where it is one.
pub(super) fn count(count: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count is positive, and below 2⁵³"
    )]
    let whole = count.max(0.0).round() as u64;
    if count > 0.0 && count < 10.0 && (count - count.round()).abs() > 0.05 {
        format!("{count:.1}")
    } else {
        grouped(whole)
    }
}

/// How much more: `+23 %`, or `+1,000` where the base has none.
pub(super) fn more(base: f64, new: f64) -> String {
    // From here on per cents are hard to read.
    const TIMES: f64 = 3.0;
    if base > 0.0 && new / base >= TIMES {
        format!("{:.0} times as many", new / base)
    } else if base > 0.0 {
        signed(new / base - 1.0)
    } else if new > 0.0 {
        format!("+{}", count(new))
    } else {
        "0".to_owned()
    }
}

/// What is counted, in words.
pub(super) fn counted(what: Counted) -> &'static str {
    match what {
        Counted::Instructions => "instructions",
        Counted::SystemCalls => "system calls",
        Counted::PageFaults => "page faults",
        Counted::Waits => "voluntary switches",
        Counted::Preempted => "other switches",
        Counted::BytesRead => "bytes read",
        Counted::BytesWritten => "bytes written",
        Counted::Cycles => "cycles",
        Counted::Branches => "branches",
        Counted::BranchMisses => "branch misses",
        Counted::InstructionCacheMisses => "instruction cache misses",
        Counted::DataCacheMisses => "data cache misses",
        Counted::LastLevelMisses => "last-level misses",
        Counted::InstructionTlbMisses => "instruction TLB misses",
        Counted::DataTlbMisses => "data TLB misses",
    }
}

/// A place, in words.
pub(super) fn place(place: &PlaceOf) -> String {
    match place {
        PlaceOf::Function { name, .. } => name.clone(),
        PlaceOf::Nameless => "functions without a name".to_owned(),
        PlaceOf::Library { file } => format!("library {file}"),
        PlaceOf::Kernel => "kernel, and starting".to_owned(),
        PlaceOf::Unknown => "unknown code".to_owned(),
    }
}

/// How the machine code of a function changed: `changed: 120 → 150 instructions, 3 → 4 calls, 41 →
/// 1 indirect jumps`.
pub(super) fn code(code: &FunctionBetween) -> String {
    let two = |[base, new]: [u64; 2], what: &str| format!("{base} → {new} {what}");
    let other = |both: [u64; 2], what: &str| (both[0] != both[1]).then(|| two(both, what));
    match code.how {
        FunctionChange::Changed => {
            let jumps = code.indirect_jumps.unwrap_or_default();
            let all = [
                Some(two(code.instructions, "instructions")),
                other(code.calls, "calls"),
                other(jumps, "indirect jumps"),
            ];
            let all: Vec<String> = all.into_iter().flatten().collect();
            format!("changed: {}", all.join(", "))
        }
        FunctionChange::Added => format!(
            "only in the new build: {} instructions",
            code.instructions[1]
        ),
        FunctionChange::Removed => {
            format!("only in the base: {} instructions", code.instructions[0])
        }
    }
}

/// Whether it is counted by the processor's own counters alone.
pub(super) fn is_of_processor(what: Counted) -> bool {
    matches!(
        what,
        Counted::Cycles
            | Counted::Branches
            | Counted::BranchMisses
            | Counted::InstructionCacheMisses
            | Counted::DataCacheMisses
            | Counted::LastLevelMisses
            | Counted::InstructionTlbMisses
            | Counted::DataTlbMisses
    )
}

/// A place with what differs there, in words.
pub(super) fn one_place(found: &PlaceFound) -> String {
    let by = found
        .difference
        .map_or_else(String::new, |by| format!(", {}", difference(&by)));
    let code = found
        .code
        .as_ref()
        .map_or_else(String::new, |one| format!(", {}", code(one)));
    let line = found.line.as_ref().map_or_else(String::new, |line| {
        format!(", line {}:{} above all", line.file, line.line)
    });
    format!(
        "{} {} → {} of the base's run{by}{code}{line}",
        place(&found.place),
        share(found.base),
        share(found.new)
    )
}
