//! The nearest cause of a broken expectation that can be named: what is known of compilers, and
//! what the code itself shows.

use std::collections::BTreeMap;

use super::compiler::{Compiler, Family, Origin};
use super::dispatch::{Shared, most_shared};
use super::term::Term;
use super::vectors;
use super::whole::Whole;
use super::wording::counted;
use crate::address::Address;
use crate::facts::{Fact, Facts, Via};
use crate::image::Image;
use crate::listing::listing;

/// clang 19 no longer copies an indirect jump that more than 16 places share
/// (`-tail-dup-pred-size`, `-tail-dup-succ-size`); clang 18 and 20 do.
const MERGING: Family = Family::Clang(19);
/// So many jumps back to one indirect jump are the dispatch of an interpreter; fewer may be any
/// loop around a `switch`.
const MANY: u64 = 16;

/// The cause of a number being other than expected; `wanted` is the least number where too few were
/// found.
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
            too_few_jumps(whole, fact)
        }
        Fact::TailCalls | Fact::DirectTailCalls | Fact::IndirectTailCalls => not_tail(whole),
        Fact::VectorBits => vectors::of_width(whole, wanted),
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
                return Some("more than a third of its instructions use the stack, as in code that was not optimised (-O0)".to_string());
            }
            let across = if calls == 0 {
                String::new()
            } else {
                format!(", and what lives across its {}", counted(calls, "call"))
            };
            Some(format!(
                "on the stack may stand arrays, locals whose address is taken, values for which registers run out{across}"
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
fn too_few_jumps(whole: &Whole<'_>, fact: Fact) -> Option<String> {
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
    if let Some(shared) = most_shared(whole).filter(|s| s.sites >= MANY) {
        return Some(merged(whole, shared));
    }
    let image = whole.subject.image;
    (all == 0 && image.functions()[whole.index].parent().is_none()).then(|| {
        "no indirect jump is left: the dispatch became comparisons, or stands in another function"
            .to_string()
    })
}

/// Why many places share one indirect jump.
fn merged(whole: &Whole<'_>, shared: Shared) -> String {
    let what = format!(
        "{} jumps lead back to the indirect one at {}, which predicts worse than one at the end of each opcode",
        shared.sites, shared.jump
    );
    let why = match Origin::of(whole) {
        Origin::Known(compiler) => habit(whole, &compiler),
        Origin::OneOf(compilers) => if_it_was(whole, &compilers),
        Origin::Unknown => None,
    };
    match why {
        Some(why) => format!("{what}: {why}"),
        None => what,
    }
}

/// What is known of a compiler that makes jumps share.
fn habit(whole: &Whole<'_>, compiler: &Compiler) -> Option<String> {
    let name = &compiler.name;
    let switch = whole.facts.get(Fact::JumpTables) > 0;
    match compiler.family {
        family if family == MERGING => Some(format!(
            "{name} merges the indirect jumps of a threaded interpreter, for from version 19 it no longer copies a jump with many targets \
             back to the end of each opcode. -mllvm -tail-dup-pred-size=5000 brings the copies back; clang 18 and 20 make them by themselves"
        )),
        Family::Gcc if switch => Some(format!(
            "{name} does not copy the jump of a 'switch': labels as values (goto *table[op]) at the end of each opcode make several"
        )),
        Family::Gcc => Some(format!(
            "{name} lets opcodes that end alike share their end: -fno-crossjumping keeps them apart, and \
             --param max-goto-duplication-insns=N has longer ends copied (gcc 12: up to 8 instructions)"
        )),
        Family::Clang(_) | Family::Other => None,
    }
}

/// Of several compilers that the file names, clang 19 is worth a word, with its condition.
fn if_it_was(whole: &Whole<'_>, compilers: &[Compiler]) -> Option<String> {
    let merging = compilers.iter().find(|c| c.family == MERGING)?;
    let names: Vec<&str> = compilers.iter().map(|c| c.name.as_str()).collect();
    Some(format!(
        "the file names {}, and no debug information (-g) says which of them made this function; if it was clang 19: {}",
        names.join(" and "),
        habit(whole, merging)?
    ))
}

/// A call followed by nothing but the epilogue could have been a tail call.
fn not_tail(whole: &Whole<'_>) -> Option<String> {
    let calls = whole.facts.get(Fact::DirectCalls) + whole.facts.get(Fact::IndirectCalls);
    if calls == 0 {
        return Some(match whole.facts.get(Fact::TailCalls) {
            0 => "the function calls nothing at all".to_string(),
            all => format!("it has no other calls than {}", counted(all, "tail call")),
        });
    }
    if never_returning(whole) >= calls {
        return Some(
            "what it calls never returns, and compilers make no tail calls of such calls"
                .to_string(),
        );
    }
    let last = before_returns(whole);
    if last > 0 {
        let stand = if last == 1 { "stands" } else { "stand" };
        return Some(format!(
            "{} {stand} right before a return: it may be that the callee's arguments or result differ, that a local's address is passed on, \
             or that the build is not optimised; [[clang::musttail]] says why",
            counted(last, "call")
        ));
    }
    Some(
        "no call stands right before a return: work may be left behind it, as freeing locals, destructors, or use of the result"
            .to_string(),
    )
}

/// The sites that call what is known never to return.
fn never_returning(whole: &Whole<'_>) -> u64 {
    let image = whole.subject.image;
    let calls = whole.facts.calls().iter();
    let calls = calls.filter(|c| c.via != Via::TailCall && image.never_returns(c.target.get()));
    calls.map(|c| u64::from(c.sites)).sum()
}

/// The calls behind which only the epilogue and the return stand.
fn before_returns(whole: &Whole<'_>) -> u64 {
    let mut last = 0u64;
    let mut called = false;
    for line in listing(whole.subject.image, whole.index, None) {
        let word = line.text.split_whitespace().next().unwrap_or("");
        match word {
            _ if word.starts_with("call") || word.starts_with("bl") => called = true,
            "ret" | "retq" if called => last += 1,
            // The epilogue.
            "pop" | "popq" | "leave" => {}
            "add" | "addq" | "ldp" | "ldr" if of_stack(&line.text) => {}
            _ => called = false,
        }
    }
    last
}

/// Whether the text of an instruction names the stack pointer.
fn of_stack(text: &str) -> bool {
    ["%rsp", " sp,", "[sp"]
        .iter()
        .any(|name| text.contains(name))
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
            .map(|c| u64::from(c.sites))
            .sum();
        if sites > 0 && i != whole.index {
            callers.push((image.functions()[i].name(), sites));
        }
    }
    callers.sort_by_key(|(_, sites)| std::cmp::Reverse(*sites));
    if callers.is_empty() {
        return Some(
            "nothing calls it directly: it may be exported, or its address taken".to_string(),
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
