//! A capture in a few lines for people.

use std::fmt;

use proofmark_layout::Movability;

use crate::captured::{
    Capture, CapturedLink, CompiledObject, LinkKind, RelinkCheck, Seen, Stale, Twice,
};
use crate::tools::ToolRole;

impl fmt::Display for Capture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if let Some(revision) = &self.revision {
            write!(f, " at {revision}")?;
        }
        if !self.repeats.is_empty() {
            write!(f, ", {} builds", self.repeats.len() + 1)?;
        }
        writeln!(f)?;
        match self.chosen.and_then(|chosen| self.links.get(chosen)) {
            Some(link) => write!(f, "{link}")?,
            None => {
                for link in &self.links {
                    writeln!(f, "  {} {}", link.kind, self.label(link).display())?;
                }
            }
        }
        for tool in self
            .toolchain
            .iter()
            .filter(|tool| matches!(tool.role, ToolRole::Compiler | ToolRole::Linker))
        {
            writeln!(f, "  {tool}")?;
        }
        let unseen = self.unseen().count();
        if unseen > 0 {
            writeln!(
                f,
                "  {unseen} of {} objects were not seen being compiled",
                self.objects.len()
            )?;
        }
        for stale in &self.stale {
            writeln!(f, "  note: {stale}")?;
        }
        for warning in &self.warnings {
            writeln!(f, "  note: {warning}")?;
        }
        Ok(())
    }
}

impl fmt::Display for CapturedLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "  {} {}, linked by {}",
            self.kind,
            self.output.display(),
            self.recipe.linker.version
        )?;
        match &self.movability {
            Ok(movability) => write_movability(f, movability)?,
            Err(why) => writeln!(f, "  nothing of it can be moved: {why}")?,
        }
        writeln!(f, "  {}", self.relink)?;
        if self.sections_added {
            writeln!(
                f,
                "  its code is in function sections, which the build's own flags do not ask for (--compile twice leaves the build as it is)"
            )?;
        }
        if let Some(twice) = &self.twice {
            write!(f, "{twice}")?;
        }
        if let Some(pristine) = &self.pristine {
            writeln!(
                f,
                "  without function sections it has {} bytes of .text, with them {}",
                pristine.text_bytes, pristine.sectioned_text_bytes
            )?;
        }
        for problem in &self.problems {
            writeln!(f, "  note: {problem}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Twice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMED: usize = 3;
        if let Some(why) = &self.refused {
            writeln!(
                f,
                "  layouts move whole objects: with a section for each function it is another program ({why})"
            )?;
        } else if self.own.is_some() {
            writeln!(
                f,
                "  layouts are made of objects that were compiled a second time, with function sections; the build is as it was"
            )?;
        }
        if self.lacking.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "  {} objects were not compiled a second time, and move as a whole:",
            self.lacking.len()
        )?;
        for one in self.lacking.iter().take(NAMED) {
            writeln!(f, "    {}: {}", one.object, one.why)?;
        }
        if self.lacking.len() > NAMED {
            writeln!(f, "    and {} more", self.lacking.len() - NAMED)?;
        }
        Ok(())
    }
}

fn write_movability(f: &mut fmt::Formatter<'_>, movability: &Movability) -> fmt::Result {
    writeln!(
        f,
        "  {:.1} % of .text bytes can be moved",
        share(movability.movable_bytes, movability.text_bytes)
    )?;
    for reason in &movability.reasons {
        writeln!(
            f,
            "    {:.1} % cannot: {}",
            share(reason.bytes, movability.text_bytes),
            reason.what
        )?;
    }
    Ok(())
}

/// In percent; of nothing, nothing.
#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        100.0 * part as f64 / whole as f64
    }
}

impl fmt::Display for RelinkCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RelinkCheck::Identical => f.write_str("linked again as shipped: the same bytes"),
            RelinkCheck::Differs { how } => write!(f, "linked again as shipped it differs: {how}"),
            RelinkCheck::Failed { why } => write!(f, "it cannot be linked again: {why}"),
        }
    }
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} objects are from capture {}, not rebuilt",
            self.objects, self.of, self.capture
        )?;
        for clause in &self.differs {
            write!(f, "; {clause}")?;
        }
        Ok(())
    }
}

impl fmt::Display for LinkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LinkKind::Executable => "executable",
            LinkKind::SharedLibrary => "shared library",
            LinkKind::Relocatable => "relocatable object",
        })
    }
}

impl fmt::Display for CompiledObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(member) = &self.member {
            write!(f, "({})", member.display())?;
        }
        match &self.seen {
            Seen::Compiled | Seen::Linked | Seen::Assembled | Seen::Unseen { .. } => Ok(()),
            Seen::Earlier { capture } => write!(f, ", compiled for {capture}"),
        }
    }
}
