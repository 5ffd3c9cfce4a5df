//! What is wrong with a definition: where, and what may have been meant.

use std::fmt;

/// A definition that cannot be meant as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The way to it through tables and lists: `["matrix", "baselines", "1"]`.
    pub at: Vec<String>,
    /// What is wrong, in one sentence.
    pub what: String,
    /// The next step, where there is one to name.
    pub next: Option<String>,
}

impl Problem {
    /// A problem at this place.
    #[must_use]
    pub fn new(at: &[&str], what: impl Into<String>) -> Problem {
        Problem {
            at: at.iter().map(|step| (*step).to_owned()).collect(),
            what: what.into(),
            next: None,
        }
    }

    /// Adds the next step.
    #[must_use]
    pub fn next(mut self, next: impl Into<String>) -> Problem {
        self.next = Some(next.into());
        self
    }

    /// Adds the name that may have been meant, or else all that there are.
    #[must_use]
    pub fn among<'a>(self, written: &str, known: impl IntoIterator<Item = &'a str>) -> Problem {
        let known: Vec<&str> = known.into_iter().collect();
        match nearest(written, known.iter().copied()) {
            Some(near) => self.next(format!("did you mean `{near}`?")),
            None if known.is_empty() => self,
            None => {
                let all: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                self.next(format!("there is {}", all.join(", ")))
            }
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.next {
            Some(next) => write!(f, "; {next}"),
            None => Ok(()),
        }
    }
}

/// The name most like `written`, if one is much like it (Jaro–Winkler likeness above 0.8).
#[must_use]
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LIKE: f64 = 0.8;
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(written, name), name))
        .filter(|(likeness, _)| *likeness > LIKE)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, name)| name)
}
