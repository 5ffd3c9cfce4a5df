//! What a build is told of the processor: `-march=native` goes by it, and so does whoever reads
//! `/proc/cpuinfo` or asks `uname -m`. A store may be carried from one machine to another.

use std::fs;

use proofmark_terms::Digest;

/// Lines of `/proc/cpuinfo` that say which processor it is: of x86, then of ARM. All others change
/// from core to core, or from one moment to the next.
const LINES: [&str; 11] = [
    "vendor_id",
    "cpu family",
    "model",
    "model name",
    "stepping",
    "cache size",
    "flags",
    "CPU implementer",
    "CPU variant",
    "CPU part",
    "Features",
];

/// All of it in words: another text is another build.
#[must_use]
pub fn processor() -> String {
    let names = rustix::system::uname();
    told(
        &names.machine().to_string_lossy(),
        &fs::read_to_string("/proc/cpuinfo").unwrap_or_default(),
    )
}

/// Cores may differ (a large one and a small one), and a build runs on any of them.
fn told(machine: &str, cpuinfo: &str) -> String {
    let tells = |line: &&str| {
        let name = line.split(':').next().unwrap_or_default().trim();
        LINES.contains(&name)
    };
    let mut lines: Vec<&str> = cpuinfo.lines().filter(tells).collect();
    lines.sort_unstable();
    lines.dedup();
    let hash = Digest::from(blake3::hash(lines.join("\n").as_bytes()));
    format!("{machine} {hash}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "processor : 0\nvendor_id : A\nmodel : 17\nmodel name : An A\n\
        cpu MHz : 3000.1\ncache size : 512 KB\nflags : fpu avx2\n";

    #[test]
    fn another_processor_or_one_that_can_do_less_is_another_text() {
        let one = told("x86_64", ONE);
        for (before, after) in [
            ("A\n", "B\n"),
            (" avx2", ""),
            (": 17", ": 18"),
            ("512", "1024"),
        ] {
            assert!(ONE.contains(before));
            let other = ONE.replacen(before, after, 1);
            assert_ne!(told("x86_64", &other), one, "{before} is {after}");
        }
        assert_ne!(told("i686", ONE), one);
    }

    #[test]
    fn neither_the_speed_of_the_moment_nor_the_number_of_cores_is_the_processor() {
        let second = ONE.replace(": 0", ": 1").replace("3000.1", "1200");
        assert_eq!(
            told("x86_64", &format!("{ONE}\n{second}")),
            told("x86_64", ONE)
        );
        assert_eq!(processor(), processor());
    }
}
