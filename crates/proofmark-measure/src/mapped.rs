//! Where the kernel has mapped a part of a process that has a name (proc_pid_maps(5)).

/// The first address of a part, such as `[stack]`, and the one behind its last. `process` is a
/// number, or `self`.
pub(crate) fn mapped(process: &str, part: &str) -> Option<(u64, u64)> {
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).ok()?;
    let line = maps.lines().find(|line| line.ends_with(part))?;
    let (from, to) = line.split(' ').next()?.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    Some((number(from)?, number(to)?))
}
