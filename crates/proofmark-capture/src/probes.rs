//! What build systems make to find out about the compiler.

use std::path::Path;

/// What build systems link to find out about the compiler, and what cargo runs at build time.
/// Nobody measures these.
pub(crate) fn is_probe(path: &Path) -> bool {
    let folders = ["CMakeFiles", "CMakeTmp", "CMakeScratch", "meson-private"];
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.components()
        .any(|part| folders.iter().any(|folder| part.as_os_str() == *folder))
        || name.starts_with("conftest")
        || name.starts_with("build-script-")
        || name.starts_with("build_script_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_are_known_by_their_places() {
        for path in [
            "/b/CMakeFiles/3.25.1/CompilerIdC/a.out",
            "/b/conftest",
            "/b/target/release/build/x-1/build_script_build-1",
            "/b/meson-private/sanitycheckc.exe",
        ] {
            assert!(is_probe(Path::new(path)), "{path}");
        }
        assert!(!is_probe(Path::new("/b/lua")));
    }
}
