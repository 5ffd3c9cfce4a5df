//! The files that calls name, by a path or by a descriptor.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use libc::{c_int, pid_t};

use super::super::super::memory;
use super::super::super::tells::At;
use super::super::{Thread, int};

/// The path that a call names. `None` where it names a descriptor alone, or nothing that can be
/// read.
pub(super) fn path(thread: Thread, at: At, args: &[u64; 6]) -> io::Result<Option<PathBuf>> {
    let Some(text) = memory::path(thread.pid, args[at.path])? else {
        return Ok(None);
    };
    Ok(absolute(
        thread.pid,
        at.folder.map(|folder| int(args[folder])),
        text,
    ))
}

/// Without `.` and doubled slashes; `..` stays, because what it means depends on links.
fn absolute(pid: pid_t, folder: Option<c_int>, text: OsString) -> Option<PathBuf> {
    if text.is_empty() {
        return None;
    }
    let named = PathBuf::from(text);
    let whole = if named.is_absolute() {
        named
    } else {
        let folder = match folder {
            None | Some(libc::AT_FDCWD) => std::fs::read_link(format!("/proc/{pid}/cwd")).ok(),
            Some(folder) => opened(pid, folder),
        };
        folder?.join(named)
    };
    let whole: PathBuf = whole.components().collect();
    Some(through_process(pid, &whole).unwrap_or(whole))
}

/// The place that a path leads to by way of a process: below `/proc/self/cwd`, `/proc/self/root` or
/// `/proc/self/fd/3`, which stand for other folders as time goes on. `None` of all others.
fn through_process(pid: pid_t, path: &Path) -> Option<PathBuf> {
    let mut parts = path.strip_prefix("/proc").ok()?.iter();
    let process = match parts.next()?.to_str()? {
        "self" | "thread-self" => pid.to_string(),
        number => number.parse::<pid_t>().ok()?.to_string(),
    };
    let link = Path::new("/proc").join(process);
    let link = match parts.next()?.to_str()? {
        of @ ("cwd" | "root") => link.join(of),
        "fd" => link.join("fd").join(parts.next()?),
        _ => return None,
    };
    let rest = parts.as_path();
    let folder = link.read_link().ok().filter(|folder| folder.is_absolute());
    let folder = folder.filter(|_| rest != Path::new(""))?;
    Some(folder.join(rest))
}

/// The file that an address of a socket names: a family, and a path where that is `AF_UNIX`. `None`
/// of all others, and of names without a file, which begin with a zero.
pub(super) fn socket(thread: Thread, address: u64) -> io::Result<Option<PathBuf>> {
    // SAFETY: a number.
    let family = unsafe { memory::value::<libc::sa_family_t>(thread.pid, address)? };
    if family.map(c_int::from) != Some(libc::AF_UNIX) {
        return Ok(None);
    }
    let path = address + size_of::<libc::sa_family_t>() as u64;
    let Some(text) = memory::path(thread.pid, path)? else {
        return Ok(None);
    };
    Ok(absolute(thread.pid, None, text))
}

/// The file that a process has mapped at an address; none where memory has no file.
pub(in crate::trace::facts) fn mapped_at(pid: pid_t, address: u64) -> Option<PathBuf> {
    let maps = std::fs::read(format!("/proc/{pid}/maps")).ok()?;
    // Addresses, rights, offset, device, inode, then the path behind blanks.
    let holds = |line: &&[u8]| {
        let range = std::str::from_utf8(line.split(|&byte| byte == b' ').next()?).ok()?;
        let (from, to) = range.split_once('-')?;
        let bounds = [from, to].map(|text| u64::from_str_radix(text, 16));
        let [Ok(from), Ok(to)] = bounds else {
            return None;
        };
        (from..to).contains(&address).then_some(())
    };
    let line = maps
        .split(|&byte| byte == b'\n')
        .find(|line| holds(line).is_some())?;
    let path = &line[line.iter().position(|&byte| byte == b'/')?..];
    Some(PathBuf::from(OsStr::from_bytes(path)))
}

/// What a descriptor is open on.
pub(in crate::trace::facts) fn opened(pid: pid_t, descriptor: c_int) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/fd/{descriptor}")).ok()
}

/// Whether a file tells how many cores there are, or how much of them may be used.
pub(super) fn tells_cores(path: &Path) -> bool {
    const QUOTAS: [&str; 5] = [
        "cpu.max",
        "cpu.cfs_quota_us",
        "cpuset.cpus",
        "cpuset.cpus.effective",
        "cpuset.effective_cpus",
    ];
    let systems = ["/sys/devices/system/cpu", "/sys/devices/system/node"];
    // `Cpus_allowed` of a process or a thread.
    let status = path.starts_with("/proc") && path.ends_with("status");
    status
        || systems.iter().any(|folder| path.starts_with(folder))
        || path == Path::new("/proc/cpuinfo")
        || path == Path::new("/proc/stat")
        || path
            .file_name()
            .is_some_and(|name| QUOTAS.iter().any(|quota| name == *quota))
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd as _;

    use super::*;

    #[test]
    fn what_is_reached_through_a_process_is_known_by_its_place() {
        let own = pid_t::try_from(std::process::id()).unwrap();
        let named = |text: &str| absolute(own, None, OsString::from(text)).unwrap();
        let cwd = std::env::current_dir().unwrap();
        assert_eq!(named("/proc/self/cwd/a/b"), cwd.join("a/b"));
        assert_eq!(named(&format!("/proc/{own}/cwd/./a")), cwd.join("a"));
        assert_eq!(named("/proc/thread-self/root/usr/x"), Path::new("/usr/x"));
        let folder = std::fs::File::open("/usr").unwrap();
        let by_descriptor = format!("/proc/self/fd/{}/lib", folder.as_raw_fd());
        assert_eq!(named(&by_descriptor), Path::new("/usr/lib"));
        for other in [
            "/proc/self/cwd",
            "/proc/self/maps",
            "/proc/cpuinfo",
            "/proc/self/fd/x/y",
        ] {
            assert_eq!(named(other), Path::new(other));
        }
    }
}
