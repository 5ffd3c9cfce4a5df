//! The shape of a cache of the processor.

/// A cache: how much it holds, in how many ways, in lines of which length. It has at least one set,
/// and all of it is in whole sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheShape {
    bytes: u64,
    ways: u64,
    line: u64,
}

impl CacheShape {
    /// A cache of so many bytes, in so many ways, with lines of so many bytes. None where a line is
    /// not a power of two, or the sets do not come out even.
    #[must_use]
    pub const fn new(bytes: u64, ways: u64, line: u64) -> Option<CacheShape> {
        if !line.is_power_of_two() || ways == 0 || bytes == 0 {
            return None;
        }
        match ways.checked_mul(line) {
            Some(set) if bytes.is_multiple_of(set) => Some(CacheShape { bytes, ways, line }),
            _ => None,
        }
    }

    /// How much it holds, in bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.bytes
    }

    /// Lines in each set.
    #[must_use]
    pub const fn ways(self) -> u64 {
        self.ways
    }

    /// Length of a line, in bytes.
    #[must_use]
    pub const fn line(self) -> u64 {
        self.line
    }

    /// How many sets there are.
    #[must_use]
    pub const fn sets(self) -> u64 {
        self.bytes / (self.ways * self.line)
    }
}

/// `32 KiB, 8 ways, 64-byte lines`.
impl std::fmt::Display for CacheShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.bytes >> 10, self.bytes >> 20) {
            (0, _) => write!(f, "{} B", self.bytes)?,
            (_, mib) if mib > 0 && self.bytes.is_multiple_of(1 << 20) => write!(f, "{mib} MiB")?,
            (kib, _) => write!(f, "{kib} KiB")?,
        }
        write!(f, ", {} ways, {}-byte lines", self.ways, self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_has_whole_sets_or_is_none() {
        let usual = CacheShape::new(32 << 10, 8, 64).unwrap();
        assert_eq!(usual.sets(), 64);
        assert_eq!(usual.to_string(), "32 KiB, 8 ways, 64-byte lines");
        let large = CacheShape::new(480 << 20, 16, 64).unwrap();
        assert_eq!(large.sets(), 491_520);
        assert_eq!(large.to_string(), "480 MiB, 16 ways, 64-byte lines");
        for (bytes, ways, line) in [
            (0, 8, 64),
            (32 << 10, 0, 64),
            (32 << 10, 8, 0),
            (32 << 10, 8, 48),
            (1000, 8, 64),
            (32 << 10, u64::MAX, 64),
        ] {
            assert_eq!(CacheShape::new(bytes, ways, line), None);
        }
    }
}
