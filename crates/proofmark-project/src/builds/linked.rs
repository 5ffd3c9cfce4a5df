//! Options of the link, held against what the driver and the linker were told.

use super::built::MissingFlag;
use super::option::{is_of_the_link, takes_back, units};

/// Options of a linker that hold from where they stand on, or side by side with others of the same
/// name: a later one takes nothing back.
const SIDE_BY_SIDE: [&str; 22] = [
    "as-needed",
    "whole-archive",
    "add-needed",
    "copy-dt-needed-entries",
    "rpath",
    "rpath-link",
    "wrap",
    "defsym",
    "undefined",
    "require-defined",
    "export-dynamic-symbol",
    "version-script",
    "dynamic-list",
    "exclude-libs",
    "section-start",
    "plugin-opt",
    "plugin",
    "mllvm",
    "script",
    "library",
    "library-path",
    "trace-symbol",
];

/// Options of the link that did not reach it, or that a later one takes back: `links` are the words
/// of those calls of a driver that made the image.
pub(super) fn missing_in_link(asked: &[String], links: &[Vec<String>]) -> Vec<MissingFlag> {
    let given: Vec<Vec<Told>> = links.iter().map(|words| all_told(words)).collect();
    let own = all_told(asked);
    let mut found = Vec::new();
    for unit in linked(asked) {
        let parts = told(&unit);
        let reached = |link: &&Vec<Told>| parts.iter().all(|part| link.contains(part));
        let why = match given.iter().find(reached) {
            None => Some("did not reach the link".to_owned()),
            Some(link) => parts
                .iter()
                .filter(|part| !is_taken_back(part, &own))
                .find_map(|part| taken_back(part, link))
                .map(|later| format!("is taken back by {later}, which stands behind it")),
        };
        found.extend(why.map(|why| MissingFlag { flag: unit, why }));
    }
    found
}

/// Those of these options that a compilation does not see.
pub(super) fn of_the_link(words: &[String]) -> Vec<String> {
    let units = units(words).into_iter();
    let of_the_link = units.filter(|unit| is_of_the_link(unit));
    let words = of_the_link.flat_map(|unit| match unit.split_once(' ') {
        Some((option, value)) => vec![option.to_owned(), value.to_owned()],
        None => vec![unit],
    });
    words.collect()
}

/// The later word of a link that takes a part back.
fn taken_back<'a>(part: &Told, link: &'a [Told]) -> Option<&'a Told> {
    let last = link.iter().rposition(|told| told == part)?;
    let mut later = link.iter().skip(last + 1);
    later.rfind(|later| later.takes_back(part))
}

/// What the flag sets take back themselves is no surprise.
fn is_taken_back(part: &Told, own: &[Told]) -> bool {
    taken_back(part, own).is_some()
}

/// A word for the driver, or for the linker behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Told {
    Driver(String),
    /// Without the hyphens in front; `-z KEY` is `z KEY`.
    Linker(String),
}

impl std::fmt::Display for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Told::Driver(word) => f.write_str(word),
            Told::Linker(word) => {
                let hyphens = if word.starts_with("z ") { "-" } else { "--" };
                write!(f, "-Wl,{hyphens}{}", word.replace(' ', ","))
            }
        }
    }
}

impl Told {
    fn takes_back(&self, earlier: &Told) -> bool {
        match (self, earlier) {
            (Told::Driver(later), Told::Driver(earlier)) => takes_back(later, earlier),
            (Told::Linker(later), Told::Linker(earlier)) => linker_takes_back(later, earlier),
            _ => false,
        }
    }
}

/// Whether a later word for the linker undoes an earlier one: `--no-gc-sections`, `-z lazy`,
/// another value of the same name.
fn linker_takes_back(later: &str, earlier: &str) -> bool {
    const LAZY: [&str; 2] = ["z now", "z lazy"];
    if later == earlier {
        return false;
    }
    if LAZY.contains(&later) && LAZY.contains(&earlier) {
        return true;
    }
    let name = |word: &str| -> (bool, String) {
        let (kind, rest) = match word.strip_prefix("z ") {
            Some(rest) => ("z ", rest),
            None => ("", word),
        };
        let off = rest.strip_prefix("no-");
        let off = off.or_else(|| rest.strip_prefix("no").filter(|_| kind == "z "));
        let name = off.unwrap_or(rest);
        let name = name.split(['=', ' ']).next().unwrap_or(name);
        (off.is_some(), format!("{kind}{name}"))
    };
    let ((off, later_name), (was_off, earlier_name)) = (name(later), name(earlier));
    if SIDE_BY_SIDE.contains(&later_name.as_str()) {
        return false;
    }
    // `-O1`, `-O2` of the linker.
    let level = |word: &str| {
        word.strip_prefix('O')
            .is_some_and(|level| level.bytes().all(|digit| digit.is_ascii_digit()))
    };
    later_name == earlier_name && (off != was_off || later.contains('='))
        || level(later) && level(earlier)
}

fn all_told(words: &[String]) -> Vec<Told> {
    linked(words).iter().flat_map(|unit| told(unit)).collect()
}

/// The units of a call of a driver. Words for the linker that are given one by one (`-Wl,-z
/// -Wl,now`, `-Xlinker -z -Xlinker now`) are one unit where they mean one thing.
fn linked(words: &[String]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for unit in units(words) {
        let waits = joined
            .last()
            .and_then(|last| of_linker(last))
            .is_some_and(|words| words.last().is_some_and(|word| word == "-z"));
        match joined.last_mut() {
            Some(last) if waits && of_linker(&unit).is_some() => {
                last.push(' ');
                last.push_str(&unit);
            }
            _ => joined.push(unit),
        }
    }
    joined
}

/// The words for the linker in a unit; `None` where it is for the driver.
fn of_linker(unit: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = unit.split(' ');
    while let Some(word) = rest.next() {
        if let Some(list) = word.strip_prefix("-Wl,") {
            words.extend(list.split(',').map(str::to_owned));
        } else if word == "-Xlinker" {
            words.push(rest.next()?.to_owned());
        } else {
            return None;
        }
    }
    Some(words)
}

/// What a unit tells the driver, or the linker.
fn told(unit: &str) -> Vec<Told> {
    let Some(words) = of_linker(unit) else {
        return vec![Told::Driver(unit.to_owned())];
    };
    let mut told = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let plain = word.trim_start_matches('-');
        told.push(Told::Linker(match (plain, rest.as_slice().first()) {
            ("z", Some(key)) => {
                rest.next();
                format!("z {key}")
            }
            (plain, _) => plain.to_owned(),
        }));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(asked: &str, links: &[&str]) -> Vec<String> {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
        let links: Vec<Vec<String>> = links.iter().map(|link| words(link)).collect();
        let missing = missing_in_link(&words(asked), &links).into_iter();
        missing
            .map(|of| format!("{} {}", of.flag, of.why))
            .collect()
    }

    #[test]
    fn an_option_of_the_link_is_looked_for_in_the_link() {
        let asked = "-Wl,-z,now -Xlinker -x";
        assert!(said(asked, &["-o p a.o -Wl,-z,now -Xlinker -x"]).is_empty());
        assert!(said(asked, &["-o p a.o -Wl,-z -Wl,now,-x"]).is_empty());
        assert_eq!(
            said(asked, &["-o p a.o -Wl,-z,now"]),
            ["-Xlinker -x did not reach the link"]
        );
        assert_eq!(said("-s", &[]), ["-s did not reach the link"]);
    }

    #[test]
    fn options_of_the_link_are_told_from_those_of_compilations() {
        let words = "-O2 -static -Xlinker -x -DX -Wl,-z,now -L /a -lm".split(' ');
        let words: Vec<String> = words.map(str::to_owned).collect();
        let found = of_the_link(&words);
        assert_eq!(
            found,
            ["-static", "-Xlinker", "-x", "-Wl,-z,now", "-L/a", "-lm"]
        );
    }

    #[test]
    fn an_option_of_the_link_that_a_later_one_takes_back_is_missing() {
        for (asked, later) in [
            ("-Wl,-z,now", "-Wl,-z,lazy"),
            ("-Wl,--gc-sections", "-Wl,--no-gc-sections"),
            ("-Wl,-gc-sections", "-Wl,-no-gc-sections"),
            ("-no-pie", "-pie"),
            ("-fuse-ld=lld", "-fuse-ld=bfd"),
            ("-Wl,-z,relro", "-Wl,-z,norelro"),
            ("-Wl,--hash-style=sysv", "-Wl,--hash-style=gnu"),
            ("-Wl,-z,max-page-size=4096", "-Wl,-z,max-page-size=65536"),
            ("-Wl,-O2", "-Wl,-O0"),
        ] {
            let link = format!("a.o {asked} {later} -o p");
            let found = said(asked, &[&link]);
            assert_eq!(found.len(), 1, "{link}: {found:?}");
            assert!(found[0].contains("is taken back by"), "{found:?}");
            let right = format!("a.o {later} {asked} -o p");
            assert!(said(asked, &[&right]).is_empty(), "{right}");
        }
        for (asked, later) in [
            ("-Wl,--as-needed", "-la -Wl,--no-as-needed"),
            ("-Wl,-rpath=/a", "-Wl,-rpath=/b"),
            ("-Wl,-z,now", "-Wl,-z,relro"),
            ("-Wl,--wrap=f", "-Wl,--wrap=g"),
            ("-L/a", "-L/b"),
        ] {
            let link = format!("a.o {asked} {later} -o p");
            assert!(said(asked, &[&link]).is_empty(), "{link}");
        }
        // What the flag sets take back themselves is no surprise.
        let both = "-Wl,-z,now -Wl,-z,lazy";
        assert!(said(both, &[both]).is_empty());
        assert_eq!(
            said("-Wl,-z,now", &["-Wl,-z,now -Wl,-z,lazy"]),
            ["-Wl,-z,now is taken back by -Wl,-z,lazy, which stands behind it"]
        );
    }
}
