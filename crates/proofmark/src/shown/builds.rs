//! Captured builds, as views show them.

use std::ffi::OsStr;

use proofmark_capture::{
    Builds, Capture, CapturedLink, CompiledObject, LinkKind, RelinkCheck, Removed, Seen, Stale,
    Tool,
};
use proofmark_layout::Movability;
use proofmark_report::Text;
use proofmark_report::builds::{
    BuildView, ImageView, ImmovableView, LinkWord, ObjectView, RelinkView, RemovedView,
    RevisionView, SeenView, StaleView, ToolView, WholeView,
};

/// A captured build.
pub(crate) fn build(capture: &Capture) -> BuildView {
    let environment = capture.environment.iter();
    BuildView {
        name: capture.name.clone(),
        id: capture.id.to_string(),
        created_ms: capture.created_ms,
        proofmark: capture.proofmark.clone(),
        command: texts(&capture.command),
        cwd: Text::of(&capture.cwd),
        revision: capture.revision.as_ref().map(|revision| RevisionView {
            commit: revision.commit.to_string(),
            modified: revision.modified,
            patch: (revision.patch.as_ref()).map(|patch| Text::of(Builds::place_of(patch))),
        }),
        images: capture
            .links
            .iter()
            .map(|link| image(capture, link))
            .collect(),
        chosen: capture.chosen,
        runs: capture.repeats.len() + 1,
        toolchain: capture.toolchain.iter().map(tool).collect(),
        objects: capture.objects.iter().map(object).collect(),
        stale: capture.stale.iter().map(stale).collect(),
        environment: environment
            .map(|(name, value)| (name.clone(), Text::of(value)))
            .collect(),
        warnings: capture.warnings.clone(),
    }
}

/// What was freed with a build.
pub(crate) fn removed(name: &str, freed: &Removed) -> RemovedView {
    RemovedView {
        name: name.to_owned(),
        files: freed.files,
        bytes: freed.bytes,
        unreadable: freed.unreadable,
    }
}

/// Objects that an earlier capture made.
pub(crate) fn stale(stale: &Stale) -> StaleView {
    StaleView {
        capture: stale.capture.clone(),
        objects: stale.objects,
        of: stale.of,
        differs: stale.differs.clone(),
    }
}

fn image(capture: &Capture, link: &CapturedLink) -> ImageView {
    let movability = link.movability.as_ref();
    let immovable = match &link.movability {
        Ok(movability) => {
            let reasons = movability.reasons.iter();
            let view = reasons.map(|reason| ImmovableView {
                why: reason.what.clone(),
                bytes: Some(reason.bytes),
            });
            view.collect()
        }
        Err(why) => vec![ImmovableView {
            why: why.clone(),
            bytes: None,
        }],
    };
    let twice = link.twice.as_ref();
    let lacking = twice.into_iter().flat_map(|twice| &twice.lacking);
    let companions = link.companions.iter();
    let companions = companions.filter(|one| one.kind.is_file());
    ImageView {
        label: capture.label(link),
        kind: match link.kind {
            LinkKind::Executable => LinkWord::Executable,
            LinkKind::SharedLibrary => LinkWord::SharedLibrary,
            LinkKind::Relocatable => LinkWord::Relocatable,
        },
        output: Text::of(&link.output),
        aliases: texts(&link.aliases),
        image: link.image_hash.to_string(),
        linker: link.recipe.linker.version.clone(),
        linker_kind: link.recipe.linker.kind.to_string(),
        relink: match &link.relink {
            RelinkCheck::Identical => RelinkView::Identical,
            RelinkCheck::Differs { how } => RelinkView::Differs { how: how.clone() },
            RelinkCheck::Failed { why } => RelinkView::Failed { why: why.clone() },
        },
        movable: movability.ok().map(Movability::share),
        text_bytes: movability.ok().map(|movability| movability.text_bytes),
        immovable,
        sections_added: link.sections_added,
        compiled_twice: twice.is_some_and(|twice| twice.own.is_some()),
        refused_twice: twice.and_then(|twice| twice.refused.clone()),
        pristine_bytes: (link.pristine.as_ref())
            .map(|pristine| (pristine.text_bytes, pristine.sectioned_text_bytes)),
        whole_objects: lacking
            .map(|lacking| WholeView {
                object: lacking.object.clone(),
                why: lacking.why.clone(),
            })
            .collect(),
        problems: link.problems.clone(),
        companions: companions.map(|one| Text::of(&one.path)).collect(),
    }
}

fn tool(tool: &Tool) -> ToolView {
    ToolView {
        role: tool.role.to_string(),
        path: Text::of(&tool.path),
        version: tool.version.clone(),
        hash: tool.hash.to_string(),
    }
}

fn object(object: &CompiledObject) -> ObjectView {
    ObjectView {
        file: Text::of(&object.file),
        member: object.member.as_ref().map(Text::of),
        hash: object.hash.to_string(),
        seen: match &object.seen {
            Seen::Compiled => SeenView::Compiled,
            Seen::Earlier { capture } => SeenView::Earlier {
                capture: capture.clone(),
            },
            Seen::Assembled => SeenView::Assembled,
            Seen::Linked => SeenView::Linked,
            Seen::Unseen { guess } => SeenView::Unseen {
                guess: guess.clone(),
            },
        },
        compiler: object.compiler.as_ref().map(Text::of),
        flags: texts(&object.flags),
        source: object.source.as_ref().map(Text::of),
    }
}

fn texts(of: &[impl AsRef<OsStr>]) -> Vec<Text> {
    of.iter().map(Text::of).collect()
}
