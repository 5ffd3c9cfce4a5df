//! The settings that may be written: a closed list. A journal names them by what they are, never by
//! a path, so that no journal can have anything else written.

use std::io;

use proofmark_terms::CoreList;
use serde::{Deserialize, Serialize};

use crate::group::Group;
use crate::mount::Mount;
use crate::tree::Tree;

/// One value of the machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Setting {
    /// Who chooses the frequency of the cores of a policy.
    Governor {
        /// The policy's number.
        policy: u32,
    },
    /// What the processor prefers, speed or energy, on the cores of a policy.
    EnergyPreference {
        /// The policy's number.
        policy: u32,
    },
    /// `1`: the driver `intel_pstate` stays at or below the nominal frequency.
    NoTurbo,
    /// `0`: any other driver does.
    Boost,
    /// Whether a core is in use.
    Online {
        /// The core.
        core: u32,
    },
    /// Whether addresses are drawn at random.
    Aslr,
    /// What users without rights may count and sample.
    PerfParanoid,
    /// The most samples a second.
    SampleRate,
    /// The cores that may serve an interrupt.
    Interrupt {
        /// Its number.
        number: u32,
    },
    /// Which memory gets huge pages unasked.
    HugePages,
    /// How soon memory of programs goes to disk.
    Swappiness,
    /// Whether groups directly below the root of the cgroups have cores of their own.
    GroupCores {
        /// Where cgroup v2 is mounted.
        mount: Mount,
    },
    /// A cgroup with cores that nobody else may use.
    Group(Group),
}

/// The words of [`Setting::GroupCores`].
const GIVEN: &str = "+cpuset";
const NOT_GIVEN: &str = "-cpuset";

impl Setting {
    /// The file that is read and written; of a group its folder.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            Setting::Governor { policy } => of_policy(*policy, "scaling_governor"),
            Setting::EnergyPreference { policy } => {
                of_policy(*policy, "energy_performance_preference")
            }
            Setting::NoTurbo => "sys/devices/system/cpu/intel_pstate/no_turbo".to_owned(),
            Setting::Boost => "sys/devices/system/cpu/cpufreq/boost".to_owned(),
            Setting::Online { core } => format!("sys/devices/system/cpu/cpu{core}/online"),
            Setting::Aslr => "proc/sys/kernel/randomize_va_space".to_owned(),
            Setting::PerfParanoid => "proc/sys/kernel/perf_event_paranoid".to_owned(),
            Setting::SampleRate => "proc/sys/kernel/perf_event_max_sample_rate".to_owned(),
            Setting::Interrupt { number } => format!("proc/irq/{number}/smp_affinity_list"),
            Setting::HugePages => "sys/kernel/mm/transparent_hugepage/enabled".to_owned(),
            Setting::Swappiness => "proc/sys/vm/swappiness".to_owned(),
            Setting::GroupCores { mount } => format!("{}/cgroup.subtree_control", mount.path()),
            Setting::Group(group) => group.path(),
        }
    }

    /// The value as it is now.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self, tree: &dyn Tree) -> io::Result<String> {
        if let Setting::Group(group) = self {
            return group.read(tree);
        }
        let text = tree.read(&self.path())?;
        match self {
            // `always [madvise] never`
            Setting::HugePages => {
                let chosen = text.split(['[', ']']).nth(1).map(str::to_owned);
                chosen.ok_or_else(|| unlike(&text))
            }
            Setting::GroupCores { .. } => {
                let given = text.split_whitespace().any(|word| word == "cpuset");
                Ok((if given { GIVEN } else { NOT_GIVEN }).to_owned())
            }
            _ => Ok(text),
        }
    }

    /// Gives it a value.
    ///
    /// # Errors
    /// When the kernel refuses it, or says that it took it and did not.
    pub fn write(&self, tree: &dyn Tree, value: &str) -> io::Result<()> {
        if let Setting::Group(group) = self {
            return group.write(tree, value);
        }
        if let Setting::GroupCores { mount } = self {
            others_have_none(tree, *mount, value)?;
        }
        tree.write(&self.path(), value)?;
        let now = self.read(tree)?;
        if now != value {
            return Err(io::Error::other(format!(
                "the kernel took {value:?} and says {now:?}"
            )));
        }
        Ok(())
    }

    /// Whether a text could be a value of it: nothing else is ever written.
    #[must_use]
    pub fn is_value(&self, value: &str) -> bool {
        let word = |text: &str| {
            let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
            !text.is_empty() && text.len() <= 64 && text.chars().all(plain)
        };
        match self {
            Setting::Governor { .. } | Setting::EnergyPreference { .. } => word(value),
            Setting::NoTurbo | Setting::Boost | Setting::Online { .. } => {
                matches!(value, "0" | "1")
            }
            Setting::Aslr | Setting::PerfParanoid | Setting::SampleRate | Setting::Swappiness => {
                value.parse::<i32>().is_ok()
            }
            Setting::Interrupt { .. } => {
                CoreList::parse(value).is_some_and(|list| !list.is_empty())
            }
            Setting::HugePages => matches!(value, "always" | "madvise" | "never"),
            Setting::GroupCores { .. } => matches!(value, GIVEN | NOT_GIVEN),
            Setting::Group(_) => Group::is_value(value),
        }
    }

    /// The value of [`Setting::GroupCores`] that gives groups cores of their own.
    pub(crate) fn given() -> &'static str {
        GIVEN
    }
}

fn of_policy(policy: u32, name: &str) -> String {
    format!("sys/devices/system/cpu/cpufreq/policy{policy}/{name}")
}

fn unlike(text: &str) -> io::Error {
    io::Error::other(format!("what the kernel says is not understood: {text:?}"))
}

/// Taking the cores away would take them from every group: not where another one has some.
fn others_have_none(tree: &dyn Tree, mount: Mount, value: &str) -> io::Result<()> {
    if value != NOT_GIVEN {
        return Ok(());
    }
    let groups = tree.names(mount.path());
    let user = groups.iter().find(|name| {
        let cores = tree.read(&format!("{}/{name}/cpuset.cpus", mount.path()));
        cores.is_ok_and(|cores| !cores.is_empty())
    });
    match user {
        None => Ok(()),
        Some(name) => Err(io::Error::other(format!(
            "the group {name} was given cores of its own meanwhile"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_a_value_is_written() {
        let swappiness = Setting::Swappiness;
        assert!(swappiness.is_value("60") && !swappiness.is_value("60\n1"));
        let governor = Setting::Governor { policy: 0 };
        assert!(governor.is_value("schedutil") && !governor.is_value("../x"));
        let interrupt = Setting::Interrupt { number: 3 };
        assert!(interrupt.is_value("0,2-3") && !interrupt.is_value(""));
        assert!(!Setting::HugePages.is_value("sometimes"));
    }

    #[test]
    fn a_setting_that_is_not_on_the_list_is_not_read_from_a_journal() {
        let read = |text| serde_json::from_str::<Setting>(text);
        assert_eq!(
            read(r#"{"governor":{"policy":1}}"#).unwrap(),
            Setting::Governor { policy: 1 }
        );
        assert!(read(r#"{"file":{"path":"etc/passwd"}}"#).is_err());
        assert!(read(r#"{"governor":{"policy":"../../../etc"}}"#).is_err());
    }
}
