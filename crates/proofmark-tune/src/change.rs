//! One setting from one value to another, and back.

use std::io;

use serde::{Deserialize, Serialize};

use crate::setting::Setting;
use crate::tree::Tree;

/// One setting from one value to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// What is set.
    pub setting: Setting,
    /// The value that was found.
    pub before: String,
    /// The value that it gets.
    pub after: String,
}

/// A change that was not made, or not taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The change.
    pub change: Change,
    /// Why.
    pub why: String,
}

/// What came of taking one change back.
pub(crate) enum Back {
    /// The setting is as it was before.
    AsBefore,
    /// Somebody else gave it another value since, which it keeps.
    Theirs(String),
    /// What it was a setting of is no longer there.
    Gone,
}

impl Change {
    /// Whether both values are such that the setting can have them.
    pub(crate) fn can_be(&self) -> bool {
        self.setting.is_value(&self.before) && self.setting.is_value(&self.after)
    }

    /// That the value is the one that was found when it was looked at.
    ///
    /// # Errors
    /// What it is instead.
    pub(crate) fn still_is(&self, tree: &dyn Tree) -> Result<(), String> {
        let now = self.setting.read(tree).map_err(|error| said(&error))?;
        if now == self.before {
            return Ok(());
        }
        Err(format!(
            "somebody else has set it to {now:?} since it was looked at"
        ))
    }

    /// Makes the change.
    ///
    /// # Errors
    /// Why it was not made; then the value is as it was.
    pub(crate) fn make(&self, tree: &dyn Tree) -> Result<(), String> {
        let now = self.setting.read(tree);
        if now.is_ok_and(|now| now == self.after) {
            // By the kernel: a governor takes the energy preference along.
            return Ok(());
        }
        self.still_is(tree)?;
        let made = self.setting.write(tree, &self.after);
        made.map_err(|error| {
            if self.setting.read(tree).is_ok_and(|now| now != self.before)
                && let Err(second) = self.setting.write(tree, &self.before)
            {
                return format!("{}; and back: {}", said(&error), said(&second));
            }
            said(&error)
        })
    }

    /// Takes the change back, where it was made and nobody has changed the value since.
    ///
    /// # Errors
    /// When the former value cannot be written.
    pub(crate) fn take_back(&self, tree: &dyn Tree) -> Result<Back, String> {
        let now = match self.setting.read(tree) {
            Ok(now) => now,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Back::Gone),
            Err(error) => return Err(said(&error)),
        };
        if now == self.before {
            return Ok(Back::AsBefore);
        }
        if now != self.after {
            return Ok(Back::Theirs(now));
        }
        let back = self.setting.write(tree, &self.before);
        back.map(|()| Back::AsBefore).map_err(|error| said(&error))
    }
}

/// An error without the number that means nothing to a reader.
fn said(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}
