//! Lines of source: whichever address is asked for first.

use std::path::Path;

use crate::support::{has, run};
use proofmark_code::{Program, Sources};

/// A function of `a.c` was dropped by the linker: its range then begins at 0, and covers the live
/// code of `b.c`.
const SOURCES: [(&str, &str); 2] = [
    ("b.c", "int second(int x) { return x * 3; }\n"),
    (
        "a.c",
        "int first(int x) { return x + 1; }\n\
        __attribute__((visibility(\"hidden\"))) void dropped(void) { __asm__(\".skip 0x8000, 0x90\"); }\n",
    ),
];

#[test]
#[cfg(target_arch = "x86_64")]
fn a_range_that_the_linker_left_behind_answers_for_nobody_else() {
    if !has("gcc") {
        return;
    }
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lib.so").display().to_string();
        let mut args = vec![
            "-O1",
            "-shared",
            "-fPIC",
            "-nostdlib",
            "-ffunction-sections",
        ];
        args.extend([version, "-Wl,--gc-sections", "-o", &path]);
        let sources = SOURCES.map(|(name, text)| {
            let at = folder.path().join(name);
            std::fs::write(&at, text).unwrap();
            at.display().to_string()
        });
        args.extend(sources.iter().map(String::as_str));
        run("gcc", &args);
        let program = Program::open(Path::new(&path)).unwrap();
        let image = &program.images()[0];
        assert!(!image.functions().iter().any(|f| f.name() == "dropped"));
        for order in [["first", "second"], ["second", "first"]] {
            let sources = Sources::open(image).unwrap();
            for name in order {
                let function = image.functions().iter().find(|f| f.name() == name);
                let line = sources.line(function.unwrap().address()).unwrap();
                let expected = if name == "first" { "a.c" } else { "b.c" };
                assert!(
                    line.file.ends_with(expected),
                    "{version} {order:?} {name}: {line}"
                );
            }
        }
    }
}
