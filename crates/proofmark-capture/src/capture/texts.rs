//! The texts that the objects of a link were assembled from: of those that a compiler wrote.
//!
//! Labels of assembly that people wrote may count on their distances; such texts are not kept.

use std::collections::HashMap;
use std::io;

use proofmark_layout::{Assembly, Lto, Recipe};
use proofmark_terms::Digest;

use super::run::Run;
use crate::captured::{Capture, CompiledObject};
use crate::event::{Assembled, Compiled, Event};
use crate::objects::Objects;

/// The texts of the objects of a link, moved to the store.
///
/// # Errors
/// When a text cannot be moved there.
pub(super) fn texts(
    run: &Run,
    stored: &Objects,
    earlier: &[Capture],
    (recipe, objects): (&Recipe, &[CompiledObject]),
) -> io::Result<Vec<Assembly>> {
    let known = known(run, stored, earlier);
    let optimised = match &recipe.lto {
        Some(Lto::Gcc { objects }) => objects.as_slice(),
        _ => &[],
    };
    let hashes = objects
        .iter()
        .map(|object| object.second.as_ref().unwrap_or(&object.hash).clone())
        .chain(optimised.iter().filter_map(|blob| Objects::hash_of(blob)));
    let mut found: Vec<Assembly> = Vec::new();
    for hash in hashes {
        let is_there = found.iter().any(|one| one.object == hash);
        let Some(assembly) = known.get(&hash).filter(|_| !is_there) else {
            continue;
        };
        let staged = run.session.staged();
        if let Some(text) = Objects::hash_of(&assembly.text)
            && staged.contains(&text)
        {
            stored.adopt(staged, &text)?;
        }
        found.push(assembly.clone());
    }
    Ok(found)
}

/// Every text that is known, by the hash of its object.
fn known(run: &Run, stored: &Objects, earlier: &[Capture]) -> HashMap<Digest, Assembly> {
    let links = earlier.iter().flat_map(|capture| &capture.links);
    let mut known: HashMap<Digest, Assembly> = links
        .flat_map(|link| &link.texts)
        .map(|assembly| (assembly.object.clone(), assembly.clone()))
        .collect();
    let compiled: Vec<&Compiled> = run.events.iter().filter_map(Event::compiled).collect();
    for event in &run.events {
        if let Event::Assembled(assembled) = event
            && is_compilers(assembled, &compiled)
            && let Some(text) = &assembled.text
        {
            let object = assembled.second.as_ref().unwrap_or(&assembled.hash);
            let assembly = Assembly {
                object: object.clone(),
                text: stored.path(&text.hash),
                assembler: assembled.assembler.as_ref().into(),
                arguments: text
                    .arguments
                    .iter()
                    .map(|word| word.as_ref().to_owned())
                    .collect(),
                cwd: text.cwd.as_ref().into(),
            };
            known.insert(object.clone(), assembly);
        }
    }
    known
}

/// Whether a compiler wrote the text: one whose shim was seen, or clang, which was told to leave
/// its text to an assembler and writes it to a file of its own.
fn is_compilers(assembled: &Assembled, compiled: &[&Compiled]) -> bool {
    let by_clang = || {
        let driver = assembled
            .driver
            .as_ref()
            .map(|driver| driver.as_ref().to_string_lossy());
        let temporary = std::env::temp_dir();
        let in_temporary = |input: &proofmark_terms::OsText| {
            std::path::Path::new(input.as_ref()).starts_with(&temporary)
        };
        driver.is_some_and(|driver| driver.contains("clang"))
            && assembled.inputs.iter().all(in_temporary)
    };
    assembled.compilation(compiled).is_some() || by_clang()
}
