//! Which functions are hot, from what a profiler wrote: `perf script`, callgrind's output file, or
//! a plain list.

mod perf;

use std::collections::{HashMap, HashSet};

use proofmark_terms::Share;

use crate::image::{Function, Image};
use crate::names;
use crate::pattern::without_arguments;

/// The share from which on a function of a profile counts as hot, if nothing else is said.
pub const HOT: f64 = 0.01;
/// So many letters of what is wrong in a profile are shown.
const SHOWN: usize = 40;

/// Functions with their shares of the time.
#[derive(Debug, Clone, Default)]
pub struct HotSet {
    /// By name: the share of the whole, 0 to 1; `None` where the source is a list without shares.
    shares: HashMap<String, Option<f64>>,
    threshold: f64,
}

/// Why a hot set cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum HotError {
    /// No function in it.
    #[error(
        "no function is named in it: it must be the output of `perf script`, a callgrind.out file, or a list of `share name` lines"
    )]
    Empty,
    /// Not a single function in it is in the programs that are compared.
    #[error(
        "it names no function of these files, such as {first:?}; it must be the output of `perf script` with addresses and symbols (the fields ip and sym), a callgrind.out file, or a list of `share name` lines, of one of them"
    )]
    Foreign {
        /// The function that it says most of.
        first: String,
    },
    /// A line that gives another share than there can be.
    #[error(
        "line {line}: {text:?} is no share of the time, as a list has it: 12.5% or 0.125. Read are also the output of `perf script` with addresses and symbols (the fields ip and sym), and a callgrind.out file"
    )]
    NoShare {
        /// The number of the line, from 1.
        line: usize,
        /// What is there instead of a share.
        text: String,
    },
    /// It is what `perf record` or something else wrote in binary.
    #[error("it is not text; turn perf.data into text with `perf script -i perf.data`")]
    Binary,
}

impl HotSet {
    /// Reads a profile of any of the three sorts. Functions below `threshold` (a share, 0 to 1) are
    /// not hot; those of a list without shares all are.
    ///
    /// # Errors
    /// When the text names no function.
    pub fn parse(bytes: &[u8], threshold: f64) -> Result<HotSet, HotError> {
        if bytes.contains(&0) {
            return Err(HotError::Binary);
        }
        let text = String::from_utf8_lossy(bytes);
        let shares = if text.lines().take(200).any(|l| l.starts_with("fn="))
            && text.lines().any(|l| l.starts_with("events:"))
        {
            shares_of(callgrind(&text))
        } else if perf::is_script(&text) {
            shares_of(perf::costs(&text))
        } else {
            list(&text)?
        };
        if shares.is_empty() {
            Err(HotError::Empty)
        } else {
            Ok(HotSet { shares, threshold })
        }
    }

    /// The share of a function, if it is hot: `Some(None)` where it is, but nobody said how much.
    #[must_use]
    pub fn share(&self, function: &Function) -> Option<Option<f64>> {
        let (_, share) = self.find(function)?;
        share.is_none_or(|s| s >= self.threshold).then_some(share)
    }

    /// How much of the profile's time is in functions of these images, 0 to 1; of a list without
    /// shares, how many of its functions. `None` where not a single function of it is among them.
    #[must_use]
    pub fn covered<'a>(&self, images: impl IntoIterator<Item = &'a Image>) -> Option<f64> {
        let mut found: HashSet<&str> = HashSet::new();
        for function in images.into_iter().flat_map(Image::functions) {
            found.extend(self.find(function).map(|(name, _)| name));
        }
        let timed = self.shares.values().all(Option::is_some);
        let weight = |share: &Option<f64>| share.filter(|_| timed).unwrap_or(1.0);
        let of = |name: &&str| self.shares.get(*name).map_or(0.0, weight);
        let all: f64 = self.shares.values().map(weight).sum();
        let there: f64 = found.iter().map(of).sum();
        let any = !found.is_empty();
        any.then(|| if all > 0.0 { there / all } else { 1.0 })
    }

    /// What to say where [`covered`](HotSet::covered) finds nothing.
    #[must_use]
    pub fn foreign(&self) -> HotError {
        let order = |a: &(&String, f64), b: &(&String, f64)| a.1.total_cmp(&b.1).then(b.0.cmp(a.0));
        let shares = self.shares.iter().map(|(n, s)| (n, s.unwrap_or(0.0)));
        let first = shares.max_by(order).map_or("", |(name, _)| name);
        HotError::Foreign {
            first: first.chars().take(SHOWN).collect(),
        }
    }

    /// What is said of a function, under whichever of its names. Of clones a profiler may know less
    /// than the symbol says, and of C++'s functions no arguments.
    fn find(&self, function: &Function) -> Option<(&str, Option<f64>)> {
        let symbol = function.symbol.as_deref()?;
        let base = names::base(symbol);
        let demangled = names::demangle(base);
        let clone = format!("{demangled}{}", &symbol[base.len()..]);
        let forms = [
            symbol,
            &clone,
            base,
            &demangled,
            without_arguments(&demangled),
        ];
        forms
            .into_iter()
            .chain(function.aliases())
            .find_map(|name| self.shares.get_key_value(name))
            .map(|(name, share)| (name.as_str(), *share))
    }

    /// The number of functions in it that are hot.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shares
            .values()
            .filter(|s| s.is_none_or(|s| s >= self.threshold))
            .count()
    }

    /// Whether none is hot.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn shares_of(costs: HashMap<String, f64>) -> HashMap<String, Option<f64>> {
    let total: f64 = costs.values().sum();
    if total <= 0.0 {
        return HashMap::new();
    }
    let mut shares: HashMap<String, f64> = HashMap::new();
    for (name, cost) in costs {
        *shares.entry(unbracketed(&name)).or_insert(0.0) += cost / total;
    }
    shares.into_iter().map(|(n, s)| (n, Some(s))).collect()
}

/// The name of a clone with its mark as it is in the symbol: the demangler of binutils and valgrind
/// writes `f(int) [clone .constprop.0]` for `f(int).constprop.0`.
fn unbracketed(name: &str) -> String {
    let mut marks = name.split(" [clone ");
    let mut plain = marks.next().unwrap_or(name).to_string();
    for mark in marks {
        plain.push_str(mark.strip_suffix(']').unwrap_or(mark));
    }
    plain
}

/// Self cost of each function, by the first event (callgrind's format: valgrind manual, "Callgrind
/// Format Specification").
fn callgrind(text: &str) -> HashMap<String, f64> {
    let mut names: HashMap<&str, String> = HashMap::new();
    let mut costs: HashMap<String, f64> = HashMap::new();
    let mut positions = 1;
    let mut current = None;
    let mut inclusive = false;
    for line in text.lines() {
        if let Some(list) = line.strip_prefix("positions:") {
            positions = list.split_whitespace().count().max(1);
        } else if let Some(name) = line.strip_prefix("fn=") {
            current = Some(numbered(name, &mut names));
        } else if let Some(name) = line.strip_prefix("cfn=") {
            numbered(name, &mut names);
        } else if line.starts_with("calls=") {
            inclusive = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '*')) {
            let cost = line
                .split_whitespace()
                .nth(positions)
                .and_then(|n| n.parse::<f64>().ok());
            if let (Some(name), Some(cost), false) = (&current, cost, inclusive) {
                *costs.entry(name.clone()).or_insert(0.0) += cost;
            }
            inclusive = false;
        }
    }
    costs
}

/// `(12) name` defines a number, `(12)` uses it. Recursion's mark `'2` is taken off.
fn numbered<'a>(text: &'a str, names: &mut HashMap<&'a str, String>) -> String {
    let plain = |name: &str| match name.rsplit_once('\'') {
        Some((stem, digits)) if digits.bytes().all(|b| b.is_ascii_digit()) => stem.to_string(),
        _ => name.to_string(),
    };
    let Some((number, name)) = text.strip_prefix('(').and_then(|t| t.split_once(')')) else {
        return plain(text);
    };
    let name = name.trim();
    if name.is_empty() {
        return names.get(number).cloned().unwrap_or_default();
    }
    names.insert(number, plain(name));
    plain(name)
}

/// Lines of `share name`, `name share` or only `name`; `#` begins a remark.
fn list(text: &str) -> Result<HashMap<String, Option<f64>>, HotError> {
    let mut shares = HashMap::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let first = line
            .split_once(char::is_whitespace)
            .filter(|(share, _)| is_number(share));
        let last = line
            .rsplit_once(char::is_whitespace)
            .filter(|(_, share)| is_number(share))
            .map(|(name, share)| (share, name));
        let Some((text, name)) = first.or(last) else {
            shares.insert(unbracketed(line), None);
            continue;
        };
        let share = text.parse::<Share>().map_err(|_| HotError::NoShare {
            line: number + 1,
            text: text.chars().take(SHOWN).collect(),
        })?;
        shares.insert(unbracketed(name.trim()), Some(share.get()));
    }
    Ok(shares)
}

/// Whether a word of a list is meant for a share: functions may be called `inf` or `nan`, but not
/// `5`.
fn is_number(text: &str) -> bool {
    let number = text.strip_suffix('%').unwrap_or(text);
    let digits = number.trim_start_matches(['+', '-', '.']);
    (digits.starts_with(|c: char| c.is_ascii_digit()) || number.len() < text.len())
        && number.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> HotSet {
        HotSet::parse(text.as_bytes(), HOT).unwrap()
    }

    fn near(set: &HotSet, name: &str, share: f64) -> bool {
        set.shares
            .get(name)
            .is_some_and(|s| s.is_some_and(|s| (s - share).abs() < 1e-9))
    }

    #[test]
    fn a_list_may_have_shares_before_or_behind_or_none() {
        let set = read("# hot\n50% eval_frame\nfoo::bar(int, char) 0.25\nplain\n");
        assert!(near(&set, "eval_frame", 0.5));
        assert!(near(&set, "foo::bar(int, char)", 0.25));
        assert_eq!(set.shares.get("plain"), Some(&None));
    }

    #[test]
    fn callgrind_counts_own_cost_and_not_that_of_calls() {
        let text = "version: 1\npositions: line\nevents: Ir Dr\n\nfl=(1) a.c\nfn=(1) main\n1 10 2\ncfn=(2) work\ncalls=1 5\n2 90 8\n\nfn=(2)\n5 60\n+1 30\n";
        let set = read(text);
        assert!(near(&set, "main", 0.1));
        assert!(near(&set, "work", 0.9));
    }

    #[test]
    fn a_script_by_perf_is_told_from_a_list() {
        let text = "             hc1  7706 60913.208796:     250000 cpu-clock:ppp:      556275d1719a cl+0x2a (/tmp/hc1)\n             hc1  7706 60913.209042:     750000 cpu-clock:ppp:      7fabb32e53f6 main (/tmp/hc1)\n";
        let set = read(text);
        assert!(near(&set, "cl", 0.25));
        assert!(near(&set, "main", 0.75));
    }

    fn function(symbol: &str) -> Function {
        Function {
            symbol: Some(symbol.into()),
            aliases: Box::default(),
            address: 0,
            size: 1,
            section: 0,
            origin: crate::image::Origin::Symbols,
            group: None,
            parent: None,
            split: None,
        }
    }

    #[test]
    fn clones_are_known_by_what_profilers_call_them() {
        let callgrind = "events: Ir\nfn=(1) work(int, int) [clone .constprop.0]\n1 60\nfn=(2) work(int, int) [clone .isra.0] [clone .part.1]\n1 30\nfn=(3) main\n1 10\n";
        let set = read(callgrind);
        let share = |set: &HotSet, symbol: &str| set.share(&function(symbol)).flatten();
        assert_eq!(share(&set, "_ZL4workii.constprop.0"), Some(0.6));
        assert_eq!(share(&set, "_ZL4workii.isra.0.part.1"), Some(0.3));
        assert_eq!(share(&set, "_ZL4workii"), None);
        for name in [
            "q::cl(int, int, int*)",
            "q::cl",
            "_ZN1qL2clEiiPi.constprop.0",
        ] {
            let script = format!("x 1 1.0: 100 cycles:u:  55d5c1 {name}+0x4 (/tmp/base)\n");
            let set = read(&script);
            let found = share(&set, "_ZN1qL2clEiiPi.constprop.0");
            assert_eq!(found, Some(1.0), "{name}");
        }
    }

    #[test]
    fn shares_that_cannot_be_are_refused() {
        let wrong = |text: &str| HotSet::parse(text.as_bytes(), HOT).unwrap_err();
        for (text, line, share) in [
            ("50% f\n150% konst\n", 2, "150%"),
            ("-3% loop\n", 1, "-3%"),
            ("nan% x\n", 1, "nan%"),
            ("1234 f(int)\n", 1, "1234"),
            ("konst 12.5\n", 1, "12.5"),
        ] {
            let text_of = share.to_string();
            let expected = HotError::NoShare {
                line,
                text: text_of,
            };
            assert_eq!(wrong(text), expected, "{text}");
        }
        let set = read("nan 0.5\ninf\noperator%\n");
        assert!(near(&set, "nan", 0.5));
        assert_eq!(set.shares.len(), 3);
    }

    #[test]
    fn what_names_nothing_is_refused() {
        assert_eq!(
            HotSet::parse(b"# only a remark\n", HOT).unwrap_err(),
            HotError::Empty
        );
        assert_eq!(
            HotSet::parse(b"PERFILE2\0\0", HOT).unwrap_err(),
            HotError::Binary
        );
    }
}
