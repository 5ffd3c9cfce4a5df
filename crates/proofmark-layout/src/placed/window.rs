//! Where everything goes: a window for each moved function, whole pages for what stands behind it.
//! Pure.

use super::choose::Moved;
use super::reach::{Reach, Why};
use super::{PAGE, lead, placement};
use crate::draw::Placement;

/// A function at the address that it has by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    /// Its index in the plan.
    pub(crate) function: usize,
    pub(crate) unit: u32,
    /// Bytes.
    pub(crate) size: u64,
    pub(crate) address: u64,
}

/// Where a function goes.
#[derive(Clone, Copy, Debug)]
enum Seat {
    /// At one place in all images.
    Fixed(u64),
    /// So many bytes behind this place as its group is told.
    From(u64, usize),
}

/// A number for each group of moved functions: bytes behind their first places, or an address.
pub(crate) type By = [u64; 2];

/// The places of all functions, in the addresses as shipped and whole pages behind them.
#[derive(Debug)]
pub(crate) struct Windows {
    /// The address of the first function as shipped, from which places are counted.
    origin: u64,
    /// In the order of addresses: index in the plan, unit, seat.
    seats: Vec<(usize, u32, Seat)>,
    /// What is moved, in the order in which it was chosen.
    moved: Vec<Moved>,
    /// Where the first moved function of each group starts in the anchor.
    anchor: By,
    /// The first start that it can have.
    first: By,
    range: u64,
    /// The end of everything.
    end: u64,
}

impl Windows {
    /// Windows of `range` bytes for the moved functions, the first of which leads its group.
    pub(crate) fn of(homes: &[Home], moved: &[Moved], range: u64) -> Windows {
        let origin = homes.first().map_or(0, |home| home.address);
        let leaders = [0, 1].map(|group| moved.iter().find(|one| one.group == group));
        let shipped = leaders.map(|leader| leader.map_or(0, |leader| leader.shipped));
        // How far the window begins before the place as shipped.
        let backs = shipped.map(|at| at % (1 << range.max(1).ilog2().min(PAGE.ilog2())));
        let (mut shift, mut end) = (0, origin);
        let (mut anchor, mut seats) = (shipped, Vec::with_capacity(homes.len()));
        for home in homes {
            let one = moved.iter().find(|one| one.unit == home.unit);
            let Some(one) = one else {
                shift = pages(home.address, shift, end);
                let start = home.address + shift;
                seats.push((home.function, home.unit, Seat::Fixed(start)));
                end = end.max(start + home.size);
                continue;
            };
            let back = backs[one.group];
            // What it is shifted by is its own: what follows is not pushed further than it must.
            let own = pages(one.anchor(), shift, end + back);
            let start = one.anchor() + own - back;
            if leaders[one.group].is_some_and(|leader| leader.unit == one.unit) {
                anchor[one.group] = one.shipped + own;
            }
            seats.push((home.function, home.unit, Seat::From(start, one.group)));
            end = start + range + home.size;
        }
        Windows {
            origin,
            seats,
            moved: moved.to_vec(),
            anchor,
            first: [anchor[0] - backs[0], anchor[1] - backs[1]],
            range,
            end,
        }
    }

    /// What people call the first moved function.
    pub(crate) fn name(&self) -> &str {
        self.moved.first().map_or("", |one| one.name.as_str())
    }

    /// Where the first moved function of each group starts in the anchor.
    pub(crate) fn anchor(&self) -> By {
        self.anchor
    }

    /// The first start that the first moved function of each group can have.
    pub(crate) fn first(&self) -> By {
        self.first
    }

    /// Whether there is a second group.
    pub(crate) fn has_other(&self) -> bool {
        self.moved.iter().any(|one| one.group == 1)
    }

    /// Bytes that hold all images' code: as much in each, so that nothing behind it moves.
    pub(crate) fn room(&self) -> u64 {
        (PAGE + self.end - self.origin).next_multiple_of(PAGE)
    }

    /// The units that are moved.
    pub(crate) fn moves(&self, unit: u32) -> bool {
        let moves = |seat: &Seat| matches!(seat, Seat::From(..));
        self.seats
            .iter()
            .any(|(_, other, seat)| *other == unit && moves(seat))
    }

    /// The address that a place becomes when the code starts at `text`.
    pub(crate) fn shown(&self, place: u64, text: u64) -> u64 {
        text + lead(self.origin, text) + (place - self.origin)
    }

    /// Where the moved functions start, in the order in which they were chosen, when they stand so
    /// many bytes behind their first places and the code starts at `text`.
    pub(crate) fn starts(&self, by: By, text: u64) -> Vec<u64> {
        let start = |one: &Moved| {
            let seat = self.seats.iter().find(|(_, unit, _)| *unit == one.unit)?;
            match seat.2 {
                Seat::From(start, group) => Some(self.shown(start + by[group] + one.entry, text)),
                Seat::Fixed(_) => None,
            }
        };
        self.moved.iter().filter_map(start).collect()
    }

    /// Whether the functions can stand so many bytes behind their first places.
    pub(crate) fn fits(&self, by: By, reach: &Reach) -> Result<(), Why> {
        if by.iter().any(|by| *by >= self.range) {
            return Err(Why::OutOfRange);
        }
        let mut starts = self.seats.iter().filter_map(|(_, _, seat)| match seat {
            Seat::From(start, group) => Some(start + by[*group]),
            Seat::Fixed(_) => None,
        });
        if starts.all(|start| start.is_multiple_of(reach.step)) {
            return Ok(());
        }
        Err(reach.why.clone().unwrap_or(Why::OutOfRange))
    }

    /// Everything in its place, the moved functions so many bytes behind their first places.
    pub(crate) fn placements(&self, by: By, text: u64) -> Vec<Placement> {
        let lead = lead(self.origin, text);
        let place = |(function, _, seat): &(usize, u32, Seat)| {
            let start = match seat {
                Seat::Fixed(start) => *start,
                Seat::From(start, group) => start + by[*group],
            };
            placement(*function, lead + start - self.origin)
        };
        self.seats.iter().map(place).collect()
    }
}

/// The least whole pages, at least `shift` bytes, by which `address` is at `least` or behind.
fn pages(address: u64, shift: u64, least: u64) -> u64 {
    let lacking = least.saturating_sub(address + shift);
    shift + lacking.next_multiple_of(PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn homes(starts: &[(u64, u64)]) -> Vec<Home> {
        let home = |(index, (address, size)): (usize, &(u64, u64))| Home {
            function: index,
            unit: u32::try_from(index).unwrap(),
            size: *size,
            address: *address,
        };
        starts.iter().enumerate().map(home).collect()
    }

    fn moved(homes: &[Home], index: usize) -> Moved {
        Moved {
            unit: homes[index].unit,
            name: "f".into(),
            entry: 0,
            shipped: homes[index].address,
            group: 0,
        }
    }

    fn starts(windows: &Windows, by: u64) -> Vec<u64> {
        apart(windows, [by, by])
    }

    fn apart(windows: &Windows, by: By) -> Vec<u64> {
        // As if the code started where it does as shipped.
        let placements = windows.placements(by, windows.origin);
        placements
            .iter()
            .map(|placement| placement.start + windows.origin)
            .collect()
    }

    const CODE: [(u64, u64); 4] = [(0x1040, 0x20), (0x1060, 0x35), (0x10a0, 0x50), (0x10f0, 9)];

    #[test]
    fn only_the_moved_function_moves_and_nobody_overlaps() {
        let homes = homes(&CODE);
        for leader in 0..CODE.len() {
            let windows = Windows::of(&homes, &[moved(&homes, leader)], 128);
            let anchor = windows.anchor()[0] - windows.first()[0];
            let shipped = starts(&windows, anchor);
            for by in 0..128 {
                let now = starts(&windows, by);
                for (index, home) in homes.iter().enumerate() {
                    if index == leader {
                        assert_eq!(now[index], windows.first()[0] + by);
                    } else {
                        assert_eq!(now[index], shipped[index]);
                        assert_eq!(now[index] % PAGE, home.address % PAGE);
                    }
                    let next = now.get(index + 1).copied().unwrap_or(u64::MAX);
                    assert!(now[index] + home.size <= next, "{leader} {by} {now:x?}");
                }
                let end = now.last().unwrap() + homes.last().unwrap().size;
                assert!(end - windows.origin <= windows.room());
            }
            assert_eq!(shipped[leader] % PAGE, homes[leader].address % PAGE);
            assert_eq!(windows.first()[0] % 128, 0);
            assert!(anchor < 128);
        }
    }

    #[test]
    fn functions_that_move_together_keep_their_distance() {
        let homes = homes(&CODE);
        let pair = [moved(&homes, 1), moved(&homes, 2)];
        let windows = Windows::of(&homes, &pair, 4096);
        let distance = |by| {
            let now = starts(&windows, by);
            now[2].wrapping_sub(now[1]) % PAGE
        };
        for by in [0, 1, 77, 4095] {
            assert_eq!(distance(by), 0xa0 - 0x60);
            let now = starts(&windows, by);
            assert!(now.is_sorted() && now[1] + 0x35 <= now[2]);
        }
        assert_eq!(windows.first()[0] % 4096, 0);
    }

    #[test]
    fn groups_move_by_themselves() {
        let homes = homes(&CODE);
        let other = Moved {
            group: 1,
            ..moved(&homes, 3)
        };
        let windows = Windows::of(&homes, &[moved(&homes, 1), other], 128);
        assert!(windows.has_other());
        let [first, second] = windows.first();
        assert_eq!([first % 128, second % 128], [0, 0]);
        for by in [[0, 0], [5, 0], [0, 127], [127, 64]] {
            let now = apart(&windows, by);
            assert_eq!([now[1], now[3]], [first + by[0], second + by[1]]);
            assert!(now.is_sorted() && now[1] + 0x35 <= now[2] && now[2] + 0x50 <= now[3]);
            assert_eq!(now[2] % PAGE, homes[2].address % PAGE);
        }
    }

    #[test]
    fn places_follow_the_start_of_the_code() {
        let homes = homes(&CODE);
        let windows = Windows::of(&homes, &[moved(&homes, 2)], 64);
        for text in [0x1000, 0x1040, 0x7fc0, 0x40_1080] {
            let placements = windows.placements([0, 0], text);
            assert_eq!((text + placements[0].start) % PAGE, 0x1040 % PAGE);
            let first = windows.shown(windows.first()[0], text);
            assert_eq!(text + placements[2].start, first);
        }
    }
}
