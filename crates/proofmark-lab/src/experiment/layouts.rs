//! How the placement of the builds will be varied, and why: as asked for, or as the builds allow.

use proofmark_evidence::record::{Drawing, LayoutControl};
use proofmark_layout::{Alike, Asked, MATCHED_UP_TO, Spread, TakenBack};
use proofmark_terms::Population;

use super::request::LayoutChoice;
use crate::builds::Subject;
use crate::error::LabError;

/// Less than this in another order is a matter of where it lies, where nobody looks at the builds'
/// own images, in bytes.
const PAGE: u64 = 4096;

/// How placement will be varied, and why.
pub(super) fn layout_control(
    subjects: &[Subject],
    layouts: LayoutChoice,
    population: Population,
) -> Result<LayoutControl, LabError> {
    let loose = uncaptured(subjects);
    if layouts == LayoutChoice::AsShipped {
        return Ok(LayoutControl::AsShipped {
            reason: "asked for with --layouts as-shipped".to_owned(),
        });
    }
    if let Some(first) = loose.first() {
        if layouts == LayoutChoice::Auto {
            let names = loose.join(" and ");
            let reason = format!(
                "{names} not captured; `proofmark capture NAME -- BUILD…` makes layouts possible"
            );
            return Ok(LayoutControl::AsShipped { reason });
        }
        return Err(LabError::Refused(format!(
            "{first} is a file that was not captured: its layout cannot be varied\n  next: capture the build that makes it, `proofmark capture NAME -- BUILD…`, or leave --layouts out"
        )));
    }
    same_sections(subjects)?;
    same_linker(subjects)?;
    varied(subjects, layouts, population)
}

/// The builds that were not captured, by name. One program with several trees goes by its own.
fn uncaptured(subjects: &[Subject]) -> Vec<String> {
    let mut names: Vec<String> = subjects
        .iter()
        .filter(|subject| subject.links().is_none())
        .map(|subject| match subject.tree {
            None => subject.name.clone(),
            Some(_) => subject.file_name().to_string_lossy().into_owned(),
        })
        .collect();
    names.dedup();
    names
}

/// How placement will be varied in a matrix, and why. Its builds may have linkers of their own:
/// each is then laid out by its own, and the linker is a part of the build like its compiler.
pub(crate) fn layout_control_of_matrix(
    subjects: &[Subject],
    layouts: LayoutChoice,
    population: Population,
) -> Result<LayoutControl, LabError> {
    match (layouts, same_linker(subjects)) {
        (LayoutChoice::Auto | LayoutChoice::Independent, Err(_)) => {
            Ok(each_by_its_own_linker(population))
        }
        _ => layout_control(subjects, layouts, population),
    }
}

/// Layouts of each build on its own, and why.
fn independent(population: Population, reason: impl Into<String>) -> LayoutControl {
    let how = Drawing::Independent {
        reason: reason.into(),
    };
    LayoutControl::Drawn { how, population }
}

fn each_by_its_own_linker(population: Population) -> LayoutControl {
    independent(
        population,
        "the builds are linked by different linkers, each by its own",
    )
}

/// How placement will be varied in a matrix, as far as it can be told without linking: `None` where
/// the code that the builds share decides. Whether there are several linkers is told by the caller,
/// who also knows of builds that are still to be made.
pub(crate) fn layouts_without_linking(
    subjects: &[Subject],
    several_linkers: bool,
    layouts: LayoutChoice,
    population: Population,
) -> Result<Option<LayoutControl>, LabError> {
    let captured = subjects.iter().all(|subject| subject.links().is_some());
    match layouts {
        LayoutChoice::Auto | LayoutChoice::Independent if captured && several_linkers => {
            Ok(Some(each_by_its_own_linker(population)))
        }
        LayoutChoice::Auto if captured => Ok(None),
        LayoutChoice::Matched | LayoutChoice::Jittered | LayoutChoice::Inside
            if several_linkers => {
            Err(LabError::Refused(
                "the builds are linked by different linkers: changing the linker is itself a change of layout\n  next: leave --layouts out, and each is laid out by its own linker".to_owned(),
            ))
        }
        _ => layout_control_of_matrix(subjects, layouts, population).map(Some),
    }
}

/// The same where nobody measures the builds' own images: these alone would show that layouts take
/// back an order, or how densely code and data lie, that is the change. Each build keeps its own
/// then.
pub(crate) fn unguarded(
    control: LayoutControl,
    subjects: &[Subject],
    layouts: LayoutChoice,
) -> Result<LayoutControl, LabError> {
    let LayoutControl::Drawn {
        how: Drawing::Matched,
        population,
    } = &control
    else {
        return Ok(control);
    };
    if layouts != LayoutChoice::Auto {
        return Ok(control);
    }
    let recipe = |subject: &Subject| Some(subject.links()?.first()?.recipe.clone());
    let Some((base, news)) = subjects.split_first() else {
        return Ok(control);
    };
    for new in news {
        let (Some(of_base), Some(of_new)) = (recipe(base), recipe(new)) else {
            continue;
        };
        let Some(found) = proofmark_layout::taken_back(&of_base, &of_new, PAGE)? else {
            continue;
        };
        let reason = match found {
            TakenBack::Order(order) => format!(
                "{} functions or data of {}, such as {}, stand in another order",
                order.count, new.name, order.example
            ),
            TakenBack::Spread(spread) => {
                format!("the {}", takes(&spread, [base, new]))
            }
        };
        let reason = format!("{reason}, and the builds' own images are not measured");
        return Ok(independent(*population, reason));
    }
    Ok(control)
}

/// How the placement of captured builds will be varied.
fn varied(
    subjects: &[Subject],
    layouts: LayoutChoice,
    population: Population,
) -> Result<LayoutControl, LabError> {
    if !layouts.is_independent()
        && let Some((name, asked)) = placed_otherwise(subjects)?
    {
        return by_own_placement(layouts, population, name, &asked);
    }
    if !layouts.is_independent()
        && let Some(end) = end_of_data(subjects)?
    {
        return by_own_extent(layouts, population, &end);
    }
    match layouts {
        LayoutChoice::Matched => Ok(LayoutControl::Drawn {
            how: Drawing::Matched,
            population,
        }),
        LayoutChoice::Jittered => Ok(LayoutControl::Drawn {
            how: Drawing::Jittered,
            population,
        }),
        LayoutChoice::Inside => Ok(LayoutControl::Drawn {
            how: Drawing::Inside,
            population,
        }),
        LayoutChoice::Independent => Ok(independent(
            population,
            "asked for with --layouts independent",
        )),
        LayoutChoice::OnTheirOwn => Ok(independent(
            population,
            "as shipped, the builds differ by more than layouts that are matched explain",
        )),
        LayoutChoice::Auto | LayoutChoice::AsShipped => by_shared_code(subjects, population),
    }
}

/// The first build that asks for another order or alignment than the base, and what.
fn placed_otherwise(subjects: &[Subject]) -> Result<Option<(&str, Asked)>, LabError> {
    let recipe = |subject: &Subject| Some(subject.links()?.first()?.recipe.clone());
    let Some((base, news)) = subjects.split_first() else {
        return Ok(None);
    };
    let Some(base) = recipe(base) else {
        return Ok(None);
    };
    for new in news {
        let Some(recipe) = recipe(new) else { continue };
        let asked = proofmark_layout::asked(&base, &recipe)?;
        if !asked.is_same() {
            return Ok(Some((new.name.as_str(), asked)));
        }
    }
    Ok(None)
}

/// Where order or alignment is what changed, each build keeps its own; layouts that give all the
/// same would hide the change.
fn by_own_placement(
    layouts: LayoutChoice,
    population: Population,
    name: &str,
    asked: &Asked,
) -> Result<LayoutControl, LabError> {
    let hides = match (layouts, population) {
        (LayoutChoice::Matched, _) => {
            "--layouts matched gives both builds the same, and would hide it"
        }
        (LayoutChoice::Jittered, _) => {
            "--layouts jittered gives both builds the same, and would hide it"
        }
        (LayoutChoice::Inside, _) => {
            "--layouts inside gives both builds the same, and would hide it"
        }
        (_, Population::Shuffle) if !asked.order.is_empty() => "a shuffled order would hide it",
        _ => {
            let reason = format!("{name} changes {asked}: each build keeps its own");
            return Ok(independent(population, reason));
        }
    };
    Err(LabError::Refused(format!(
        "{name} changes {asked}; {hides}\n  next: leave --layouts and --population out: each build then keeps its own order and alignment"
    )))
}

/// The symbol by which one of the builds asks where its data ends.
fn end_of_data(subjects: &[Subject]) -> Result<Option<String>, LabError> {
    let links = subjects
        .iter()
        .filter_map(|subject| subject.links()?.first());
    for link in links {
        if let Some(end) = proofmark_layout::asks_for_end_of_data(&link.for_layouts())? {
            return Ok(Some(end));
        }
    }
    Ok(None)
}

/// Where a program looks at how much data it has, each build keeps its own: matched layouts give
/// all builds as much of it.
fn by_own_extent(
    layouts: LayoutChoice,
    population: Population,
    end: &str,
) -> Result<LayoutControl, LabError> {
    let asks = format!("the program asks where its data ends (`{end}`)");
    match layouts {
        LayoutChoice::Matched | LayoutChoice::Jittered | LayoutChoice::Inside => {
            Err(LabError::Refused(format!(
                "{asks}, and matched layouts give all builds as much of it\n  next: leave --layouts out: each build then keeps its own data"
            )))
        }
        LayoutChoice::Auto
        | LayoutChoice::Independent
        | LayoutChoice::OnTheirOwn
        | LayoutChoice::AsShipped => Ok(independent(
            population,
            format!("{asks}: each build keeps its own"),
        )),
    }
}

/// Matched where nearly all code is shared, and data lies as densely in matched layouts.
fn by_shared_code(subjects: &[Subject], population: Population) -> Result<LayoutControl, LabError> {
    let mut recipes = subjects
        .iter()
        .filter_map(|subject| subject.links()?.first())
        .map(|link| &link.recipe);
    let Some(base) = recipes.next() else {
        return Err(LabError::Refused(
            "a captured build without a link: capture it again".to_owned(),
        ));
    };
    let mut largest = 0.0_f64;
    let mut spread = None;
    for (new, recipe) in subjects.iter().skip(1).zip(recipes) {
        let alike = Alike::of(base, recipe)?;
        largest = largest.max(alike.differing);
        spread = spread.or(alike.spread.map(|spread| (new, spread)));
    }
    if largest > MATCHED_UP_TO {
        let reason = format!("{:.0} % of the code differs", largest * 100.0);
        return Ok(independent(population, reason));
    }
    if let Some((new, spread)) = spread {
        let takes = takes(&spread, [&subjects[0], new]);
        let reason = format!("the {takes}: each build keeps its own");
        return Ok(independent(population, reason));
    }
    Ok(LayoutControl::Drawn {
        how: Drawing::Matched,
        population,
    })
}

/// What takes more room in matched layouts, and how much: of the base or of a build.
fn takes(spread: &Spread, builds: [&Subject; 2]) -> String {
    let what = if spread.code { "code" } else { "data" };
    let [base, new] = builds.map(|build| &build.name);
    let name = if spread.build == 0 { base } else { new };
    format!("{what} of {name} takes {spread}")
}

/// A link that folds, collects or orders sections does more of it once each function has one of its
/// own: that is the capture's doing, and no layout of what the user has.
fn same_sections(subjects: &[Subject]) -> Result<(), LabError> {
    let found = subjects.iter().find_map(|subject| {
        let mut links = subject.links().unwrap_or_default().iter();
        let does = links.find_map(|link| link.recipe.by_sections().filter(|_| link.sections_added));
        does.map(|does| (subject, does))
    });
    let Some((subject, does)) = found else {
        return Ok(());
    };
    Err(LabError::Refused(format!(
        "the link of {name} {does}, and only the capture gave each function the section that this takes: its image may be another program than the build's own file\n  next: capture it without --compile once, and the build stays as it is; or add -ffunction-sections to its own flags if that is meant",
        name = subject.name
    )))
}

/// Changing the linker is itself a change of layout.
fn same_linker(subjects: &[Subject]) -> Result<(), LabError> {
    let mut linkers = subjects.iter().flat_map(|subject| {
        subject
            .links()
            .unwrap_or_default()
            .iter()
            .map(move |link| (subject, &link.recipe.linker))
    });
    let Some((base, first)) = linkers.next() else {
        return Ok(());
    };
    match linkers.find(|(_, linker)| (linker.kind, &linker.version) != (first.kind, &first.version))
    {
        None => Ok(()),
        Some((subject, other)) => Err(LabError::Refused(format!(
            "{} was linked by {}, {} by {}: changing the linker is itself a change of layout\n  next: capture both with the same linker, or compare the files with --layouts as-shipped",
            base.name, first.version, subject.name, other.version
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds that are still to be made count by their linkers alone.
    #[test]
    fn several_linkers_are_told_before_anything_is_built() {
        let told =
            |several, layouts| layouts_without_linking(&[], several, layouts, Population::Pad);
        assert!(matches!(told(false, LayoutChoice::Auto), Ok(None)));
        for layouts in [LayoutChoice::Auto, LayoutChoice::Independent] {
            let control = told(true, layouts);
            assert!(matches!(
                control,
                Ok(Some(LayoutControl::Drawn {
                    how: Drawing::Independent { .. },
                    ..
                }))
            ));
        }
        for layouts in [
            LayoutChoice::Matched,
            LayoutChoice::Jittered,
            LayoutChoice::Inside,
        ] {
            assert!(matches!(told(true, layouts), Err(LabError::Refused(_))));
        }
    }
}
