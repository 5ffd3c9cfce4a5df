//! What layouts may do with data, and what keeps them from it.

use std::fmt;

use crate::LayoutError;
use crate::captured::Captured;
use crate::extent::looks_through_data;
use crate::link::argv;
use crate::link::sections::{folds, has_script};
use crate::units::Units;

/// What layouts may do with data. Builds that are compared have the same freedom: what is drawn in
/// one and not in the other makes a difference of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freedom {
    /// Where data starts is drawn.
    pub drawn: bool,
    /// That of constants too.
    pub constants: bool,
    /// Texts and constants are not merged across objects, so that they are drawn too.
    pub unmerged: bool,
}

impl Freedom {
    /// Everything.
    pub const ALL: Freedom = Freedom {
        drawn: true,
        constants: true,
        unmerged: true,
    };

    /// What both have.
    #[must_use]
    pub fn and(self, other: Freedom) -> Freedom {
        Freedom {
            drawn: self.drawn && other.drawn,
            constants: self.constants && other.constants,
            unmerged: self.unmerged && other.unmerged,
        }
    }
}

/// Data of a build that layouts leave where a linker puts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undrawn {
    /// Index of the build.
    pub build: usize,
    /// What of its data.
    pub what: UndrawnData,
    /// What keeps it from being drawn.
    pub why: Hindrance,
}

/// What of a build's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UndrawnData {
    /// All of it.
    All,
    /// Constants; variables are drawn.
    Constants,
    /// Texts and constants that a linker merges; other data is drawn.
    Merged,
    /// Sections with names of their own, of code or of data.
    Sections,
    /// How far sections with names of their own, which are drawn as a whole, stand from each other:
    /// not the same for builds that are matched.
    Distances,
}

/// What keeps data from being drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// The program may look through all of its data: it asks for this symbol.
    LooksThrough(String),
    /// Nobody knows what else goes by the names of these sections.
    Names(Vec<String>),
    /// A script of the link says what stands where.
    Script,
    /// The link folds code by the constants that it refers to.
    Folds,
    /// A relocation leads into the middle of a text.
    Unread,
    /// A text that several objects hold has a name of its own, or a table of addresses leads to it.
    Named,
    /// It does not link where nothing is merged.
    NoLink,
    /// It would be another program where nothing is merged.
    OtherProgram,
}

/// Sections that are named, at most.
const NAMED: usize = 4;

impl fmt::Display for Hindrance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hindrance::LooksThrough(symbol) => {
                return write!(
                    f,
                    "the program may look through all of its data (it asks for `{symbol}`)"
                );
            }
            Hindrance::Names(names) => {
                let named = names.iter().take(NAMED).map(|name| format!("`{name}`"));
                let named = named.collect::<Vec<_>>().join(", ");
                return match names.len().saturating_sub(NAMED) {
                    0 => f.write_str(&named),
                    more => write!(f, "{named} and {more} more"),
                };
            }
            Hindrance::Script => "a script of the link says what stands where",
            Hindrance::Folds => "the link folds code that is alike",
            Hindrance::Unread => "an object refers to the middle of one",
            Hindrance::Named => "one that several objects hold goes by a name of its own",
            Hindrance::NoLink => "the link fails where they are not merged",
            Hindrance::OtherProgram => "it would be another program where they are not merged",
        })
    }
}

/// What keeps a build's texts and constants from being left unmerged, as far as it can be told
/// without linking.
pub(crate) fn keeps_merged(
    build: &Captured<'_>,
    units: &Units,
) -> Result<Option<Hindrance>, LayoutError> {
    if has_script(build.recipe) {
        return Ok(Some(Hindrance::Script));
    }
    if folds(&argv::parse(&build.recipe.argv)) {
        return Ok(Some(Hindrance::Folds));
    }
    Ok(looks_through_data(build, units)?.map(Hindrance::LooksThrough))
}
