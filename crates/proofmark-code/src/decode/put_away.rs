//! Addresses that were put away on the stack: a table that is used all over a function seldom keeps
//! a register.

use std::collections::VecDeque;

/// So many are remembered.
const MOST: usize = 32;

/// Places on the stack and the addresses that stand there.
#[cfg_attr(test, derive(Debug, Clone, PartialEq))]
pub(super) struct PutAway<Place> {
    /// The latest last.
    places: VecDeque<(Place, u64)>,
}

impl<Place: PartialEq> PutAway<Place> {
    pub(super) fn new() -> Self {
        PutAway {
            places: VecDeque::new(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.places.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Something is stored at a place: an address, or what is none.
    pub(super) fn store(&mut self, place: Place, address: Option<u64>) {
        let known = self.places.iter().position(|(known, _)| *known == place);
        if let Some(known) = known {
            self.places.remove(known);
        }
        let Some(address) = address else {
            return;
        };
        if self.places.len() == MOST {
            self.places.pop_front();
        }
        self.places.push_back((place, address));
    }

    /// The address that stands at a place, where one does.
    pub(super) fn at(&self, place: &Place) -> Option<u64> {
        let found = self.places.iter().find(|(known, _)| known == place);
        found.map(|(_, address)| *address)
    }
}
