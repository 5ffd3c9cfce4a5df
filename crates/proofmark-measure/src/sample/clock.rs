//! Samples by the kernel's clock of each core.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use perf_event::data::Record;
use perf_event::events::Software;
use perf_event::{Builder, SampleFlag, Sampler};
use proofmark_terms::CoreList;

use super::mappings::{Found, Mapping, Mappings, Of, Segments};
use super::{Elsewhere, Place, Profile};
use crate::counters::{refused, run_spending};
use crate::{End, Interrupt, Launch, Spent, Unavailable};

/// Nanoseconds of CPU time from one sample to the next, some 5,000 a second: a prime, so that no
/// loop of the program keeps in step with it.
pub(super) const PERIOD: u64 = 199_933;
/// Bytes of samples that a core holds until they are fetched: half a second's.
const ROOM: usize = 128 * 1024;

pub(super) fn sample(
    launch: &Launch,
    (program, file): (&Path, &Path),
    stop: &Interrupt,
) -> Result<Profile, Unavailable> {
    let segments = Segments::read(file)?;
    let mut samplers = samplers(SampleFlag::IP | SampleFlag::TID, ROOM)?;
    let mut taken = Taken {
        program,
        mappings: Mappings::default(),
        samples: Vec::new(),
    };
    let (end, spent) = run_spending(launch, stop, &mut || taken.fetch(&mut samplers))?;
    taken.fetch(&mut samplers);
    if let End::Signalled(signal) = end {
        return Err(Unavailable::Failed {
            what: "the sampled run failed",
            message: format!("ended by signal {signal}"),
        });
    }
    Ok(Profile {
        end,
        spent,
        ..taken.profile(&segments)
    })
}

/// A sampler for each core, of this thread, switched off here, inherited by what it starts and
/// switched on there by exec. What is inherited has one buffer for each core, not for each process.
/// Each sample tells what is asked for, and each core has so much room for them, in bytes.
pub(super) fn samplers(what: SampleFlag, room: usize) -> Result<Vec<Sampler>, Unavailable> {
    let mut samplers = Vec::new();
    for core in cores() {
        let opened = Builder::new(Software::CPU_CLOCK)
            .observe_self()
            .one_cpu(core)
            .inherit(true)
            .enable_on_exec(true)
            .exclude_kernel(true)
            .exclude_hv(true)
            .sample_period(PERIOD)
            .sample(what)
            .exclude_callchain_kernel(true)
            .mmap(true)
            .mmap2(true)
            .task(true)
            .build()
            .and_then(|counter| counter.sampled(room));
        match opened {
            Ok(sampler) => samplers.push(sampler),
            // A core that is switched off has none.
            Err(error) if error.raw_os_error() == Some(libc::ENODEV) => {}
            Err(error) => return Err(refused("the time of a core", &error)),
        }
    }
    if samplers.is_empty() {
        return Err(Unavailable::NoCounter("the time of a core"));
    }
    Ok(samplers)
}

/// The cores that there are, as the kernel lists them: `0-3,5`.
fn cores() -> Vec<usize> {
    let listed = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let listed = CoreList::parse(&listed).unwrap_or_default();
    listed
        .iter()
        .filter_map(|core| usize::try_from(core).ok())
        .collect()
}

/// What the kernel noted.
struct Taken<'a> {
    program: &'a Path,
    mappings: Mappings,
    /// Process and address.
    samples: Vec<(u32, u64)>,
}

impl Taken<'_> {
    fn fetch(&mut self, samplers: &mut [Sampler]) {
        for sampler in samplers {
            while let Some(record) = sampler.next_record() {
                // What cannot be read is one sample less.
                match record.parse_record() {
                    Ok(Record::Sample(sample)) => {
                        if let (Some(process), Some(address)) = (sample.pid(), sample.ip()) {
                            self.samples.push((process, address));
                        }
                    }
                    Ok(Record::Mmap2(mapped)) => {
                        let name = mapped.filename.split(|byte| *byte == 0).next();
                        let name = name.unwrap_or_default();
                        let of = if name == self.program.as_os_str().as_bytes() {
                            Of::Program
                        } else {
                            Of::Elsewhere(elsewhere(name))
                        };
                        self.mappings.add(
                            mapped.pid,
                            Mapping {
                                start: mapped.addr,
                                length: mapped.len,
                                offset: mapped.pgoff,
                                of,
                            },
                        );
                    }
                    _ => {}
                }
            }
        }
    }

    fn profile(&self, segments: &Segments) -> Profile {
        let (mut places, mut elsewhere) = (BTreeMap::new(), BTreeMap::new());
        for (process, address) in &self.samples {
            match self.mappings.find(*process, *address) {
                Some(Found::Program { offset }) => {
                    if let Some(address) = segments.address(offset) {
                        *places.entry(Place::Address(address)).or_default() += 1;
                    }
                }
                Some(Found::Elsewhere(of)) => *elsewhere.entry(of.clone()).or_default() += 1,
                None => *elsewhere.entry(Elsewhere::Unknown).or_default() += 1,
            }
        }
        Profile {
            by: super::Sampler::Clock,
            end: End::Exited(0),
            spent: Spent::default(),
            total: self.samples.len() as u64,
            places,
            elsewhere,
        }
    }
}

/// What the kernel's name of a mapping stands for: a path, or a word of its own.
fn elsewhere(name: &[u8]) -> Elsewhere {
    match name {
        b"[vdso]" | b"[vsyscall]" => Elsewhere::Lent,
        [b'/', second, ..] if *second != b'/' => {
            Elsewhere::File(String::from_utf8_lossy(name).into_owned())
        }
        _ => Elsewhere::Unknown,
    }
}
