//! The programs that made a build.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::found::FoundLink;
use super::run::Run;
use crate::captured::CompiledObject;
use crate::event::Event;
use crate::tools::{Tool, ToolRole, is_gcc};

/// Every program that took part in the links that count.
pub(super) fn of(run: &Run, links: &[FoundLink], objects: &[CompiledObject]) -> Vec<Tool> {
    let mut programs: BTreeSet<(ToolRole, PathBuf)> = BTreeSet::new();
    for FoundLink { event, .. } in links {
        programs.insert((ToolRole::Linker, event.linker.as_ref().into()));
        programs.extend(
            event
                .driver
                .iter()
                .map(|driver| (ToolRole::Driver, driver.as_ref().into())),
        );
        let used = event.lto.as_ref().and(event.plugin.as_ref());
        programs.extend(used.map(|plugin| (ToolRole::LinkerPlugin, plugin.as_ref().into())));
    }
    let assemblers: BTreeSet<PathBuf> = run.events.iter().filter_map(assembler).collect();
    for object in objects {
        let Some(compiler) = &object.compiler else {
            continue;
        };
        let role = if assemblers.contains(compiler) {
            ToolRole::Assembler
        } else {
            ToolRole::Compiler
        };
        programs.insert((role, compiler.clone()));
    }
    if objects
        .iter()
        .any(|object| object.compiler.as_deref().is_some_and(is_gcc))
    {
        programs.extend(
            assemblers
                .into_iter()
                .map(|assembler| (ToolRole::Assembler, assembler)),
        );
    }
    let mut tools: Vec<Tool> = Vec::new();
    for (role, path) in programs {
        let Some(tool) = Tool::examined(role, &path, &[]) else {
            continue;
        };
        if !tools
            .iter()
            .any(|known| known.role == tool.role && known.path == tool.path)
        {
            tools.push(tool);
        }
    }
    tools
}

fn assembler(event: &Event) -> Option<PathBuf> {
    match event {
        Event::Assembled(assembled) => Some(assembled.assembler.as_ref().into()),
        _ => None,
    }
}
