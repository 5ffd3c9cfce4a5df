//! Commands of proofmark as messages offer them: to be pasted into a shell as they stand.
//!
//! Whoever offers a command with a name in it makes it here, for a name may be two words: the cell
//! `gcc12 O2` of a matrix. A test of the command holds every hint of the sources against its
//! arguments, and refuses those that put a name in by themselves.

use std::borrow::Cow;

/// Such as `` `proofmark builds show 'half done'` ``, backticks included. `command` is what follows
/// the program's name, options and all; `words` are names, each of which a shell is to read as one
/// word.
#[must_use]
pub fn hint(command: &str, words: &[&str]) -> String {
    let mut text = format!("`proofmark {command}");
    for word in words {
        text.push(' ');
        text.push_str(&quoted(word));
    }
    text.push('`');
    text
}

/// A word as it is typed into a shell that is to read it as one. A NUL byte, which no word of a
/// command line can hold, is left out.
#[must_use]
pub fn quoted(word: &str) -> Cow<'_, str> {
    match shlex::try_quote(word) {
        Ok(quoted) => quoted,
        Err(_) => {
            let without = word.replace('\0', "");
            let quoted = shlex::try_quote(&without).map(Cow::into_owned);
            Cow::Owned(quoted.unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn plain_words_stand_as_they_are() {
        assert_eq!(
            hint("builds show", &["rev-c50688"]),
            "`proofmark builds show rev-c50688`"
        );
        assert_eq!(
            hint("matrix log", &["gcc12 O2"]),
            "`proofmark matrix log 'gcc12 O2'`"
        );
    }

    #[test]
    fn a_shell_reads_each_word_as_one() {
        for word in [
            "gcc12 O2", "it's", "a\"b", "$HOME", "`id`", "a\\b", "*", "", "é ü",
        ] {
            let line = format!("printf %s {}", quoted(word));
            let out = Command::new("sh").args(["-c", &line]).output();
            let out = out.expect("sh can be started").stdout;
            assert_eq!(String::from_utf8_lossy(&out), word, "{line}");
        }
        assert_eq!(quoted("a\0b"), "ab");
    }
}
