//! A machine that is made up is tuned, killed at each write, and put back.

use std::io::ErrorKind;

use proptest::prelude::*;

use crate::journal::{Journal, Lasting};
use crate::plan::{Plan, Step, Wanted};
use crate::tree::made_up::MadeUp;
use crate::tree::{About, Kind};
use crate::tuner::{ROOT, Tuner};
use crate::{Item, TuneError, Undone};

const JOURNAL: &str = "run/proofmark/tune.json";
const SWAPPINESS: &str = "proc/sys/vm/swappiness";
const GOVERNOR: &str = "sys/devices/system/cpu/cpufreq/policy3/scaling_governor";
const GROUP: &str = "sys/fs/cgroup/proofmark-tune";

/// Everything, for a command that is measured on core 3.
fn wanted() -> Wanted {
    Wanted {
        core: Some(3),
        for_command: true,
        items: Item::ALL.into_iter().collect(),
    }
}

/// Tunes, and puts back at the end, as far as the process lives.
fn tune_and_end(tree: &MadeUp) -> Option<Undone> {
    let tuner = Tuner::of(tree);
    tuner.recover().ok()?;
    let plan = Plan::of(tree, &wanted());
    let tuned = tuner.tune(&plan, Lasting::Process).ok()?;
    tuned.end().ok()
}

fn step(plan: &Plan, item: Item) -> &Step {
    let mut all = plan.findings.iter();
    &all.find(|one| one.item == item).unwrap().step
}

#[test]
fn everything_is_set_and_everything_is_put_back() {
    let tree = MadeUp::server();
    let before = tree.settings();
    let plan = Plan::of(&tree, &wanted());
    assert_eq!(tree.settings(), before, "a plan changes nothing");
    assert!(matches!(step(&plan, Item::IdleStates), Step::Hold(held) if held.microseconds == 2));
    let tuner = Tuner::of(&tree);
    let tuned = tuner.tune(&plan, Lasting::Process).unwrap();
    assert_eq!(tuned.failed, []);
    let now = tree.settings();
    for (path, value) in [
        (GOVERNOR, "performance"),
        (SWAPPINESS, "0"),
        ("proc/sys/kernel/perf_event_paranoid", "2"),
        ("proc/sys/kernel/perf_event_max_sample_rate", "100000"),
        ("proc/sys/kernel/randomize_va_space", "0"),
        ("sys/devices/system/cpu/intel_pstate/no_turbo", "1"),
        (
            "sys/kernel/mm/transparent_hugepage/enabled",
            "always [madvise] never",
        ),
        ("sys/devices/system/cpu/cpu7/online", "0"),
        // Not on core 3, nor on its sibling 7.
        ("proc/irq/9/smp_affinity_list", "0-2,4-6"),
        ("proc/irq/24/smp_affinity_list", "0-2,4-6"),
        ("proc/irq/25/smp_affinity_list", "0-2"),
        ("sys/fs/cgroup/cgroup.subtree_control", "cpuset cpu memory"),
        ("sys/fs/cgroup/proofmark-tune/cpuset.cpus", "2-3,6-7"),
        ("sys/fs/cgroup/proofmark-tune/cpuset.cpus.partition", "root"),
    ] {
        assert_eq!(now.get(path).map(String::as_str), Some(value), "{path}");
    }
    assert_eq!(tuned.door().unwrap(), format!("{GROUP}/cgroup.procs"));
    // A process of the command that nobody waited for.
    tree.set(&format!("{GROUP}/cgroup.procs"), "901");
    let undone = tuned.end().unwrap();
    assert!(undone.left.is_empty() && undone.failed.is_empty() && undone.gone.is_empty());
    assert!(!tree.is_there(JOURNAL));
    let mut now = tree.settings();
    let moved = now.insert(
        "sys/fs/cgroup/user.slice/cgroup.procs".to_owned(),
        "77".to_owned(),
    );
    assert_eq!(moved.as_deref(), Some("77\n901"), "it goes where we are");
    assert_eq!(now, before);
}

#[test]
fn nothing_is_written_twice_on_the_way_there_or_back() {
    let tree = MadeUp::server();
    let plan = Plan::of(&tree, &wanted());
    let tuner = Tuner::of(&tree);
    let tuned = tuner.tune(&plan, Lasting::Process).unwrap();
    let once = |log: &[(String, String)]| {
        let mut paths: Vec<&String> = log.iter().map(|(path, _)| path).collect();
        let all = paths.len();
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), all, "{log:?}");
    };
    once(&tree.log.borrow());
    tree.log.borrow_mut().clear();
    tuned.end().unwrap();
    once(&tree.log.borrow());
    // The governor had brought the energy preference, and took it along.
    let log = tree.log.borrow();
    assert!(
        log.iter().all(|(path, _)| !path.contains("energy")),
        "{log:?}"
    );
}

#[test]
fn killed_at_any_write_the_next_command_puts_everything_back() {
    let whole = MadeUp::server();
    let before = whole.settings();
    tune_and_end(&whole).unwrap();
    let writes = whole.writes.get();
    assert!(writes > 40, "{writes}");
    for write in 1..=writes {
        let tree = MadeUp::server();
        tree.kill_at(write);
        assert_eq!(tune_and_end(&tree), None, "killed at {write}");
        assert!(tree.is_killed());
        tree.revive();
        // That command is killed too, at each of its writes in turn; then comes another.
        tree.kill_at(1 + write % 7);
        let _ = Tuner::of(&tree).recover();
        tree.revive();
        Tuner::of(&tree).recover().unwrap();
        assert_eq!(tree.settings(), before, "killed at {write}");
        assert!(!tree.is_there(JOURNAL));
    }
}

#[test]
fn what_is_to_last_stays_when_it_is_whole_and_is_put_back_when_it_is_not() {
    let whole = MadeUp::server();
    let before = whole.settings();
    let last = |tree: &MadeUp| {
        let plan = Plan::of(tree, &wanted());
        let tuner = Tuner::of(tree);
        let tuned = tuner.tune(&plan, Lasting::UntilUndone { made: false });
        tuned.and_then(|tuned| tuned.keep().map(|_| ()))
    };
    last(&whole).unwrap();
    let tuned = whole.settings();
    assert_ne!(tuned, before);
    let writes = whole.writes.get();
    for write in 1..=writes {
        let tree = MadeUp::server();
        tree.kill_at(write);
        assert!(last(&tree).is_err());
        tree.revive();
        Tuner::of(&tree).recover().unwrap();
        assert_eq!(tree.settings(), before, "killed at {write} of {writes}");
    }
    // Whole: other commands leave it, another tune is refused, and undo ends it.
    assert_eq!(Tuner::of(&whole).recover().unwrap(), None);
    assert_eq!(whole.settings(), tuned);
    assert!(matches!(last(&whole), Err(TuneError::Tuned)));
    assert!(Tuner::of(&whole).undo().unwrap().is_some());
    assert_eq!(whole.settings(), before);
    assert_eq!(Tuner::of(&whole).undo().unwrap(), None);
}

#[test]
fn a_panic_undoes_it() {
    let tree = MadeUp::server();
    let before = tree.settings();
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let plan = Plan::of(&tree, &wanted());
        let tuner = Tuner::of(&tree);
        let _tuned = tuner.tune(&plan, Lasting::Process).unwrap();
        panic!("on purpose");
    }));
    assert!(caught.is_err());
    assert_eq!(tree.settings(), before);
}

#[test]
fn after_a_restart_the_journal_is_of_no_use() {
    let tree = MadeUp::server();
    tree.kill_at(20);
    tune_and_end(&tree);
    tree.revive();
    tree.set("proc/sys/kernel/random/boot_id", "another-boot");
    tree.set(SWAPPINESS, "0");
    let now = tree.settings();
    assert_eq!(Tuner::of(&tree).recover().unwrap(), None);
    assert_eq!(tree.settings(), now, "nothing is written");
    assert!(!tree.is_there(JOURNAL));
}

#[test]
fn a_value_that_somebody_else_gave_is_left_and_named() {
    let tree = MadeUp::server();
    let plan = Plan::of(&tree, &wanted());
    let tuner = Tuner::of(&tree);
    let tuned = tuner.tune(&plan, Lasting::Process).unwrap();
    tree.set(SWAPPINESS, "10");
    tree.lose("proc/irq/24/smp_affinity_list");
    let undone = tuned.end().unwrap();
    let left: Vec<_> = undone
        .left
        .iter()
        .map(|(change, now)| (change.setting.path(), now.as_str()))
        .collect();
    assert_eq!(left, [(SWAPPINESS.to_owned(), "10")]);
    assert_eq!(undone.gone.len(), 1);
    assert_eq!(tree.settings()[SWAPPINESS], "10");
    assert_eq!(tree.settings()[GOVERNOR], "powersave");
}

#[test]
fn what_was_changed_between_the_look_and_the_tune_is_left_too() {
    for theirs in ["10", "0"] {
        let tree = MadeUp::server();
        let plan = Plan::of(&tree, &wanted());
        tree.set(SWAPPINESS, theirs);
        let tuner = Tuner::of(&tree);
        let tuned = tuner.tune(&plan, Lasting::Process).unwrap();
        assert_eq!(tuned.failed.len(), 1, "{:?}", tuned.failed);
        tuned.end().unwrap();
        assert_eq!(tree.settings()[SWAPPINESS], theirs);
    }
}

#[test]
fn a_cgroup_in_which_others_were_given_cores_keeps_its_controller() {
    let tree = MadeUp::server();
    let plan = Plan::of(&tree, &wanted());
    let tuner = Tuner::of(&tree);
    let tuned = tuner.tune(&plan, Lasting::Process).unwrap();
    tree.set("sys/fs/cgroup/user.slice/cpuset.cpus", "0-1");
    let undone = tuned.end().unwrap();
    let [failed] = &undone.failed[..] else {
        panic!("{undone:?}");
    };
    assert!(failed.why.contains("user.slice"), "{}", failed.why);
    assert!(tree.is_there(JOURNAL), "it can be tried again");
    tree.set("sys/fs/cgroup/user.slice/cpuset.cpus", "");
    let undone = Tuner::of(&tree).recover().unwrap().unwrap();
    assert_eq!((undone.restored.len(), undone.failed.len()), (1, 0));
    assert!(!tree.is_there(JOURNAL));
}

#[test]
fn what_the_kernel_refuses_is_named_and_the_others_go_on() {
    let tree = MadeUp::server();
    let before = tree.settings();
    tree.refuse("proc/irq/9/smp_affinity_list", ErrorKind::Other);
    let plan = Plan::of(&tree, &wanted());
    let tuner = Tuner::of(&tree);
    let tuned = tuner.tune(&plan, Lasting::Process).unwrap();
    assert_eq!(tuned.failed.len(), 1);
    assert_eq!(tree.settings()[SWAPPINESS], "0");
    let undone = tuned.end().unwrap();
    assert_eq!(undone.failed, []);
    // It was never made, and so it is not put back.
    assert_eq!(undone.restored.len() + 1, plan.changes().count());
    assert_eq!(tree.settings(), before);
    // Nor is it counted by whoever comes after a kill.
    std::mem::forget(tuner.tune(&plan, Lasting::Process).unwrap());
    let undone = Tuner::of(&tree).recover().unwrap().unwrap();
    assert_eq!(undone.restored.len() + 1, plan.changes().count());
    assert_eq!(tree.settings(), before);
}

#[test]
fn a_journal_that_others_could_have_written_is_refused() {
    let about = |kind, owner, mode| About { kind, owner, mode };
    for (path, about) in [
        ("run/proofmark", about(Kind::Folder, 1000, 0o755)),
        ("run/proofmark", about(Kind::Folder, 0, 0o777)),
        ("run/proofmark", about(Kind::Folder, 0, 0o775)),
        ("run/proofmark", about(Kind::Other, 0, 0o777)),
        (JOURNAL, about(Kind::File, 1000, 0o644)),
        (JOURNAL, about(Kind::File, 0, 0o666)),
        (JOURNAL, about(Kind::Other, 0, 0o777)),
        ("run", about(Kind::Folder, 0, 0o1777)),
    ] {
        let tree = MadeUp::server();
        tree.kill_at(20);
        tune_and_end(&tree);
        tree.revive();
        let now = tree.settings();
        tree.give(path, about);
        let refused = Tuner::of(&tree).recover();
        assert!(
            matches!(&refused, Err(TuneError::Untrusted { path: named, .. }) if named == path),
            "{path}: {refused:?}"
        );
        assert_eq!(tree.settings(), now, "nothing is written");
    }
}

#[test]
fn a_journal_that_is_damaged_or_newer_is_refused() {
    let journal = |text: &str| {
        let tree = MadeUp::server();
        tree.set(JOURNAL, text);
        tree.give(
            "run/proofmark",
            About {
                kind: Kind::Folder,
                owner: 0,
                mode: 0o755,
            },
        );
        let before = tree.settings();
        let read = Journal::read(&tree, ROOT);
        assert_eq!(tree.settings(), before);
        read
    };
    let of = |version: u32, boot: &str, setting: &str, value: &str| {
        format!(
            r#"{{"version":{version},"boot":"{boot}","process":1,"lasting":"process","core":3,
            "changes":[{{"setting":{setting},"before":"{value}","after":"0"}}]}}"#
        )
    };
    let swappiness = r#""swappiness""#;
    assert!(
        journal(&of(1, "one-boot", swappiness, "60"))
            .unwrap()
            .is_some()
    );
    for text in [
        "",
        "{",
        r#"{"version":1}"#,
        &of(1, "one-boot", swappiness, "60; rm"),
        &of(1, "one-boot", r#"{"path":"etc/passwd"}"#, "60"),
    ] {
        let refused = journal(text);
        assert!(matches!(refused, Err(TuneError::Damaged { .. })), "{text}");
    }
    let newer = journal(&of(2, "one-boot", swappiness, "60"));
    assert!(matches!(newer, Err(TuneError::Newer { .. })));
    // Whatever it says, the settings of a boot that is over are gone.
    assert_eq!(journal(&of(2, "earlier", swappiness, "60")).unwrap(), None);
}

#[test]
fn what_cannot_be_done_says_why() {
    let tree = MadeUp::server();
    let said =
        |tree: &MadeUp, wanted: &Wanted, item: Item| match step(&Plan::of(tree, wanted), item) {
            Step::Cannot(why) => why.clone(),
            other => panic!("{item:?}: {other:?}"),
        };
    let standing = Wanted {
        for_command: false,
        ..wanted()
    };
    assert!(said(&tree, &standing, Item::OwnCores).contains("COMMAND"));
    assert!(said(&tree, &standing, Item::IdleStates).contains("COMMAND"));
    let blind = Wanted {
        core: None,
        ..wanted()
    };
    for item in [Item::Siblings, Item::OwnCores, Item::Interrupts] {
        assert!(said(&tree, &blind, item).contains("which core"));
    }
    tree.set("sys/fs/cgroup/cpuset/docker/cpuset.cpus", "0-7");
    assert!(said(&tree, &wanted(), Item::Siblings).contains("/docker"));
    tree.set("sys/fs/cgroup/cgroup.controllers", "hugetlb");
    assert!(said(&tree, &wanted(), Item::OwnCores).contains("v1"));
    tree.set("sys/fs/cgroup/cgroup.type", "domain");
    assert!(said(&tree, &wanted(), Item::OwnCores).contains("container"));
    tree.refuse(SWAPPINESS, ErrorKind::ReadOnlyFilesystem);
    assert!(said(&tree, &wanted(), Item::Swappiness).contains("read-only"));
    tree.set("sys/devices/system/cpu/online", "3,7");
    assert!(said(&tree, &wanted(), Item::Interrupts).contains("no other core"));
    let none = MadeUp::server();
    for policy in 0..8 {
        let folder = format!("sys/devices/system/cpu/cpufreq/policy{policy}");
        none.lose(&format!("{folder}/scaling_governor"));
    }
    none.lose("sys/devices/system/cpu/intel_pstate/no_turbo");
    for item in [Item::Governor, Item::Turbo] {
        assert!(said(&none, &wanted(), item).contains("virtual machine"));
    }
}

#[test]
fn what_was_not_asked_for_is_left() {
    let tree = MadeUp::server();
    let usual = Wanted {
        items: Wanted::usual_items(),
        ..wanted()
    };
    let plan = Plan::of(&tree, &usual);
    assert_eq!(*step(&plan, Item::Aslr), Step::NotAsked);
    assert!(matches!(step(&plan, Item::Turbo), Step::Change(_)));
    assert_eq!(plan.only(Item::Turbo).changes().count(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// After a kill anywhere, and whatever somebody else changed then, each value is as before or
    /// as somebody else left it.
    #[test]
    fn each_value_is_as_before_or_as_somebody_else_left_it(
        write in 1_usize..70,
        theirs in proptest::collection::btree_map(
            proptest::sample::select(vec![
                (SWAPPINESS, "33"),
                (GOVERNOR, "schedutil"),
                ("proc/irq/9/smp_affinity_list", "5"),
                ("proc/sys/kernel/perf_event_paranoid", "3"),
                ("sys/devices/system/cpu/intel_pstate/no_turbo", "0"),
            ]),
            Just(()),
            0..4,
        ),
    ) {
        let tree = MadeUp::server();
        let mut expected = tree.settings();
        tree.kill_at(write);
        tune_and_end(&tree);
        tree.revive();
        for (path, value) in theirs.keys() {
            tree.set(path, value);
            expected.insert((*path).to_owned(), (*value).to_owned());
        }
        Tuner::of(&tree).recover().unwrap();
        let mut now = tree.settings();
        if theirs.contains_key(&(GOVERNOR, "schedutil")) {
            // The tree's kernel was not told that another governor came.
            let path = GOVERNOR.replace("scaling_governor", "energy_performance_preference");
            now.remove(&path);
            expected.remove(&path);
        }
        prop_assert_eq!(now, expected);
        prop_assert!(!tree.is_there(JOURNAL) || theirs.contains_key(&(GOVERNOR, "schedutil")));
    }
}
