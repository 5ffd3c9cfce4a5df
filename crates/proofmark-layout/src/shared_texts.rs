//! Texts and constants that several objects hold and a linker would merge into one. Where nothing is
//! merged, all of them refer to one copy: a program may compare the addresses.

use std::collections::HashMap;

use crate::LayoutError;
use crate::elf::image::Linked;
use crate::elf::patch::Redirect;
use crate::elf::relocatable::Object;
use crate::freedom::Hindrance;
use crate::link::argv;
use crate::link::sections::{makes_library, merges};
use crate::object_texts::{Home, ObjectTexts, Place, Text};
use crate::recipe::{LinkerKind, Recipe};
use crate::sorted::handle;
use crate::sources::{Part, each_object};
use crate::units::{Live, Units};

/// The places of one text.
#[derive(Default)]
struct Copies {
    places: Vec<Place>,
    /// Those that go by the name of a symbol which other objects may use.
    named: Vec<Home>,
    /// A name may be another object's in the end.
    preempted: bool,
    /// Those that a table of addresses leads to.
    through_table: Vec<Home>,
}

impl Copies {
    fn add(&mut self, place: Place) {
        // Those of one object come one after the other.
        let mut known = self.places.iter().rev();
        if !known.any(|known| known.home == place.home) {
            self.places.push(place);
        }
    }

    /// The copy that all are led to, aligned as any of them asks for; none of one that is in one
    /// place, or in groups alone.
    fn home(&self) -> Result<Option<Home>, Hindrance> {
        let [_, _, ..] = self.places.as_slice() else {
            return Ok(None);
        };
        if self.places.iter().all(|place| place.in_group) && self.named.is_empty() {
            return Ok(None);
        }
        let alignment = self.places.iter().map(|place| place.alignment).max();
        let fits = |place: &&Place| !place.in_group && Some(place.alignment) == alignment;
        let mut fitting = self.places.iter().filter(fits).map(|place| place.home);
        let home = match self.named.as_slice() {
            [] => fitting.next(),
            [one] if !self.preempted => fitting.find(|home| home == one),
            _ => None,
        };
        let home = home.ok_or(Hindrance::Named)?;
        if self.through_table.iter().any(|one| *one != home) {
            return Err(Hindrance::Named);
        }
        Ok(Some(home))
    }
}

/// The copy that all references to a text lead to, for those that are in several places.
pub(crate) struct SharedTexts {
    homes: HashMap<Text, Home>,
    kind: LinkerKind,
}

impl SharedTexts {
    /// Every text stays where it is.
    pub(crate) fn none(recipe: &Recipe) -> SharedTexts {
        SharedTexts {
            homes: HashMap::new(),
            kind: recipe.linker.kind,
        }
    }

    /// Finds the texts of the objects of which an image holds something, or what keeps them from
    /// being led to one copy each.
    pub(crate) fn of(
        recipe: &Recipe,
        units: &Units,
        live: &Live,
    ) -> Result<Result<SharedTexts, Hindrance>, LayoutError> {
        let words = argv::parse(&recipe.argv);
        let mut shared = SharedTexts::none(recipe);
        if !merges(shared.kind, &words) {
            return Ok(Ok(shared));
        }
        let is_library = makes_library(&words);
        let mut found: HashMap<Text, Copies> = HashMap::new();
        let mut unread = false;
        for source in &units.sources {
            each_object(source, |object, part| {
                let mut numbers = (part.first..).zip(&part.units);
                if part.bitcode || !numbers.any(|(unit, _)| live.contains_key(&unit)) {
                    return Ok(());
                }
                let texts = ObjectTexts::of(object, part, shared.kind)?;
                let Some(references) = texts.references()? else {
                    unread = true;
                    return Ok(());
                };
                for reference in references {
                    let copies = found.entry(reference.text).or_default();
                    if reference.through_table {
                        copies.through_table.push(reference.place.home);
                    }
                    copies.add(reference.place);
                }
                for named in texts.named()? {
                    let copies = found.entry(named.text).or_default();
                    if !copies.named.contains(&named.place.home) {
                        copies.named.push(named.place.home);
                    }
                    copies.preempted |= named.weak || is_library && !named.hidden;
                    copies.add(named.place);
                }
                Ok(())
            })?;
        }
        if unread {
            return Ok(Err(Hindrance::Unread));
        }
        for (text, copies) in found {
            match copies.home() {
                Ok(home) => shared.homes.extend(home.map(|home| (text, home))),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(shared))
    }

    /// What in an object has to lead elsewhere.
    pub(crate) fn redirects(
        &self,
        object: &Object<'_>,
        part: &Part,
    ) -> Result<Vec<Redirect>, object::Error> {
        if self.homes.is_empty() {
            return Ok(Vec::new());
        }
        let texts = ObjectTexts::of(object, part, self.kind)?;
        let found = texts.references()?.unwrap_or_default().into_iter();
        let elsewhere = found.filter_map(|reference| {
            let home = *self.homes.get(&reference.text)?;
            (home != reference.place.home).then(|| Redirect {
                at: reference.at,
                name: handle(home.unit),
                addend: home.offset.cast_signed().wrapping_add(reference.beyond),
            })
        });
        Ok(elsewhere.collect())
    }

    /// Whether some object holds nothing but texts: whether an image has that is not known where
    /// they are merged.
    pub(crate) fn are_alone(units: &Units) -> bool {
        let mut parts = units.sources.iter().flat_map(|source| &source.parts);
        parts.any(|part| !part.units.is_empty() && part.units.iter().all(|unit| unit.merged))
    }

    /// Whether an image has something of each object with a copy: what leads there is then not led
    /// to nothing. A copy that nothing leads to any more may be collected.
    pub(crate) fn are_in(&self, units: &Units, image: &Linked) -> bool {
        let mut homes = self.homes.values();
        homes.all(|home| {
            let part = units.home(home.unit).1;
            let mut numbers = (part.first..).zip(&part.units);
            numbers.any(|(unit, _)| image.handles.contains_key(&unit))
        })
    }
}
