//! Ways out of a linked image: the slots that the dynamic linker fills, and the stubs that jump
//! through them.

use super::sizes::LONGEST;
use crate::decode::{self, Flow};
use crate::elf::never::never;
use crate::elf::raw::{Holds, Slot};
use crate::image::{Function, Link, LinkKind, Name, nearest};
use crate::space::Space;

/// Room for so many links is made beforehand.
const ROOM: usize = 1 << 16;

/// The links of an image with these functions, which are in order of address, as the slots are.
pub(super) fn of(space: &Space, slots: Vec<Slot>, functions: &[Function]) -> Vec<Link> {
    // A stub for each may come behind, and a landing pad. Room that is not used costs nothing,
    // growing does.
    let mut links: Vec<Link> = Vec::with_capacity(slots.len().saturating_mul(3).min(ROOM));
    for Slot { address, holds } in slots {
        let (name, never_returns) = match holds {
            Holds::Symbol {
                name,
                never_returns,
            } => (name, never_returns),
            Holds::Choice(at) => {
                let after = functions.partition_point(|f| f.address <= at);
                let Some(function) = nearest(&functions[..after], at) else {
                    continue;
                };
                let name = plainest(&functions[function]);
                let never_returns = never(&name);
                (name, never_returns)
            }
        };
        // What is filled twice has what it is filled with last.
        if links.last().is_some_and(|last| last.address == address) {
            links.pop();
        }
        links.push(Link {
            address,
            name,
            kind: LinkKind::Slot,
            slot: address,
            never_returns,
        });
    }
    let stubs = stubs(space, &links);
    links.extend(stubs);
    // Of a stub and a slot in one place the slot stays.
    fn place(link: &Link) -> (&str, bool) {
        (&link.name, link.kind == LinkKind::Stub)
    }
    links.sort_by(|a, b| {
        let by_address = a.address.cmp(&b.address);
        by_address.then_with(|| place(a).cmp(&place(b)))
    });
    links.dedup_by_key(|l| l.address);
    links
}

/// The name of the function that chooses: what programs call it by, which is the plainest.
fn plainest(function: &Function) -> Name {
    let names = function.symbol.iter().chain(&function.aliases);
    let underscores = |name: &Name| name.bytes().iter().take_while(|b| **b == b'_').count();
    let plainest = names.min_by_key(|name| (underscores(name), name.bytes().len()));
    plainest
        .cloned()
        .unwrap_or_else(|| Name::from(&*function.symbol()))
}

/// The stubs: in each, the jump through a slot gives the name, and the stub begins where the one
/// before ended. `slots` in order of address.
fn stubs(space: &Space, slots: &[Link]) -> Vec<Link> {
    let mut links = Vec::new();
    // Of real files, all stubs together are not as long as one function may be.
    let sections = space.sections.iter();
    for section in sections.filter(|s| s.stubs && s.size <= LONGEST) {
        let mut landing = None;
        let mut first = None;
        decode::for_each(space, section.address, section.size, |op| {
            if op.traits.is_landing_pad() {
                landing = Some(op.address);
            }
            if op.traits.is_page() {
                first = Some(op.address);
            }
            if op.flow != Flow::IndirectJump {
                return;
            }
            if let Ok(slot) = slots.binary_search_by_key(&op.target, |s| s.address) {
                let jump = op.address;
                let body = first.unwrap_or(jump);
                let landing = landing.filter(|l| body.checked_sub(*l).is_some_and(|by| by <= 8));
                links.extend(landing.into_iter().chain([body]).map(|address| Link {
                    address,
                    kind: LinkKind::Stub,
                    ..slots[slot].clone()
                }));
            }
            (landing, first) = (None, None);
        });
    }
    links
}
