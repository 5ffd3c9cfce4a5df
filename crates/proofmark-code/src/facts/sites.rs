//! The places in a function that its facts count.

use super::Fact;
use super::observer::Observer;
use super::walk::{Scratch, watched};
use crate::address::Address;
use crate::decode::{Decode, Op, Traits};
use crate::image::Image;

/// A place that a fact counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Where the instruction stands.
    pub address: Address,
    /// The instruction, in the assembler's usual syntax.
    pub text: String,
    /// Where the callee is, for a call of a known function.
    pub callee: Option<Address>,
}

/// The places that the wanted facts count; with none wanted, all calls of known functions.
pub(super) fn of(image: &Image, index: usize, wanted: impl Fn(Fact) -> bool) -> Vec<Site> {
    let all_calls = !Fact::ALL.iter().any(|f| wanted(*f));
    let mut collector = Collector {
        image,
        wanted,
        all_calls,
        sites: Vec::new(),
        frame: Vec::new(),
        is_frame: false,
    };
    watched(image, index, &mut Scratch::default(), &mut collector);
    if collector.is_frame {
        collector.sites.append(&mut collector.frame);
        collector.sites.sort_by_key(|s| s.address);
    }
    collector.sites
}

/// Collects places.
struct Collector<'a, F> {
    image: &'a Image,
    wanted: F,
    all_calls: bool,
    sites: Vec<Site>,
    /// The frame-relative traffic, kept until it is known whether the register is a frame pointer.
    frame: Vec<Site>,
    is_frame: bool,
}

impl<F: Fn(Fact) -> bool> Collector<'_, F> {
    fn site(&self, op: &Op, callee: Option<u64>, decoder: &mut impl Decode) -> Site {
        let text = decoder.text(self.image);
        Site {
            address: Address::new(op.address),
            text,
            callee: callee.map(Address::new),
        }
    }
}

impl<F: Fn(Fact) -> bool> Observer for Collector<'_, F> {
    const WATCHES: bool = true;

    fn place(&mut self, fact: Fact, op: &Op, decoder: &mut impl Decode) {
        if (self.wanted)(fact) {
            let site = self.site(op, None, decoder);
            self.sites.push(site);
        }
        self.is_frame |= op.traits.has(Traits::SETS_FRAME);
        let load = op.traits.has(Traits::FRAME_LOAD) && (self.wanted)(Fact::StackLoads);
        let store = op.traits.has(Traits::FRAME_STORE) && (self.wanted)(Fact::StackStores);
        if fact == Fact::Instructions && (load || store) {
            let site = self.site(op, None, decoder);
            self.frame.push(site);
        }
    }

    fn call(&mut self, op: &Op, target: u64, decoder: &mut impl Decode) {
        if self.all_calls {
            let site = self.site(op, Some(target), decoder);
            self.sites.push(site);
        }
    }
}
