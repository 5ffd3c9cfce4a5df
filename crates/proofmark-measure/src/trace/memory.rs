//! Reading a stopped program's memory.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use crate::mapped::mapped;

/// The longest path that the kernel takes, its end included.
const PATH_BYTES: usize = 4096;

/// Pages are so large at least.
const PAGE: u64 = 4096;

/// A plain structure of numbers at an address; `None` where nothing can be read there.
///
/// # Safety
/// Every pattern of bits must be a valid `T`.
pub(super) unsafe fn value<T: Copy>(pid: libc::pid_t, address: u64) -> io::Result<Option<T>> {
    let mut value = std::mem::MaybeUninit::<T>::uninit();
    // SAFETY: as many bytes as `value` has, and they are used only when all were read.
    let room =
        unsafe { std::slice::from_raw_parts_mut(value.as_mut_ptr().cast::<u8>(), size_of::<T>()) };
    let read = bytes(pid, address, room)?;
    // SAFETY: filled, and the caller vouches for the pattern.
    Ok((read == size_of::<T>()).then(|| unsafe { value.assume_init() }))
}

/// A time at an address in nanoseconds, given in whole seconds and parts of which so many make one.
pub(super) fn time(pid: libc::pid_t, address: u64, parts: i64) -> io::Result<Option<i64>> {
    // SAFETY: a pair of numbers.
    let pair = unsafe { value::<[i64; 2]>(pid, address)? };
    let of = |[whole, part]: [i64; 2]| {
        let unit = NANOSECONDS / parts.max(1);
        whole
            .saturating_mul(NANOSECONDS)
            .saturating_add(part.saturating_mul(unit))
    };
    Ok(pair.map(of))
}

/// Puts a time in nanoseconds there. Where nothing can be written, nothing is.
pub(super) fn put_time(pid: libc::pid_t, address: u64, parts: i64, time: i64) {
    let unit = NANOSECONDS / parts.max(1);
    put(
        pid,
        address,
        &[time / NANOSECONDS, time % NANOSECONDS / unit],
    );
}

const NANOSECONDS: i64 = 1_000_000_000;

/// Has a program that is about to begin find no code of the kernel's that reads clocks without a
/// call (vdso(7)): the kernel tells where that is among the program's first words on its stack
/// (`AT_SYSINFO_EHDR`, getauxval(3)). Whether that was found.
pub(super) fn hide_clocks(pid: libc::pid_t) -> bool {
    const AT_IGNORE: u64 = 1;
    const WORD: usize = size_of::<u64>();
    let told = std::fs::read(format!("/proc/{pid}/auxv")).unwrap_or_default();
    let kinds = told
        .chunks_exact(2 * WORD)
        .map(|pair| pair[..WORD].to_vec());
    let kinds: Vec<Vec<u8>> = kinds.collect();
    let of = libc::AT_SYSINFO_EHDR.to_ne_bytes();
    let Some(index) = kinds.iter().position(|kind| *kind == of) else {
        return false;
    };
    let Some((from, to)) = mapped(&pid.to_string(), "[stack]") else {
        return false;
    };
    let length = usize::try_from(to.saturating_sub(from)).unwrap_or(0);
    let mut held = vec![0; length];
    let Ok(read) = bytes(pid, from, &mut held) else {
        return false;
    };
    let Some(at) = memchr::memmem::rfind(&held[..read], &told) else {
        return false;
    };
    let place = from + (at + index * 2 * WORD) as u64;
    put(pid, place, &[AT_IGNORE]);
    true
}

/// Writes plain numbers to an address of a stopped program. Where nothing can be written, nothing
/// is.
pub(super) fn put<T: Copy>(pid: libc::pid_t, address: u64, numbers: &[T]) {
    let local = libc::iovec {
        iov_base: numbers.as_ptr().cast_mut().cast(),
        iov_len: size_of_val(numbers),
    };
    let remote = libc::iovec {
        iov_base: std::ptr::without_provenance_mut(usize::try_from(address).unwrap_or(0)),
        iov_len: size_of_val(numbers),
    };
    // SAFETY: one piece of ours of the length said, which is read; the kernel checks the other one.
    unsafe { libc::process_vm_writev(pid, &local, 1, &remote, 1, 0) };
}

/// A path at an address; `None` where there is none, or no end of it.
pub(super) fn path(pid: libc::pid_t, address: u64) -> io::Result<Option<OsString>> {
    let mut text = Vec::new();
    let mut piece = [0; 256];
    while address != 0 && text.len() < PATH_BYTES {
        let read = bytes(pid, address + text.len() as u64, &mut piece)?;
        if read == 0 {
            return Ok(None);
        }
        let piece = &piece[..read];
        if let Some(end) = piece.iter().position(|&byte| byte == 0) {
            text.extend_from_slice(&piece[..end]);
            return Ok(Some(OsString::from_vec(text)));
        }
        text.extend_from_slice(piece);
    }
    Ok(None)
}

/// Fills `room`, or its beginning up to what cannot be read; how much.
fn bytes(pid: libc::pid_t, address: u64, room: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while done < room.len() {
        let at = address.wrapping_add(done as u64);
        // Not across a page in one piece: one that cannot be read would take the other with it.
        let in_page = usize::try_from(PAGE - at % PAGE).unwrap_or(usize::MAX);
        let length = in_page.min(room.len() - done);
        let local = libc::iovec {
            iov_base: room[done..].as_mut_ptr().cast(),
            iov_len: length,
        };
        let remote = libc::iovec {
            iov_base: std::ptr::without_provenance_mut(usize::try_from(at).unwrap_or(0)),
            iov_len: length,
        };
        // SAFETY: one piece of ours of the length said; the kernel checks the other one.
        let read = unsafe { libc::process_vm_readv(pid, &local, 1, &remote, 1, 0) };
        match usize::try_from(read) {
            Ok(read) if read == length => done += read,
            Ok(_) => break,
            Err(_) => match io::Error::last_os_error() {
                // Nothing there, or the program has just been ended.
                error if matches!(error.raw_os_error(), Some(libc::EFAULT | libc::ESRCH)) => break,
                error => return Err(error),
            },
        }
    }
    Ok(done)
}

/// A `timespec` at an address. A null pointer, or a time that makes no sense, is none.
pub(super) fn timespec(pid: libc::pid_t, address: u64) -> io::Result<Option<Duration>> {
    // SAFETY: a pair of numbers.
    let pair = unsafe { value::<[i64; 2]>(pid, address)? };
    Ok(pair.and_then(|[seconds, nanoseconds]| duration(seconds, nanoseconds, 1)))
}

/// A `timeval` at an address.
pub(super) fn timeval(pid: libc::pid_t, address: u64) -> io::Result<Option<Duration>> {
    // SAFETY: a pair of numbers.
    let pair = unsafe { value::<[i64; 2]>(pid, address)? };
    Ok(pair.and_then(|[seconds, microseconds]| duration(seconds, microseconds, 1000)))
}

fn duration(seconds: i64, part: i64, unit: i64) -> Option<Duration> {
    let nanoseconds = u32::try_from(part.checked_mul(unit)?).ok()?;
    (nanoseconds < 1_000_000_000)
        .then(|| u64::try_from(seconds).ok())
        .flatten()
        .map(|seconds| Duration::new(seconds, nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> libc::pid_t {
        libc::pid_t::try_from(std::process::id()).unwrap()
    }

    fn address<T>(of: &T) -> u64 {
        std::ptr::from_ref(of).addr() as u64
    }

    #[test]
    fn what_cannot_be_read_is_none() {
        assert_eq!(path(own(), 0).unwrap(), None);
        assert_eq!(path(own(), 8).unwrap(), None);
        assert_eq!(timespec(own(), 0).unwrap(), None);
    }

    #[test]
    fn paths_end_at_their_zero_and_have_a_longest() {
        let mut text = vec![b'x'; 3000];
        text.push(0);
        let found = path(own(), text.as_ptr().addr() as u64).unwrap().unwrap();
        assert_eq!(found.len(), 3000);
        let endless = vec![b'x'; 2 * PATH_BYTES];
        assert_eq!(path(own(), endless.as_ptr().addr() as u64).unwrap(), None);
    }

    #[test]
    fn times_have_their_unit_and_must_make_sense() {
        let pair = [2_i64, 5];
        let seconds = Duration::from_secs(2);
        let found = timespec(own(), address(&pair)).unwrap();
        assert_eq!(found, Some(seconds + Duration::from_nanos(5)));
        let found = timeval(own(), address(&pair)).unwrap();
        assert_eq!(found, Some(seconds + Duration::from_micros(5)));
        for wrong in [[-1_i64, 0], [0, -1], [0, 1_000_000_000], [0, i64::MAX]] {
            assert_eq!(timeval(own(), address(&wrong)).unwrap(), None);
        }
    }
}
