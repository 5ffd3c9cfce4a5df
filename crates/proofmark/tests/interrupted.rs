//! Interrupted at any moment, nothing finished is lost: kills, Ctrl-C, a second comparison, a lost
//! object, a full disk.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]
#![expect(clippy::print_stdout, reason = "a test that does nothing says so")]

mod support;

use std::fs;
use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use proofmark_capture::Builds;
use proofmark_evidence::record::Block;
use proofmark_evidence::{Recorded, Store};
use proofmark_terms::{Digest, Layout};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{CWD, FileType, Mode, OFlags};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use support::{Project, Said};

/// Longer than any process takes to die; only a failure waits for it.
const LONG: Duration = Duration::from_secs(60);

/// A project with the builds `base` and `new` of the gate.
fn gate() -> Project {
    let project = Project::new();
    for (name, word) in [("base", 1), ("new", 2)] {
        let build = format!(
            "cc -O1 -c gate.c && cc -O1 -DWORD={word} -c gate_name.c && cc -o gate gate.o gate_name.o"
        );
        project.done(&["capture", name, "--", "sh", "-c", &build]);
    }
    project
}

/// A comparison of so many blocks, each of one round that does not depend on the pilot.
fn comparison(blocks: &str, schedule: &str, prepare: &str, how: &[&str]) -> Vec<String> {
    let mut words = vec!["compare", "base", "new", "--seed", "7", "--rounds", "1"];
    words.extend(["--skip", "instructions", "--format", "csv"]);
    words.push("--measure-equal");
    words.extend(["--blocks", blocks, "--schedule", schedule]);
    if !prepare.is_empty() {
        words.extend(["--prepare", prepare]);
    }
    words.extend(how);
    words.extend(["--", "{}"]);
    words.into_iter().map(str::to_owned).collect()
}

fn words(command: &[String]) -> Vec<&str> {
    command.iter().map(String::as_str).collect()
}

/// The latest experiment; none before the first one was begun.
fn recorded(project: &Project) -> Option<Recorded> {
    Store::open(&project.path(".proofmark"))
        .ok()?
        .load("latest")
        .ok()
}

/// The finished blocks of the latest experiment.
fn blocks(project: &Project) -> Vec<Block> {
    recorded(project)
        .map(|recorded| recorded.blocks)
        .unwrap_or_default()
}

/// Processes that run an image of this project, whatever state they are in. An image runs where its
/// build left it.
fn measured(project: &Project) -> Vec<String> {
    let folder = project.path("").canonicalize().unwrap();
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    processes
        .filter(|process| {
            fs::read_link(process.path().join("exe")).is_ok_and(|exe| exe.starts_with(&folder))
        })
        .map(|process| process.file_name().to_string_lossy().into_owned())
        .collect()
}

/// Every measured process is gone, or goes now: the kernel ends them after their parent, not with
/// it.
fn all_gone(project: &Project) {
    let began = Instant::now();
    while !measured(project).is_empty() {
        assert!(
            began.elapsed() < LONG,
            "left behind: {:?}",
            measured(project)
        );
        sleep(Duration::from_millis(1));
    }
}

/// The draws of a block: all of it that does not depend on the clock.
fn draws(block: &Block) -> (u32, &Layout, &[Digest], Vec<&[u32]>) {
    let orders = block
        .rounds
        .iter()
        .map(|round| round.order.as_slice())
        .collect();
    (block.index, &block.layout, &block.images, orders)
}

/// Kills a comparison over and over until it ends by itself; how many kills it took.
fn killed_until_done(
    project: &Project,
    command: &[String],
    random: &mut ChaCha8Rng,
    at_most: u32,
) -> u32 {
    let mut kills = 0;
    let mut kept: Vec<Block> = Vec::new();
    loop {
        let mut child = project
            .command(&words(command))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        if kills < at_most {
            wait_for_a_moment(project, &mut child, kept.len(), random);
            child.kill().unwrap();
        }
        let status = child.wait().unwrap();
        all_gone(project);
        let now = blocks(project);
        assert!(
            now.len() >= kept.len() && now[..kept.len()] == kept[..],
            "after kill {kills}: {} of {} blocks",
            now.len(),
            kept.len()
        );
        if status.signal().is_none() {
            assert_eq!(status.code(), Some(0), "{}", text(&mut child));
            return kills;
        }
        kills += 1;
        kept = now;
        if recorded(project).is_some_and(|recorded| recorded.conclusion.is_some()) {
            // Killed between its conclusion and its end: the same command would begin another one.
            return kills;
        }
    }
}

/// A random moment: some blocks further on, or somewhere before the next block; and then a part of
/// a block.
fn wait_for_a_moment(project: &Project, child: &mut Child, so_far: usize, random: &mut ChaCha8Rng) {
    let further = random.random_range(0..3);
    while blocks(project).len() < so_far + further && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(1));
    }
    sleep(Duration::from_micros(random.random_range(0..150_000)));
}

/// One comparison, killed at most `at_most` times; its blocks are those of the undisturbed one with
/// the same seed.
fn interrupted_comparison(
    schedule: &str,
    how: &[&str],
    random: &mut ChaCha8Rng,
    at_most: u32,
) -> u32 {
    let project = gate();
    let command = comparison("12", schedule, "", how);
    let kills = killed_until_done(&project, &command, random, at_most);
    let disturbed = recorded(&project).unwrap();
    assert!(disturbed.conclusion.is_some());
    // Otherwise the images would be the same because they are the same files.
    fs::remove_dir_all(project.path(".proofmark/cache")).unwrap();
    project.done(&words(&command));
    let undisturbed = recorded(&project).unwrap();
    assert_ne!(disturbed.id, undisturbed.id);
    let of = |recorded: &Recorded| {
        format!(
            "{:#?}",
            recorded.blocks.iter().map(draws).collect::<Vec<_>>()
        )
    };
    assert_eq!(of(&disturbed), of(&undisturbed));
    kills
}

#[test]
fn fifty_kills_lose_no_finished_block_and_change_none_that_follows() {
    let mut random = ChaCha8Rng::seed_from_u64(50);
    let mut kills = 0;
    let kinds: [(&str, &[&str]); 3] = [
        ("interleaved", &[]),
        ("sliced:1ms", &[]),
        ("sliced:1ms", &["--layouts", "as-shipped"]),
    ];
    for (schedule, how) in kinds.into_iter().cycle() {
        kills += interrupted_comparison(schedule, how, &mut random, (50 - kills).min(17));
        if kills == 50 {
            break;
        }
    }
}

/// A comparison whose benchmark hangs in some block after its third, until it is released.
struct Held<'a> {
    project: &'a Project,
    command: Vec<String>,
    child: Child,
    /// Blocks that it had finished when it hung.
    blocks: usize,
}

/// Blocks of a comparison that is held: the more, the surer that it is before its last.
const BLOCKS: usize = 30;

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
            sleep(Duration::from_millis(1));
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

/// What a child that has ended wrote to its standard error.
fn text(child: &mut Child) -> String {
    let mut text = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    text
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

#[test]
fn a_captured_object_that_is_gone_or_damaged_is_named() {
    let project = gate();
    let builds = Builds::open(&project.path(".proofmark")).unwrap();
    let capture = builds.find("new").unwrap();
    let mut inputs = capture.links[0].recipe.inputs.iter();
    let input = inputs.find(|input| format!("{:?}", input.given).contains("gate_name.o"));
    let object = input.unwrap().blob.clone();
    let whole = fs::read(&object).unwrap();
    let command = comparison("2", "interleaved", "", &[]);

    fs::remove_file(&object).unwrap();
    let gone = project.run(&words(&command));
    assert_eq!(gone.code, Some(5), "{gone:#?}");
    for word in ["new", "gate_name.o", "capture the build again"] {
        assert!(gone.err.contains(word), "{}", gone.err);
    }

    fs::write(&object, &whole[..whole.len() / 2]).unwrap();
    let damaged = project.run(&words(&command));
    assert_eq!(damaged.code, Some(5), "{damaged:#?}");
    assert!(damaged.err.contains("gate_name.o"), "{}", damaged.err);
    assert!(blocks(&project).is_empty());

    fs::write(&object, &whole).unwrap();
    project.done(&words(&command));
}

/// Runs a shell script where `.proofmark` is a file system of 64 MiB of its own; `None` where that
/// may not be done.
fn on_a_small_disk(project: &Project, script: &str) -> Option<Said> {
    fs::create_dir_all(project.path(".proofmark")).unwrap();
    let mount = "mount -t tmpfs -o size=64m none .proofmark";
    let unshare = |script: &str| -> Said {
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "--map-root-user", "sh", "-c", script])
            .current_dir(project.path(""))
            .env_remove("PROOFMARK_DIR");
        command.output().map_or_else(
            |error| Said {
                code: None,
                out: String::new(),
                err: error.to_string(),
            },
            Said::from,
        )
    };
    if unshare(mount).code != Some(0) {
        // A right and not a tool: no machine can be made to have it by installing something.
        println!("skipped: needs the right to mount (unshare --mount --map-root-user)");
        return None;
    }
    Some(unshare(&format!("{mount} || exit 99\n{script}")))
}

#[test]
fn a_full_disk_costs_no_finished_block() {
    let project = Project::new();
    let full = "dd if=/dev/zero of=.proofmark/fill bs=64k 2>/dev/null";
    let proofmark = format!("'{}'", env!("CARGO_BIN_EXE_proofmark"));
    let build = "cc -O1 -c gate.c && cc -O1 -c gate_name.c && cc -o gate gate.o gate_name.o";
    let prepare = format!(
        "test -e .proofmark/released || \
         test $({proofmark} report --format csv 2>/dev/null | wc -l) -le 12 || {full} || true"
    );
    let compare = comparison("6", "interleaved", &prepare, &[]);
    let compare: Vec<String> = compare
        .iter()
        .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
        .collect();
    let script = format!(
        "{full}\n{proofmark} capture base -- sh -c '{build}'; echo \"capture: $?\"\n\
         rm .proofmark/fill\n{proofmark} capture base -- sh -c '{build}' >/dev/null && {proofmark} capture new -- sh -c '{build}' >/dev/null || exit 98\n\
         {proofmark} {compare}; echo \"compare: $?\"\n\
         {proofmark} report --format csv | wc -l\n\
         rm .proofmark/fill; touch .proofmark/released\n\
         {proofmark} {compare} | wc -l; echo again: $?",
        compare = compare.join(" ")
    );
    let Some(said) = on_a_small_disk(&project, &script) else {
        return;
    };
    let lines: Vec<&str> = said.out.lines().map(str::trim).collect();
    let [captured, compared, rows, all_rows, again] = lines[..] else {
        panic!("{said:#?}");
    };
    assert_eq!(
        [captured, compared, all_rows, again],
        ["capture: 4", "compare: 4", "25", "again: 0"],
        "{said:#?}"
    );
    // What the store had set aside may hold another block.
    let blocks = (rows.parse::<u32>().unwrap() - 1) / 4;
    assert!((3..6).contains(&blocks), "{said:#?}");
    // The store, a copy of an image or the linker: whichever meets the full disk first says so.
    assert!(
        said.err.to_lowercase().contains("no space left"),
        "{}",
        said.err
    );
    let resumed = format!("going on after block {blocks} of");
    assert!(said.err.contains(&resumed), "{}", said.err);
}
