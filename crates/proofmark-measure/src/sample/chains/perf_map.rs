//! The names of code that a runtime made while it ran, as it writes them down for profilers: in
//! `/tmp/perf-PID.map`, a line `START SIZE name` for each piece (tools/perf/Documentation/
//! jit-interface.txt of Linux).

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::Unnamed;

/// The longest map that is read, in bytes.
const LONGEST: u64 = 256 << 20;

/// The kernel dates files by a clock that goes on with its ticks, at least fifty a second.
const TICK: Duration = Duration::from_millis(20);

/// Pieces of code by where they begin: where each ends, and its name.
#[derive(Debug, Default)]
pub(super) struct PerfMap(BTreeMap<u64, (u64, String)>);

impl PerfMap {
    /// The map at a path, which a run that began then has to have written.
    pub(super) fn read(path: &Path, began: SystemTime) -> Result<PerfMap, Unnamed> {
        let unread = |why: String| Unnamed::Unread {
            path: path.to_owned(),
            why,
        };
        // Anybody may put anything into that folder.
        let opened = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
            .open(path);
        let file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Unnamed::NoMap(path.to_owned()));
            }
            Err(error) => return Err(unread(error.to_string())),
        };
        let about = file.metadata().map_err(|error| unread(error.to_string()))?;
        if !about.is_file() || about.len() > LONGEST {
            return Err(unread("it is no file, or longer than 256 MiB".to_owned()));
        }
        let user = rustix::process::geteuid().as_raw();
        if about.uid() != user && user != 0 {
            return Err(unread("it is another user's".to_owned()));
        }
        let written = about
            .modified()
            .map_err(|error| unread(error.to_string()))?;
        if written + TICK < began {
            return Err(Unnamed::Stale(path.to_owned()));
        }
        let mut text = Vec::new();
        file.take(LONGEST)
            .read_to_end(&mut text)
            .map_err(|error| unread(error.to_string()))?;
        Ok(PerfMap::of(&String::from_utf8_lossy(&text)))
    }

    /// Of a text. What is no line of a map is left out: the last one may be half written.
    fn of(text: &str) -> PerfMap {
        let mut map = PerfMap::default();
        for line in text.lines() {
            let mut words = line.splitn(3, ' ');
            let mut number = || {
                let word = words.next()?;
                u64::from_str_radix(word.trim_start_matches("0x"), 16).ok()
            };
            let (start, size) = (number(), number());
            if let (Some(start), Some(size), Some(name)) = (start, size, words.next()) {
                map.put(start, start.saturating_add(size), name.trim());
            }
        }
        map
    }

    /// Code that is made where other code was takes its place. What is left of the other behind it
    /// is found no more, for what begins last before an address is looked at alone.
    fn put(&mut self, start: u64, end: u64, name: &str) {
        if end <= start || name.is_empty() {
            return;
        }
        let within: Vec<u64> = self.0.range(start..end).map(|(first, _)| *first).collect();
        for first in within {
            self.0.remove(&first);
        }
        self.0.insert(start, (end, name.to_owned()));
    }

    /// The name of the code at an address.
    pub(super) fn name(&self, address: u64) -> Option<&str> {
        let (_, (end, name)) = self.0.range(..=address).next_back()?;
        (address < *end).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_code_takes_the_place_of_earlier() {
        let map = PerfMap::of(
            "1000 100 first one\n0x2000 20 two\nnot a line\n1080 100 third\n3000 0 empty\n4000 10\n\
             2010 4 with in\n5000 ffffffffffffffff last\n60",
        );
        let name = |at| map.name(at);
        assert_eq!(name(0xfff), None);
        assert_eq!(name(0x107f), Some("first one"));
        assert_eq!(name(0x1080), Some("third"));
        assert_eq!(name(0x117f), Some("third"));
        assert_eq!(name(0x1180), None);
        assert_eq!(name(0x200f), Some("two"));
        assert_eq!(name(0x2010), Some("with in"));
        // What is left of the older code behind the newer is not known to be still there.
        assert_eq!(name(0x2014), None);
        assert_eq!((name(0x3000), name(0x4000)), (None, None));
        assert_eq!(name(u64::MAX - 1), Some("last"));
    }

    #[test]
    fn a_map_from_before_the_run_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("perf-7.map");
        let read = |began| PerfMap::read(&path, began);
        let now = SystemTime::now();
        assert_eq!(read(now).unwrap_err(), Unnamed::NoMap(path.clone()));
        std::fs::write(&path, "1000 10 f\n").unwrap();
        let hour = Duration::from_secs(3600);
        assert_eq!(read(now - hour).unwrap().name(0x1001), Some("f"));
        let refused = read(now + hour).unwrap_err();
        assert_eq!(refused, Unnamed::Stale(path.clone()));
        assert!(refused.to_string().contains("perf-7.map is stale"));
        // A link, which may lead anywhere.
        let link = folder.path().join("perf-8.map");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let refused = PerfMap::read(&link, now - hour).unwrap_err();
        assert!(matches!(refused, Unnamed::Unread { .. }));
    }
}
