//! What can be read only once: a shim that reads it takes it from the tool that it stands for.

use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// The standard input by its paths. A second run has another one.
const INPUT: [&str; 3] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Whether one of a tool's words is the path of a pipe, a socket or a terminal, be it as a file of
/// words: `/dev/fd/63` of a shell's `<(…)`, or the standard input.
pub(super) fn any(words: &[impl AsRef<OsStr>]) -> bool {
    words.iter().any(|word| {
        let word = word.as_ref().as_bytes();
        let path = word.strip_prefix(b"@").unwrap_or(word);
        is_read_once(Path::new(OsStr::from_bytes(path)))
    })
}

/// Whether a path leads to what one reader alone gets.
pub(super) fn is_read_once(path: &Path) -> bool {
    let kind = |kind: FileType| {
        kind.is_fifo()
            || kind.is_socket()
            || (kind.is_char_device() && path != Path::new("/dev/null"))
    };
    INPUT.iter().any(|input| path == Path::new(input))
        || fs::metadata(path).is_ok_and(|about| kind(about.file_type()))
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn pipes_are_read_once_and_files_are_not() {
        let (read, _write) = std::io::pipe().unwrap();
        let pipe = format!("/proc/self/fd/{}", read.as_raw_fd());
        assert!(is_read_once(Path::new(&pipe)));
        assert!(any(&["-include".to_owned(), format!("@{pipe}")]));
        assert!(is_read_once(Path::new("/dev/stdin")));
        assert!(!any(&["-o", "/dev/null", file!(), "-O2", "", "/missing"]));
    }
}
