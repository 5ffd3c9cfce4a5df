//! A small program compiled and linked: whether a toolchain works, and what it switches on by
//! itself.

use std::fs;
use std::path::Path;
use std::process::Output;

use object::{Object, ObjectKind, ObjectSection};
use proofmark_terms::Feature;

use super::driver::{Driver, first_line};
use super::error::ToolchainError;
use super::feature::Finding;

/// A buffer that invites a stack protector, a loop that invites wide vectors, an addition that
/// invites a sanitiser, and a leaf whose arguments invite being zeroed.
const PROGRAM: &str = "extern void fill(char *);\n\
    int guarded(void) { char text[64]; fill(text); return text[3]; }\n\
    void scale(float *restrict a, const float *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[i] * 3.0f + a[i]; }\n\
    long leaf(long a, long b, long c, long d) { return a + b * c - d; }\n";

/// What a probe showed.
pub(super) struct Probed {
    /// The first line that the linker says about its version.
    pub(super) linker: String,
    pub(super) defaults: Vec<Finding>,
}

/// Compiles and links, with the definition's options.
pub(super) fn probe(
    name: &str,
    driver: &Driver,
    flags: &[String],
) -> Result<Probed, ToolchainError> {
    let folder = tempfile::tempdir().map_err(ToolchainError::file(
        name,
        "make a folder in",
        std::env::temp_dir(),
    ))?;
    let folder = folder.path();
    let write = |file: &str, text: &str| {
        let place = folder.join(file);
        fs::write(&place, text).map_err(ToolchainError::file(name, "write", place))
    };
    write("probe.c", PROGRAM)?;
    write("main.c", "int main(void) { return 0; }\n")?;
    let run = |doing, arguments: &[&str]| -> Result<Output, ToolchainError> {
        let mut command = driver.command();
        command.current_dir(folder).args(flags).args(arguments);
        let shown = format!("{} {}", driver.program.display(), arguments.join(" "));
        let broken = |said: String| ToolchainError::Broken {
            name: name.to_owned(),
            doing,
            said: format!("{shown}: {said}"),
        };
        let output = command
            .output()
            .map_err(|error| broken(error.to_string()))?;
        if output.status.success() {
            return Ok(output);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let last: Vec<&str> = said.lines().rev().take(3).collect();
        Err(broken(
            last.into_iter().rev().collect::<Vec<_>>().join(" / "),
        ))
    };
    run("compile", &["-O3", "-S", "-o", "probe.s", "probe.c"])?;
    run("link", &["-O2", "-o", "main", "main.c"])?;
    let linker = run("link", &["-Wl,--version", "main.c"])?;
    let text = fs::read_to_string(folder.join("probe.s")).unwrap_or_default();
    let mut defaults = of_assembly(&text);
    defaults.extend(of_image(&folder.join("main")));
    Ok(Probed {
        linker: first_line(&linker.stdout),
        defaults,
    })
}

fn finding(feature: Feature, how: &str) -> Finding {
    Finding {
        feature,
        asked: false,
        how: how.to_owned(),
    }
}

/// What the compiler wrote for the small program. The marks are those of x86-64 and AArch64.
fn of_assembly(text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let has = |marks: &[&str]| marks.iter().any(|mark| text.contains(mark));
    if has(&["endbr64", "bti\tc", "paciasp", "hint\t#25"]) {
        found.push(finding(Feature::Cet, "the compiler's default"));
    }
    if has(&["__stack_chk_fail"]) {
        found.push(finding(Feature::StackProtector, "the compiler's default"));
    }
    if has(&[
        "__asan_",
        "__ubsan_",
        "__tsan_",
        "__msan_",
        "__hwasan_",
        "ud1",
    ]) {
        found.push(finding(Feature::Sanitizer, "the compiler's default"));
    }
    if has(&["%ymm", "%zmm", "vmulps", "vfmadd"]) {
        found.push(finding(Feature::Cpu, "it uses AVX by default"));
    }
    if zeroes_registers(text) {
        found.push(finding(Feature::ZeroedRegisters, "the compiler's default"));
    }
    found
}

/// `leaf` has no reason of its own to clear a register.
fn zeroes_registers(text: &str) -> bool {
    let leaf = text.split_once("\nleaf:").map_or("", |(_, rest)| rest);
    let leaf = leaf.split("\tret").next().unwrap_or_default();
    leaf.lines()
        .filter(|line| line.trim_start().starts_with("xor"))
        .count()
        >= 2
}

fn of_image(image: &Path) -> Option<Finding> {
    let data = fs::read(image).ok()?;
    let file = object::File::parse(&*data).ok()?;
    (file.kind() == ObjectKind::Dynamic).then(|| finding(Feature::Pie, "the compiler's default"))
}

/// Whether what a package makes is what a plain compiler for the GNU target makes.
pub(super) fn check_plain(
    name: &str,
    driver: &Driver,
    flags: &[String],
    probed: &Probed,
) -> Result<(), ToolchainError> {
    let not_plain = |what: String| ToolchainError::NotPlain {
        name: name.to_owned(),
        what,
    };
    let foreign = [Feature::Sanitizer, Feature::Cpu];
    if let Some(found) = probed
        .defaults
        .iter()
        .find(|finding| foreign.contains(&finding.feature) && flags.is_empty())
    {
        return Err(not_plain(format!(
            "{}: {}",
            found.feature.words(),
            found.how
        )));
    }
    let folder = tempfile::tempdir().map_err(ToolchainError::file(
        name,
        "make a folder in",
        std::env::temp_dir(),
    ))?;
    let source = folder.path().join("main.c");
    fs::write(&source, "int main(void) { return 0; }\n")
        .map_err(ToolchainError::file(name, "write", &source))?;
    let image = folder.path().join("main");
    let linked = driver.command().arg(&source).arg("-o").arg(&image).status();
    let interpreter = linked.ok().and_then(|_| interpreter(&image));
    match interpreter {
        Some(loader) if loader.contains("ld-linux") => Ok(()),
        Some(loader) => Err(not_plain(format!(
            "its programs are loaded by {loader}, not by glibc's ld-linux"
        ))),
        None => Err(not_plain("its programs name no loader".to_owned())),
    }
}

/// The loader that a program names.
fn interpreter(image: &Path) -> Option<String> {
    let data = fs::read(image).ok()?;
    let file = object::File::parse(&*data).ok()?;
    let name = file.section_by_name(".interp")?.data().ok()?;
    Some(
        String::from_utf8_lossy(name)
            .trim_end_matches('\0')
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeroed_registers_are_told_from_a_plain_return() {
        assert!(!zeroes_registers(
            "\nleaf:\n\timulq\t%rdx, %rsi\n\tleaq\t(%rdi,%rsi), %rax\n\tret\n"
        ));
        assert!(zeroes_registers(
            "\nleaf:\n\timulq\t%rdx, %rsi\n\txorl\t%edx, %edx\n\txorl\t%esi, %esi\n\tret\n"
        ));
    }
}
