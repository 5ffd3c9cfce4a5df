//! What the report of a measurement says of machine code: how much of it changed, and which
//! expectations are broken.

use std::path::Path;

use crate::arch::Arch;
use crate::diff::hot::HotSet;
use crate::diff::{self, Difference};
use crate::error::CodeError;
use crate::expect::{self, Expectations};
use crate::image::Image;
use crate::program::Program;

/// What changed in the machine code between two images.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Changes {
    /// Functions of the new image; pieces that were split off are not counted apart.
    pub functions: u64,
    /// Functions of both with another content.
    pub changed: u64,
    /// Functions that the base has not.
    pub added: u64,
    /// Functions of the base that are gone.
    pub removed: u64,
    /// Functions that only go by another name.
    pub renamed: u64,
    /// Of the changed ones, those that are hot; `None` without a profile.
    pub hot: Option<u64>,
    /// Of the added ones, those that are hot.
    pub hot_added: Option<u64>,
    /// Of the removed ones, those that are hot.
    pub hot_removed: Option<u64>,
    /// The instruction sets of base and new image where they differ: nothing was compared with
    /// anything then.
    pub archs: Option<[Arch; 2]>,
    /// How much of the profile's time is in functions of either program, 0 to 1; `None` without a
    /// profile, or where it is one of other programs.
    pub covered: Option<f64>,
}

/// Expectations of a file, checked on one image.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Kept {
    /// Conditions that hold.
    pub held: u64,
    /// Conditions that do not, each in one line.
    pub broken: Vec<String>,
}

impl Changes {
    /// Compares two files.
    ///
    /// # Errors
    /// When one of them cannot be read as machine code.
    pub fn between(base: &Path, new: &Path, hot: Option<&HotSet>) -> Result<Changes, CodeError> {
        let (base, new) = (Program::open(base)?, Program::open(new)?);
        Ok(Changes::of(&differences(&base, &new), hot))
    }

    /// Sums up the differences of two programs.
    #[must_use]
    pub fn of(
        differences: &[(Option<&Image>, Option<&Image>, Difference)],
        hot: Option<&HotSet>,
    ) -> Changes {
        let images = differences.iter().flat_map(|(a, b, _)| [*a, *b]).flatten();
        let none = hot.map(|_| 0);
        let mut sum = Changes {
            functions: 0,
            changed: 0,
            added: 0,
            removed: 0,
            renamed: 0,
            hot: none,
            hot_added: none,
            hot_removed: none,
            archs: None,
            covered: hot.and_then(|hot| hot.covered(images)),
        };
        for (base, new, difference) in differences {
            sum.add(*base, *new, difference, hot);
        }
        sum
    }

    fn add(
        &mut self,
        base: Option<&Image>,
        new: Option<&Image>,
        difference: &Difference,
        hot: Option<&HotSet>,
    ) {
        if let Some(base) = base {
            let removed = own(base, &difference.removed);
            self.removed += removed.len() as u64;
            count_hot(&mut self.hot_removed, hot, base, &removed);
        }
        let Some(new) = new else { return };
        let (added, touched) = (own(new, &difference.added), difference.touched(new));
        self.functions += new.functions().iter().filter(|f| !f.is_piece()).count() as u64;
        self.changed += touched.len() as u64;
        self.added += added.len() as u64;
        self.renamed += difference.renamed.len() as u64;
        count_hot(&mut self.hot, hot, new, &touched);
        count_hot(&mut self.hot_added, hot, new, &added);
        let archs = base.map(|base| [base.arch(), new.arch()]);
        self.archs = self.archs.or(archs.filter(|[a, b]| a != b));
    }
}

/// Without what was split off.
fn own(image: &Image, list: &[usize]) -> Vec<usize> {
    let whole = |i: &usize| !image.functions()[*i].is_piece();
    list.iter().copied().filter(whole).collect()
}

fn count_hot(count: &mut Option<u64>, hot: Option<&HotSet>, image: &Image, list: &[usize]) {
    if let (Some(count), Some(hot)) = (count, hot) {
        let is_hot = |i: &&usize| hot.share(&image.functions()[**i]).is_some();
        *count += list.iter().filter(is_hot).count() as u64;
    }
}

/// The images of two programs paired: a single one with a single one, an archive's members by name.
#[must_use]
pub fn differences<'a>(
    base: &'a Program,
    new: &'a Program,
) -> Vec<(Option<&'a Image>, Option<&'a Image>, Difference)> {
    if let ([a], [b]) = (base.images(), new.images()) {
        return vec![(Some(a), Some(b), diff::compare(a, b))];
    }
    let mut left: Vec<&Image> = new.images().iter().collect();
    let mut all = Vec::new();
    for a in base.images() {
        match left.iter().position(|b| b.member() == a.member()) {
            Some(at) => {
                let b = left.remove(at);
                all.push((Some(a), Some(b), diff::compare(a, b)));
            }
            None => {
                let removed = (0..a.functions().len()).collect();
                all.push((
                    Some(a),
                    None,
                    Difference {
                        removed,
                        ..Difference::default()
                    },
                ));
            }
        }
    }
    for b in left {
        let added = (0..b.functions().len()).collect();
        all.push((
            None,
            Some(b),
            Difference {
                added,
                ..Difference::default()
            },
        ));
    }
    all
}

impl Kept {
    /// Checks expectations on a file; `build` is the name that they know it by.
    ///
    /// # Errors
    /// When the file cannot be read as machine code.
    pub fn by(file: &Path, expectations: &Expectations, build: &str) -> Result<Kept, CodeError> {
        Ok(Kept::of(&Program::open(file)?, expectations, build))
    }

    /// The same of a program that is read already.
    #[must_use]
    pub fn of(program: &Program, expectations: &Expectations, build: &str) -> Kept {
        let report = expect::check(program, expectations, build);
        let mut broken = Vec::new();
        for outcome in &report.outcomes {
            if let expect::Status::Broken(breach) = &outcome.status {
                let function = outcome.function.as_deref().unwrap_or(&outcome.pattern);
                broken.push(format!(
                    "{function}: {} expected, {}",
                    outcome.in_numbers, breach.found
                ));
            }
        }
        Kept {
            held: report.held() as u64,
            broken,
        }
    }
}
