//! Cores as the kernel lists them.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

/// No machine has a core of a higher number: the most that a kernel can be built for.
const MOST: u32 = 8192;

/// Numbers of cores, in the kernel's list format: `0-2,8`.
/// Documentation/admin-guide/cputopology.rst.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CoreList(BTreeSet<u32>);

impl CoreList {
    /// Reads a list; none where the text is no list. No cores are an empty text.
    #[must_use]
    pub fn parse(text: &str) -> Option<CoreList> {
        let text = text.trim();
        if text.is_empty() {
            return Some(CoreList::default());
        }
        let mut cores = BTreeSet::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            if last < first || last >= MOST {
                return None;
            }
            cores.extend(first..=last);
        }
        Some(CoreList(cores))
    }

    /// Whether the core is one of them.
    #[must_use]
    pub fn has(&self, core: u32) -> bool {
        self.0.contains(&core)
    }

    /// Those that `other` lacks.
    #[must_use]
    pub fn without(&self, other: &CoreList) -> CoreList {
        self.iter().filter(|&core| !other.has(core)).collect()
    }

    /// Those that `other` has too.
    #[must_use]
    pub fn shared_with(&self, other: &CoreList) -> CoreList {
        self.iter().filter(|&core| other.has(core)).collect()
    }

    /// In ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<u32> for CoreList {
    fn from_iter<I: IntoIterator<Item = u32>>(cores: I) -> Self {
        CoreList(cores.into_iter().collect())
    }
}

impl fmt::Display for CoreList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.iter().peekable();
        let mut between = "";
        while let Some(first) = rest.next() {
            let mut last = first;
            while let Some(next) = rest.next_if(|&next| next == last + 1) {
                last = next;
            }
            write!(f, "{between}{first}")?;
            if last > first {
                write!(f, "-{last}")?;
            }
            between = ",";
        }
        Ok(())
    }
}

impl From<CoreList> for String {
    fn from(list: CoreList) -> String {
        list.to_string()
    }
}

impl TryFrom<String> for CoreList {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        CoreList::parse(&text).ok_or_else(|| format!("{text:?} is no list of cores"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_written_as_the_kernel_does() {
        for (text, written) in [
            ("0-2,8\n", "0-2,8"),
            ("5", "5"),
            ("3,0,1", "0-1,3"),
            ("", ""),
        ] {
            assert_eq!(CoreList::parse(text).unwrap().to_string(), written);
        }
        for none in ["x", "9-1", "0-9999999", "1,,2", "-1"] {
            assert_eq!(CoreList::parse(none), None, "{none}");
        }
    }

    #[test]
    fn lists_are_compared() {
        let list = |text| CoreList::parse(text).unwrap();
        assert_eq!(list("0-3").without(&list("1,7")), list("0,2-3"));
        assert_eq!(list("0-3").shared_with(&list("1,7")), list("1"));
        assert!(list("0-3").has(3) && !list("0-3").has(4));
    }
}
