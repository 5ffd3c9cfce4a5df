//! Patterns that choose functions by name.

use regex::Regex;

use crate::image::{Function, Image};
use crate::names;

/// So many names at least are demangled and compared by one thread.
const EACH: usize = 4096;

/// A choice of functions: an exact name, a name with `*` and `?`, or a regular expression between
/// slashes.
///
/// A name is compared with the symbol, with the symbol without the marks of clones and splits, with
/// the demangled name, and with the demangled name without its arguments and without the type that
/// it returns. So `Foo::bar` finds `_ZN3Foo3barEi`, and `parse` finds `parse.constprop.0`.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    matcher: Matcher,
}

#[derive(Debug, Clone)]
enum Matcher {
    Exact(String),
    Regex(Regex),
}

/// Why a pattern cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    /// Nothing to look for.
    #[error("an empty function pattern matches nothing; use '*' for all functions")]
    Empty,
    /// The regular expression is wrong.
    #[error("function pattern {text} is no valid regular expression: {source}")]
    Regex {
        /// The pattern.
        text: String,
        /// What is wrong with it.
        source: regex::Error,
    },
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// When it is empty, or no valid regular expression between its slashes.
    pub fn parse(text: &str) -> Result<Pattern, PatternError> {
        let wrong = |source| PatternError::Regex {
            text: text.to_string(),
            source,
        };
        let matcher = if text.is_empty() {
            return Err(PatternError::Empty);
        } else if let Some(inner) = text
            .strip_prefix('/')
            .and_then(|t| t.strip_suffix('/'))
            .filter(|t| !t.is_empty())
        {
            Matcher::Regex(Regex::new(inner).map_err(wrong)?)
        } else if text.contains(['*', '?']) {
            let regex = regex::escape(text).replace(r"\*", ".*").replace(r"\?", ".");
            Matcher::Regex(Regex::new(&format!("^(?s:{regex})$")).map_err(wrong)?)
        } else {
            Matcher::Exact(text.to_string())
        };
        Ok(Pattern {
            text: text.to_string(),
            matcher,
        })
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it can only ever match one name.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        matches!(self.matcher, Matcher::Exact(_))
    }

    /// Whether one symbol is meant.
    #[must_use]
    pub fn matches_symbol(&self, symbol: &str) -> bool {
        if self.differs(symbol.as_bytes()) {
            return false;
        }
        let base = names::base(symbol);
        if self.is(symbol) || (base.len() != symbol.len() && self.is(base)) {
            return true;
        }
        if !names::is_mangled(symbol.as_bytes()) {
            return false;
        }
        let name = names::demangle(base);
        let short = without_arguments(&name);
        name != base && (self.is(&name) || self.is(short) || self.is(without_type(short)))
    }

    /// Whether a symbol is known at the first look not to be meant: its beginning is not that of
    /// the only name that is.
    fn differs(&self, symbol: &[u8]) -> bool {
        match &self.matcher {
            Matcher::Exact(text) => {
                !names::is_mangled(symbol) && !symbol.starts_with(text.as_bytes())
            }
            Matcher::Regex(_) => false,
        }
    }

    /// Whether a function is meant, by its symbol or by another of the same address.
    #[must_use]
    pub fn matches(&self, function: &Function) -> bool {
        match &function.symbol {
            Some(symbol) => {
                let names = [symbol].into_iter().chain(&function.aliases);
                let mut likely = names.filter(|name| !self.differs(name.bytes()));
                likely.any(|name| self.matches_symbol(name))
            }
            // Most exact names can be none that is made from an address.
            None => match &self.matcher {
                Matcher::Exact(text) if !text.starts_with("sub_") => false,
                _ => self.is(&function.symbol()),
            },
        }
    }

    /// The functions of an image that are meant, by index.
    #[must_use]
    pub fn find(&self, image: &Image) -> Vec<usize> {
        use rayon::prelude::*;
        let functions = image.functions();
        let all = 0..functions.len();
        let meant = |i: &usize| self.matches(&functions[*i]);
        // To start other threads takes longer than to demangle a few thousand names, or to compare
        // any number of others.
        let symbols = functions.iter().filter_map(|f| f.symbol.as_ref());
        let mangled = symbols.filter(|symbol| names::is_mangled(symbol.bytes()));
        if all.len() < 2 * EACH || (self.is_exact() && mangled.count() < 2 * EACH) {
            return all.filter(meant).collect();
        }
        all.into_par_iter()
            .with_min_len(EACH)
            .filter(meant)
            .collect()
    }

    fn is(&self, name: &str) -> bool {
        match &self.matcher {
            Matcher::Exact(text) => text == name,
            Matcher::Regex(regex) => regex.is_match(name),
        }
    }
}

/// Operators of C++ that are written with brackets, the longer ones first.
const BRACKETS: [&str; 12] = [
    "<<=", ">>=", "<=>", "->*", "<<", ">>", "<=", ">=", "->", "()", "<", ">",
];

/// `foo::bar<int>(char*) const` → `foo::bar<int>`.
#[must_use]
pub(crate) fn without_arguments(name: &str) -> &str {
    let mut depth = 0u32;
    let mut skipped = 0;
    for (i, c) in name.char_indices() {
        if i < skipped {
            continue;
        }
        // `operator()(int)` and `operator<<(int)` keep the brackets that are their names.
        if let Some(operator) = bracket_operator(&name[..i], &name[i..]) {
            skipped = i + operator.len();
            continue;
        }
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            // So does `(anonymous namespace)::f`.
            '(' if depth == 0 && i > 0 && !name[i..].starts_with("(anonymous") => {
                return &name[..i];
            }
            _ => {}
        }
    }
    name
}

/// `int foo::twice<int>` → `foo::twice<int>`: of instances of function templates a symbol tells what
/// they return, too. Other names come back as they are.
fn without_type(short: &str) -> &str {
    if !short.ends_with('>') || short.contains("operator") {
        return short;
    }
    let mut depth = 0u32;
    for (at, letter) in short.char_indices().rev() {
        match letter {
            '>' | ')' => depth += 1,
            '<' | '(' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => return &short[at + 1..],
            _ => {}
        }
    }
    short
}

/// The operator with brackets that stands behind the word `operator`.
fn bracket_operator(before: &str, behind: &str) -> Option<&'static str> {
    let word = before.strip_suffix("operator")?;
    if word.ends_with(|c: char| c == '_' || c.is_alphanumeric()) {
        return None;
    }
    BRACKETS.into_iter().find(|o| behind.starts_with(*o))
}

/// Names of functions that look like `text`, the closest first: for messages when nothing matched.
#[must_use]
pub fn near(image: &Image, text: &str, most: usize) -> Vec<String> {
    let wanted = literal(text).to_lowercase();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut scored: Vec<(usize, String)> = Vec::new();
    for function in image
        .functions()
        .iter()
        .filter(|f| f.is_named() && !f.is_piece())
    {
        let name = function.name();
        let short = without_type(without_arguments(&name));
        let lower = short.to_lowercase();
        let last = lower.rsplit("::").next().unwrap_or(&lower);
        let score = if lower.contains(&wanted) {
            lower.len() - wanted.len()
        } else {
            distance(last, &wanted) * 8
        };
        if score <= wanted.len().max(4) * 4 {
            scored.push((score, short.to_string()));
        }
    }
    scored.sort();
    scored.dedup_by(|a, b| a.1 == b.1);
    scored
        .into_iter()
        .take(most)
        .map(|(_, name)| name)
        .collect()
}

/// What of a pattern is sure to be in a name: its longest part without signs of its own.
fn literal(text: &str) -> &str {
    let is_sign =
        |letter| matches!(letter, '*' | '?') || (text.starts_with('/') && !is_of_name(letter));
    let parts = text.split(is_sign);
    parts.max_by_key(|part| part.len()).unwrap_or_default()
}

/// Whether a letter of a regular expression stands for itself.
fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | ':')
}

/// Letters to change, add or take away to make one word of another (Levenshtein); long words count
/// as far apart.
fn distance(a: &str, b: &str) -> usize {
    const LONGEST: usize = 64;
    if a.len() > LONGEST || b.len() > LONGEST || a.len().abs_diff(b.len()) > 4 {
        return usize::MAX / 16;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut above = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let changed = above + usize::from(x != y);
            above = row[j + 1];
            row[j + 1] = changed.min(above + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(pattern: &str, symbol: &str) -> bool {
        Pattern::parse(pattern).unwrap().matches_symbol(symbol)
    }

    #[test]
    fn a_name_finds_its_clones_and_its_mangled_form() {
        assert!(finds("parse", "parse"));
        assert!(finds("parse", "parse.constprop.0"));
        assert!(finds("parse.constprop.0", "parse.constprop.0"));
        assert!(!finds("parse", "parser"));
        assert!(finds("foo::bar", "_ZN3foo3barEi"));
        assert!(finds("foo::bar(int)", "_ZN3foo3barEi"));
        assert!(finds("_ZN3foo3barEi", "_ZN3foo3barEi"));
        assert!(!finds("foo", "_ZN3foo3barEi"));
        assert!(finds("twice<int>", "_Z5twiceIiET_S0_"));
        assert!(finds("int twice<int>", "_Z5twiceIiET_S0_"));
        assert!(finds("twice*", "_Z5twiceIiET_S0_"));
        assert!(finds(
            "core::fmt::Write::write_fmt",
            "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE"
        ));
    }

    #[test]
    fn stars_and_regular_expressions() {
        assert!(finds("TARGET_*", "TARGET_ADD"));
        assert!(!finds("TARGET_*", "xTARGET_ADD"));
        assert!(finds("op_?", "op_a"));
        assert!(!finds("op_?", "op_ab"));
        assert!(finds("/^op_[0-9]+$/", "op_12"));
        assert!(finds("*", "anything at all"));
        assert!(matches!(
            Pattern::parse("/(/"),
            Err(PatternError::Regex { .. })
        ));
        assert!(matches!(Pattern::parse(""), Err(PatternError::Empty)));
    }

    #[test]
    fn what_a_template_returns_is_cut_off() {
        for (name, short) in [
            ("unsigned long a::b<int, c (*)(d)>", "a::b<int, c (*)(d)>"),
            ("(anonymous namespace)::t<int> f<x y>", "f<x y>"),
            (
                "(anonymous namespace)::f<int>",
                "(anonymous namespace)::f<int>",
            ),
            ("a::b", "a::b"),
            (
                "std::ostream& operator<< <char>",
                "std::ostream& operator<< <char>",
            ),
        ] {
            assert_eq!(without_type(name), short);
        }
    }

    #[test]
    fn what_a_pattern_is_sure_to_have_in_it_is_looked_for() {
        assert_eq!(literal("lua*_execute?"), "_execute");
        assert_eq!(literal("/^(parse|ast)_[0-9]+$/"), "parse");
        assert_eq!(literal("Foo::bar(int)"), "Foo::bar(int)");
        assert_eq!(literal("*"), "");
    }

    #[test]
    fn arguments_are_cut_off_where_they_begin() {
        assert_eq!(without_arguments("a::b<c(d)>(e)"), "a::b<c(d)>");
        assert_eq!(
            without_arguments("(anonymous namespace)::f(int)"),
            "(anonymous namespace)::f"
        );
        for operator in ["()", "<", "<<", "<=>", ">", ">>=", "->", "->*", "=="] {
            let name = format!("x<y>::operator{operator}");
            assert_eq!(without_arguments(&format!("{name}(z<int>) const")), name);
            let template = format!("{name} <int>");
            assert_eq!(without_arguments(&format!("{template}(int)")), template);
        }
        assert_eq!(
            without_arguments("a::my_operator<b>(c)"),
            "a::my_operator<b>"
        );
        assert_eq!(without_arguments("my_operator()"), "my_operator");
        assert_eq!(without_arguments("x::operator int()"), "x::operator int");
    }
}
