//! One captured build in a few lines.

use super::rows::{
    BuildView, ImageView, LinkWord, RelinkView, RevisionView, SeenView, StaleView, ToolView,
};
use crate::text::printable;

/// So many objects without a second compilation are named.
const NAMED: usize = 3;

/// A captured build: its images, its tools, what can be moved and what cannot; ends with a line
/// feed.
#[must_use]
pub fn shown(build: &BuildView) -> String {
    let mut lines = vec![head(build)];
    match build.image() {
        Some(one) => lines.extend(image(one)),
        None => {
            let images = build.images.iter();
            lines.extend(images.map(|one| format!("  {} {}", kind(one), one.label.display())));
        }
    }
    let patch = build.revision.as_ref();
    let patch = patch.and_then(|revision| revision.patch.as_ref());
    lines.extend(patch.map(|patch| format!("  its changes, as a patch: {patch} in the store")));
    let of_note = ["compiler", "linker"];
    let tools = build.toolchain.iter();
    let tools = tools.filter(|tool| of_note.contains(&tool.role.as_str()));
    lines.extend(tools.map(|one| format!("  {}", tool(one))));
    let unseen = build.objects.iter();
    let unseen = unseen.filter(|object| matches!(object.seen, SeenView::Unseen { .. }));
    let unseen = unseen.count();
    if unseen > 0 {
        let all = build.objects.len();
        lines.push(format!(
            "  {unseen} of {all} objects were not seen being compiled"
        ));
    }
    lines.extend(
        build
            .stale
            .iter()
            .map(|one| format!("  note: {}", one.said())),
    );
    lines.extend(build.warnings.iter().map(|one| format!("  note: {one}")));
    let lines: Vec<String> = lines.iter().map(|line| printable(line)).collect();
    lines.join("\n") + "\n"
}

fn head(build: &BuildView) -> String {
    let mut head = build.name.clone();
    if let Some(revision) = &build.revision {
        head.push_str(&format!(" at {}", revision.said()));
    }
    if build.runs > 1 {
        head.push_str(&format!(", {} builds", build.runs));
    }
    head
}

fn image(image: &ImageView) -> Vec<String> {
    let mut lines = vec![format!(
        "{} {}, linked by {}",
        kind(image),
        image.output,
        image.linker
    )];
    lines.extend(movable(image));
    lines.push(match &image.relink {
        RelinkView::Identical => "linked again as shipped: the same bytes".to_owned(),
        RelinkView::Differs { how } => format!("linked again as shipped it differs: {how}"),
        RelinkView::Failed { why } => format!("it cannot be linked again: {why}"),
    });
    if image.sections_added {
        lines.push(
            "its code is in function sections, which the build's own flags do not ask for \
            (--compile twice leaves the build as it is)"
                .to_owned(),
        );
    }
    if let Some(why) = &image.refused_twice {
        lines.push(format!(
            "layouts move whole objects: with a section for each function it is another program \
             ({why})"
        ));
    } else if image.compiled_twice {
        lines.push(
            "layouts are made of objects that were compiled a second time, with function \
            sections; the build is as it was"
                .to_owned(),
        );
    }
    let whole = &image.whole_objects;
    if !whole.is_empty() {
        lines.push(format!(
            "{} objects were not compiled a second time, and move as a whole:",
            whole.len()
        ));
        let named = whole.iter().take(NAMED);
        lines.extend(named.map(|one| format!("  {}: {}", one.object, one.why)));
        if whole.len() > NAMED {
            lines.push(format!("  and {} more", whole.len() - NAMED));
        }
    }
    if let Some((without, with)) = image.pristine_bytes {
        lines.push(format!(
            "without function sections it has {without} bytes of .text, with them {with}"
        ));
    }
    lines.extend(image.problems.iter().map(|one| format!("note: {one}")));
    lines.into_iter().map(|line| format!("  {line}")).collect()
}

/// How much of its code can be moved, and why not all.
fn movable(image: &ImageView) -> Vec<String> {
    let Some(share) = image.movable else {
        let why = image.immovable.iter().map(|one| one.why.as_str());
        let why: Vec<&str> = why.collect();
        return vec![format!("nothing of it can be moved: {}", why.join("; "))];
    };
    let mut lines = vec![format!(
        "{:.1} % of .text bytes can be moved",
        100.0 * share
    )];
    for one in &image.immovable {
        let part = percent(one.bytes, image.text_bytes);
        lines.push(format!("  {part:.1} % cannot: {}", one.why));
    }
    lines
}

/// Of nothing, nothing.
#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn percent(part: Option<u64>, whole: Option<u64>) -> f64 {
    match (part, whole) {
        (Some(part), Some(whole)) if whole > 0 => 100.0 * part as f64 / whole as f64,
        _ => 0.0,
    }
}

fn kind(image: &ImageView) -> &'static str {
    match image.kind {
        LinkWord::Executable => "executable",
        LinkWord::SharedLibrary => "shared library",
        LinkWord::Relocatable => "relocatable object",
    }
}

fn tool(tool: &ToolView) -> String {
    let version = if tool.version.is_empty() {
        String::new()
    } else {
        format!(": {}", tool.version)
    };
    format!("{} {}{version}", tool.role, tool.path)
}

impl RevisionView {
    fn said(&self) -> String {
        let short = self.commit.get(..12).unwrap_or(&self.commit);
        let changes = if self.modified { " with changes" } else { "" };
        format!("{short}{changes}")
    }
}

impl StaleView {
    /// As the end of a sentence that begins with the build.
    #[must_use]
    pub fn said(&self) -> String {
        let mut said = format!(
            "{} of {} objects are from capture {}, not rebuilt",
            self.objects, self.of, self.capture
        );
        for clause in &self.differs {
            said.push_str(&format!("; {clause}"));
        }
        said
    }
}
