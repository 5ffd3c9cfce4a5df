//! The mark in the words of a benchmark's command that stands for the image.

use std::borrow::Cow;

/// Stands for the image.
const MARK: &[u8] = b"{}";

/// Stands for the mark itself, where the program is to see that.
const LITERAL: &[u8] = b"{{}}";

/// How often a word names the image: each `{}` does, and `{{}}` does not.
#[must_use]
pub fn image_marks(word: &[u8]) -> usize {
    let mut marks = 0;
    for_each(word, |piece| marks += usize::from(piece.is_none()));
    marks
}

/// A word with the image in the place of each `{}`, and `{}` in that of each `{{}}`.
#[must_use]
pub fn with_image<'a>(word: &'a [u8], image: &[u8]) -> Cow<'a, [u8]> {
    if !word.windows(MARK.len()).any(|window| window == MARK) {
        return Cow::Borrowed(word);
    }
    let mut out = Vec::with_capacity(word.len() + image.len());
    for_each(word, |piece| out.extend_from_slice(piece.unwrap_or(image)));
    Cow::Owned(out)
}

/// The parts of a word in their order; `None` is the image.
fn for_each<'a>(mut word: &'a [u8], mut take: impl FnMut(Option<&'a [u8]>)) {
    while let Some(first) = word.first_chunk::<1>() {
        if let Some(rest) = word.strip_prefix(LITERAL) {
            take(Some(MARK));
            word = rest;
        } else if let Some(rest) = word.strip_prefix(MARK) {
            take(None);
            word = rest;
        } else {
            take(Some(first));
            word = &word[1..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_the_image_and_a_doubled_one_is_a_mark() {
        for (word, expected, marks) in [
            ("{}", "/a b", 1),
            ("x={},{}", "x=/a b,/a b", 2),
            ("{ }", "{ }", 0),
            ("{{}}", "{}", 0),
            ("{}{{}}{", "/a b{}{", 1),
            ("{{}", "{/a b", 1),
            ("{{{}}}", "{{}}", 0),
            ("", "", 0),
        ] {
            let found = with_image(word.as_bytes(), b"/a b");
            assert_eq!(found, expected.as_bytes(), "{word}");
            assert_eq!(image_marks(word.as_bytes()), marks, "{word}");
        }
    }
}
