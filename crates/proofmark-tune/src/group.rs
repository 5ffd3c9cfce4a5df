//! A cgroup whose cores nobody else may use: a partition of cgroup v2.
//!
//! The partition is of the kind `root`, in which the scheduler moves processes between the cores as
//! it does elsewhere. In one of the kind `isolated` it does not, and the measuring command, which
//! has both a core to measure on and one to work on, would have all its processes on one of them.
//! Kernel: admin-guide/cgroup-v2, `cpuset.cpus.partition`.

use std::io;

use proofmark_terms::CoreList;
use serde::{Deserialize, Serialize};

use crate::mount::Mount;
use crate::tree::Tree;

/// The folder's name.
const NAME: &str = "proofmark-tune";

/// What the kernel says of a partition that is in force.
const IN_FORCE: &str = "root";

/// Nobody but those in the group may use these cores.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub(crate) mount: Mount,
    pub(crate) cores: CoreList,
}

impl Group {
    /// There is no such group.
    pub(crate) const NONE: &str = "none";
    /// There is one.
    pub(crate) const THERE: &str = "there";

    pub(crate) fn is_value(value: &str) -> bool {
        matches!(value, Group::NONE | Group::THERE)
    }

    pub(crate) fn path(&self) -> String {
        format!("{}/{NAME}", self.mount.path())
    }

    fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.path())
    }

    /// The file that a process enters the group by.
    #[must_use]
    pub fn door(&self) -> String {
        self.file("cgroup.procs")
    }

    /// A group that is half made is there.
    pub(crate) fn read(&self, tree: &dyn Tree) -> io::Result<String> {
        match tree.about(&self.path()) {
            Ok(_) => Ok(Group::THERE.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Group::NONE.to_owned()),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn write(&self, tree: &dyn Tree, value: &str) -> io::Result<()> {
        if value == Group::NONE {
            return self.remove(tree);
        }
        tree.make_folder(&self.path())?;
        let made = self.give_cores(tree);
        if made.is_err() {
            // It was made a moment ago, and nobody is in it.
            self.remove(tree)?;
        }
        made
    }

    fn give_cores(&self, tree: &dyn Tree) -> io::Result<()> {
        tree.write(&self.file("cpuset.cpus"), &self.cores.to_string())?;
        let partition = self.file("cpuset.cpus.partition");
        tree.write(&partition, IN_FORCE)?;
        let now = tree.read(&partition)?;
        if now != IN_FORCE {
            return Err(io::Error::other(format!(
                "the kernel does not take the cores {} from others: {now}",
                self.cores
            )));
        }
        Ok(())
    }

    /// Who is still in it goes where this process is.
    fn remove(&self, tree: &dyn Tree) -> io::Result<()> {
        let groups = tree.names(&self.path());
        let inner = groups.iter().map(|name| self.file(name));
        let inner = inner.filter(|path| tree.read(&format!("{path}/cgroup.procs")).is_ok());
        for group in inner.chain([self.path()]) {
            let inside = tree.read(&format!("{group}/cgroup.procs"));
            for process in inside.unwrap_or_default().lines() {
                // One that has ended meanwhile cannot go.
                let _ = tree.write(&self.outside(tree), process);
            }
            tree.remove_folder(&group)?;
        }
        Ok(())
    }

    /// The door of the group that this process is in; of the outermost where it is in this one.
    fn outside(&self, tree: &dyn Tree) -> String {
        let own = tree.read("proc/self/cgroup").unwrap_or_default();
        let own = own.lines().find_map(|line| line.strip_prefix("0::/"));
        let own = own.filter(|own| !own.starts_with(NAME) && !own.contains(".."));
        let own = own.unwrap_or_default().trim_matches('/');
        let folder = format!("{}/{own}", self.mount.path());
        format!("{}/cgroup.procs", folder.trim_end_matches('/'))
    }
}
