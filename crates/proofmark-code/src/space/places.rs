//! Addresses that are looked up for each call and each jump of a program.

/// So often a guess is mended before halves are searched.
const GUESSES: usize = 3;

/// Addresses in order, each known by its index. Stubs and slots stand at nearly even distances, so
/// that where one is can be guessed (interpolation search: Peterson 1957, "Addressing for
/// random-access storage", IBM J. Res. Dev. 1(2)); where the guess fails, halves are.
#[derive(Debug, Default)]
pub(crate) struct Places {
    addresses: Vec<u64>,
    /// Below and above the widest gap: stubs stand before the code, slots behind it.
    stretches: [Stretch; 2],
}

/// Addresses that stand close together.
#[derive(Debug, Default)]
struct Stretch {
    first: u64,
    last: u64,
    /// The index of the first.
    index: usize,
    /// Addresses for each byte, times 2³².
    density: u64,
}

impl Places {
    /// Of addresses in order.
    pub(crate) fn new(addresses: Vec<u64>) -> Places {
        let gaps = addresses.windows(2).map(|pair| pair[1] - pair[0]);
        let widest = gaps.enumerate().max_by_key(|(_, gap)| *gap);
        let split = widest.map_or(addresses.len(), |(at, _)| at + 1);
        Places {
            stretches: [
                Stretch::of(&addresses, 0, split),
                Stretch::of(&addresses, split, addresses.len()),
            ],
            addresses,
        }
    }

    /// The index of an address that is among them.
    #[inline]
    pub(crate) fn find(&self, address: u64) -> Option<usize> {
        let mut stretches = self.stretches.iter();
        let stretch = stretches.find(|s| (s.first..=s.last).contains(&address))?;
        let mut at = stretch.index + stretch.steps(address - stretch.first);
        for _ in 0..GUESSES {
            let Some(there) = self.addresses.get(at).copied() else {
                break;
            };
            if there == address {
                return Some(at);
            }
            at = if there < address {
                at + stretch.steps(address - there)
            } else {
                at.saturating_sub(stretch.steps(there - address))
            };
        }
        self.addresses.binary_search(&address).ok()
    }
}

impl Stretch {
    fn of(addresses: &[u64], from: usize, to: usize) -> Stretch {
        let (Some(first), Some(last)) = (addresses[from..to].first(), addresses[from..to].last())
        else {
            // Of no address at all.
            return Stretch {
                first: 1,
                ..Stretch::default()
            };
        };
        let steps = (to - from - 1) as u64;
        Stretch {
            first: *first,
            last: *last,
            index: from,
            density: (steps << 32) / (last - first).max(1),
        }
    }

    /// About how many addresses there are in so many bytes.
    #[inline]
    fn steps(&self, bytes: u64) -> usize {
        let steps = bytes.saturating_mul(self.density).saturating_add(1 << 31) >> 32;
        usize::try_from(steps).unwrap_or(0)
    }
}

/// Marks in a list that is in order of address: where in it to look for one. There is about one for
/// each entry, at even distances of address; without any, the whole list is looked through.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    first: u64,
    /// Marks are two to this power apart.
    shift: u32,
    /// The index of the first entry at or behind each mark, and behind the last one of all.
    marks: Vec<u32>,
}

impl Marks {
    /// In a list with these addresses.
    pub(crate) fn new(addresses: impl ExactSizeIterator<Item = u64> + Clone) -> Marks {
        let len = addresses.len();
        let (Some(first), Some(last)) = (addresses.clone().next(), addresses.clone().last()) else {
            return Marks::default();
        };
        let most = len as u64;
        let shift = u64::BITS - ((last - first) / most).leading_zeros();
        let mut marks = Vec::with_capacity(len + 2);
        let mut index = 0;
        for address in addresses {
            let behind = address.saturating_sub(first);
            let mark = behind.checked_shr(shift).unwrap_or(0).min(most);
            while marks.len() as u64 <= mark {
                marks.push(index);
            }
            index += 1;
        }
        marks.push(index);
        Marks {
            first,
            shift,
            marks,
        }
    }

    /// How many entries of the list stand at or before an address; `at` gives that of an entry.
    #[inline]
    pub(crate) fn up_to<T>(&self, list: &[T], address: u64, at: impl Fn(&T) -> u64) -> usize {
        let (from, to) = self.around(address).unwrap_or((0, list.len()));
        from + list[from..to].partition_point(|entry| at(entry) <= address)
    }

    /// Between which entries an address belongs; `None` without marks.
    #[inline]
    fn around(&self, address: u64) -> Option<(usize, usize)> {
        let last = *self.marks.last()? as usize;
        let Some(behind) = address.checked_sub(self.first) else {
            return Some((0, 0));
        };
        let mark = usize::try_from(behind.checked_shr(self.shift).unwrap_or(0)).ok()?;
        let from = self.marks.get(mark).map_or(last, |at| *at as usize);
        let behind = mark.checked_add(1).and_then(|next| self.marks.get(next));
        Some((from, behind.map_or(last, |at| *at as usize)))
    }
}

/// A few addresses among very many that are asked for.
#[derive(Debug, Default)]
pub(crate) struct Few {
    addresses: Vec<u64>,
    /// One bit for each address, and for others that look alike.
    bits: [u64; 16],
}

impl Few {
    /// Of addresses in any order.
    pub(crate) fn new(mut addresses: Vec<u64>) -> Few {
        addresses.sort_unstable();
        addresses.dedup();
        let mut few = Few::default();
        for address in &addresses {
            let (word, bit) = Few::bit(*address);
            few.bits[word] |= bit;
        }
        few.addresses = addresses;
        few
    }

    /// Whether an address is among them.
    #[inline]
    pub(crate) fn has(&self, address: u64) -> bool {
        let (word, bit) = Few::bit(address);
        self.bits[word] & bit != 0 && self.addresses.binary_search(&address).is_ok()
    }

    /// Which word's which bit stands for an address. Functions begin at multiples of 16.
    #[inline]
    fn bit(address: u64) -> (usize, u64) {
        (
            (address >> 10 & 15) as usize,
            1 << (((address >> 4) ^ (address >> 14)) & 63),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_found_and_nothing_between() {
        let even: Vec<u64> = (0..3000).map(|i| 0x1020 + 16 * i).collect();
        let slots = (0..2000).map(|i| 0x40_0000 + 8 * i + i / 300 * 4096);
        let uneven = (1..50).map(|i| 0x80_0000 + i * i * i);
        let all: Vec<u64> = even.iter().copied().chain(slots).chain(uneven).collect();
        for some in [&all[..], &even, &all[..1], &all[..2], &[]] {
            let places = Places::new(some.to_vec());
            let near = some.iter().flat_map(|at| at - 2..at + 3);
            for address in near.chain((0..0x82_0000).step_by(97)).chain([u64::MAX]) {
                assert_eq!(
                    places.find(address),
                    some.binary_search(&address).ok(),
                    "{address:#x}"
                );
            }
        }
    }

    #[test]
    fn marks_lead_to_where_halves_do() {
        let crowded = (0..500).map(|i| 0x50_0000 + i / 3);
        let spread = (0..300).map(|i| 0x60_0000 + i * i * 64);
        let all: Vec<u64> = (0..90).map(|i| 0x1000 + 48 * i).collect();
        let all: Vec<u64> = all.into_iter().chain(crowded).chain(spread).collect();
        let ends = [0, 0, 1, u64::MAX - 1, u64::MAX, u64::MAX];
        for some in [
            &all[..],
            &all[..90],
            &all[..1],
            &ends,
            &ends[4..],
            &[0],
            &[],
        ] {
            let marks = Marks::new(some.iter().copied());
            let near = some
                .iter()
                .flat_map(|at| at.saturating_sub(2)..at.saturating_add(3));
            for address in near.chain((0..0xc0_0000).step_by(1009)).chain([u64::MAX]) {
                assert_eq!(
                    marks.up_to(some, address, |at| *at),
                    some.partition_point(|at| *at <= address),
                    "{address:#x}"
                );
            }
        }
    }

    #[test]
    fn addresses_at_both_ends_of_the_range_are_no_matter() {
        let all = vec![0, 1, 2, u64::MAX - 1, u64::MAX];
        let places = Places::new(all.clone());
        let few = Few::new(all.clone());
        for (i, address) in all.iter().enumerate() {
            assert_eq!(places.find(*address), Some(i));
            assert!(few.has(*address));
        }
        assert_eq!(places.find(3), None);
        assert!(!few.has(3) && !few.has(1 << 40));
    }
}
