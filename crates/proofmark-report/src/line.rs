//! A line of an answer in sentences: what it is about, and what there is to say.

/// A line: what it is about, and what there is to say.
pub(crate) struct Line {
    pub(crate) label: &'static str,
    pub(crate) words: String,
}

impl Line {
    pub(crate) fn new(label: &'static str, words: impl Into<String>) -> Line {
        Line {
            label,
            words: words.into(),
        }
    }
}
