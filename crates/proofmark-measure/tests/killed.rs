//! A measuring process that is killed leaves no process behind, and no cgroup.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::known;
use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// Starts a measurement whose program and its child hold a pipe open, and waits until both do.
fn measuring(kind: &str, pipe: &Path) -> (Child, File) {
    let child = Command::new(known().with_file_name("overhead"))
        .args([kind, "1", "any"])
        .arg(known())
        .arg("hold")
        .arg(pipe)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // Opening waits for a writer.
    let mut held = File::open(pipe).unwrap();
    let mut signs = [0; 2];
    held.read_exact(&mut signs).unwrap();
    (child, held)
}

fn children(pid: u32) -> Vec<i32> {
    let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    list.split_ascii_whitespace()
        .map(|pid| pid.parse().unwrap())
        .collect()
}

#[test]
fn everything_goes_with_the_measuring_process() {
    let folder = tempfile::tempdir().unwrap();
    for kind in ["cgroup", "signals"] {
        let pipe = folder.path().join(kind);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            0o600.into(),
            0,
        )
        .unwrap();
        let (mut measuring, mut held) = measuring(kind, &pipe);
        let launcher = children(measuring.id())[0];
        let launcher = pidfd_open(Pid::from_raw(launcher).unwrap(), PidfdFlags::empty()).unwrap();
        let own = std::fs::read_to_string("/proc/self/mounts").unwrap();

        measuring.kill().unwrap();
        measuring.wait().unwrap();

        // The end of the pipe is seen when nobody holds it any more.
        let mut rest = Vec::new();
        held.read_to_end(&mut rest).unwrap();
        rustix::event::poll(&mut [PollFd::new(&launcher, PollFlags::IN)], None).unwrap();
        let name = format!("proofmark-{}-0", measuring.id());
        for root in own
            .lines()
            .filter(|line| line.contains(" cgroup"))
            .filter_map(|line| line.split(' ').nth(1))
        {
            assert!(
                !Path::new(root).join(&name).exists(),
                "{root}/{name} is still there"
            );
        }
    }
}
