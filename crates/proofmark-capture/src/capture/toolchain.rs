//! The programs that made a build, by their content and by what they say of themselves.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::found::FoundLink;
use crate::event::Event;
use crate::libraries;
use crate::model::{CompiledObject, Tool, ToolLibrary, ToolRole};
use crate::objects::hash_file;

use super::run::Run;

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
        let Some(tool) = tool(role, &path, &[]) else {
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

fn is_gcc(compiler: &Path) -> bool {
    compiler.file_name().is_some_and(|name| {
        ["cc1", "cc1plus", "lto1"]
            .iter()
            .any(|known| name == *known)
    })
}

fn assembler(event: &Event) -> Option<PathBuf> {
    match event {
        Event::Assembled(assembled) => Some(assembled.assembler.as_ref().into()),
        _ => None,
    }
}

/// A program with what it says of itself and what it loads, started with these variables.
pub(crate) fn tool(role: ToolRole, program: &Path, env: &[(OsString, OsString)]) -> Option<Tool> {
    let path = if program.is_absolute() {
        program.to_owned()
    } else {
        crate::shim::find_program(program.as_os_str())?
    };
    let path = path.canonicalize().ok()?;
    let loaded = libraries::loaded(&path, |loader| {
        loader.envs(env.iter().cloned());
    });
    let libraries = loaded.into_iter().filter_map(|library| {
        Some(ToolLibrary {
            hash: hash_file(&library).ok()?,
            path: library,
        })
    });
    Some(Tool {
        role,
        version: if role == ToolRole::LinkerPlugin {
            String::new()
        } else {
            version(&path, env)
        },
        hash: hash_file(&path).ok()?,
        libraries: libraries.collect(),
        path,
    })
}

/// The first line that a program says about its version. gcc's compilers proper say it on their
/// standard error.
fn version(program: &Path, env: &[(OsString, OsString)]) -> String {
    let compiler_proper = is_gcc(program);
    let mut command = Command::new(program);
    if compiler_proper {
        command.args(["-quiet", "-version", "/dev/null", "-o", "/dev/null"]);
    } else {
        command.arg("--version");
    }
    command
        .envs(env.iter().cloned())
        .env("LC_ALL", "C")
        .env_remove("CCC_OVERRIDE_OPTIONS")
        .stdin(Stdio::null());
    let Ok(output) = command.output() else {
        return String::new();
    };
    let said = if compiler_proper {
        &output.stderr
    } else {
        &output.stdout
    };
    String::from_utf8_lossy(said)
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .trim()
        .to_owned()
}
