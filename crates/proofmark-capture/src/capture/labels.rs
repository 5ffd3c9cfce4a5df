//! Labels that assembly sets among functions: `asm("start_hot:")` between two of them.
//!
//! With function sections each function leaves for a section of its own, and the label stays
//! behind: what is measured, protected or called by it would be something else. Such an object is
//! not compiled a second time.

use std::collections::{BTreeMap, HashMap};

use object::{Object, ObjectSection, ObjectSymbol, SectionIndex, SectionKind, SymbolKind};

/// What stands around a label in its section, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Around {
    /// The function that it is in.
    In(String),
    /// The last function that begins before it, and the next one from it on.
    Between(Option<String>, Option<String>),
}

/// The first label among the code of an object that does not stand among the same functions in the
/// second one. Where the first is not at hand, a label behind which the second has nothing is taken
/// for one: what followed it has left.
pub(super) fn torn(own: Option<&[u8]>, second: &[u8]) -> Option<String> {
    let second = labels(second)?;
    let own = own.and_then(labels).unwrap_or_default();
    let ends = second.iter().find(|(_, label)| label.ends);
    let moved = own.iter().find(|(name, label)| {
        label.among_functions()
            && second
                .get(*name)
                .is_none_or(|other| other.around != label.around)
    });
    ends.or(moved).map(|(name, _)| name.clone())
}

/// A label among code.
struct Label {
    around: Around,
    /// Nothing stands behind it in its section, and no function begins in that.
    ends: bool,
}

impl Label {
    fn among_functions(&self) -> bool {
        self.around != Around::Between(None, None)
    }
}

/// Labels among code, by name. `None` when it is no object that can be read.
fn labels(object: &[u8]) -> Option<BTreeMap<String, Label>> {
    let file = object::File::parse(object).ok()?;
    let mut functions: HashMap<SectionIndex, Vec<(u64, u64, String)>> = HashMap::new();
    let mut marks: Vec<(SectionIndex, u64, String)> = Vec::new();
    for symbol in file.symbols() {
        let section = symbol.section_index();
        let code = section.and_then(|index| file.section_by_index(index).ok());
        let Some(section) =
            section.filter(|_| code.is_some_and(|of| of.kind() == SectionKind::Text))
        else {
            continue;
        };
        let name = String::from_utf8_lossy(symbol.name_bytes().unwrap_or_default()).into_owned();
        match symbol.kind() {
            SymbolKind::Text => {
                let of = functions.entry(section).or_default();
                of.push((symbol.address(), symbol.size(), name));
            }
            SymbolKind::Unknown | SymbolKind::Label if !name.is_empty() => {
                marks.push((section, symbol.address(), name));
            }
            _ => {}
        }
    }
    functions.values_mut().for_each(|all| all.sort_unstable());
    let around = |(section, at, name): (SectionIndex, u64, String)| {
        let all = functions
            .get(&section)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let inside = all
            .iter()
            .find(|(start, size, _)| *start < at && at < start + size);
        let before = all.iter().rev().find(|(start, ..)| *start < at);
        let next = all.iter().find(|(start, ..)| *start >= at);
        let name_of = |of: Option<&(u64, u64, String)>| of.map(|(.., name)| name.clone());
        let around = match inside {
            Some((.., function)) => Around::In(function.clone()),
            None => Around::Between(name_of(before), name_of(next)),
        };
        let end = file
            .section_by_index(section)
            .map_or(0, |of| of.address() + of.size());
        let ends = all.is_empty() && at == end;
        (name, Label { around, ends })
    };
    Some(marks.into_iter().map(around).collect())
}
