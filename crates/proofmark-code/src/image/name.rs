//! The name of a function, a datum or a link: a piece of a text that the names of one table share.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A name. Copies share the text: a file has tens of thousands of names, and one by one they would take longer to copy than all else
/// that is read of it.
#[derive(Clone)]
pub(crate) struct Name {
    text: Arc<str>,
    start: u32,
    len: u32,
}

impl Name {
    /// The piece of a text at a place; `None` where that is no piece of it.
    pub(crate) fn within(text: &Arc<str>, start: u32, len: usize) -> Option<Name> {
        let end = (start as usize).checked_add(len)?;
        text.get(start as usize..end)?;
        Some(Name {
            text: Arc::clone(text),
            start,
            len: u32::try_from(len).ok()?,
        })
    }
}

/// A name with a text of its own. What would be longer than 4 GiB is none.
impl From<&str> for Name {
    fn from(name: &str) -> Name {
        Name {
            text: name.into(),
            start: 0,
            len: u32::try_from(name.len()).unwrap_or(0),
        }
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        let start = self.start as usize;
        let piece = self.text.get(start..start + self.len as usize);
        piece.unwrap_or_default()
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        **self == **other
    }
}

impl Eq for Name {}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
