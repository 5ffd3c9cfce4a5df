//! What a build is: by whom its objects were compiled, and which options are in them.

use std::path::Path;

use proofmark_capture::{CapturedLink, CompiledObject};

use super::asked::{self, missing, tried};
use super::built::FlagReport;
use super::features::{Evidence, present};
use super::job::Job;
use super::linked::{missing_in_link, of_the_link};
use super::parts::Parts;
use super::plan::Workshop;

impl Workshop<'_> {
    /// What the compiler says about the options by themselves.
    pub(super) fn tried(
        &self,
        job: &Job<'_>,
        flags: &[String],
        ldflags: &[String],
    ) -> asked::Tried {
        let words: Vec<String> = flags.iter().chain(ldflags).cloned().collect();
        if words.is_empty() {
            return asked::Tried::default();
        }
        let key = format!("tried {} {words:?}", job.toolchain.hash);
        if let Some(known) = self.memory.get(&key) {
            return known;
        }
        match tried(job.toolchain, &words) {
            Ok(tried) => {
                self.memory.put(&key, &tried);
                tried
            }
            Err(_) => asked::Tried::default(),
        }
    }

    /// What was asked of the compiler for an image, and what came of it. `links` are the words of
    /// those who linked it.
    ///
    /// # Errors
    /// When another compiler made some of it.
    pub(super) fn report(
        &self,
        job: &Job<'_>,
        link: &CapturedLink,
        parts: &Parts<'_>,
        tried: &asked::Tried,
        links: &[Vec<String>],
    ) -> Result<FlagReport, String> {
        let objects = parts.objects.as_slice();
        check_compiler(job, objects)?;
        let (flags, ldflags) = self.words(job.cell);
        let definition = self.definitions.toolchain(&job.cell.axes.toolchain);
        let own: Vec<String> = definition.map(|of| of.flags.0).unwrap_or_default();
        let asked: Vec<String> = own.iter().chain(&flags).cloned().collect();
        let mut lacking = tried.ignored(objects);
        for flag in missing(&asked, objects) {
            if !lacking.iter().any(|known| known.flag == flag.flag) {
                lacking.push(flag);
            }
        }
        let written = format!("{} {}", job.source.build, asked.join(" "));
        let evidence = Evidence {
            image: &link.image,
            blobs: parts.blobs(),
            objects,
            toolchain: job.toolchain,
            written: &written,
        };
        let present = present(&evidence);
        let mut for_link = of_the_link(&asked);
        for_link.extend(ldflags.iter().cloned());
        lacking.extend(missing_in_link(&for_link, links));
        Ok(FlagReport {
            present,
            asked: asked.into_iter().chain(ldflags).collect(),
            missing: lacking,
        })
    }
}

/// The image holds at least one object that this toolchain compiled, and none that another compiler
/// did.
fn check_compiler(job: &Job<'_>, objects: &[&CompiledObject]) -> Result<(), String> {
    let foreign: Vec<&Path> = objects
        .iter()
        .filter_map(|object| object.compiler.as_deref())
        .filter(|compiler| !job.toolchain.has(compiler) && !is_assembler(compiler))
        .collect();
    let Some(compiler) = foreign.first() else {
        return Ok(());
    };
    let said = format!(
        "{} of {} objects were compiled by {}, not by toolchain `{}`",
        foreign.len(),
        objects.len(),
        compiler.display(),
        job.toolchain.name
    );
    Err(format!("{said}{}", remedy(compiler)))
}

/// What to do where this has compiled an object instead of a cell's toolchain.
fn remedy(compiler: &Path) -> &'static str {
    if compiler.file_name().is_some_and(|name| name == "rustc") {
        ": the toolchains of a matrix are compilers of C and C++\n  \
         next: compare builds of cargo by their revisions (compare --rev), or capture them"
    } else {
        ": does its build use {cc}?"
    }
}

fn is_assembler(program: &Path) -> bool {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    name == "as" || name.ends_with("-as")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_builds_with_cargo_is_told_what_can_be_done() {
        assert!(remedy(Path::new("/t/bin/rustc")).contains("next: compare builds of cargo"));
        assert!(remedy(Path::new("/usr/bin/clang-19")).contains("use {cc}?"));
    }
}
