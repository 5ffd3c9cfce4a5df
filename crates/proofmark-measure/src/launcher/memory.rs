//! A fork gives back the memory that it will never touch: the heap and other large private memory.
//!
//! Runs in the launcher just after the fork, so that it sees exactly what it was left with: no
//! allocation.

use std::ffi::c_int;

/// Smaller mappings are kept: among them is the first thread's own data, and nothing is gained.
const WORTHWHILE: usize = 128 << 10;

/// What is kept on either side of an address in use: the frames of this stack that are still looked
/// at, and a thread's own data. The whole mapping would be too much: the kernel joins neighbours,
/// so that it may hold a large block of the heap as well.
const AROUND: usize = 1 << 20;

/// The largest page of the known machines; what is given back begins and ends at a multiple of it.
const PAGE: usize = 64 << 10;

/// Gives back what the fork does not need and forgets the high-water mark from before
/// (`proc_pid_clear_refs(5)`).
///
/// # Safety
/// Nothing may use the heap afterwards.
pub(super) unsafe fn give_back() {
    let here = 0_u8;
    // SAFETY: this thread's own error number.
    let own_data = unsafe { libc::__errno_location() }.addr();
    let mut sieve = Sieve {
        kept: [std::ptr::from_ref(&here).addr(), own_data],
        file_end: 0,
    };
    sieve.kept.sort_unstable();
    each_line(|line| {
        let spare = sieve.spare(line).map(|spare| sieve.around(spare));
        for (start, end) in spare.into_iter().flatten().flatten() {
            // SAFETY: private memory that holds neither this stack nor this thread's own data, and
            // the heap is the caller's promise.
            unsafe {
                libc::madvise(
                    std::ptr::with_exposed_provenance_mut(start),
                    end - start,
                    libc::MADV_DONTNEED,
                )
            };
        }
    });
    super::left_behind::write(libc::AT_FDCWD, c"/proc/self/clear_refs", b"5");
}

fn each_line(mut deal: impl FnMut(&[u8])) {
    let mut buffer = [0_u8; 8192];
    let mut filled = 0;
    // SAFETY: a literal.
    let file: c_int = unsafe {
        libc::open(
            c"/proc/self/maps".as_ptr(),
            libc::O_RDONLY | libc::O_CLOEXEC,
        )
    };
    while let Some(room) = buffer.get_mut(filled..) {
        // SAFETY: reads into the rest of the buffer.
        let read = unsafe { libc::read(file, room.as_mut_ptr().cast(), room.len()) };
        let Ok(read @ 1..) = usize::try_from(read) else {
            break;
        };
        filled += read;
        let mut start = 0;
        for end in 0..filled {
            if buffer[end] == b'\n' {
                deal(&buffer[start..end]);
                start = end + 1;
            }
        }
        buffer.copy_within(start..filled, 0);
        filled -= start;
    }
    // SAFETY: ours; closing −1 does nothing.
    unsafe { libc::close(file) };
}

/// Tells which mappings can go, line by line of `/proc/self/maps`.
struct Sieve {
    /// What lies around these addresses stays; in ascending order.
    kept: [usize; 2],
    /// Where the last mapping of a file ended: memory that follows it is the file's `.bss`, and
    /// stays.
    file_end: usize,
}

impl Sieve {
    /// Start and end of a mapping that can go, but for what lies around the addresses in use.
    fn spare(&mut self, line: &[u8]) -> Option<(usize, usize)> {
        let mut words = line
            .split(|&byte| byte == b' ')
            .filter(|word| !word.is_empty());
        let mut ends = words.next()?.split(|&byte| byte == b'-');
        let (start, end) = (hexadecimal(ends.next()?)?, hexadecimal(ends.next()?)?);
        let permissions = words.next()?;
        let name = words.nth(3).unwrap_or_default();
        let heap = name == b"[heap]";
        if !(name.is_empty() || heap || name.starts_with(b"[anon")) {
            // What is shared is no program's or library's: memory that happens to follow it may be
            // a large block of the heap.
            self.file_end = if permissions.ends_with(b"p") { end } else { 0 };
            return None;
        }
        let large = heap || end.saturating_sub(start) >= WORTHWHILE;
        let can_go = permissions == b"rw-p" && start != self.file_end && large;
        can_go.then_some((start, end))
    }

    /// The parts of a mapping that lie away from the addresses in use: before, between and behind.
    fn around(&self, (start, end): (usize, usize)) -> [Option<(usize, usize)>; 3] {
        let mut parts = [None; 3];
        let mut from = start;
        for (part, address) in parts.iter_mut().zip(self.kept) {
            if (start..end).contains(&address) {
                let page = address & !(PAGE - 1);
                let until = page.saturating_sub(AROUND);
                *part = (from < until).then_some((from, until));
                from = page + PAGE + AROUND;
            }
        }
        parts[2] = (from < end).then_some((from, end));
        parts
    }
}

fn hexadecimal(digits: &[u8]) -> Option<usize> {
    usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
55d0c0000000-55d0c0200000 r-xp 00000000 fe:00 1234 /usr/bin/with space
55d0c0200000-55d0c0210000 rw-p 00200000 fe:00 1234 /usr/bin/with space
55d0c0210000-55d0c0290000 rw-p 00000000 00:00 0
55d0c1000000-55d0c1001000 rw-p 00000000 00:00 0                          [heap]
7f0000000000-7f0004000000 rw-p 00000000 00:00 0
7f0004000000-7f0004001000 ---p 00000000 00:00 0
7f0004001000-7f0004801000 rw-p 00000000 00:00 0 
7f0005000000-7f0005400000 rw-s 00000000 00:01 77 /dev/zero (deleted)
7f0005400000-7f0005c00000 rw-p 00000000 00:00 0
7f0006000000-7f0006002000 rw-p 00000000 00:00 0
7ffc00000000-7ffc00100000 rw-p 00000000 00:00 0 [stack]
";

    fn spare(kept: [usize; 2]) -> Vec<(usize, usize)> {
        let mut sieve = Sieve { kept, file_end: 0 };
        let mut all = Vec::new();
        for line in MAPS.lines() {
            let spare = sieve.spare(line.as_bytes());
            all.extend(
                spare
                    .map(|spare| sieve.around(spare))
                    .into_iter()
                    .flatten()
                    .flatten(),
            );
        }
        all
    }

    #[test]
    fn heap_and_large_memory_go_and_everything_else_stays() {
        assert_eq!(
            spare([0, 0]),
            [
                (0x55d0_c100_0000, 0x55d0_c100_1000),
                (0x7f00_0000_0000, 0x7f00_0400_0000),
                (0x7f00_0400_1000, 0x7f00_0480_1000),
                (0x7f00_0540_0000, 0x7f00_05c0_0000)
            ]
        );
    }

    #[test]
    fn what_lies_around_an_address_in_use_stays() {
        let heap = (0x55d0_c100_0000, 0x55d0_c100_1000);
        // Near the end of one mapping, and in the middle of another: a stack that the kernel joined
        // with a block of the heap.
        assert_eq!(
            spare([0x7f00_0200_0008, 0x7f00_0480_0fff]),
            [
                heap,
                (0x7f00_0000_0000, 0x7f00_01f0_0000),
                (0x7f00_0211_0000, 0x7f00_0400_0000),
                (0x7f00_0400_1000, 0x7f00_0470_0000),
                (0x7f00_0540_0000, 0x7f00_05c0_0000)
            ]
        );
        // Two in one mapping: what lies between them goes where they are far apart.
        assert_eq!(
            spare([0x7f00_0000_1000, 0x7f00_0300_0000])[1..3],
            [
                (0x7f00_0011_0000, 0x7f00_02f0_0000),
                (0x7f00_0311_0000, 0x7f00_0400_0000)
            ]
        );
    }

    #[test]
    fn every_mapping_of_this_process_is_read() {
        let mut lines = 0;
        let mut own_code = false;
        each_line(|line| {
            lines += 1;
            own_code |= line.ends_with(b"[stack]");
        });
        assert!(lines > 10 && own_code);
    }
}
