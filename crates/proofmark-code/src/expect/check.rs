//! Expectations checked against a file.

use super::cause;
use super::condition::Condition;
use super::expectations::{Expectation, Expectations, Held};
use super::relation::Relation;
use super::report::{Breach, ConditionOutcome, Place, Report, Status};
use super::term::Term;
use super::vectors;
use super::whole::{Group, Subject, Whole, groups, wholes};
use super::wording::{counted, listed};
use crate::decode::Extensions;
use crate::facts::{self, Fact, Site};
use crate::pattern::near;
use crate::program::{Program, Unread};
use crate::source::Mention;

/// So many places are kept for one breach.
const PLACES: usize = 8;

/// Checks all expectations; `build` is the name of the build or file.
#[must_use]
pub fn check(program: &Program, expectations: &Expectations, build: &str) -> Report {
    let mut checker = Checker {
        subjects: program.images().iter().map(Subject::new).collect(),
        unread: program.unread(),
    };
    let outcomes = expectations
        .list()
        .iter()
        .flat_map(|e| checker.expectation(e, build))
        .collect();
    Report { outcomes }
}

struct Checker<'a> {
    subjects: Vec<Subject<'a>>,
    unread: &'a [Unread],
}

impl Checker<'_> {
    fn expectation(&mut self, e: &Expectation, build: &str) -> Vec<ConditionOutcome> {
        let arch = self.subjects.first().map(|s| s.image.arch());
        if let Some(reason) = arch.and_then(|arch| e.excluded(arch, build)) {
            return e
                .holds
                .iter()
                .map(|held| outcome(e, held, None, Status::Skipped(reason.clone())))
                .collect();
        }
        let wholes = wholes(&self.subjects, &e.function, e.pieces);
        let mut outcomes = Vec::new();
        for held in &e.holds {
            let condition = &held.condition;
            match condition {
                Condition::Exists | Condition::Inlined | Condition::Gone => {
                    outcomes.push(outcome(e, held, None, self.presence(e, condition, &wholes)));
                }
                Condition::Compare(Term::Functions, relation, right) => {
                    let unseen = self.hidden().filter(|_| wholes.is_empty());
                    let status = match unseen {
                        Some((found, cause)) => nothing_but(&found, &cause),
                        None => count(*relation, right, &wholes),
                    };
                    outcomes.push(outcome(e, held, None, status));
                }
                _ if wholes.is_empty() => outcomes.push(outcome(e, held, None, self.nothing(e))),
                _ => {
                    let unknown = self.unknown(condition);
                    let check = |group: &Group<'_>| {
                        let status = one(group, condition, wholes.len(), unknown.as_deref());
                        outcome(e, held, group.name(), status)
                    };
                    outcomes.extend(groups(&wholes, e.together).iter().map(check));
                }
            }
        }
        outcomes
    }

    /// That nothing in the file goes by the name of a condition's callee: it may be misspelt, and
    /// is none that is called.
    fn unknown(&self, condition: &Condition) -> Option<String> {
        let callee = condition.callee()?;
        let known = self.subjects.iter().any(|s| callee.is_known(s.image));
        (!known).then(|| "the file refers to no function of that name".to_string())
    }

    /// The pattern matched nothing, and the condition needs a function.
    fn nothing(&self, e: &Expectation) -> Status {
        let found = "no function matches".to_string();
        nowhere(found, "a function".to_string(), self.why_missing(e))
    }

    fn why_missing(&self, e: &Expectation) -> Option<String> {
        if let Some((found, cause)) = self.unseen() {
            return Some(format!("{found}; {cause}"));
        }
        if let Some(name) = self.referred_to(e) {
            return Some(format!(
                "{name} is another file's: this one only refers to it"
            ));
        }
        if self.mention(e) == Some(Mention::Defined) {
            return Some(
                "the source has it, but every call of it was inlined, or nothing uses it"
                    .to_string(),
            );
        }
        let mut names: Vec<String> = self
            .subjects
            .iter()
            .flat_map(|s| near(s.image, e.function.text(), 3))
            .collect();
        names.truncate(3);
        if names.is_empty() {
            let stripped = self.subjects.iter().any(|s| !s.image.has_local_symbols);
            return stripped.then(|| {
                "the file is stripped: of its own functions it names only those that it exports"
                    .to_string()
            });
        }
        let verb = if names.len() == 1 { "is" } else { "are" };
        Some(format!("there {verb} {}", listed(&names)))
    }

    fn presence(&self, e: &Expectation, condition: &Condition, wholes: &[Whole<'_>]) -> Status {
        match (condition, wholes.first()) {
            (Condition::Exists, Some(whole)) => Status::Held(format!("{} is there", whole.name())),
            (Condition::Exists, None) => self.nothing(e),
            (_, Some(whole)) => Status::Broken(Box::new(Breach {
                found: format!(
                    "{} is still a function of its own, {} bytes",
                    whole.name(),
                    whole.facts.get(Fact::Bytes)
                ),
                expected: "no such function".to_string(),
                places: Vec::new(),
                all_places: 0,
                cause: cause::of_presence(whole),
                ..breach_at(Some(whole))
            })),
            (_, None) => match self.hidden() {
                Some((found, cause)) => nothing_but(&found, &cause),
                None if *condition == Condition::Gone => {
                    Status::Held("no function matches".to_string())
                }
                None => self.inlined(e),
            },
        }
    }

    /// Why a function that is not found may be there all the same, and where it may be.
    fn unseen(&self) -> Option<(String, String)> {
        if let Some(Unread { member, what }) = self.unread.first() {
            return Some((
                format!("not all of the archive is read: {member} is {what}"),
                "of the functions in it nothing is known".to_string(),
            ));
        }
        let none = self.subjects.iter().all(|s| s.image.functions().is_empty());
        none.then(|| {
            (
                "there is no function at all".to_string(),
                "the file has no machine code: is it the right one?".to_string(),
            )
        })
    }

    /// The same where a function that is not found by its name may have lost that.
    fn hidden(&self) -> Option<(String, String)> {
        let stripped = || self.subjects.iter().any(|s| !s.image.has_local_symbols);
        self.unseen().or_else(|| {
            stripped().then(|| {
                (
                    "the file is stripped".to_string(),
                    "of its own functions it names only those that it exports: look at the file \
                     before it is stripped"
                        .to_string(),
                )
            })
        })
    }

    /// No function matches. Was it inlined, is it another file's, or is the name wrong? Debug
    /// information can tell.
    fn inlined(&self, e: &Expectation) -> Status {
        if let Some(name) = self.referred_to(e) {
            return not_inlined(
                format!("{name} is no function of this file, and the file refers to another's"),
                "what refers to it calls it, or takes its address: such a call is not inlined",
            );
        }
        match self.mention(e) {
            None => Status::Held("no function matches; without debug information it cannot be told whether there ever was one".to_string()),
            Some(Mention::Defined) => Status::Held("the source has it, the code does not".to_string()),
            // Of a method whose inlined instructions were all merged with others, clang leaves no
            // more than its declaration.
            Some(Mention::Declared) => Status::Held(
                "the source declares it, and the code neither has it nor refers to it".to_string(),
            ),
            Some(Mention::None) => not_inlined(
                "no function matches, and the debug information knows of none either".to_string(),
                "the name may be wrong, or the function was taken out of the source; say 'gone' if that is what is expected",
            ),
        }
    }

    /// What the source has of the function; `None` without debug information.
    fn mention(&self, e: &Expectation) -> Option<Mention> {
        let debug = self.subjects.iter().filter_map(Subject::sources);
        debug.map(|sources| sources.mention(&e.function)).max()
    }

    /// The function of another file that is meant and that this one refers to.
    fn referred_to(&self, e: &Expectation) -> Option<String> {
        let images = self.subjects.iter().map(|s| s.image);
        let links = images.flat_map(|image| image.links.iter().filter(|l| image.is_outward(l)));
        let mut meant = links.filter(|link| facts::is_meant(&e.function, &link.name));
        meant.next().map(|link| crate::demangle(&link.name))
    }
}

/// The function is not in the code, but was not inlined either.
fn not_inlined(found: String, cause: &str) -> Status {
    let expected = "a function of the source that is inlined everywhere";
    nowhere(found, expected.to_string(), Some(cause.to_string()))
}

/// No function is found, which is not to say that there is none.
fn nothing_but(found: &str, cause: &str) -> Status {
    let found = format!("no function matches, but {found}");
    let expected = "a file whose functions are all known".to_string();
    nowhere(found, expected, Some(cause.to_string()))
}

/// Broken, and there is no place to show.
fn nowhere(found: String, expected: String, cause: Option<String>) -> Status {
    Status::Broken(Box::new(Breach {
        found,
        expected,
        address: None,
        source: None,
        places: Vec::new(),
        all_places: 0,
        cause,
    }))
}

fn outcome(
    e: &Expectation,
    held: &Held,
    function: Option<String>,
    status: Status,
) -> ConditionOutcome {
    ConditionOutcome {
        pattern: e.function.text().to_string(),
        condition: held.text.clone(),
        in_numbers: (held.condition.in_numbers()).unwrap_or_else(|| held.text.clone()),
        because: e.because.clone(),
        line: held.line,
        function,
        status,
    }
}

fn count(relation: Relation, right: &Term, wholes: &[Whole<'_>]) -> Status {
    let wanted = match right {
        Term::Number(n) | Term::Named(_, n) => *n,
        _ => 0,
    };
    let found = match_count(wholes.len());
    if relation.holds(wholes.len() as u64, wanted) {
        return Status::Held(found);
    }
    nowhere(found, format!("{} {right}", relation.words()), None)
}

fn match_count(functions: usize) -> String {
    let ending = if functions == 1 { "es" } else { "" };
    format!("{} match{ending}", counted(functions as u64, "function"))
}

/// One condition on one function, or on several together; `unknown` says so where nothing goes by
/// the name of its callee.
fn one(group: &Group<'_>, condition: &Condition, matched: usize, unknown: Option<&str>) -> Status {
    match condition {
        Condition::Compare(left, relation, right) => {
            let (found, wanted) = (group.value(left, matched), group.value(right, matched));
            if relation.holds(found, wanted) {
                let note = unknown.map_or_else(String::new, |note| format!("; {note}"));
                let apart = group.of_pieces(left);
                return Status::Held(format!("{left} is {found}{apart}{note}"));
            }
            let least = wanted.saturating_add(u64::from(*relation == Relation::More));
            let expected = match right {
                Term::Number(n) => format!("{} {n}", relation.words()),
                Term::Named(name, n) => format!("{} {n} ({name})", relation.words()),
                other => format!("{} {other}, which is {wanted}", relation.words()),
            };
            let (places, all_places) = places(group, left);
            let cause = || cause::of(group.alone()?, left, found, least);
            Status::Broken(Box::new(Breach {
                found: format!(
                    "{left} is {found}{}{}",
                    group.of_several(),
                    group.of_pieces(left)
                ),
                expected,
                all_places,
                places,
                cause: unknown.map(str::to_string).or_else(cause),
                ..breach_at(group.alone())
            }))
        }
        Condition::Needs(name, wanted) => needs(group, name, *wanted),
        Condition::Exists | Condition::Inlined | Condition::Gone => Status::Held(String::new()),
    }
}

/// Whether a vector extension is needed, and whether that is wanted.
fn needs(group: &Group<'_>, name: &str, wanted: bool) -> Status {
    let extensions = group.facts.extensions();
    let needed = Extensions::named(name).is_some_and(|e| extensions.contains(e));
    let all = extensions.names().collect::<Vec<_>>().join(", ");
    let found = match (group.alone(), all.as_str()) {
        (Some(_), "") => "it needs no vector extension".to_string(),
        (Some(_), all) => format!("it needs {all}"),
        (None, "") => "they need no vector extension".to_string(),
        (None, all) => format!("they need {all}"),
    };
    if needed == wanted {
        return Status::Held(found);
    }
    let expected = if wanted {
        format!("{name} among them")
    } else {
        format!("not {name}")
    };
    let whole = group.alone().filter(|_| wanted);
    Status::Broken(Box::new(Breach {
        found,
        expected,
        cause: whole.and_then(|whole| vectors::of_extension(whole, name)),
        ..breach_at(group.alone())
    }))
}

/// A breach that knows where its function is, where it is of one, and nothing else.
fn breach_at(whole: Option<&Whole<'_>>) -> Breach {
    let at = whole.map(|w| w.subject.image.functions()[w.index].address());
    let sources = whole.and_then(|w| w.subject.sources());
    Breach {
        found: String::new(),
        expected: String::new(),
        address: whole.zip(at).map(|(w, at)| w.subject.image.shown(at)),
        source: sources.zip(at).and_then(|(s, at)| s.line(at)),
        places: Vec::new(),
        all_places: 0,
        cause: None,
    }
}

/// A few of the places that a term counts, and the number of all.
fn places(group: &Group<'_>, term: &Term) -> (Vec<Place>, usize) {
    let (mut few, mut all) = (Vec::new(), 0);
    for whole in group.wholes {
        let sites = whole.sites(term);
        all += sites.len();
        let sources = whole.subject.sources();
        let place = |site: Site| Place {
            source: sources.and_then(|s| s.line(site.address)),
            address: whole.subject.image.shown(site.address),
            text: site.text,
        };
        few.extend(sites.into_iter().take(PLACES - few.len()).map(place));
    }
    (few, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_function_matches_and_several_match() {
        let said = |number: usize| match_count(number);
        assert_eq!(
            [0, 1, 2].map(said),
            [
                "0 functions match",
                "1 function matches",
                "2 functions match"
            ]
        );
    }
}
