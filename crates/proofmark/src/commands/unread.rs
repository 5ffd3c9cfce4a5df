//! What was handed to proofmark by the shell, and reaches no run.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt as _;

use rustix::io::ioctl_fionread;

use crate::arguments::BenchmarkArgs;
use crate::console;

/// Says that a file on proofmark's own standard input is not the runs', and that what already waits
/// in a pipe there is not either. An empty pipe or a terminal says nothing of what was meant:
/// scripts and CI have either.
pub(crate) fn say_input(benchmark: &BenchmarkArgs) {
    if benchmark.stdin.is_some() {
        return;
    }
    let what = match waiting(std::io::stdin()) {
        Some(Input::File) => "the file",
        Some(Input::Pipe) => "what waits in the pipe",
        None => return,
    };
    console::say(&format!(
        "proofmark: no run reads {what} on proofmark's standard input: the standard input of a run \
         is empty. --stdin FILE gives every run that file"
    ));
}

/// What somebody may have meant for the runs.
enum Input {
    File,
    Pipe,
}

fn waiting(input: impl AsFd) -> Option<Input> {
    let own = input.as_fd().try_clone_to_owned().ok()?;
    let about = File::from(own).metadata().ok()?;
    if about.is_file() {
        return (about.len() > 0).then_some(Input::File);
    }
    let waits = || ioctl_fionread(&input).is_ok_and(|bytes| bytes > 0);
    (about.file_type().is_fifo() && waits()).then_some(Input::Pipe)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn only_what_is_there_was_meant() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        assert!(waiting(&reader).is_none());
        writer.write_all(b"1").unwrap();
        assert!(matches!(waiting(&reader), Some(Input::Pipe)));
        assert!(waiting(File::open("/dev/null").unwrap()).is_none());
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(waiting(file.as_file()).is_none());
        file.as_file().write_all(b"1").unwrap();
        assert!(matches!(waiting(file.as_file()), Some(Input::File)));
    }
}
