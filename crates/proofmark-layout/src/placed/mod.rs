//! A layout placed on purpose: some functions start where they are told to, and everything else,
//! functions and data, stays at one address in all images.
//!
//! The code keeps the order and the gaps that it was shipped with. What stands before a moved
//! function is where the linker would put it; a moved function has a window of its own; what stands
//! behind it is pushed back by whole pages. So every function but the moved ones has the low twelve
//! bits of its address as shipped, in every image, and one image, the *anchor*, has the moved ones
//! there too.

mod assert;
mod choose;
mod inside;
mod reach;
mod window;

use std::path::{Path, PathBuf};

use crate::LayoutError;
use crate::captured::Captured;
use crate::draw::Placement;
use crate::elf::block::Block;
use crate::elf::image::{Linked, functions_named};
use crate::link::argv;
use crate::linker::{Backend, backend};
use crate::observed::Observed;
use crate::plan::Plan;
use crate::prepared::{Prepared, mark};
use crate::recipe::Recipe;
use crate::seen::Seen;
pub(crate) use choose::{Moved, moved};
use window::{By, Home, Windows};

pub use inside::InsideSet;
pub use reach::{Reach, Why};

/// A page, in bytes: code is loaded by whole pages, so the bits below are an address's own.
const PAGE: u64 = 4096;

/// Rounds after which the start of the code is taken for one that does not settle.
const MOST_ROUNDS: usize = 4;

/// A build of which functions can be chosen, in its image as the stored inputs link it.
pub struct Placeable {
    pub(crate) observed: Observed,
    pub(crate) backend: Box<dyn Backend>,
    pub(crate) recipe: Recipe,
    shipped: Option<PathBuf>,
    pub(crate) scratch: PathBuf,
}

/// A function that is to be moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// What people call it.
    pub name: String,
    /// Its symbol.
    pub symbol: String,
    /// Where it starts in [`Placeable::image`].
    pub address: u64,
}

/// A build ready to be linked with some functions at given addresses.
pub struct PlacedSet {
    prepared: Prepared,
    plan: Plan,
    backend: Box<dyn Backend>,
    links: PathBuf,
    /// Where the code starts, in all images.
    text: u64,
    windows: Windows,
    /// Where everything is that stays, by the anchor's image.
    fixed: Option<Linked>,
    reach: Reach,
}

/// Where moved functions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spot {
    /// Where the first of them starts, as linked.
    pub address: u64,
    /// Where the first of those starts that move against them; as shipped without.
    pub other: Option<u64>,
}

impl From<u64> for Spot {
    fn from(address: u64) -> Spot {
        Spot {
            address,
            other: None,
        }
    }
}

/// An image with the moved functions at given addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedImage {
    /// The file.
    pub path: PathBuf,
    /// Where the moved functions are.
    pub spot: Spot,
}

impl Placeable {
    /// Reads a build's inputs and links it once, in its own order. `scratch` is a folder for all of
    /// this, which must outlive what is made here and which the caller removes.
    ///
    /// # Errors
    /// When the linker has no back-end, the link fails, or it gives another program than the file
    /// that the build left.
    pub fn observe(build: Captured<'_>, scratch: &Path) -> Result<Placeable, LayoutError> {
        let backend = backend(build.recipe, &argv::parse(&build.recipe.argv))?;
        Ok(Placeable {
            observed: Observed::new(build, &*backend, &scratch.join("build"), false)?,
            backend,
            recipe: build.recipe.clone(),
            shipped: build.image.map(Path::to_path_buf),
            scratch: scratch.to_path_buf(),
        })
    }

    /// The image in the build's own order, with its symbols: what functions are chosen from.
    #[must_use]
    pub fn image(&self) -> &Path {
        self.observed.image()
    }

    /// Makes ready to move the chosen functions together, so that the first starts anywhere in a
    /// window of `range` bytes. They keep their distances as shipped. The window begins at a
    /// multiple of the largest power of two within `range`, at most a page, and holds the place as
    /// shipped.
    ///
    /// # Errors
    /// When a function cannot be moved by itself (and why), the linker does not keep a promise, or
    /// a link fails.
    pub fn place(self, chosen: &[Chosen], range: u64) -> Result<PlacedSet, LayoutError> {
        self.place_against(chosen, &[], range)
    }

    /// The same with others that move together in windows of their own, whatever the first do.
    ///
    /// # Errors
    /// As those of [`Placeable::place`], and when a function is among both.
    pub fn place_against(
        self,
        chosen: &[Chosen],
        others: &[Chosen],
        range: u64,
    ) -> Result<PlacedSet, LayoutError> {
        let Placeable {
            observed,
            backend,
            recipe,
            shipped,
            scratch,
        } = self;
        let moved = both(&observed, (chosen, others), shipped.as_deref())?;
        let reach = reach::of(&observed, &moved)?;
        let seen = Seen::new(&observed.units, &observed.live, &observed.held.units);
        let mut plan = Plan::new(&[seen]);
        for one in &moved {
            plan.free(one.unit, reach.step);
        }
        let homes = homes(&plan, &observed);
        let windows = Windows::of(&homes, &moved, range);
        plan.room = windows.room();
        let prepared = Prepared::new(&recipe, observed, &plan, (0, 0), &*backend)?;
        let mut set = PlacedSet {
            prepared,
            plan,
            backend,
            links: crate::link::folder(&scratch, "links")?,
            text: 0,
            windows,
            fixed: None,
            reach,
        };
        set.settle(&scratch.join("trial"))?;
        Ok(set)
    }
}

/// The sections of two groups of functions.
fn both(
    observed: &Observed,
    (chosen, others): (&[Chosen], &[Chosen]),
    shipped: Option<&Path>,
) -> Result<Vec<Moved>, LayoutError> {
    let mut all = moved(observed, chosen, shipped)?;
    if others.is_empty() {
        return Ok(all);
    }
    for mut one in moved(observed, others, shipped)? {
        if all.iter().any(|known| known.unit == one.unit) {
            return Err(LayoutError::CannotPlace {
                function: one.name,
                why: "it moves with the others already; name another one to move against them"
                    .to_string(),
            });
        }
        one.group = 1;
        all.push(one);
    }
    Ok(all)
}

/// The functions of a build in their order, with the addresses that they have by themselves.
fn homes(plan: &Plan, observed: &Observed) -> Vec<Home> {
    let home = |(function, unit, size): (usize, u32, u64)| {
        Some(Home {
            function,
            unit,
            size,
            address: *observed.live.get(&unit)?,
        })
    };
    plan.members().filter_map(home).collect()
}

impl PlacedSet {
    /// Where the first of the moved functions starts in the anchor: its low twelve bits are those
    /// that it was shipped with.
    #[must_use]
    pub fn as_shipped(&self) -> Spot {
        self.spot(self.windows.anchor())
    }

    /// The first address of the window of the first moved function, and of the first of those that
    /// move against it.
    #[must_use]
    pub fn first(&self) -> Spot {
        self.spot(self.windows.first())
    }

    /// Where all moved functions start, in the order in which they were chosen, when the first ones
    /// start there.
    #[must_use]
    pub fn starts(&self, spot: Spot) -> Vec<u64> {
        let by = self.by(spot).unwrap_or_default();
        self.windows.starts(by, self.text)
    }

    /// What starts the moved functions can take.
    #[must_use]
    pub fn reach(&self) -> &Reach {
        &self.reach
    }

    /// Whether the first moved functions can start there, or why they cannot.
    ///
    /// # Errors
    /// The reason.
    pub fn can_start(&self, spot: Spot) -> Result<(), Why> {
        let by = self.by(spot).ok_or(Why::OutOfRange)?;
        self.windows.fits(by, &self.reach)
    }

    /// Links the image in which the first moved functions start there. The same inputs and the same
    /// addresses give the same bytes.
    ///
    /// # Errors
    /// When it cannot start there, the link fails, or a file cannot be written.
    pub fn link(&self, spot: impl Into<Spot>, output: &Path) -> Result<PlacedImage, LayoutError> {
        let spot = spot.into();
        let address = spot.address;
        self.can_start(spot).map_err(|why| {
            let function = self.windows.name().to_string();
            LayoutError::CannotPlace {
                function,
                why: format!("it cannot start at {address:#x}: {why}"),
            }
        })?;
        let by = self.by(spot).unwrap_or_default();
        let placements = self.windows.placements(by, self.text);
        let steps = self.plan.steps(0, &placements, self.prepared.slack());
        let output = std::path::absolute(output).map_err(LayoutError::file("find", output))?;
        let what = format!("the image with {} at {address:#x}", self.windows.name());
        let links = &self.links;
        self.prepared
            .link(&self.plan, &steps, &*self.backend, links, (&output, &what))?;
        Ok(PlacedImage { path: output, spot })
    }

    /// Links the anchor until the start of the code is known, and keeps where everything is in it.
    fn settle(&mut self, trial: &Path) -> Result<(), LayoutError> {
        for _ in 0..MOST_ROUNDS {
            let image = self.link(self.as_shipped(), trial)?;
            let linked = Linked::read(&image.path, true)?;
            let start = linked.marks.get(&mark("pme", Block::Text)).copied();
            let start = start.ok_or_else(|| self.broken("the code starts at a mark", "none"))?;
            if start == self.text {
                self.fixed = Some(linked);
                self.verify(std::slice::from_ref(&image))?;
                self.verify_content(&image)?;
                return std::fs::remove_file(trial).map_err(LayoutError::file("remove", trial));
            }
            self.text = start;
        }
        Err(self.broken(
            "the code starts at one address",
            "it still moves after several links",
        ))
    }

    fn broken(&self, promise: &'static str, found: impl Into<String>) -> LayoutError {
        LayoutError::PromiseBroken {
            linker: self.prepared.recipe.linker.kind,
            promise,
            found: found.into(),
        }
    }

    /// Starts, given in the addresses as shipped, as linked.
    fn spot(&self, starts: By) -> Spot {
        let shown = |start: u64| self.windows.shown(start, self.text);
        Spot {
            address: shown(starts[0]),
            other: self.windows.has_other().then(|| shown(starts[1])),
        }
    }

    /// By how much addresses lie behind the first ones of their windows; none before those.
    fn by(&self, spot: Spot) -> Option<By> {
        let (first, shipped) = (self.first(), self.as_shipped());
        let address = spot.address.checked_sub(first.address)?;
        let other = spot.other.or(shipped.other).unwrap_or(0);
        Some([address, other.checked_sub(first.other.unwrap_or(0))?])
    }
}

/// The start of the code that puts `home` at the same place within a page.
fn lead(home: u64, text: u64) -> u64 {
    home.wrapping_sub(text) % PAGE
}

/// A placement without a drawn gap.
fn placement(function: usize, start: u64) -> Placement {
    Placement {
        function,
        gap: 0,
        start,
    }
}

/// Where a file has a function of `image`; none where it has no such one. Of several of one symbol,
/// such as static ones of several objects, it is the one of the same object.
fn in_file(path: &Path, chosen: &Chosen, image: &Path) -> Result<Option<u64>, LayoutError> {
    let symbol = chosen.symbol.as_bytes();
    let found = functions_named(path, symbol)?;
    if found.len() < 2 {
        return Ok(found.first().copied());
    }
    let alike = functions_named(image, symbol)?;
    let place = alike.iter().position(|at| *at == chosen.address);
    let known = place.filter(|_| alike.len() == found.len());
    Ok(known.and_then(|place| found.get(place).copied()))
}

impl Moved {
    /// Where its section starts as shipped.
    fn anchor(&self) -> u64 {
        self.shipped - self.entry
    }
}
