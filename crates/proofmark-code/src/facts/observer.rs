//! Who is told of each place that is counted.

use super::Fact;
use crate::decode::{Decode, Op};

/// What is told of each counted place.
pub(super) trait Observer {
    /// Whether anything is made of what it is told.
    const WATCHES: bool;

    fn place(&mut self, fact: Fact, op: &Op, decoder: &mut impl Decode);
    fn call(&mut self, op: &Op, target: u64, decoder: &mut impl Decode);
}

/// Nobody watches.
impl Observer for () {
    const WATCHES: bool = false;

    #[inline]
    fn place(&mut self, _: Fact, _: &Op, _: &mut impl Decode) {}

    #[inline]
    fn call(&mut self, _: &Op, _: u64, _: &mut impl Decode) {}
}
