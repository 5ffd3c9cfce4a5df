//! Command lines written as text: response files, and the options that gcc hands on in its
//! environment.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Splits `COLLECT_GCC_OPTIONS`: each option in single quotes, a quote inside written `'\''`.
pub(crate) fn split(text: &OsStr) -> Vec<OsString> {
    words(text.as_bytes(), Backslash::OutsideQuotes)
}

/// Splits a response file as GNU tools (libiberty's `buildargv`) and LLVM do.
pub(crate) fn split_response(text: &[u8]) -> Vec<OsString> {
    words(text, Backslash::Everywhere)
}

/// Where a backslash takes the next byte as it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Backslash {
    OutsideQuotes,
    Everywhere,
}

fn words(text: &[u8], backslash: Backslash) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        if quote.is_none() && byte.is_ascii_whitespace() {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_with(Vec::new);
        if byte == b'\\' && (quote.is_none() || backslash == Backslash::Everywhere) {
            word.extend(bytes.next());
        } else if quote == Some(byte) {
            quote = None;
        } else if quote.is_none() && (byte == b'\'' || byte == b'"') {
            quote = Some(byte);
        } else {
            word.push(byte);
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(words: &[OsString]) -> Vec<&str> {
        words.iter().map(|word| word.to_str().unwrap()).collect()
    }

    #[test]
    fn options_of_gcc_keep_their_backslashes() {
        let split = split(OsStr::new(
            r#"'-O2' '-o' 'ou t' '-DNAME="\x"' '-DIT=it'\''s'"#,
        ));
        assert_eq!(
            texts(&split),
            ["-O2", "-o", "ou t", r#"-DNAME="\x""#, "-DIT=it's"]
        );
    }

    #[test]
    fn response_files_have_quotes_backslashes_and_empty_words() {
        let split = split_response(b"a.o 'b c.o'\t\"d \\\"e\\\".o\"\nf\\ g.o ''\n");
        assert_eq!(texts(&split), ["a.o", "b c.o", "d \"e\".o", "f g.o", ""]);
    }
}
