//! What a sandbox uses, looked at from outside.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _};
use std::path::PathBuf;

use super::{Excess, Sandbox};

/// Looks at a sandbox.
pub(super) struct Watch {
    /// The first process in it, by its number outside.
    first: libc::pid_t,
    /// Its own `/proc`: nobody else's processes are in it.
    processes: PathBuf,
    /// What its network counts; it can be read for as long as it is open.
    network: Vec<File>,
}

impl Watch {
    pub(super) fn of(first: libc::pid_t) -> Watch {
        let counts = ["snmp", "snmp6"].map(|name| format!("/proc/{first}/net/{name}"));
        Watch {
            first,
            processes: PathBuf::from(format!("/proc/{first}/root/proc")),
            network: counts.iter().flat_map(File::open).collect(),
        }
    }

    /// Asks what runs to end; it may finish what it has to.
    pub(super) fn ask_to_end(&self) {
        // SAFETY: the first process of the sandbox, which is there until its helper is.
        unsafe { libc::kill(self.first, libc::SIGTERM) };
    }

    /// How often a way to the network was looked for in vain. Every address but its own is without
    /// one.
    pub(super) fn network(&mut self) -> u64 {
        let mut all = 0;
        for file in &mut self.network {
            let mut text = String::new();
            if file.rewind().is_ok() && file.read_to_string(&mut text).is_ok() {
                all += no_routes(&text);
            }
        }
        all
    }

    /// What it uses beyond its limits.
    pub(super) fn excess(&self, sandbox: &Sandbox) -> Option<Excess> {
        let limits = sandbox.limits;
        let (processes, memory) = self.used();
        if processes > limits.processes {
            return Some(Excess::Processes {
                seen: processes,
                limit: limits.processes,
            });
        }
        if memory > limits.memory {
            return Some(Excess::Memory {
                used: memory,
                limit: limits.memory,
            });
        }
        let disk = rustix::fs::statvfs(&sandbox.scratch).ok()?;
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        (free < limits.disk_left).then_some(Excess::Disk {
            free,
            limit: limits.disk_left,
        })
    }

    /// Processes and threads, and the memory that is theirs in bytes. Memory that a process shares
    /// with its child counts twice: a limit is met too early rather than too late. That of the
    /// first process does not count: it is a fork of whoever looks.
    fn used(&self) -> (u64, u64) {
        let entries = fs::read_dir(&self.processes);
        let entries = entries.into_iter().flatten().filter_map(Result::ok);
        let processes = entries.filter(|entry| {
            let name = entry.file_name();
            name.to_string_lossy()
                .bytes()
                .all(|byte| byte.is_ascii_digit())
        });
        let mut all = (0, 0);
        for process in processes {
            // One that has ended since was there with the others.
            let status = fs::read_to_string(process.path().join("status")).unwrap_or_default();
            let (threads, bytes) = of_status(&status);
            let theirs = if process.file_name() == "1" { 0 } else { bytes };
            all = (all.0 + threads.max(1), all.1 + theirs);
        }
        all
    }
}

/// Threads, and bytes of memory that no file stands behind, by `/proc/PID/status`.
fn of_status(status: &str) -> (u64, u64) {
    let number = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        number.unwrap_or(0)
    };
    let kib = number("RssAnon:") + number("RssShmem:");
    (number("Threads:"), kib.saturating_mul(1024))
}

/// Packets and connections for which there was no route: of version 4 a column of a table, of
/// version 6 a line.
fn no_routes(text: &str) -> u64 {
    let mut tables = text.lines().filter(|line| line.starts_with("Ip:"));
    let names = tables.next().unwrap_or_default().split_whitespace();
    let values = tables.next().unwrap_or_default().split_whitespace();
    let mut columns = names.zip(values);
    let four = columns.find(|(name, _)| *name == "OutNoRoutes");
    let six = text
        .lines()
        .find_map(|line| line.strip_prefix("Ip6OutNoRoutes"));
    let number = |text: &str| text.trim().parse::<u64>().unwrap_or(0);
    four.map_or(0, |(_, value)| number(value)) + six.map_or(0, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_of_the_kernels_tables() {
        let four = "Ip: Forwarding OutDiscards OutNoRoutes\nIp: 2 7 3\nTcp: OutNoRoutes\nTcp: 9\n";
        assert_eq!(no_routes(four), 3);
        assert_eq!(no_routes("Ip6OutDiscards  1\nIp6OutNoRoutes    \t4\n"), 4);
        assert_eq!(no_routes(""), 0);
        let status = "Name:\tx\nVmRSS:\t90 kB\nRssAnon:\t  10 kB\nRssFile:\t70 kB\n\
                      RssShmem:\t2 kB\nThreads:\t3\n";
        assert_eq!(of_status(status), (3, 12 * 1024));
    }
}
