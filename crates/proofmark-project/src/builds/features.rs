//! What is in the machine code that compilers and their wrappers switch on by themselves.

use std::path::{Path, PathBuf};

use object::read::archive::ArchiveFile;
use object::{Object, ObjectKind, ObjectSection, ObjectSymbol};
use proofmark_capture::CompiledObject;
use proofmark_terms::Feature;

use crate::toolchain::{Finding, Toolchain};

/// What is looked at.
pub(super) struct Evidence<'a> {
    pub(super) image: &'a Path,
    pub(super) objects: &'a [&'a CompiledObject],
    /// The stored objects, and archives of them.
    pub(super) blobs: Vec<PathBuf>,
    pub(super) toolchain: &'a Toolchain,
    /// What the project writes: the build's command and the flag sets.
    pub(super) written: &'a str,
}

/// Every feature that is in the build.
pub(super) fn present(evidence: &Evidence<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let mut add = |feature: Feature, how: String| {
        if !found.iter().any(|known| known.feature == feature) {
            found.push(Finding {
                asked: asked(feature, evidence),
                feature,
                how,
            });
        }
    };
    if is_pie(evidence.image) {
        add(
            Feature::Pie,
            "the image can be loaded at any address".to_owned(),
        );
    }
    for blob in &evidence.blobs {
        for (feature, how) in of_file(blob) {
            add(feature, how);
        }
    }
    if let Some(cpu) = flags(evidence).find(|flag| is_cpu(flag)) {
        add(Feature::Cpu, format!("compiled with {cpu}"));
    }
    if let Some(zeroed) = zeroed(evidence) {
        add(Feature::ZeroedRegisters, zeroed);
    }
    found.sort_by_key(|finding| finding.feature);
    found
}

fn flags<'a>(evidence: &'a Evidence<'_>) -> impl Iterator<Item = String> + 'a {
    let all = evidence.objects.iter().flat_map(|object| &object.flags);
    all.map(|flag| flag.to_string_lossy().into_owned())
}

fn is_pie(image: &Path) -> bool {
    let Ok(data) = std::fs::read(image) else {
        return false;
    };
    object::File::parse(&*data).is_ok_and(|file| {
        file.kind() == ObjectKind::Dynamic && file.section_by_name(".interp").is_some()
    })
}

/// Of an object, or of the members of an archive.
fn of_file(blob: &Path) -> Vec<(Feature, String)> {
    let data = std::fs::read(blob).unwrap_or_default();
    let Ok(archive) = ArchiveFile::parse(&*data) else {
        return of_object(&data).unwrap_or_default();
    };
    let members = archive.members().filter_map(Result::ok);
    let objects = members.filter_map(|member| of_object(member.data(&*data).ok()?));
    objects.flatten().collect()
}

/// Of one object; of objects for link-time optimisation nothing is known.
fn of_object(data: &[u8]) -> Option<Vec<(Feature, String)>> {
    let file = object::File::parse(data).ok()?;
    let mut found = Vec::new();
    for symbol in file.symbols().filter(ObjectSymbol::is_undefined) {
        let Ok(name) = symbol.name() else { continue };
        if name == "__stack_chk_fail" {
            found.push((Feature::StackProtector, format!("it calls {name}")));
        }
        let sanitizers = ["__asan_", "__ubsan_", "__tsan_", "__msan_", "__hwasan_"];
        if sanitizers.iter().any(|start| name.starts_with(start)) {
            found.push((Feature::Sanitizer, format!("it calls {name}")));
        }
    }
    let property = file.section_by_name(".note.gnu.property");
    if property.is_some_and(|section| section.data().is_ok_and(promises_landing_pads)) {
        found.push((Feature::Cet, "its objects promise landing pads".to_owned()));
    }
    Some(found)
}

/// A program property GNU_PROPERTY_X86_FEATURE_1_AND or GNU_PROPERTY_AARCH64_FEATURE_1_AND that is
/// not empty (the ABIs' supplements).
fn promises_landing_pads(note: &[u8]) -> bool {
    const TYPES: [u32; 2] = [0xc000_0002, 0xc000_0000];
    let word = |at: usize| {
        let bytes = note.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    // After the note's header (three words) and its name ("GNU"), properties: type, size, data.
    let mut at = 16;
    while let (Some(kind), Some(size)) = (word(at), word(at + 4)) {
        if TYPES.contains(&kind) && word(at + 8).is_some_and(|bits| bits & 3 != 0) {
            return true;
        }
        let Ok(size) = usize::try_from(size) else {
            break;
        };
        at = at
            .saturating_add(8)
            .saturating_add(size.next_multiple_of(8));
    }
    false
}

/// A processor beyond the architecture's first.
fn is_cpu(flag: &str) -> bool {
    let named = flag
        .strip_prefix("-march=")
        .or_else(|| flag.strip_prefix("-mcpu="));
    let baseline = ["x86-64", "x86-64-v1", "generic", "armv8-a"];
    named.is_some_and(|cpu| !baseline.contains(&cpu)) || flag.starts_with("-mavx")
}

fn zeroed(evidence: &Evidence<'_>) -> Option<String> {
    let option = flags(evidence).find(|flag| flag.starts_with("-fzero-call-used-regs="));
    match option {
        Some(option) => (!option.ends_with("=skip")).then(|| format!("compiled with {option}")),
        None => by_default(Feature::ZeroedRegisters, evidence.toolchain)
            .then(|| "the compiler's default".to_owned()),
    }
}

fn by_default(feature: Feature, toolchain: &Toolchain) -> bool {
    let defaults = &toolchain.defaults;
    defaults.iter().any(|finding| finding.feature == feature)
}

/// Whether the project writes it down, or its build does: an option in a compilation that does not
/// come from the compiler's command.
fn asked(feature: Feature, evidence: &Evidence<'_>) -> bool {
    let marks: &[&str] = match feature {
        Feature::Pie => &["-fPIE", "-fpie", "-pie", "-static-pie"],
        Feature::Cet => &["-fcf-protection", "-mbranch-protection"],
        Feature::StackProtector => &["-fstack-protector"],
        Feature::ZeroedRegisters => &["-fzero-call-used-regs"],
        Feature::Cpu => &["-march=", "-mcpu=", "-mavx"],
        Feature::Sanitizer => &["-fsanitize"],
    };
    if marks.iter().any(|mark| evidence.written.contains(mark)) {
        return true;
    }
    !by_default(feature, evidence.toolchain)
        && flags(evidence).any(|flag| marks.iter().any(|mark| flag.starts_with(mark)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_note_is_read() {
        let mut note = Vec::new();
        for word in [4_u32, 32, 5, u32::from_le_bytes(*b"GNU\0")] {
            note.extend(word.to_le_bytes());
        }
        for word in [0xc001_0002_u32, 4, 1, 0] {
            note.extend(word.to_le_bytes());
        }
        assert!(!promises_landing_pads(&note));
        for word in [0xc000_0002_u32, 4, 3, 0] {
            note.extend(word.to_le_bytes());
        }
        assert!(promises_landing_pads(&note));
        assert!(!promises_landing_pads(&note[..20]));
    }

    #[test]
    fn the_first_processor_of_an_architecture_is_none_of_its_own() {
        assert!(is_cpu("-march=native") && is_cpu("-mavx2") && is_cpu("-march=x86-64-v3"));
        assert!(!is_cpu("-march=x86-64") && !is_cpu("-mtune=generic"));
    }
}
