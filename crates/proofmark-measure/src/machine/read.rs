//! Where each fact about a machine is found. Everything below a root folder, so that tests can lay
//! one out.

use std::path::Path;
use std::time::Duration;

use proofmark_terms::{Machine, Reading};

use crate::counters::Counter;
use crate::proc_stat::Stat;

/// How long the hypervisor's theft is watched.
const WINDOW: Duration = Duration::from_millis(100);

pub(super) fn read(root: &Path) -> Machine {
    let before = Stat::read();
    std::thread::sleep(WINDOW);
    let steal = match before.zip(Stat::read()) {
        Some((before, after)) => {
            let between = after.all.since(before.all);
            Reading::Known(format!("{:.1} %", 100.0 * between.share(between.stolen)))
        }
        None => Reading::Unavailable("/proc/stat cannot be read".to_owned()),
    };
    let mut machine = from_files(root);
    machine.facts.insert("steal".to_owned(), steal);
    machine
        .facts
        .insert("perf-events".to_owned(), perf_events());
    machine
}

/// Everything that stands in a file.
fn from_files(root: &Path) -> Machine {
    let cpuinfo = file(root, "proc/cpuinfo").unwrap_or_default();
    let facts = [
        (
            "cpu",
            known(processor(&cpuinfo), "/proc/cpuinfo names no model"),
        ),
        (
            "microcode",
            known(field(&cpuinfo, "microcode"), "/proc/cpuinfo names none"),
        ),
        (
            "kernel",
            known(
                file(root, "proc/sys/kernel/osrelease"),
                "/proc/sys/kernel/osrelease cannot be read",
            ),
        ),
        (
            "governor",
            known(
                governors(root),
                "no frequency governor is visible (a virtual machine, or a fixed frequency)",
            ),
        ),
        ("turbo", known(turbo(root), "no turbo setting is visible")),
        (
            "smt",
            known(
                file(root, "sys/devices/system/cpu/smt/active")
                    .map(|active| on_or_off(active == "1")),
                "not told by the kernel",
            ),
        ),
        ("hypervisor", Reading::Known(hypervisor(root, &cpuinfo))),
        (
            "cores",
            known(
                file(root, "sys/devices/system/cpu/online"),
                "/sys/devices/system/cpu/online cannot be read",
            ),
        ),
        (
            "memory",
            known(memory(root), "/proc/meminfo cannot be read"),
        ),
        (
            "load",
            known(
                file(root, "proc/loadavg")
                    .map(|load| load.split(' ').take(3).collect::<Vec<_>>().join(" ")),
                "/proc/loadavg cannot be read",
            ),
        ),
        (
            "aslr",
            known(
                file(root, "proc/sys/kernel/randomize_va_space")
                    .map(|level| on_or_off(level != "0")),
                "not told by the kernel",
            ),
        ),
        (
            "cgroup",
            known(cgroup(root), "no cgroup with a freezer is mounted"),
        ),
    ];
    Machine {
        facts: facts
            .into_iter()
            .map(|(key, fact)| (key.to_owned(), fact))
            .collect(),
    }
}

fn known(found: Option<String>, otherwise: &str) -> Reading {
    found.filter(|text| !text.is_empty()).map_or_else(
        || Reading::Unavailable(otherwise.to_owned()),
        Reading::Known,
    )
}

/// A file's text without white space around it.
pub(crate) fn file(root: &Path, path: &str) -> Option<String> {
    std::fs::read_to_string(root.join(path))
        .ok()
        .map(|text| text.trim().to_owned())
}

fn field(cpuinfo: &str, name: &str) -> Option<String> {
    cpuinfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

/// The model's name with its numbers, for names are sometimes no more than `Xeon`; on ARM the
/// implementer and part.
fn processor(cpuinfo: &str) -> Option<String> {
    if let Some(name) = field(cpuinfo, "model name") {
        let number = |key| field(cpuinfo, key).unwrap_or_default();
        return Some(format!(
            "{name} (family {}, model {}, stepping {})",
            number("cpu family"),
            number("model"),
            number("stepping")
        ));
    }
    let (implementer, part) = (
        field(cpuinfo, "CPU implementer")?,
        field(cpuinfo, "CPU part")?,
    );
    Some(format!("implementer {implementer}, part {part}"))
}

/// The frequency governor of every core that has one; one word when they agree.
pub(crate) fn governors(root: &Path) -> Option<String> {
    let mut found: Vec<String> = std::fs::read_dir(root.join("sys/devices/system/cpu"))
        .ok()?
        .flatten()
        .filter_map(|entry| file(&entry.path(), "cpufreq/scaling_governor"))
        .collect();
    found.sort();
    found.dedup();
    (!found.is_empty()).then(|| found.join(", "))
}

/// Whether the processor may run faster than its nominal frequency: `intel_pstate`, or the generic
/// `boost`.
pub(crate) fn turbo(root: &Path) -> Option<String> {
    let intel = file(root, "sys/devices/system/cpu/intel_pstate/no_turbo").map(|off| off == "0");
    intel
        .or_else(|| file(root, "sys/devices/system/cpu/cpufreq/boost").map(|on| on == "1"))
        .map(on_or_off)
}

fn on_or_off(on: bool) -> String {
    (if on { "on" } else { "off" }).to_owned()
}

/// Its name where the machine tells, `yes` where only the processor does, `none`.
pub(crate) fn hypervisor(root: &Path, cpuinfo: &str) -> String {
    let virtual_machine = cpuinfo.lines().any(|line| {
        line.starts_with("flags")
            && line
                .split_ascii_whitespace()
                .any(|flag| flag == "hypervisor")
    });
    let told = file(root, "sys/hypervisor/type")
        .or_else(|| file(root, "sys/class/dmi/id/sys_vendor").filter(|_| virtual_machine));
    told.filter(|name| !name.is_empty())
        .unwrap_or_else(|| (if virtual_machine { "yes" } else { "none" }).to_owned())
}

fn memory(root: &Path) -> Option<String> {
    let text = file(root, "proc/meminfo")?;
    let mebibytes = meminfo(&text, "MemTotal")? >> 20;
    Some(format!("{mebibytes} MiB"))
}

/// A line of `/proc/meminfo`, in bytes.
pub(crate) fn meminfo(text: &str, name: &str) -> Option<u64> {
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    value
        .split_ascii_whitespace()
        .next()?
        .parse::<u64>()
        .ok()
        .map(|kibibytes| kibibytes * 1024)
}

fn cgroup(root: &Path) -> Option<String> {
    let places = crate::cgroup::places(
        &file(root, "proc/self/mounts")?,
        &file(root, "proc/self/cgroup")?,
    );
    places.first().map(|place| {
        let version = match place.version {
            crate::cgroup::Version::V1 => "v1 freezer",
            crate::cgroup::Version::V2 => "v2",
        };
        format!("{version} at {}", place.path.display())
    })
}

fn perf_events() -> Reading {
    match Counter::Instructions.available() {
        Ok(()) => Reading::Known("instructions can be counted".to_owned()),
        Err(reason) => Reading::Unavailable(reason.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn a_laptop() {
        let root = laid_out(&[
            (
                "proc/cpuinfo",
                "processor\t: 0\nmodel name\t: A CPU @ 3 GHz\ncpu family\t: 6\nmodel\t\t: 7\nstepping\t: 1\nmicrocode\t: 0xf0\nflags\t\t: fpu vme\n",
            ),
            (
                "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                "powersave\n",
            ),
            (
                "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor",
                "performance\n",
            ),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"),
            ("sys/devices/system/cpu/smt/active", "1\n"),
            (
                "proc/meminfo",
                "MemTotal:       16000000 kB\nMemFree: 1 kB\n",
            ),
            ("proc/loadavg", "0.10 0.20 0.30 1/94 9515\n"),
            ("proc/sys/kernel/randomize_va_space", "2\n"),
            (
                "proc/self/mounts",
                "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n",
            ),
            ("proc/self/cgroup", "0::/a\n"),
        ]);
        let machine = from_files(root.path());
        let expected = [
            ("cpu", "A CPU @ 3 GHz (family 6, model 7, stepping 1)"),
            ("microcode", "0xf0"),
            ("governor", "performance, powersave"),
            ("turbo", "on"),
            ("smt", "on"),
            ("hypervisor", "none"),
            ("memory", "15625 MiB"),
            ("load", "0.10 0.20 0.30"),
            ("aslr", "on"),
            ("cgroup", "v2 at /sys/fs/cgroup/a"),
        ];
        for (key, text) in expected {
            assert_eq!(machine.facts[key], Reading::Known(text.into()), "{key}");
        }
        assert!(matches!(machine.facts["kernel"], Reading::Unavailable(_)));
    }

    #[test]
    fn a_machine_that_tells_nothing_gives_reasons() {
        let root = laid_out(&[]);
        for (key, fact) in from_files(root.path()).facts {
            assert!(
                matches!(fact, Reading::Unavailable(_)) || key == "hypervisor",
                "{key}: {fact:?}"
            );
            assert!(!fact.text().is_empty());
        }
    }

    #[test]
    fn this_machine_has_every_key() {
        let machine = read(Path::new("/"));
        for key in [
            "cpu",
            "microcode",
            "kernel",
            "governor",
            "turbo",
            "smt",
            "hypervisor",
            "cores",
            "memory",
            "load",
            "steal",
            "aslr",
            "perf-events",
            "cgroup",
        ] {
            assert!(machine.facts.contains_key(key), "{key}");
        }
        assert!(matches!(machine.facts["kernel"], Reading::Known(_)));
    }
}
