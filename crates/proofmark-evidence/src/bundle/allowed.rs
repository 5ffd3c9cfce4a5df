//! The list of those who may sign, as `ssh-keygen -Y verify` reads it (ssh-keygen(1), ALLOWED
//! SIGNERS): on each line who, options, and a public key.

use std::path::Path;

use ssh_key::PublicKey;
use ssh_key::authorized_keys::ConfigOptsIter;

use super::refused::{NAMESPACE, SignatureError};

/// Somebody who may sign.
#[derive(Debug)]
pub(super) struct Signer {
    /// Names, separated by commas, as written.
    pub(super) principals: String,
    pub(super) key: PublicKey,
    /// Where in the list, from 1.
    pub(super) line: usize,
    /// The key signs the certificates of others, which are not read here.
    authority: bool,
    /// Patterns of what it may sign; anything where there are none.
    namespaces: Option<String>,
    /// Seconds since 1970-01-01 UTC.
    after: Option<u64>,
    before: Option<u64>,
}

impl Signer {
    /// Why a signature of a bundle by this key does not count, if so.
    pub(super) fn refusal(&self, now: u64) -> Option<String> {
        if self.authority {
            return Some("is of an authority, and certificates are not read".to_owned());
        }
        if let Some(patterns) = &self.namespaces
            && !listed(patterns, NAMESPACE)
        {
            return Some(format!("allows it for {patterns} only"));
        }
        if self.after.is_some_and(|after| now < after) {
            return Some("allows it later only (valid-after)".to_owned());
        }
        let over = self.before.is_some_and(|before| now > before);
        over.then(|| "allowed it earlier only (valid-before)".to_owned())
    }
}

/// The signers of a list.
pub(super) fn read(path: &Path, text: &str) -> Result<Vec<Signer>, SignatureError> {
    let lines = text.lines().map(str::trim).zip(1..);
    let lines = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    let signers = lines.map(|(line, number)| {
        signer(line, number).map_err(|what| SignatureError::Signers {
            path: path.to_owned(),
            line: number,
            what,
        })
    });
    signers.collect()
}

fn signer(text: &str, line: usize) -> Result<Signer, String> {
    let (principals, rest) = word(text).ok_or("it has no key")?;
    let principals = principals.trim_matches('"');
    if !names_somebody(principals) {
        return Err(format!("{principals:?} names nobody who may sign"));
    }
    let (first, after_first) = word(rest).ok_or("it has no key")?;
    let key = |kind: &str, rest: &str| {
        let data = rest.split_whitespace().next().ok_or("it has no key")?;
        PublicKey::from_openssh(&format!("{kind} {data}")).map_err(|error| error.to_string())
    };
    let signer = |key: PublicKey| Signer {
        principals: principals.to_owned(),
        key,
        line,
        authority: false,
        namespaces: None,
        after: None,
        before: None,
    };
    // What is no key is options, and a key follows.
    if let Ok(key) = key(first, after_first) {
        return Ok(signer(key));
    }
    let (kind, data) = word(after_first).ok_or("it has no key")?;
    let mut signer = signer(key(kind, data)?);
    for option in ConfigOptsIter::new(first).map_err(|error| error.to_string())? {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        let name = name.to_ascii_lowercase();
        let value = || quoted(&name, value);
        // Which of two counts is for nobody to guess.
        let once = |had: bool| match had {
            true => Err(format!("the option {name:?} stands there twice")),
            false => Ok(()),
        };
        match name.as_str() {
            "cert-authority" => signer.authority = true,
            "namespaces" => {
                once(signer.namespaces.is_some())?;
                signer.namespaces = Some(value()?.to_owned());
            }
            "valid-after" => {
                once(signer.after.is_some())?;
                signer.after = Some(time(value()?)?);
            }
            "valid-before" => {
                once(signer.before.is_some())?;
                signer.before = Some(time(value()?)?);
            }
            // One that restricts, and is not known, may not be passed over.
            other => return Err(format!("the option {other:?} is not known here")),
        }
    }
    if let (Some(after), Some(before)) = (signer.after, signer.before)
        && before <= after
    {
        return Err("its valid-before is not after its valid-after".to_owned());
    }
    Ok(signer)
}

/// The value of an option, which stands between quotation marks.
fn quoted<'v>(name: &str, value: Option<&'v str>) -> Result<&'v str, String> {
    let inner = value.and_then(|value| value.strip_prefix('"')?.strip_suffix('"'));
    inner.ok_or_else(|| format!("the option {name:?} needs a value between quotation marks"))
}

/// Whether a list of patterns has one that none with `!` in front takes out again.
fn names_somebody(patterns: &str) -> bool {
    let mut all = patterns.split(',').map(str::trim);
    all.any(|one| !one.is_empty() && !one.starts_with('!') && listed(patterns, one))
}

/// The first word, blanks between quotation marks included, and what follows it.
fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let mut quoted = false;
    let end = text.find(|letter: char| {
        quoted ^= letter == '"';
        letter.is_whitespace() && !quoted
    });
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    (!word.is_empty()).then_some((word, rest))
}

/// Whether a list of patterns has a name: one with `!` in front takes it out again.
fn listed(patterns: &str, name: &str) -> bool {
    let mut found = false;
    for pattern in patterns.split(',').map(str::trim) {
        match pattern.strip_prefix('!') {
            Some(pattern) if matches(pattern.as_bytes(), name.as_bytes()) => return false,
            Some(_) => {}
            None => found |= matches(pattern.as_bytes(), name.as_bytes()),
        }
    }
    found
}

/// `*` is any letters, `?` is one.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    // Where to go on after the last `*`, should what follows it not fit.
    let (mut at, mut in_name, mut again) = (0, 0, None);
    loop {
        match (pattern.get(at), name.get(in_name)) {
            (Some(b'*'), _) => {
                again = Some((at, in_name));
                at += 1;
            }
            (Some(one), Some(other)) if *one == b'?' || one == other => {
                at += 1;
                in_name += 1;
            }
            (None, None) => return true,
            _ => match again {
                Some((star, taken)) if taken < name.len() => {
                    again = Some((star, taken + 1));
                    at = star + 1;
                    in_name = taken + 1;
                }
                _ => return false,
            },
        }
    }
}

/// `20261125Z`, `202611251830Z` or `20261125183000Z` in seconds since 1970-01-01 UTC. Without `Z`
/// it is the time of some place, and nobody knows which.
fn time(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is no time such as 20261125Z or 20261125183000Z, in UTC");
    let digits = text.strip_suffix('Z').ok_or_else(wrong)?;
    let all = digits.bytes().all(|digit| digit.is_ascii_digit());
    if !all || ![8, 12, 14].contains(&digits.len()) {
        return Err(wrong());
    }
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or("00");
    let written = format!(
        "{}-{}-{}T{}:{}:{}Z",
        part(0, 4),
        part(4, 6),
        part(6, 8),
        part(8, 10),
        part(10, 12),
        part(12, 14)
    );
    let time = humantime::parse_rfc3339(&written).map_err(|_| wrong())?;
    let since = time.duration_since(std::time::UNIX_EPOCH);
    Ok(since.map_err(|_| wrong())?.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";

    fn one(options: &str) -> Result<Signer, String> {
        signer(&format!("me@example.org {options}{KEY} a remark here"), 1)
    }

    #[test]
    fn options_restrict() {
        assert_eq!(one("").unwrap().refusal(0), None);
        assert_eq!(one("").unwrap().principals, "me@example.org");
        let said = |options: &str, now: u64| one(options).unwrap().refusal(now);
        assert_eq!(said("namespaces=\"git,proofmark-*\" ", 0), None);
        assert_eq!(said("NAMESPACES=\"proofmark-bundle\" ", 0), None);
        assert!(said("namespaces=\"git,file\" ", 0).is_some());
        assert!(said("namespaces=\"*,!proofmark-bundle\" ", 0).is_some());
        assert!(said("cert-authority ", 0).is_some());
        // date -u -d 2001-09-09T01:46:40Z +%s gives 1000000000.
        let until = "valid-before=\"20010909014640Z\" ";
        assert_eq!(said(until, 1_000_000_000), None);
        assert!(said(until, 1_000_000_001).is_some());
        let from = "cert-authority,valid-after=\"20010909Z\" ";
        assert!(said(from, 0).unwrap().contains("authority"));
        assert!(said("valid-after=\"200109090146Z\" ", 999_999_959).is_some());
        assert_eq!(said("valid-after=\"200109090146Z\" ", 999_999_960), None);
    }

    #[test]
    fn what_cannot_be_read_is_not_passed_over() {
        for bad in [
            "unknown-option ",
            "valid-after=\"20010909\" ",
            "valid-after=2001Z ",
            "\"x ",
        ] {
            assert!(one(bad).is_err(), "{bad}");
        }
        let said = |options: &str| one(options).unwrap_err();
        let until = "valid-before=\"20200101Z\"";
        assert!(said(&format!("{until},{until} ")).contains("valid-before\" stands there twice"));
        let later = "valid-after=\"20200101Z\"";
        assert!(said(&format!("{later},{later} ")).contains("twice"));
        let purpose = "namespaces=\"git\",namespaces=\"proofmark-bundle\" ";
        assert!(said(purpose).contains("\"namespaces\" stands there twice"));
        assert!(said(&format!("{later},{until} ")).contains("is not after its valid-after"));
        assert!(said("namespaces=git ").contains("between quotation marks"));
        assert!(said("namespaces ").contains("between quotation marks"));
        for nobody in [
            "!alice",
            "!alice,!bob",
            "alice,!alice",
            "alice,!a*",
            "\"\"",
            ",",
        ] {
            let said = signer(&format!("{nobody} {KEY}"), 1).unwrap_err();
            assert!(said.contains("names nobody"), "{nobody}: {said}");
        }
        for somebody in ["!alice,*", "alice,!bob", "*@example.org", "\"a,b\""] {
            assert!(
                signer(&format!("{somebody} {KEY}"), 1).is_ok(),
                "{somebody}"
            );
        }
        assert!(signer("me", 1).is_err());
        assert!(signer("me ssh-ed25519", 1).is_err());
        assert!(signer("me ssh-ed25519 AAAA", 1).is_err());
    }

    #[test]
    fn patterns_match_as_shells_do() {
        for (pattern, name, is) in [
            ("a*c", "abbc", true),
            ("a*c", "abbd", false),
            ("*b*b*", "abcb", true),
            ("a?c", "abc", true),
            ("", "a", false),
            ("*", "", true),
            ("ab", "abc", false),
        ] {
            assert_eq!(
                matches(pattern.as_bytes(), name.as_bytes()),
                is,
                "{pattern} {name}"
            );
        }
    }
}
