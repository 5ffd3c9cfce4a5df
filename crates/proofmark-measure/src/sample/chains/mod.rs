//! Where a program spends its time with who called it: samples of one run, each with its chain of
//! calls. Such a run is not timed.
//!
//! The kernel follows frame pointers, in user space only, which is permitted at
//! `kernel.perf_event_paranoid` 2. A function that keeps none hides the one that called it; code
//! that uses the register for something else ends the chain. Whoever names the frames sees both.

mod maps;
mod perf_map;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use perf_event::data::Record;
use perf_event::{SampleFlag, Sampler};

use self::maps::{Lies, Maps};
use self::perf_map::PerfMap;
use super::clock::samplers;
use super::mappings::Segments;
use crate::counters::run_with;
use crate::{End, Interrupt, Launch, Unavailable};

/// Bytes of samples that a core holds until they are fetched: as many as the kernel lends to users
/// (`kernel.perf_event_mlock_kb`). Chains are long.
const ROOM: usize = 512 * 1024;
/// Context markers, which stand among the addresses of a chain, begin here (`PERF_CONTEXT_MAX` of
/// linux/perf_event.h, −4095).
const MARKERS: u64 = u64::MAX - 4094;

/// The samples of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chains {
    /// How the run ended.
    pub end: End,
    /// The samples, in order of time.
    pub samples: Vec<Chain>,
    /// The files that frames are of, by their paths in the run.
    pub files: Vec<PathBuf>,
    /// Samples that the kernel dropped for want of room.
    pub lost: u64,
    /// The most frames that the kernel keeps of a chain (`kernel.perf_event_max_stack`).
    pub most: usize,
    /// Why the names of code that was made in the run are not known, by process.
    pub unnamed: BTreeMap<u32, Unnamed>,
}

/// One sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The process.
    pub process: u32,
    /// The thread.
    pub thread: u32,
    /// When it was, from the first sample on.
    pub at: Duration,
    /// Its frames, innermost first. There is at least one.
    pub frames: Vec<Frame>,
}

/// A place in a chain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Frame {
    /// In a file, by its index.
    InFile {
        /// Its index in the list of files.
        file: usize,
        /// An address as linked: of the instruction itself, or in the call that it stands in. None
        /// where the file cannot be read.
        address: Option<u64>,
    },
    /// In code that was made in the run, by the name that its maker wrote down.
    Made(String),
    /// In memory that no file fills and that nothing names.
    Unnamed,
    /// In code that the kernel lends to programs.
    Lent,
}

/// Why the names of code that was made in a run are not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unnamed {
    /// The maker wrote no map.
    #[error("no {} was written: the runtime has to be asked for it", .0.display())]
    NoMap(PathBuf),
    /// There is a map from before the run.
    #[error("{} is stale: it was written before the run began, by another process of that number", .0.display())]
    Stale(PathBuf),
    /// The map cannot be taken.
    #[error("{} cannot be taken: {why}", path.display())]
    Unread {
        /// The map.
        path: PathBuf,
        /// Why not.
        why: String,
    },
}

/// Runs a program once and takes samples with their chains. Its output is thrown away.
///
/// # Errors
/// The reason where the kernel does not tell, or the program cannot be run.
pub fn sample_chains(launch: &Launch, stop: &Interrupt) -> Result<Chains, Unavailable> {
    let what = SampleFlag::IP | SampleFlag::TID | SampleFlag::TIME | SampleFlag::CALLCHAIN;
    let mut samplers = samplers(what, ROOM)?;
    let began = SystemTime::now();
    let mut taken = Taken::default();
    let end = run_with(launch, stop, &mut || taken.fetch(&mut samplers))?;
    taken.fetch(&mut samplers);
    if let End::Signalled(signal) = end {
        return Err(Unavailable::Failed {
            what: "the sampled run failed",
            message: format!("ended by signal {signal}"),
        });
    }
    taken.samples.sort_by_key(|sample| sample.time);
    let view = launch.view.as_deref();
    let file = |path: &Path| view.map_or(path, |view| view.file(path)).to_owned();
    let mut placing = Placing::new(&taken.maps, began, &file);
    let first = taken.samples.first().map_or(0, |sample| sample.time);
    let samples = taken
        .samples
        .iter()
        .filter_map(|sample| placing.chain(sample, first))
        .collect();
    Ok(Chains {
        end,
        samples,
        files: placing.files,
        lost: taken.lost,
        most: most(),
        unnamed: placing.unnamed,
    })
}

/// `kernel.perf_event_max_stack`, or what it is where nobody changed it.
fn most() -> usize {
    let text = std::fs::read_to_string("/proc/sys/kernel/perf_event_max_stack");
    text.ok()
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(127)
}

/// What the kernel noted.
#[derive(Default)]
struct Taken {
    maps: Maps,
    samples: Vec<Noted>,
    lost: u64,
}

/// A sample as the kernel noted it.
struct Noted {
    process: u32,
    thread: u32,
    time: u64,
    /// Innermost first.
    addresses: Vec<u64>,
}

impl Taken {
    fn fetch(&mut self, samplers: &mut [Sampler]) {
        for sampler in samplers {
            while let Some(record) = sampler.next_record() {
                // What cannot be read is one sample less.
                match record.parse_record() {
                    Ok(Record::Sample(sample)) => {
                        let whose = sample.pid().zip(sample.tid()).zip(sample.time());
                        let (Some(((process, thread), time)), Some(ip)) = (whose, sample.ip())
                        else {
                            continue;
                        };
                        let chain = sample.callchain().unwrap_or_default().iter().copied();
                        let mut addresses: Vec<u64> = chain.filter(|at| *at < MARKERS).collect();
                        if addresses.is_empty() {
                            addresses.push(ip);
                        }
                        self.samples.push(Noted {
                            process,
                            thread,
                            time,
                            addresses,
                        });
                    }
                    Ok(Record::Mmap2(mapped)) => self.maps.add(&mapped),
                    Ok(Record::Fork(fork)) => self.maps.fork(fork.pid, fork.ppid),
                    Ok(Record::Lost(lost)) => self.lost += lost.lost,
                    _ => {}
                }
            }
        }
    }
}

/// Says of addresses what lies there.
struct Placing<'a> {
    maps: &'a Maps,
    began: SystemTime,
    /// Where a file of the run can be read from here.
    file: &'a dyn Fn(&Path) -> PathBuf,
    files: Vec<PathBuf>,
    segments: Vec<Option<Segments>>,
    made: BTreeMap<u32, Result<PerfMap, Unnamed>>,
    unnamed: BTreeMap<u32, Unnamed>,
}

impl<'a> Placing<'a> {
    fn new(maps: &'a Maps, began: SystemTime, file: &'a dyn Fn(&Path) -> PathBuf) -> Self {
        Placing {
            maps,
            began,
            file,
            files: Vec::new(),
            segments: Vec::new(),
            made: BTreeMap::new(),
            unnamed: BTreeMap::new(),
        }
    }

    /// A chain; none where the kernel tells of nothing at the sample itself. It ends where an
    /// address is none of code.
    fn chain(&mut self, sample: &Noted, first: u64) -> Option<Chain> {
        let mut frames = Vec::with_capacity(sample.addresses.len());
        for (depth, address) in sample.addresses.iter().enumerate() {
            // A way back leads behind the call.
            let at = address.saturating_sub(u64::from(depth > 0));
            match self.frame(sample.process, at) {
                Some(frame) => frames.push(frame),
                None => break,
            }
        }
        (!frames.is_empty()).then(|| Chain {
            process: sample.process,
            thread: sample.thread,
            at: Duration::from_nanos(sample.time - first),
            frames,
        })
    }

    fn frame(&mut self, process: u32, at: u64) -> Option<Frame> {
        let maps = self.maps;
        match maps.find(process, at)? {
            Lies::Lent => Some(Frame::Lent),
            Lies::Memory => Some(self.made(process, at)),
            Lies::File { path, offset } => {
                let file = self.index(path);
                let segments = self.segments.get(file).and_then(Option::as_ref);
                let address = segments.and_then(|segments| segments.address(offset));
                Some(Frame::InFile { file, address })
            }
        }
    }

    fn index(&mut self, path: &Path) -> usize {
        if let Some(index) = self.files.iter().position(|known| known == path) {
            return index;
        }
        self.files.push(path.to_owned());
        self.segments.push(Segments::read(&(self.file)(path)).ok());
        self.files.len() - 1
    }

    fn made(&mut self, process: u32, at: u64) -> Frame {
        let began = self.began;
        let map = self.made.entry(process).or_insert_with(|| {
            let path = PathBuf::from(format!("/tmp/perf-{process}.map"));
            PerfMap::read(&path, began)
        });
        match map {
            Ok(map) => map
                .name(at)
                .map_or(Frame::Unnamed, |name| Frame::Made(name.to_owned())),
            Err(why) => {
                self.unnamed.insert(process, why.clone());
                Frame::Unnamed
            }
        }
    }
}
