//! What a program writes: a file in memory for each output.
//!
//! Not a pipe: a pipe holds the program up when the reader is late, and wakes the reader on a core
//! while it is being measured. The price is memory, which is why there is a limit.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use memchr::memmem::Finder;
use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags};
use rustix::time::{ClockId, Timespec, clock_gettime};

use crate::{MeasureError, Output};

/// Bytes of standard output that are kept for metrics.
const KEPT_STDOUT: u64 = 1 << 20;
/// Bytes at the end of standard error that are kept for messages.
const KEPT_STDERR: u64 = 4 << 10;

/// Bytes of an output that are read at once.
const PIECE: u64 = 256 << 10;

/// Standard output and error of one run.
pub(crate) struct Outputs {
    pub(crate) stdout: File,
    pub(crate) stderr: File,
}

impl Outputs {
    /// Both for another run, where nothing was written to them. Nobody else may have them open any
    /// more.
    pub(crate) fn unused(self) -> Option<Outputs> {
        (!self.exceed(0)).then_some(self)
    }

    pub(crate) fn new() -> Result<Outputs, MeasureError> {
        Ok(Outputs {
            stdout: in_memory("stdout")?,
            stderr: in_memory("stderr")?,
        })
    }

    /// Whether either has grown beyond `limit`.
    pub(crate) fn exceed(&self, limit: u64) -> bool {
        [&self.stdout, &self.stderr]
            .into_iter()
            .any(|file| file.metadata().is_ok_and(|metadata| metadata.len() > limit))
    }

    /// What was written; digests have `{}` for the path of the image.
    pub(crate) fn read(&self, image: Option<&Path>) -> Result<(Output, Output), MeasureError> {
        let cannot = || MeasureError::system("cannot read back what the program wrote");
        let path = image.map_or(&[][..], |image| image.as_os_str().as_bytes());
        let start = |length: u64| 0..length.min(KEPT_STDOUT);
        let end = |length: u64| length.saturating_sub(KEPT_STDERR)..length;
        let stdout = digest(&self.stdout, path, start).map_err(cannot())?;
        let stderr = digest(&self.stderr, path, end).map_err(cannot())?;
        Ok((stdout, stderr))
    }
}

/// CPU time that taking in so many bytes costs the program that prints them: what writing them into
/// such a file takes here. Of more than 64 MiB a part is written.
///
/// # Errors
/// When there can be no such file.
pub fn cost_of_output(bytes: u64) -> Result<Duration, MeasureError> {
    const PIECE: u32 = 64 << 10;
    const MOST: u64 = 64 << 20;
    let cannot = || MeasureError::system("cannot write to a file in memory");
    let mut file = in_memory("cost")?;
    let piece = vec![b'x'; PIECE.try_into().unwrap_or_default()];
    let pieces = bytes.min(MOST).div_ceil(PIECE.into()).max(1);
    let began = clock_gettime(ClockId::ThreadCPUTime);
    for _ in 0..pieces {
        file.write_all(&piece).map_err(cannot())?;
    }
    let ended = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = |time: Timespec| time.tv_sec as f64 + time.tv_nsec as f64 / 1e9;
    let of_written = bytes as f64 / (pieces as f64 * f64::from(PIECE));
    let spent = (seconds(ended) - seconds(began)) * of_written;
    Ok(Duration::try_from_secs_f64(spent).unwrap_or_default())
}

/// A file that nobody makes shorter: whoever opens `/dev/stdout` by its name, as a shell's `>`
/// does, would cut off what was written before, and in a pipe or a terminal would not.
///
/// It is opened once more, by its name: of a file that was opened the kernel locks the position
/// while somebody writes, and of one that `memfd_create` made it does not (`FMODE_ATOMIC_POS`,
/// fs/file.c of Linux). Processes that write at the same time would write over one another.
fn in_memory(name: &str) -> Result<File, MeasureError> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // NOEXEC_SEAL is what newer kernels want to be told, and older ones (before 6.3) refuse.
    let made = rustix::fs::memfd_create(name, flags | MemfdFlags::NOEXEC_SEAL)
        .or_else(|_| rustix::fs::memfd_create(name, flags))
        .and_then(|file| {
            rustix::fs::fcntl_add_seals(&file, SealFlags::SHRINK)?;
            let name = format!("/proc/self/fd/{}", file.as_raw_fd());
            rustix::fs::open(name, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
        });
    made.map(File::from).map_err(|errno| {
        MeasureError::system("cannot make a file in memory for the program's output")(errno.into())
    })
}

/// Reads a file piece by piece. What may be the begin of a path that the next piece ends waits for
/// it.
fn digest(
    file: &File,
    path: &[u8],
    keep: impl Fn(u64) -> std::ops::Range<u64>,
) -> std::io::Result<Output> {
    let length = file.metadata()?.len();
    let mut hasher = blake3::Hasher::new();
    let waits_at_most = path.len().saturating_sub(1);
    let piece = usize::try_from(length.min(PIECE)).unwrap_or(0);
    let mut held = vec![0; piece + waits_at_most];
    let finder = Finder::new(path);
    let (mut at, mut waiting) = (0, 0);
    while at < length {
        let read = file.read_at(&mut held[waiting..waiting + piece], at)?;
        if read == 0 {
            break;
        }
        at += read as u64;
        let held_now = waiting + read;
        let done = hash_without(&mut hasher, &held[..held_now], &finder);
        let from = done.max(held_now.saturating_sub(waits_at_most));
        hasher.update(&held[done..from]);
        held.copy_within(from..held_now, 0);
        waiting = held_now - from;
    }
    hasher.update(&held[..waiting]);
    let range = keep(length);
    let mut kept = vec![0; usize::try_from(range.end - range.start).unwrap_or(0)];
    file.read_exact_at(&mut kept, range.start)?;
    Ok(Output {
        digest: hasher.finalize(),
        length,
        kept,
    })
}

/// Takes bytes in up to the end of the last path, with `{}` for each; gives where that is.
fn hash_without(hasher: &mut blake3::Hasher, bytes: &[u8], path: &Finder<'_>) -> usize {
    let mut done = 0;
    if path.needle().is_empty() {
        return done;
    }
    for found in path.find_iter(bytes) {
        hasher.update(&bytes[done..found]);
        hasher.update(b"{}");
        done = found + path.needle().len();
    }
    done
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd as _;

    use super::*;

    #[test]
    fn everything_is_digested_and_the_right_end_is_kept() {
        let outputs = Outputs::new().unwrap();
        let text: Vec<u8> = (0..3_000_000_u32)
            .map(|number| number.to_le_bytes()[1])
            .collect();
        (&outputs.stdout).write_all(&text).unwrap();
        (&outputs.stderr).write_all(&text).unwrap();
        let (stdout, stderr) = outputs.read(None).unwrap();
        assert_eq!(stdout.digest, blake3::hash(&text));
        assert_eq!(stderr.digest, stdout.digest);
        assert_eq!(stdout.kept, text[..1 << 20]);
        assert_eq!(stderr.kept, text[text.len() - 4096..]);
        assert_eq!(stdout.length, 3_000_000);
        assert!(outputs.exceed(2_999_999) && !outputs.exceed(3_000_000));
    }

    #[test]
    fn what_was_written_is_not_cut_off() {
        let outputs = Outputs::new().unwrap();
        let outputs = outputs.unused().unwrap();
        let by_name = format!("/proc/self/fd/{}", outputs.stdout.as_raw_fd());
        let opened = || File::options().write(true).truncate(true).open(&by_name);
        opened().unwrap().write_all(b"first").unwrap();
        opened().unwrap_err();
        assert_eq!(outputs.read(None).unwrap().0.kept, b"first");
        assert!(outputs.unused().is_none());
    }

    #[test]
    fn taking_in_costs_by_the_byte() {
        assert_eq!(cost_of_output(0).unwrap(), Duration::ZERO);
        // 1 TiB is not written.
        let [small, large] = [1 << 30, 1 << 40].map(|bytes| cost_of_output(bytes).unwrap());
        assert!(small > Duration::ZERO && large > small * 50);
    }

    #[test]
    fn no_output_has_the_digest_of_nothing() {
        let (stdout, _) = Outputs::new().unwrap().read(None).unwrap();
        assert_eq!(stdout.digest, blake3::hash(b""));
        assert_eq!(stdout.kept, b"");
    }

    /// Paths at every place around the ends of pieces, and one that begins twice.
    #[test]
    fn the_digest_of_a_long_output_is_of_one_without_the_image() {
        let image = Path::new("/r/a/r/a/x");
        let path = image.as_os_str().as_bytes();
        for shift in 0..2 * path.len() {
            let before = usize::try_from(PIECE).unwrap() - shift;
            let [mut text, mut expected] = [vec![b'.'; before], vec![b'.'; before]];
            for _ in 0..3 {
                text.extend_from_slice(b"/r/a");
                text.extend_from_slice(path);
                expected.extend_from_slice(b"/r/a{}");
            }
            for both in [&mut text, &mut expected] {
                both.extend_from_slice(&vec![b'.'; 300 << 10]);
                both.extend_from_slice(b"/r/a/r/a");
            }
            let outputs = Outputs::new().unwrap();
            (&outputs.stdout).write_all(&text).unwrap();
            let (of_image, _) = outputs.read(Some(image)).unwrap();
            assert_eq!(of_image.digest, blake3::hash(&expected), "{shift}");
            assert_eq!(of_image.length, text.len() as u64);
            assert_eq!(outputs.read(None).unwrap().0.digest, blake3::hash(&text));
        }
    }
}
