//! The caches that are simulated.

use std::path::Path;

use proofmark_terms::CacheShape;

use crate::machine::read::file;

/// Two levels of caches: the first for instructions and for data, and the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    /// The first level's, for instructions.
    pub i1: CacheShape,
    /// The first level's, for data.
    pub d1: CacheShape,
    /// The last level's.
    pub ll: CacheShape,
    /// Where their shapes come from.
    pub from: CachesFrom,
    /// Whether one of them has fewer sets than it should: the simulation knows powers of two alone.
    pub cut: bool,
}

/// Where the shapes of caches come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachesFrom {
    /// Whoever asked gave them.
    Given,
    /// They are this machine's, as the kernel lists them.
    Host,
    /// The kernel lists none, and these are usual ones.
    Usual,
}

/// One of a usual shape.
const fn usual(bytes: u64, ways: u64) -> CacheShape {
    CacheShape::new(bytes, ways, 64).expect("whole sets")
}

impl Caches {
    /// Those of many processors of the last ten years: 32 KiB each in 8 ways, and 8 MiB in 16.
    pub const USUAL: Caches = Caches {
        i1: usual(32 << 10, 8),
        d1: usual(32 << 10, 8),
        ll: usual(8 << 20, 16),
        from: CachesFrom::Usual,
        cut: false,
    };

    /// Caches of these shapes.
    #[must_use]
    pub fn given(i1: CacheShape, d1: CacheShape, ll: CacheShape) -> Caches {
        Caches {
            i1,
            d1,
            ll,
            from: CachesFrom::Given,
            cut: false,
        }
    }

    /// Those of this machine, or the usual ones where the kernel does not list them. In a virtual
    /// machine they are what the host says.
    #[must_use]
    pub fn of_host() -> Caches {
        Caches::below(Path::new("/")).unwrap_or(Caches::USUAL)
    }

    /// As the kernel lists them (Documentation/ABI/testing/sysfs-devices-system-cpu).
    fn below(root: &Path) -> Option<Caches> {
        let of = |index: u32| {
            let folder = root.join(format!("sys/devices/system/cpu/cpu0/cache/index{index}"));
            let level: u32 = file(&folder, "level")?.parse().ok()?;
            let number = |name| file(&folder, name)?.parse::<u64>().ok();
            let line = number("coherency_line_size")?;
            let size = file(&folder, "size")?;
            let bytes = size
                .strip_suffix('K')?
                .parse::<u64>()
                .ok()?
                .checked_mul(1024)?;
            let ways = match number("ways_of_associativity")? {
                // Each line may be anywhere.
                0 => bytes.checked_div(line)?,
                ways => ways,
            };
            Some((
                level,
                file(&folder, "type")?,
                CacheShape::new(bytes, ways, line)?,
            ))
        };
        let found: Vec<(u32, String, CacheShape)> = (0..16).filter_map(of).collect();
        let first = |wanted: &str| {
            let mut first = found.iter().filter(|(level, _, _)| *level == 1);
            first.find(|(_, kind, _)| kind == wanted || kind == "Unified")
        };
        let last = found.iter().filter(|(_, kind, _)| kind == "Unified");
        Some(Caches {
            i1: first("Instruction")?.2,
            d1: first("Data")?.2,
            ll: last.max_by_key(|(level, _, _)| *level)?.2,
            from: CachesFrom::Host,
            cut: false,
        })
    }

    /// These as the simulation can have them: a power of two of sets each.
    pub(super) fn simulated(self) -> Caches {
        let even = |shape: CacheShape| {
            let sets = 1 << shape.sets().ilog2();
            CacheShape::new(
                sets * shape.ways() * shape.line(),
                shape.ways(),
                shape.line(),
            )
            .unwrap_or(shape)
        };
        let (i1, d1, ll) = (even(self.i1), even(self.d1), even(self.ll));
        Caches {
            i1,
            d1,
            ll,
            from: self.from,
            cut: self.cut || (i1, d1, ll) != (self.i1, self.d1, self.ll),
        }
    }

    /// As valgrind takes them.
    pub(super) fn options(&self) -> Vec<String> {
        let option = |name: &str, shape: CacheShape| {
            let (bytes, ways, line) = (shape.bytes(), shape.ways(), shape.line());
            format!("--{name}={bytes},{ways},{line}")
        };
        vec![
            option("I1", self.i1),
            option("D1", self.d1),
            option("LL", self.ll),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine whose kernel lists these caches: level, type, size, ways, bytes of a line.
    fn machine(caches: &[[&str; 5]]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (index, [level, kind, size, ways, line]) in caches.iter().enumerate() {
            let folder = format!("sys/devices/system/cpu/cpu0/cache/index{index}");
            let folder = root.path().join(folder);
            std::fs::create_dir_all(&folder).unwrap();
            for (name, text) in [
                ("level", level),
                ("type", kind),
                ("size", size),
                ("ways_of_associativity", ways),
                ("coherency_line_size", line),
            ] {
                std::fs::write(folder.join(name), format!("{text}\n")).unwrap();
            }
        }
        root
    }

    #[test]
    fn the_caches_of_a_machine_are_read_and_made_even() {
        let root = machine(&[
            ["1", "Data", "48K", "12", "64"],
            ["1", "Instruction", "64K", "16", "64"],
            ["2", "Unified", "2048K", "16", "64"],
            ["3", "Unified", "491520K", "16", "64"],
        ]);
        let caches = Caches::below(root.path()).unwrap();
        assert_eq!(caches.from, CachesFrom::Host);
        assert_eq!(caches.ll.sets(), 491_520);
        let simulated = caches.simulated();
        assert!(simulated.cut);
        assert_eq!(
            simulated.options(),
            [
                "--I1=65536,16,64",
                "--D1=49152,12,64",
                "--LL=268435456,16,64"
            ]
        );
        assert!(!Caches::USUAL.simulated().cut);
    }

    #[test]
    fn where_the_kernel_lists_none_there_are_usual_ones() {
        assert_eq!(Caches::below(machine(&[]).path()), None);
        let odd = machine(&[["1", "Data", "many", "0", "64"]]);
        assert_eq!(Caches::below(odd.path()), None);
    }
}
