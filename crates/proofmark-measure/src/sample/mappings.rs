//! Which file lies where in the processes of a run, and what address of the file a sample is at.

use std::collections::HashMap;
use std::path::Path;

use object::{Object as _, ObjectSegment as _};

use super::Elsewhere;
use crate::Unavailable;

/// Of what a mapping is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// Of the file that is looked at.
    Program,
    /// Of something else.
    Elsewhere(Elsewhere),
}

/// What lies at an address of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found<'a> {
    /// The file that is looked at, at this place of it.
    Program { offset: u64 },
    /// Something else.
    Elsewhere(&'a Elsewhere),
}

/// A piece of a file in a process.
#[derive(Clone, Debug)]
pub(super) struct Mapping {
    pub(super) start: u64,
    pub(super) length: u64,
    /// Where in the file it begins.
    pub(super) offset: u64,
    /// What it is a piece of.
    pub(super) of: Of,
}

/// The pieces of all processes, by process.
#[derive(Debug, Default)]
pub(super) struct Mappings(HashMap<u32, Vec<Mapping>>);

impl Mappings {
    pub(super) fn add(&mut self, process: u32, mapping: Mapping) {
        self.0.entry(process).or_default().push(mapping);
    }

    /// What lies at an address of a process; none where the kernel told of nothing there. A
    /// process that mapped nothing itself has what its parent has.
    pub(super) fn find(&self, process: u32, address: u64) -> Option<Found<'_>> {
        let holds = |mapping: &&Mapping| address.wrapping_sub(mapping.start) < mapping.length;
        let mapping = match self.0.get(&process) {
            Some(own) => own.iter().rev().find(holds),
            None => self.0.values().flatten().find(holds),
        }?;
        Some(match &mapping.of {
            Of::Program => Found::Program {
                offset: address - mapping.start + mapping.offset,
            },
            Of::Elsewhere(of) => Found::Elsewhere(of),
        })
    }
}

/// The loaded pieces of a file: where each lies in it, and at what address it was linked.
#[derive(Debug)]
pub(super) struct Segments(Vec<(u64, u64, u64)>);

impl Segments {
    pub(super) fn read(file: &Path) -> Result<Segments, Unavailable> {
        let failed = || Unavailable::failed("cannot read the program");
        let data = std::fs::read(file).map_err(failed())?;
        let parsed = object::File::parse(&*data)
            .map_err(|error| failed()(std::io::Error::other(error.to_string())))?;
        let segments = parsed.segments().map(|segment| {
            let (offset, size) = segment.file_range();
            (offset, size, segment.address())
        });
        Ok(Segments(segments.collect()))
    }

    /// The address as linked of a place in the file.
    pub(super) fn address(&self, offset: u64) -> Option<u64> {
        let holds = |(start, size, _): &&(u64, u64, u64)| offset.wrapping_sub(*start) < *size;
        let (start, _, address) = self.0.iter().find(holds)?;
        Some(offset - start + address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_of_the_file_that_its_own_process_has_there() {
        let mut mappings = Mappings::default();
        let other = Elsewhere::File("/lib/other.so".to_owned());
        let at = |start, own| Mapping {
            start,
            length: 0x1000,
            offset: 0x2000,
            of: if own {
                Of::Program
            } else {
                Of::Elsewhere(other.clone())
            },
        };
        mappings.add(1, at(0x5000, true));
        mappings.add(2, at(0x5000, false));
        let own = Some(Found::Program { offset: 0x2010 });
        assert_eq!(mappings.find(1, 0x5010), own);
        assert_eq!(mappings.find(1, 0x6000), None);
        assert_eq!(mappings.find(1, 0x4fff), None);
        let elsewhere = Some(Found::Elsewhere(&other));
        assert_eq!(mappings.find(2, 0x5010), elsewhere, "another program there");
        // What was mapped later is what lies there.
        mappings.add(1, at(0x5800, false));
        assert_eq!(mappings.find(1, 0x5810), elsewhere);
        let segments = Segments(vec![(0, 0x1000, 0), (0x2000, 0x500, 0x40_3000)]);
        assert_eq!(segments.address(0x2010), Some(0x40_3010));
        assert_eq!(segments.address(0x2500), None);
    }
}
