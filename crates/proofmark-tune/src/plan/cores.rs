//! Who shares the measured core: the threads of its siblings, and other processes.

use proofmark_terms::CoreList;

use super::{NO_CORE, Step, Wanted, cores_in_use, threads_of};
use crate::change::Change;
use crate::group::Group;
use crate::mount::Mount;
use crate::setting::Setting;
use crate::tree::{Kind, Tree};

pub(super) fn siblings(tree: &dyn Tree, wanted: &Wanted) -> (String, Step) {
    let Some(core) = wanted.core else {
        return ("not told".to_owned(), Step::Cannot(NO_CORE.to_owned()));
    };
    let siblings = threads_of(tree, core).without(&CoreList::from_iter([core]));
    let siblings = siblings.shared_with(&cores_in_use(tree));
    if siblings.is_empty() {
        return (format!("core {core} has none in use"), Step::Good);
    }
    let found = format!("core {core} shares its units with {siblings}");
    if let Some(group) = group_of_v1(tree, &siblings) {
        let why = format!(
            "the cgroup v1 cpuset {group} has it among its cores, and would lose it for good when \
             it is switched off"
        );
        return (found, Step::Cannot(why));
    }
    let mut changes = Vec::new();
    for core in siblings.iter() {
        let setting = Setting::Online { core };
        match setting.read(tree) {
            Ok(before) => changes.push(Change {
                setting,
                before,
                after: "0".to_owned(),
            }),
            Err(_) => {
                let why = format!("the kernel does not let core {core} be switched off");
                return (found, Step::Cannot(why));
            }
        }
    }
    (found, Step::Change(changes))
}

/// Where version 1 of cpusets is mounted; there is one place for it.
const V1: &str = "sys/fs/cgroup/cpuset";

/// A cpuset of version 1, other than the outermost, that has one of these cores. The kernel takes a
/// core that is switched off from all of them and gives it back to the outermost alone.
fn group_of_v1(tree: &dyn Tree, cores: &CoreList) -> Option<String> {
    let mut open = vec![V1.to_owned()];
    while let Some(folder) = open.pop() {
        for name in tree.names(&folder) {
            let path = format!("{folder}/{name}");
            if !tree.about(&path).is_ok_and(|one| one.kind == Kind::Folder) {
                continue;
            }
            let theirs = tree.read(&format!("{path}/cpuset.cpus")).ok();
            let theirs = theirs.and_then(|text| CoreList::parse(&text));
            if theirs.is_some_and(|theirs| !theirs.shared_with(cores).is_empty()) {
                return Some(path.trim_start_matches(V1).to_owned());
            }
            open.push(path);
        }
    }
    None
}

pub(super) fn own(tree: &dyn Tree, wanted: &Wanted) -> (String, Step) {
    let none = |found: &str, why: &str| (found.to_owned(), Step::Cannot(why.to_owned()));
    let Some(core) = wanted.core else {
        return none("not told", NO_CORE);
    };
    let Some(mount) = mounted(tree) else {
        return none(
            "no cgroup v2",
            "cgroup v2 is not mounted where it usually is",
        );
    };
    let file = |name: &str| format!("{}/{name}", mount.path());
    if tree.about(&file("cgroup.type")).is_ok() {
        let why = "the outermost cgroup is not visible, as in a container: cores can only be set \
                   aside below it";
        return none("inside of a cgroup", why);
    }
    let controllers = tree.read(&file("cgroup.controllers")).unwrap_or_default();
    if controllers.split_whitespace().all(|word| word != "cpuset") {
        let why = "cpusets belong to cgroup v1 on this machine, which cannot set cores aside; it \
                   would take a start with cgroup_no_v1=cpuset";
        return none("cpusets of cgroup v1", why);
    }
    let online = cores_in_use(tree);
    let found = format!("anybody may use the cores {online}");
    let Some(cores) = two_of(tree, core, &online) else {
        let why = "three cores are needed: one to measure on, one that measures, and one for \
                   everybody else";
        return (found, Step::Cannot(why.to_owned()));
    };
    if !wanted.for_command {
        let why = "only a command can be given cores of its own: `proofmark tune -- COMMAND`";
        return (found, Step::Cannot(why.to_owned()));
    }
    (found, Step::Change(changes(tree, mount, cores)))
}

/// The measured core and one more, with their siblings; none where nobody else would have any left.
fn two_of(tree: &dyn Tree, core: u32, online: &CoreList) -> Option<CoreList> {
    let measured = threads_of(tree, core);
    let other = online.without(&measured);
    // The last: the first commonly serves interrupts.
    let other = threads_of(tree, other.iter().last()?);
    let cores: CoreList = measured.iter().chain(other.iter()).collect();
    let cores = cores.shared_with(online);
    (!online.without(&cores).is_empty()).then_some(cores)
}

fn mounted(tree: &dyn Tree) -> Option<Mount> {
    let there = |mount: &Mount| {
        let controllers = format!("{}/cgroup.controllers", mount.path());
        tree.read(&controllers).is_ok()
    };
    [Mount::Alone, Mount::BesideV1].into_iter().find(there)
}

fn changes(tree: &dyn Tree, mount: Mount, cores: CoreList) -> Vec<Change> {
    let given = Setting::GroupCores { mount };
    let before = given.read(tree).unwrap_or_default();
    let after = Setting::given().to_owned();
    let mut changes = Vec::new();
    if before != after {
        changes.push(Change {
            setting: given,
            before,
            after,
        });
    }
    changes.push(Change {
        setting: Setting::Group(Group { mount, cores }),
        before: Group::NONE.to_owned(),
        after: Group::THERE.to_owned(),
    });
    changes
}
