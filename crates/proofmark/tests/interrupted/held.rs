//! A measurement that is stopped by the user, killed, or met by another one.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ExitStatus, Stdio};
use std::thread::sleep;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{CWD, FileType, Mode, OFlags};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

use super::{BETWEEN, all_gone, blocks, comparison, gate, measured, recorded, text, words};
use crate::support::Project;

/// A comparison whose benchmark hangs in some block after its third, until it is released.
struct Held<'a> {
    project: &'a Project,
    command: Vec<String>,
    child: Child,
    /// Blocks that it had finished when it hung.
    blocks: usize,
}

/// Blocks of a comparison that is held: the more, the surer that it is before its last.
const BLOCKS: usize = 16;

impl<'a> Held<'a> {
    /// Starts it, and waits until a measured process hangs.
    fn start(project: &'a Project, schedule: &str) -> Self {
        let pipe = project.path("held");
        rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let pipe =
            rustix::fs::open(&pipe, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty()).unwrap();
        let command = comparison(&BLOCKS.to_string(), schedule, "", &[]);
        let mut child = project
            .command(&words(&command))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while blocks(project).len() < 3 && child.try_wait().unwrap().is_none() {
            sleep(BETWEEN);
        }
        project.write(".proofmark/hold", "");
        let process = Pid::from_raw(child.id().try_into().unwrap()).unwrap();
        let end = pidfd_open(process, PidfdFlags::empty()).unwrap();
        let mut either = [
            PollFd::new(&pipe, PollFlags::IN),
            PollFd::new(&end, PollFlags::IN),
        ];
        poll(&mut either, None).unwrap();
        if !either[0].revents().contains(PollFlags::IN) {
            let status = child.wait().unwrap();
            unreachable!("ended before it hung: {status}, {}", text(&mut child));
        }
        assert!(!measured(project).is_empty());
        let blocks = blocks(project).len();
        assert!((3..BLOCKS).contains(&blocks), "{blocks}");
        Held {
            project,
            command,
            child,
            blocks,
        }
    }

    /// Sends a signal; how the command ends, and what it said. Nothing that it ran is left.
    fn ended_by(&mut self, signal: Signal) -> (ExitStatus, String) {
        let process = Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        kill_process(process, signal).unwrap();
        let status = self.child.wait().unwrap();
        all_gone(self.project);
        (status, text(&mut self.child))
    }

    /// The same command goes on after the last finished block and comes to its end.
    fn goes_on(&self) {
        let before = blocks(self.project);
        assert_eq!(before.len(), self.blocks);
        fs::remove_file(self.project.path(".proofmark/hold")).unwrap();
        let said = self.project.done(&words(&self.command));
        let going_on = format!("going on after block {}", self.blocks);
        assert!(said.err.contains(&going_on), "{said:#?}");
        let after = recorded(self.project).unwrap();
        assert!(after.conclusion.is_some());
        assert_eq!(after.blocks.len(), BLOCKS);
        assert_eq!(after.blocks[..self.blocks], before[..]);
    }
}

#[test]
fn ctrl_c_ends_the_measured_processes_and_the_same_command_goes_on() {
    for (schedule, signal) in [("sliced:1ms", Signal::INT), ("interleaved", Signal::TERM)] {
        let project = gate();
        let mut held = Held::start(&project, schedule);
        let (status, said) = held.ended_by(signal);
        assert_eq!(status.code(), Some(130), "{said}");
        assert!(said.contains("interrupted"), "{said}");
        held.goes_on();
    }
}

#[test]
fn a_killed_comparison_leaves_no_process_behind() {
    for schedule in ["sliced:1ms", "interleaved"] {
        let project = gate();
        let mut held = Held::start(&project, schedule);
        let (status, _) = held.ended_by(Signal::KILL);
        assert_eq!(status.signal(), Some(9));
        held.goes_on();
    }
}

#[test]
fn a_second_comparison_is_told_who_measures() {
    let project = gate();
    let mut held = Held::start(&project, "sliced:1ms");
    let second = project.run(&["compare", "base", "new", "--blocks", "2", "--", "{}"]);
    assert_eq!(second.code, Some(4), "{second:#?}");
    let holder = format!("process {}", held.child.id());
    assert!(
        second.err.contains(&holder) && second.err.contains("proofmark compare base new"),
        "{}",
        second.err
    );
    // Nor may it touch what the first one is at.
    assert!(!measured(&project).is_empty());
    // What only reads is not kept out.
    project.done(&["report", "--list"]);
    held.ended_by(Signal::INT);
    held.goes_on();
}
