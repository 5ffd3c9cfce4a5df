//! Which file lies where in the processes of a run, and what address of the file a sample is at.

use std::collections::HashMap;
use std::path::Path;

use object::{Object as _, ObjectSegment as _};

use crate::Unavailable;

/// A piece of a file in a process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mapping {
    pub(super) start: u64,
    pub(super) length: u64,
    /// Where in the file it begins.
    pub(super) offset: u64,
    /// It is of the file that is looked at.
    pub(super) own: bool,
}

/// The pieces of all processes, by process.
#[derive(Debug, Default)]
pub(super) struct Mappings(HashMap<u32, Vec<Mapping>>);

impl Mappings {
    pub(super) fn add(&mut self, process: u32, mapping: Mapping) {
        self.0.entry(process).or_default().push(mapping);
    }

    /// Where in the file that is looked at an address of a process lies; none where it lies in
    /// another one. A process that mapped nothing itself has what its parent has.
    pub(super) fn offset(&self, process: u32, address: u64) -> Option<u64> {
        let holds = |mapping: &&Mapping| address.wrapping_sub(mapping.start) < mapping.length;
        let found = match self.0.get(&process) {
            Some(own) => own.iter().rev().find(holds),
            None => self.0.values().flatten().find(holds),
        };
        let mapping = found.filter(|mapping| mapping.own)?;
        Some(address - mapping.start + mapping.offset)
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
        let at = |start, own| Mapping {
            start,
            length: 0x1000,
            offset: 0x2000,
            own,
        };
        mappings.add(1, at(0x5000, true));
        mappings.add(2, at(0x5000, false));
        assert_eq!(mappings.offset(1, 0x5010), Some(0x2010));
        assert_eq!(mappings.offset(1, 0x6000), None);
        assert_eq!(mappings.offset(1, 0x4fff), None);
        assert_eq!(mappings.offset(2, 0x5010), None, "another program there");
        // What was mapped later is what lies there.
        mappings.add(1, at(0x5800, false));
        assert_eq!(mappings.offset(1, 0x5810), None);
        let segments = Segments(vec![(0, 0x1000, 0), (0x2000, 0x500, 0x40_3000)]);
        assert_eq!(segments.address(0x2010), Some(0x40_3010));
        assert_eq!(segments.address(0x2500), None);
    }
}
