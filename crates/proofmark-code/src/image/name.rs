//! The name of a function, a datum or a link: a piece of a text that the names of one table share.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::space::Stretch;

/// What names are pieces of.
pub(crate) enum Text {
    /// A table of names, where the file has it. Whether it was text throughout when it was read.
    Table(Stretch, bool),
    /// One name alone.
    Own(Box<str>),
}

impl Text {
    /// A table of names.
    pub(crate) fn table(bytes: Stretch) -> Text {
        let is_text = std::str::from_utf8(&bytes).is_ok();
        Text::Table(bytes, is_text)
    }

    fn piece(&self, start: u32, len: usize) -> Option<&[u8]> {
        let bytes = match self {
            Text::Table(bytes, _) => bytes,
            Text::Own(text) => text.as_bytes(),
        };
        let start = start as usize;
        bytes.get(start..start.checked_add(len)?)
    }
}

/// A name. Copies share the text, and that is left in the file: there are tens of thousands of
/// names, few of which are ever looked at.
#[derive(Clone)]
pub(crate) struct Name {
    text: Arc<Text>,
    start: u32,
    len: u32,
}

impl Name {
    /// The piece of a text at a place; `None` where that is no piece of it, or not text.
    pub(crate) fn within(text: &Arc<Text>, start: u32, len: usize) -> Option<Name> {
        let piece = text.piece(start, len)?;
        match &**text {
            // Of text, whatever begins and ends between letters is text.
            Text::Table(bytes, true) => {
                let inside = |at: usize| bytes.get(at).is_some_and(|b| b & 0xc0 == 0x80);
                let start = start as usize;
                (!inside(start) && !inside(start + len)).then_some(())?;
            }
            _ => _ = std::str::from_utf8(piece).ok()?,
        }
        Some(Name {
            text: Arc::clone(text),
            start,
            len: u32::try_from(len).ok()?,
        })
    }

    /// Its bytes, which takes less time than to see that they are text.
    pub(crate) fn bytes(&self) -> &[u8] {
        let piece = self.text.piece(self.start, self.len as usize);
        piece.unwrap_or_default()
    }
}

/// A name with a text of its own. What would be longer than 4 GiB is none.
impl From<&str> for Name {
    fn from(name: &str) -> Name {
        Name {
            text: Arc::new(Text::Own(name.into())),
            start: 0,
            len: u32::try_from(name.len()).unwrap_or(0),
        }
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for Name {}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_text_wherever_its_table_is_not() {
        let bytes = b"\0main\0caf\xc3\xa9\0\xff\0".to_vec();
        let table = Arc::new(Text::table(Stretch::owned(bytes.clone())));
        let name = |start, len| Name::within(&table, start, len).map(|name| name.to_string());
        assert_eq!(name(1, 4).as_deref(), Some("main"));
        assert_eq!(name(6, 5).as_deref(), Some("caf\u{e9}"));
        assert_eq!(name(12, 1), None, "no text");
        assert_eq!(name(12, 9), None, "behind the end");
        assert_eq!(name(u32::MAX, usize::MAX), None);
        // Half a letter of a table that is text is none.
        let table = Arc::new(Text::table(Stretch::owned(bytes[..11].to_vec())));
        let name = |start, len| Name::within(&table, start, len).map(|name| name.to_string());
        assert_eq!(name(6, 5).as_deref(), Some("caf\u{e9}"));
        assert_eq!((name(6, 4), name(10, 1)), (None, None));
    }
}
