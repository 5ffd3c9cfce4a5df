//! Where a text begins to say something of a person or a place.

use std::ffi::OsStr;

/// What stands in the public record for a text, or for the rest of one, that is private.
pub(super) const MARK: &str = "⟨private ";

/// Whether a text of a record is not all there, for the private part that has it whole is not here.
#[must_use]
pub fn is_left_out(text: &OsStr) -> bool {
    text.to_string_lossy().contains(MARK)
}

/// What the user, the user's folder and the machine are called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// In lower case. Each counts where it stands as a word.
    words: Vec<String>,
}

/// What is so called on every machine says nothing of one.
const ANYBODY: [&str; 4] = ["", "root", "localhost", "localdomain"];

impl Names {
    pub(super) fn new(names: impl IntoIterator<Item = String>) -> Self {
        let mut words: Vec<String> = names
            .into_iter()
            .map(|name| name.to_ascii_lowercase())
            .filter(|name| !ANYBODY.contains(&name.as_str()))
            .collect();
        words.sort_unstable();
        words.dedup();
        Names { words }
    }

    /// The names of who runs this, and of where it runs.
    pub(super) fn here() -> Self {
        let variables = ["USER", "LOGNAME"].map(|name| std::env::var(name).ok());
        let home = std::env::home_dir();
        let own = home.as_ref().and_then(|home| home.file_name());
        let own = own.map(|name| name.to_string_lossy().into_owned());
        let system = rustix::system::uname();
        let host = system.nodename().to_string_lossy().into_owned();
        // Of `box.example.org` also `box`.
        let short = host.split('.').next().map(str::to_owned);
        let of_user = [own].into_iter().chain(variables).flatten();
        Names::new(of_user.chain(of_system()).chain([host]).chain(short))
    }

    /// Where the first of it begins, in bytes: an absolute path, a name, an address, or what could
    /// be taken for the mark of a private part; `None` where there is nothing.
    pub(super) fn found(&self, text: &str) -> Option<usize> {
        let finds = [text.find(MARK), path(text), address(text)];
        let names = self.words.iter().map(|name| word(text, name));
        finds.into_iter().chain(names).flatten().min()
    }

    /// Whether one of them, an address, or what could be taken for the mark of a private part
    /// stands in a text.
    pub(super) fn are_in(&self, text: &str) -> bool {
        let mut names = self.words.iter().map(|name| word(text, name));
        text.contains(MARK) || address(text).is_some() || names.any(|at| at.is_some())
    }
}

/// The names of who runs this, and of where it runs: the user, the user's folder, the machine. In
/// lower case; what is so called everywhere is none.
#[must_use]
pub fn names_here() -> Vec<String> {
    Names::here().words
}

/// The names that the system knows the user by.
fn of_system() -> Vec<String> {
    let id = rustix::process::getuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    of_user(&users, &id)
}

/// The names of a user in a list such as `/etc/passwd`: the one for logging in, and that of the
/// person, the first part of what is remarked. One word alone is as often a thing, such as
/// `Debian`.
fn of_user(users: &str, id: &str) -> Vec<String> {
    let lines = users.lines().map(|line| line.split(':').collect());
    let own = lines.filter(|fields: &Vec<&str>| fields.get(2) == Some(&id));
    let names = own.flat_map(|fields| {
        let remark = fields.get(4).copied().unwrap_or_default();
        let person = remark.split(',').next().unwrap_or_default().trim();
        [fields[0], if person.contains(' ') { person } else { "" }].map(str::to_owned)
    });
    names.collect()
}

/// The first absolute path, or path from somebody's home. A slash behind a letter stands inside a
/// relative path, as in `a/b`, but not in a flag, as in `-I/usr`. Behind most other signs a path
/// begins: `@/a` is a file of arguments.
fn path(text: &str) -> Option<usize> {
    let slash = text.match_indices('/').map(|(at, _)| at).find(|&at| {
        let (before, behind) = (&text[..at], &text[at + 1..]);
        let alone = behind.chars().next().is_none_or(char::is_whitespace);
        !alone && (is_flag(token(before)) || !is_inside(before))
    });
    // Somebody's home, with or without more of a path behind it.
    let home = text.match_indices('~').map(|(at, _)| at).find(|&at| {
        let (before, behind) = (&text[..at], &text[at + 1..]);
        let named = behind.starts_with(|next: char| next == '/' || next.is_alphabetic());
        let stands =
            !before.ends_with(|last: char| last.is_alphanumeric() || "_/.-".contains(last));
        named && (stands || is_flag(token(before)))
    });
    // A slash as an address on the web writes it.
    let escaped = text.to_ascii_lowercase().find("%2f");
    [slash, home, escaped].into_iter().flatten().min()
}

/// Whether a slash behind this stands inside a relative path.
fn is_inside(before: &str) -> bool {
    if let Some(inner) = before.strip_suffix('}') {
        // What stands for an image, `{}`, or for a variable, `${X}`: what follows is in there.
        let name = inner.rsplit('{').next().unwrap_or_default();
        let is_name = |letter: char| letter.is_alphanumeric() || "_-".contains(letter);
        return inner.contains('{') && name.chars().all(is_name);
    }
    before.ends_with(|last: char| last.is_alphanumeric() || "._-+~/".contains(last))
}

/// The last word of a text, up to its end.
fn token(text: &str) -> &str {
    let behind = |at: usize| at + text[at..].chars().next().map_or(1, char::len_utf8);
    &text[text.rfind(is_border).map_or(0, behind)..]
}

fn is_flag(token: &str) -> bool {
    token.starts_with('-') && token.chars().skip(1).all(char::is_alphabetic)
}

/// What stands between two words.
fn is_border(letter: char) -> bool {
    letter.is_whitespace() || "\"'`=:,;(<[{|&⟨“”‘’@".contains(letter)
}

/// The first `user@host:`, as git knows remotes, or address of mail.
fn address(text: &str) -> Option<usize> {
    let mut start = 0;
    for token in text.split_inclusive(char::is_whitespace) {
        let mut hosts = token.match_indices('@').filter(|(at, _)| *at > 0);
        if hosts.any(|(at, _)| is_host(&token[at + 1..])) {
            return Some(start);
        }
        start += token.len();
    }
    None
}

/// Whether this begins with the name of a host: up to a colon, or with a domain. The version of a
/// symbol, as in `memcpy@GLIBC_2.14`, is none.
fn is_host(text: &str) -> bool {
    if text.find(':').is_some_and(|at| at > 0) {
        return true;
    }
    let is_part = |letter: char| letter.is_alphanumeric() || ".-".contains(letter);
    let end = text.find(|letter: char| !is_part(letter));
    let host = text[..end.unwrap_or(text.len())].trim_end_matches('.');
    host.rsplit_once('.').is_some_and(|(domain, last)| {
        !domain.is_empty() && last.len() > 1 && last.chars().all(char::is_alphabetic)
    })
}

/// Where a name stands as a word; upper and lower case are one. Behind the letter of a flag, as in
/// `-ualice`, a word begins as well.
fn word(text: &str, name: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let ends = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    let flag = |before: &str| {
        let token = token(before);
        token.chars().count() == 2 && is_flag(token)
    };

    lower.match_indices(name).map(|(at, _)| at).find(|&at| {
        let before = &lower[..at];
        (ends(before.chars().next_back()) || flag(before))
            && ends(lower[at + name.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Option<&str> {
        let names = Names::new(["Alice", "box", "root"].map(str::to_owned));
        names.found(text).map(|at| &text[..at])
    }

    #[test]
    fn paths_names_and_addresses_are_found() {
        for (text, public) in [
            ("/home/x", ""),
            ("cannot read /a b/c: why", "cannot read "),
            ("`/a/b` was never captured", "`"),
            ("-L/a/b", "-L"),
            ("--prefix=/a", "--prefix="),
            ("see ~/notes", "see "),
            ("see ~bob/notes", "see "),
            ("https://host/x", "https:"),
            ("v2 at /sys/fs", "v2 at "),
            ("from me@host:repo now", "from "),
            ("by alice", "by "),
            ("by ALICE_2", "by "),
            ("box.local is busy", ""),
            ("a;/b", "a;"),
            ("ünï /b", "ünï "),
            ("x ⟨private 3⟩", "x "),
            // Files of arguments, of gcc and of curl.
            ("make EXTRA=@/srv/a.rsp", "make EXTRA=@"),
            ("curl -d@/srv/a", "curl -d@"),
            ("a.out @/srv/a", "a.out @"),
            ("-Wl,@/srv/a", "-Wl,@"),
            ("x%/srv", "x%"),
            ("[a]/srv", "[a]"),
            ("$(true)/srv", "$(true)"),
            ("{a,b}/srv", "{a,b}"),
            ("}/srv", "}"),
            ("s/\\/home\\/x/y/", "s/\\"),
            ("-I~bob/x", "-I"),
            ("@~bob/x", "@"),
            ("cd ~bob", "cd "),
            ("open?path=%2Fhome%2Fx", "open?path="),
            ("@a,me@host:repo", ""),
            ("fix for me@example.org", "fix for "),
            ("by <me@mail.example.org>", "by "),
            ("psql -Ualice", "psql -U"),
        ] {
            assert_eq!(cut(text), Some(public), "{text}");
        }
    }

    #[test]
    fn what_names_nobody_stays() {
        for text in [
            "new/base",
            "bench/fib.lua",
            "./run",
            "../data",
            "{}/x",
            "1 / 2",
            "malice",
            "boxes",
            "root",
            "memcpy@GLIBC_2.14",
            "5 cells/s",
            "--size=3/4",
            "@args/a.rsp",
            "{}/bin/x",
            "${DESTDIR}/x",
            "$HOME/x",
            "{old}/x",
            "node_modules/@scope/pkg",
            "a~/b",
            "HEAD~1",
            "1.0~rc1",
            "~5 %",
            "100% of it",
            "pkg@latest",
            "pkg@1.2.3",
            "-Umalice",
            "",
        ] {
            assert_eq!(cut(text), None, "{text}");
        }
    }

    #[test]
    fn sources_are_private_where_they_name_somebody() {
        let names = Names::new(["Alice", "box"].map(str::to_owned));
        for text in [
            "--- /dev/null\n+++ b/x.c\n+/* why */ // here\n",
            "+#include </usr/include/x.h>\n",
            "+int malice = ~mask;\n",
        ] {
            assert!(!names.are_in(text), "{text}");
        }
        for text in [
            "From: A <a@example.org>\n",
            "+// /home/alice/x\n",
            "⟨private 1⟩",
        ] {
            assert!(names.are_in(text), "{text}");
        }
    }

    #[test]
    fn the_system_knows_users_by_several_names() {
        let users = "root:x:0:0:root:/root:/bin/sh\n\
                     asm:x:1000:1000:Alice B. Smith,room 1,,:/home/a:/bin/sh\n\
                     deb:x:1001:1001:Debian:/home/deb:/bin/sh\nodd\n";
        assert_eq!(of_user(users, "1000"), ["asm", "Alice B. Smith"]);
        assert_eq!(of_user(users, "1001"), ["deb", ""]);
        assert!(of_user(users, "7").is_empty());
        let names = Names::new(of_user(users, "1000"));
        assert_eq!(names.found("for Alice B. Smith, who asked"), Some(4));
    }

    #[test]
    fn somebody_runs_this_somewhere() {
        assert!(Names::here().words.iter().all(|name| !name.is_empty()));
    }
}
