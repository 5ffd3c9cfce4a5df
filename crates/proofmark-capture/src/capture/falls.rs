//! Assembly that goes on into the function behind it, without a jump.
//!
//! With function sections that function leaves for a section of its own, and the assembly would go
//! on into whatever comes instead. Such an object is not compiled a second time.

use std::collections::HashMap;
use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol, SectionIndex, SectionKind, SymbolKind};
use proofmark_code::{Program, runs_on};

/// Of the first object, a function that stays in its section, and goes on into one behind it that
/// is not behind it in the second object.
pub(super) fn torn(own: &[u8], second: &[u8]) -> Option<[String; 2]> {
    let there = neighbours(second)?;
    let parted: HashMap<String, String> = neighbours(own)?
        .into_iter()
        .filter_map(|(name, (section, next))| {
            let (other_section, other_next) = there.get(&name)?;
            let parted = section == *other_section && next != *other_next;
            next.filter(|_| parted).map(|next| (name, next))
        })
        .collect();
    if parted.is_empty() {
        return None;
    }
    let program = Program::parse(Path::new("an object"), own.to_vec()).ok()?;
    let image = program.images().first()?;
    let functions = image.functions().iter().enumerate();
    functions.into_iter().find_map(|(index, function)| {
        let name = function.symbol();
        let next = parted.get(&name)?;
        runs_on(image, index).then(|| [name, next.clone()])
    })
}

/// Functions by name, each with the name of its section and the next function in that. `None` when
/// it is no object that can be read.
fn neighbours(object: &[u8]) -> Option<HashMap<String, (String, Option<String>)>> {
    let file = object::File::parse(object).ok()?;
    let mut sections: HashMap<SectionIndex, Vec<(u64, String)>> = HashMap::new();
    for symbol in file.symbols() {
        if let Some(section) = symbol.section_index()
            && symbol.kind() == SymbolKind::Text
        {
            let name = String::from_utf8_lossy(symbol.name_bytes().unwrap_or_default());
            let of = sections.entry(section).or_default();
            of.push((symbol.address(), name.into_owned()));
        }
    }
    let mut found = HashMap::new();
    for (index, mut functions) in sections {
        let section = file.section_by_index(index).ok();
        let Some(section) = section.filter(|section| section.kind() == SectionKind::Text) else {
            continue;
        };
        let name = String::from_utf8_lossy(section.name_bytes().unwrap_or_default()).into_owned();
        functions.sort_unstable();
        for (number, (at, function)) in functions.iter().enumerate() {
            let next = functions[number..].iter().find(|(next, _)| next > at);
            let next = next.map(|(_, next)| next.clone());
            found.insert(function.clone(), (name.clone(), next));
        }
    }
    Some(found)
}
