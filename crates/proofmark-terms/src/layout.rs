//! One layout, as a value.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Where the functions and data of an image sit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Layout {
    /// Where a seed puts them.
    Drawn {
        /// Any number.
        #[serde(with = "crate::exact")]
        seed: u64,
    },
    /// Some functions where somebody wanted them, everything else where the linker puts it then.
    Placed {
        /// Addresses as linked, by the functions' names.
        at: BTreeMap<String, u64>,
    },
    /// Where the build's own linker put them.
    AsShipped,
}

impl Layout {
    /// What it was drawn from; `None` where it was not drawn.
    #[must_use]
    pub const fn seed(&self) -> Option<u64> {
        match self {
            Layout::Drawn { seed } => Some(*seed),
            Layout::Placed { .. } | Layout::AsShipped => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_comes_back() {
        let placed = BTreeMap::from([("eval".to_owned(), 0x40_1040)]);
        let all = [
            Layout::Drawn { seed: u64::MAX },
            Layout::Placed { at: placed },
            Layout::AsShipped,
        ];
        for layout in all {
            let text = serde_json::to_string(&layout).unwrap();
            assert_eq!(serde_json::from_str::<Layout>(&text).unwrap(), layout);
        }
    }
}
