//! Places in the lists of records: which build, which cell, which benchmark. Each list has an index
//! of its own type, so that one is never taken for another's.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An index of one kind of list, counted from 0.
macro_rules! index {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// What stands at `place`, from 0. No list is so long that a place does not fit.
            #[must_use]
            pub fn at(place: usize) -> Self {
                Self(u32::try_from(place).unwrap_or(u32::MAX))
            }

            /// The place in its list, from 0.
            #[must_use]
            pub const fn place(self) -> usize {
                self.0 as usize
            }

            /// What it names in `list`; `None` where the list is shorter.
            #[must_use]
            pub fn of<T>(self, list: &[T]) -> Option<&T> {
                list.get(self.place())
            }

            /// Each item of a list with its index.
            pub fn each<T>(list: &[T]) -> impl Iterator<Item = (Self, &T)> + Clone {
                Self::all(list.len()).zip(list)
            }

            /// Those of a list of `count`, in order.
            pub fn all(count: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
                (0..Self::at(count).0).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

index! {
    /// A build of an experiment.
    BuildIndex
}

impl BuildIndex {
    /// The build that the others are held against.
    pub const BASE: Self = BuildIndex(0);
}

index! {
    /// A cell of a matrix.
    CellIndex
}

impl CellIndex {
    /// The cell as a build of the matrix's experiments, which all have the cells in their order.
    #[must_use]
    pub const fn build(self) -> BuildIndex {
        BuildIndex(self.0)
    }
}

impl From<BuildIndex> for CellIndex {
    /// A build of a matrix's experiment as the matrix's cell.
    fn from(build: BuildIndex) -> Self {
        CellIndex(build.0)
    }
}

index! {
    /// A member of a matrix: a benchmark, at one of its sizes.
    MemberIndex
}

index! {
    /// An arm of an experiment's block: an image that took part.
    ArmIndex
}

index! {
    /// An image of a block that runs one build in several layouts: of a sweep, or of an
    /// attribution.
    ImageIndex
}

index! {
    /// An address of a sweep.
    AddressIndex
}

index! {
    /// A function of an attribution.
    FunctionIndex
}

index! {
    /// A state between the ends of a bisection: a commit, a toolchain or a set of flags.
    StateIndex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_names_what_stands_at_its_place() {
        let builds = ["base", "new"];
        let named: Vec<_> = BuildIndex::all(3).map(|build| build.of(&builds)).collect();
        assert_eq!(named, [Some(&"base"), Some(&"new"), None]);
        assert_eq!(BuildIndex::at(1).place(), 1);
        assert_eq!(CellIndex(1).build(), BuildIndex(1));
        assert_eq!(CellIndex::from(BuildIndex::BASE), CellIndex(0));
    }

    #[test]
    fn an_index_is_written_as_a_number() {
        assert_eq!(serde_json::to_string(&MemberIndex(7)).unwrap(), "7");
        assert_eq!(
            serde_json::from_str::<MemberIndex>("7").unwrap(),
            MemberIndex(7)
        );
        assert_eq!(MemberIndex(7).to_string(), "7");
    }
}
