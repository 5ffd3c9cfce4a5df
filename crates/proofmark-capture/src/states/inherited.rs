//! What a build inherits of the process that starts it, beside variables: who it is, which rights
//! new files get, how many cores it may use, and its limits. Builds ask about all of it (`umask`,
//! `nproc`, `ulimit`).

use std::fs;
use std::sync::LazyLock;

use rustix::process::{Resource, geteuid, getgid, getrlimit};
use rustix::thread::{CpuSet, sched_getaffinity};

/// Rights that files get where nothing is known of this process: what most systems set.
const USUAL_UMASK: u32 = 0o022;

/// The limits that a shell's `ulimit` tells, as far as builds come near them.
const LIMITS: [(&str, Resource); 6] = [
    ("address space", Resource::As),
    ("CPU time", Resource::Cpu),
    ("data", Resource::Data),
    ("file size", Resource::Fsize),
    ("open files", Resource::Nofile),
    ("stack", Resource::Stack),
];

/// All of it in words: another text is another build.
#[must_use]
pub fn inherited() -> String {
    let limits = LIMITS.map(|(name, resource)| {
        let limit = getrlimit(resource).current;
        let limit = limit.map_or_else(|| "none".to_owned(), |limit| limit.to_string());
        format!("{name} {limit}")
    });
    format!(
        "user {}:{} · umask {:03o} · {} cores · {}",
        geteuid().as_raw(),
        getgid().as_raw(),
        umask(),
        cores(),
        limits.join(" · ")
    )
}

/// The bits of rights that new files do not get. The system's own call for it would change it.
#[must_use]
pub fn umask() -> u32 {
    static OWN: LazyLock<u32> = LazyLock::new(|| {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        umask_of(&status).unwrap_or(USUAL_UMASK)
    });
    *OWN
}

fn umask_of(status: &str) -> Option<u32> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("Umask:"))?;
    u32::from_str_radix(line.trim(), 8).ok()
}

/// How many cores this process may run on.
fn cores() -> u32 {
    sched_getaffinity(None).as_ref().map_or(0, CpuSet::count)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn it_is_what_a_shell_is_told() {
        let status = "Name:\tsh\nUmask:\t0077\nState:\tR (running)\n";
        assert_eq!(umask_of(status), Some(0o077));
        let asked = "echo \"user $(id -u):$(id -g) · umask $(umask | tail -c 4) · $(nproc) cores\"; \
            ulimit -n";
        let said = Command::new("sh").args(["-c", asked]).output().unwrap();
        let said = String::from_utf8(said.stdout).unwrap();
        let (first, files) = said.trim().split_once('\n').unwrap();
        let own = inherited();
        assert!(own.starts_with(first), "{own}, not {first}");
        let files = files.replace("unlimited", "none");
        assert!(own.contains(&format!("open files {files} ·")), "{own}");
    }
}
