//! The nearest cause of a broken expectation that can be named: what is known of compilers, and what the code itself shows.

use std::collections::BTreeMap;

use super::check::Whole;
use super::condition::Term;
use crate::facts::{Fact, Facts, Via};
use crate::image::Image;
use crate::listing::listing;
use crate::{Address, Arch};

/// clang 19 stopped copying indirect jumps: `-tail-dup-pred-size` and `-tail-dup-succ-size` came with a limit of 16;
/// clang 18 and 20 copy them.
const MERGING: u32 = 19;

/// The cause of a number being other than expected.
pub(super) fn of(whole: &Whole<'_>, term: &Term, found: u64, wanted: u64) -> Option<String> {
    match term {
        Term::CallsTo(_) => inlined_at(whole, term),
        Term::Fact(fact) if found < wanted => too_few(whole, *fact, wanted),
        Term::Fact(fact) => too_many(whole, *fact),
        _ => None,
    }
}

fn too_few(whole: &Whole<'_>, fact: Fact, wanted: u64) -> Option<String> {
    match fact {
        Fact::IndirectJumps | Fact::ComputedGotos | Fact::JumpTables | Fact::UnknownJumps => {
            merged(whole, fact)
        }
        Fact::TailCalls | Fact::DirectTailCalls | Fact::IndirectTailCalls => not_tail(whole),
        Fact::VectorBits => of_vectors(whole, wanted),
        _ => None,
    }
}

fn too_many(whole: &Whole<'_>, fact: Fact) -> Option<String> {
    let facts = &whole.facts;
    match fact {
        Fact::StackLoads | Fact::StackStores => {
            let calls = facts.get(Fact::DirectCalls) + facts.get(Fact::IndirectCalls);
            let unoptimised = facts.get(Fact::StackLoads) + facts.get(Fact::StackStores)
                > facts.get(Fact::Instructions) / 3;
            if unoptimised && facts.get(Fact::Instructions) > 12 {
                return Some("a third of its instructions use the stack, as in code that was not optimised (-O0)".to_string());
            }
            Some(format!(
                "{calls} calls in it: what lives across a call must be kept on the stack when the registers that survive calls run out"
            ))
        }
        Fact::Bytes | Fact::Instructions | Fact::Lines64 | Fact::L1iSets => largest_inlined(whole),
        Fact::IndirectCalls if facts.get(Fact::LinkageCalls) > 0 => Some(format!(
            "{} of them reach another library through the global offset table (-fno-plt)",
            facts.get(Fact::LinkageCalls)
        )),
        Fact::TailCalls | Fact::DirectCalls | Fact::PltCalls => most_called(whole),
        _ => None,
    }
}

/// Fewer indirect jumps than there should be.
fn merged(whole: &Whole<'_>, fact: Fact) -> Option<String> {
    let facts = &whole.facts;
    let all = facts.get(Fact::IndirectJumps);
    if fact != Fact::IndirectJumps && all > facts.get(fact) {
        let mut kinds = vec![format!("{all} indirect jumps in all")];
        for kind in [
            Fact::JumpTables,
            Fact::ComputedGotos,
            Fact::IndirectTailCalls,
            Fact::UnknownJumps,
        ] {
            if kind != fact && facts.get(kind) > 0 {
                kinds.push(format!("{} {kind}", facts.get(kind)));
            }
        }
        return Some(kinds.join(", "));
    }
    let image = whole.subject.image;
    let compiler = compiler(whole);
    match clang_version(&compiler) {
        Some(MERGING) => Some(format!(
            "{compiler} merges the indirect jumps of a threaded interpreter into one that all opcodes share, which predicts worse: \
             from version 19 it no longer copies a jump with many targets back to the end of each opcode. \
             -mllvm -tail-dup-pred-size=5000 brings the copies back; clang 18 and 20 make them by themselves"
        )),
        Some(_) | None if facts.get(Fact::JumpTables) > 0 && compiler.contains("GCC") => Some(format!(
            "{compiler} never copies the jump of a 'switch': labels as values (goto *table[op]) at the end of each opcode make several"
        )),
        _ => (all == 0 && image.functions()[whole.index].parent().is_none())
            .then(|| "no indirect jump is left: the dispatch became comparisons, or stands in another function".to_string()),
    }
}

/// The compiler of the function's own source file where debug information says it, else of the file.
fn compiler(whole: &Whole<'_>) -> String {
    let from_debug = whole
        .subject
        .sources()
        .map(crate::Sources::producers)
        .unwrap_or_default();
    let written = whole.subject.image.producers().to_vec();
    let all: Vec<String> = from_debug.into_iter().chain(written).collect();
    let clang = all.iter().find(|p| p.contains("clang version"));
    clang
        .or_else(|| {
            all.iter()
                .find(|p| p.contains("GCC") || p.contains("GNU C"))
        })
        .cloned()
        .unwrap_or_default()
}

/// The major version in `Debian clang version 19.1.7 (…)`.
fn clang_version(producer: &str) -> Option<u32> {
    let (_, rest) = producer.split_once("clang version ")?;
    rest.split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// A call followed by nothing but the epilogue could have been a tail call.
fn not_tail(whole: &Whole<'_>) -> Option<String> {
    let calls = whole.facts.get(Fact::DirectCalls) + whole.facts.get(Fact::IndirectCalls);
    if calls == 0 {
        return Some("the function calls nothing at all".to_string());
    }
    let mut last = 0u64;
    let mut called = false;
    let mut pops = false;
    for line in listing(whole.subject.image, whole.index, None) {
        let word = line.text.split_whitespace().next().unwrap_or("");
        match word {
            _ if word.starts_with("call") || word.starts_with("bl") => {
                (called, pops) = (true, false);
            }
            "ret" | "retq" if called => last += 1,
            "pop" | "popq" | "add" | "addq" | "leave" | "ldp" | "ldr" if called => pops = true,
            _ => called = false,
        }
    }
    let _ = pops;
    if last > 0 {
        return Some(format!(
            "{last} calls stand right before a return and were not made tail calls: the callee's arguments or result differ, a local's address \
             is passed on, or the build is not optimised; [[clang::musttail]] says why"
        ));
    }
    Some(
        "every call has work behind it: freeing locals, destructors, or use of the result"
            .to_string(),
    )
}

/// Narrower vectors than expected.
pub(super) fn of_vectors(whole: &Whole<'_>, wanted: u64) -> Option<String> {
    let image = whole.subject.image;
    let widest = Facts::all(image)
        .iter()
        .map(|f| f.get(Fact::VectorBits))
        .max()
        .unwrap_or(0);
    if widest < wanted {
        let how = match image.arch() {
            Arch::X86_64 => "-mavx2 or -march=x86-64-v3",
            Arch::Aarch64 => "-march=armv8.2-a+sve",
        };
        return Some(format!(
            "no function of this file uses vectors of {wanted} bits: was it built for a machine that has them ({how})?"
        ));
    }
    Some("other functions of this file use them, so the machine is not the reason: -Rpass-missed=loop-vectorize (clang) or -fopt-info-vec-missed (gcc) says why this loop was not vectorised".to_string())
}

/// The function from which a call was inlined.
fn inlined_at(whole: &Whole<'_>, term: &Term) -> Option<String> {
    let sources = whole.subject.sources()?;
    let mut through: BTreeMap<String, u64> = BTreeMap::new();
    for site in whole.sites(term) {
        if let Some(inner) = sources.inlined_at(site.address).into_iter().next() {
            *through.entry(inner).or_insert(0) += 1;
        }
    }
    let (name, sites) = through.into_iter().max_by_key(|(_, n)| *n)?;
    Some(format!(
        "{sites} of them came in with {name}, which was inlined here"
    ))
}

/// What was inlined and takes most room.
fn largest_inlined(whole: &Whole<'_>) -> Option<String> {
    /// Looking up each instruction of a very long function would take too long.
    const MOST: usize = 20_000;
    let sources = whole.subject.sources()?;
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    for line in listing(whole.subject.image, whole.index, None)
        .into_iter()
        .take(MOST)
    {
        if let Some(outermost) = sources.inlined_at(line.address).pop() {
            *sizes.entry(outermost).or_insert(0) += line.bytes.len();
        }
    }
    let mut sizes: Vec<(String, usize)> = sizes.into_iter().collect();
    sizes.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let list: Vec<String> = sizes
        .into_iter()
        .take(3)
        .map(|(name, bytes)| format!("{name} ({bytes} bytes)"))
        .collect();
    (!list.is_empty()).then(|| format!("inlined into it, the largest first: {}", list.join(", ")))
}

fn most_called(whole: &Whole<'_>) -> Option<String> {
    let callees = whole.facts.callees(whole.subject.image);
    let mut callees: Vec<(String, u64)> = callees.into_iter().collect();
    callees.sort_by_key(|(_, sites)| std::cmp::Reverse(*sites));
    let list: Vec<String> = callees
        .into_iter()
        .take(3)
        .map(|(name, sites)| format!("{name} ({sites})"))
        .collect();
    (!list.is_empty()).then(|| format!("it calls {}", list.join(", ")))
}

/// Why a function is still there.
pub(super) fn of_presence(whole: &Whole<'_>) -> Option<String> {
    let image = whole.subject.image;
    let target = image.functions()[whole.index].address();
    let mut callers: Vec<(String, u64)> = Vec::new();
    for (i, facts) in Facts::all(image).iter().enumerate() {
        let sites: u64 = facts
            .calls()
            .iter()
            .filter(|c| leads(image, c.target, target))
            .map(|c| c.sites)
            .sum();
        if sites > 0 && i != whole.index {
            callers.push((image.functions()[i].name(), sites));
        }
    }
    callers.sort_by_key(|(_, sites)| std::cmp::Reverse(*sites));
    if callers.is_empty() {
        return Some(
            "nothing calls it directly: it is exported, or its address is taken".to_string(),
        );
    }
    let tails = Facts::of(image, whole.index)
        .calls()
        .iter()
        .any(|c| c.target == target && c.via != Via::TailCall);
    let recursive = if tails { "; it calls itself" } else { "" };
    let list: Vec<String> = callers
        .iter()
        .take(3)
        .map(|(name, sites)| format!("{name} ({sites})"))
        .collect();
    Some(format!("called by {}{recursive}", list.join(", ")))
}

/// Whether a call target is a function, directly or through a stub with its name.
fn leads(image: &Image, call: Address, function: Address) -> bool {
    if call == function {
        return true;
    }
    let name = image.link_at(call.get()).map(|l| l.name.as_ref());
    let index = image.function_at(function.get());
    name.is_some() && index.is_some_and(|i| image.functions()[i].symbol.as_deref() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_compilers_write() {
        assert_eq!(
            clang_version("Debian clang version 19.1.7 (3+b1)"),
            Some(19)
        );
        assert_eq!(
            clang_version("clang version 18.1.6 (https://github.com/…)"),
            Some(18)
        );
        assert_eq!(clang_version("GCC: (Debian 12.2.0-14) 12.2.0"), None);
    }
}
