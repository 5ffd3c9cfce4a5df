//! What lies where in the processes of a run.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use perf_event::data::Mmap2;

/// A piece of a process that can be executed.
#[derive(Clone, Debug)]
struct Piece {
    start: u64,
    length: u64,
    /// Where in the file it begins.
    offset: u64,
    of: Of,
}

#[derive(Clone, Debug)]
enum Of {
    File(PathBuf),
    Memory,
    Lent,
}

/// What lies at an address.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Lies<'a> {
    /// A file, at this place of it.
    File { path: &'a Path, offset: u64 },
    /// Memory that no file fills.
    Memory,
    /// Code that the kernel lends to programs.
    Lent,
}

/// The pieces of all processes.
#[derive(Debug, Default)]
pub(super) struct Maps {
    pieces: BTreeMap<u32, Vec<Piece>>,
    parents: BTreeMap<u32, u32>,
}

impl Maps {
    pub(super) fn add(&mut self, mapped: &Mmap2) {
        let name = mapped.filename.split(|byte| *byte == 0).next();
        self.put(
            mapped.pid,
            (mapped.addr, mapped.len, mapped.pgoff),
            name.unwrap_or_default(),
        );
    }

    fn put(&mut self, process: u32, (start, length, offset): (u64, u64, u64), name: &[u8]) {
        let of = match name {
            b"[vdso]" | b"[vsyscall]" => Of::Lent,
            // A file in memory has a path that starts nowhere: `/memfd:`.
            name if name.starts_with(b"/memfd:") || name.starts_with(b"/dev/zero") => Of::Memory,
            [b'/', second, ..] if *second != b'/' => {
                Of::File(Path::new(std::ffi::OsStr::from_bytes(name)).to_owned())
            }
            _ => Of::Memory,
        };
        self.pieces.entry(process).or_default().push(Piece {
            start,
            length,
            offset,
            of,
        });
    }

    pub(super) fn fork(&mut self, process: u32, parent: u32) {
        // A thread is told of as well.
        if process != parent {
            self.parents.insert(process, parent);
        }
    }

    /// What lies at an address of a process: what was mapped there last, by itself or else by those
    /// that it descends from. None where nothing that can be executed lies there.
    pub(super) fn find(&self, process: u32, address: u64) -> Option<Lies<'_>> {
        let holds = |piece: &&Piece| address.wrapping_sub(piece.start) < piece.length;
        let mut process = process;
        // Numbers of processes are used again: no more generations than there are processes.
        for _ in 0..=self.parents.len() {
            let mut own = self.pieces.get(&process).into_iter().flatten().rev();
            if let Some(piece) = own.find(holds) {
                return Some(match &piece.of {
                    Of::Memory => Lies::Memory,
                    Of::Lent => Lies::Lent,
                    Of::File(path) => Lies::File {
                        path,
                        offset: address - piece.start + piece.offset,
                    },
                });
            }
            process = *self.parents.get(&process)?;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_what_it_mapped_and_what_its_parents_did() {
        let mut maps = Maps::default();
        maps.put(1, (0x5000, 0x1000, 0x2000), b"/bin/one");
        maps.put(1, (0x9000, 0x1000, 0), b"//anon");
        maps.put(1, (0xa000, 0x1000, 0), b"/memfd:code (deleted)");
        maps.put(1, (0xb000, 0x1000, 0), b"[vdso]");
        maps.fork(2, 1);
        maps.fork(1, 1);
        maps.fork(3, 2);
        maps.put(3, (0x5000, 0x800, 0), b"/lib/other.so");
        let file = |path, offset| {
            Some(Lies::File {
                path: Path::new(path),
                offset,
            })
        };
        assert_eq!(maps.find(1, 0x5010), file("/bin/one", 0x2010));
        assert_eq!(maps.find(2, 0x5010), file("/bin/one", 0x2010));
        assert_eq!(maps.find(3, 0x5010), file("/lib/other.so", 0x10));
        assert_eq!(maps.find(3, 0x5810), file("/bin/one", 0x2810));
        assert_eq!(maps.find(2, 0x9fff), Some(Lies::Memory));
        assert_eq!(maps.find(2, 0xa000), Some(Lies::Memory));
        assert_eq!(maps.find(1, 0xb000), Some(Lies::Lent));
        assert_eq!(maps.find(1, 0x4fff), None);
        assert_eq!(maps.find(7, 0x5010), None);
        // What was mapped later is what lies there, and numbers that go in a circle end.
        maps.put(1, (0x5800, 0x800, 0), b"/lib/late.so");
        assert_eq!(maps.find(1, 0x5810), file("/lib/late.so", 0x10));
        maps.fork(1, 3);
        assert_eq!(maps.find(1, 0x1), None);
    }
}
