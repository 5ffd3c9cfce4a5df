//! What can be tuned, as a user names it, and what each is worth.

/// Something that can be tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item {
    /// Who chooses the frequency of the cores.
    Governor,
    /// What the processor prefers, speed or energy.
    EnergyPreference,
    /// Frequencies above the nominal one.
    Turbo,
    /// The threads that share the measured core.
    Siblings,
    /// Interrupts of devices on the measured core.
    Interrupts,
    /// Cores that nobody else may use.
    OwnCores,
    /// How deep cores sleep.
    IdleStates,
    /// Huge pages for memory that did not ask for them.
    HugePages,
    /// How soon memory of programs goes to disk.
    Swappiness,
    /// What users without rights may count and sample.
    PerfParanoid,
    /// The most samples a second.
    SampleRate,
    /// Whether addresses are drawn at random.
    Aslr,
}

impl Item {
    /// In the order in which they are set: interrupts leave a core before its siblings are switched
    /// off, and the frequencies of siblings are set while they are on.
    pub const ALL: [Item; 12] = [
        Item::Governor,
        Item::EnergyPreference,
        Item::Turbo,
        Item::HugePages,
        Item::Swappiness,
        Item::PerfParanoid,
        Item::SampleRate,
        Item::Aslr,
        Item::Interrupts,
        Item::Siblings,
        Item::OwnCores,
        Item::IdleStates,
    ];

    /// Its name on a command line and in documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Item::Governor => "governor",
            Item::EnergyPreference => "energy-preference",
            Item::Turbo => "turbo",
            Item::Siblings => "siblings",
            Item::Interrupts => "interrupts",
            Item::OwnCores => "own-cores",
            Item::IdleStates => "idle-states",
            Item::HugePages => "huge-pages",
            Item::Swappiness => "swappiness",
            Item::PerfParanoid => "perf-paranoid",
            Item::SampleRate => "sample-rate",
            Item::Aslr => "aslr",
        }
    }

    /// The item of this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Item> {
        Item::ALL.into_iter().find(|item| item.name() == name)
    }

    /// How it gets in the way of measuring where it is not tuned.
    #[must_use]
    pub fn in_the_way(self) -> &'static str {
        match self {
            Item::Governor => {
                "a core that speeds up while a benchmark runs makes the later half faster"
            }
            Item::EnergyPreference => {
                "a processor that saves energy chooses its frequency by rules of its own"
            }
            Item::Turbo => {
                "the frequency above nominal depends on temperature and on what other cores do"
            }
            Item::Siblings => "two threads of one core share its units",
            Item::Interrupts => {
                "an interrupt stops the measured program and leaves its own data in the caches"
            }
            Item::OwnCores => "any other process may be put on the core that is measured on",
            Item::IdleStates => {
                "a core that slept deep takes time to wake, and wakes with cold caches"
            }
            Item::HugePages => "whether a run gets huge pages depends on how fragmented memory is",
            Item::Swappiness => "what goes to disk comes back in the middle of some run",
            Item::PerfParanoid => {
                "users without rights can neither count instructions nor sample their programs"
            }
            Item::SampleRate => "fewer samples than asked for tell less about where time goes",
            Item::Aslr => "one fixed set of addresses is one lucky or unlucky draw for all runs",
        }
    }

    /// What tuning it is worth, and what it costs.
    #[must_use]
    pub fn worth(self) -> &'static str {
        match self {
            Item::Governor => {
                "the core keeps one frequency from the first run on, where it would speed up while \
                 a benchmark runs"
            }
            Item::EnergyPreference => {
                "the processor no longer holds back to save energy, which it does by its own rules"
            }
            Item::Turbo => {
                "the frequency no longer depends on temperature and on what other cores do; \
                 everything gets slower, most on laptops"
            }
            Item::Siblings => {
                "nobody else uses the units of the measured core; the machine has fewer threads, \
                 and a process that is bound to one of them alone is moved"
            }
            Item::Interrupts => {
                "devices no longer interrupt the measured core, nor leave their data in its caches"
            }
            Item::OwnCores => {
                "no other process runs on the core that is measured on, nor on the one that \
                 measures"
            }
            Item::IdleStates => {
                "cores no longer sleep so deep that waking takes time, with cold caches and a low \
                 frequency; the machine takes more power meanwhile"
            }
            Item::HugePages => {
                "runs no longer get huge pages by luck, by how fragmented memory is at that \
                 moment; programs that ask for them still get them"
            }
            Item::Swappiness => {
                "memory of programs goes to disk only where nothing else is left, and so does not \
                 come back in the middle of a run"
            }
            Item::PerfParanoid => {
                "users without rights may count and sample their own programs: instructions are \
                 counted by the processor, and attribute can tell which functions are hot"
            }
            Item::SampleRate => {
                "sampled runs get the 5,000 samples a second that proofmark asks for"
            }
            Item::Aslr => {
                "every run has the same addresses, one draw of luck for all of them: proofmark's \
                 own runs are better off with fresh ones, so it is set only when asked for"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_listed_once_and_found_by_its_name() {
        for item in Item::ALL {
            assert_eq!(Item::of_name(item.name()), Some(item));
            assert!(item.worth().len() > 40 && item.in_the_way().len() > 20);
        }
    }
}
