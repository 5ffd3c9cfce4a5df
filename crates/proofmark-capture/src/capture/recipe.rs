//! How a link was made, from what its shim saw.

use std::ffi::OsString;
use std::path::PathBuf;

use proofmark_layout::{ArchiveMember, Input, InputKind, Linker, Lto, Recipe};
use proofmark_terms::{Digest, OsText};

use crate::event::{Linked, LinkedInput, LtoCompiler};

/// How a link was made; `blob` says where the file of a hash lies.
pub(super) fn recipe(blob: &dyn Fn(&Digest) -> PathBuf, event: &Linked) -> Recipe {
    let input = |input: &LinkedInput| Input {
        given: path(&input.given),
        blob: blob(&input.hash),
        hash: input.hash.clone(),
        kind: input.kind,
        members: match input.kind {
            InputKind::ThinArchive => input
                .members
                .iter()
                .map(|member| ArchiveMember {
                    given: path(&member.name),
                    blob: blob(&member.hash),
                    hash: member.hash.clone(),
                })
                .collect(),
            _ => Vec::new(),
        },
    };
    let lto = event.lto.as_ref().map(|lto| {
        let objects = lto.objects.iter().map(blob).collect();
        match lto.compiler {
            LtoCompiler::Gcc => Lto::Gcc { objects },
            LtoCompiler::Clang => Lto::Clang { objects },
        }
    });
    Recipe {
        linker: Linker {
            path: path(&event.linker),
            kind: event.about.kind,
            version: event.about.version.clone(),
        },
        argv: event
            .arguments
            .iter()
            .map(|word| word.as_ref().to_owned())
            .collect(),
        cwd: path(&event.cwd),
        env: event
            .environment
            .iter()
            .map(|(name, value)| {
                (
                    OsString::from(name.as_ref()),
                    OsString::from(value.as_ref()),
                )
            })
            .collect(),
        inputs: event.inputs.iter().map(input).collect(),
        output: path(&event.output),
        lto,
    }
}

fn path(text: &OsText) -> PathBuf {
    PathBuf::from(text.as_ref())
}
