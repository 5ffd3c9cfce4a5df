//! Standard input of a run: a file that each run reads from its beginning.

use std::fs::{File, FileType};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

use crate::MeasureError;

/// Devices of memory, such as `/dev/null` and `/dev/zero`: each opening gives the same.
const MEMORY_DEVICES: u32 = 1;

/// Opens it. A pipe gives what it holds to the first run alone, and is waited for without end; so
/// is a terminal.
pub(crate) fn open(path: &Path) -> Result<File, MeasureError> {
    let refused = |source| MeasureError::Stdin {
        path: path.to_owned(),
        source,
    };
    let about = path.metadata().map_err(refused)?;
    let kind = about.file_type();
    let of_memory = kind.is_char_device() && rustix::fs::major(about.rdev()) == MEMORY_DEVICES;
    if !kind.is_file() && !of_memory {
        return Err(MeasureError::StdinOnce {
            path: path.to_owned(),
            what: word(kind),
        });
    }
    File::open(path).map_err(refused)
}

fn word(kind: FileType) -> &'static str {
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_each_run_reads_anew_is_an_input() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "text").unwrap();
        std::os::unix::fs::symlink("file", path("link")).unwrap();
        let pipe = path("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        for good in [
            path("file"),
            path("link"),
            "/dev/null".into(),
            "/dev/zero".into(),
        ] {
            assert!(open(&good).is_ok(), "{}", good.display());
        }
        for (bad, what) in [(pipe, "a pipe"), (path("."), "a folder")] {
            let error = open(&bad).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
        assert!(matches!(
            open(&path("none")),
            Err(MeasureError::Stdin { .. })
        ));
    }
}
