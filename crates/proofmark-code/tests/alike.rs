//! Whether two files are one program, whatever a debugger reads in them.

use std::fs;
use std::path::Path;

use crate::support::{has, run};
use proofmark_code::load_alike;

/// A program with a section that is not loaded, for itself to read.
fn built(folder: &Path, payload: &str, options: &[&str]) -> Vec<u8> {
    let (source, out) = (folder.join("p.c"), folder.join("p"));
    let text = format!(
        "__asm__(\".section .payload,\\\"\\\",@progbits\\n.ascii \\\"{payload}\\\"\\n.text\");\n\
         int main(void) {{ return 0; }}\n"
    );
    fs::write(&source, text).unwrap();
    let paths = [source.to_str().unwrap(), "-o", out.to_str().unwrap()];
    run("gcc", &[options, &paths].concat());
    fs::read(&out).unwrap()
}

#[test]
fn what_a_program_may_read_in_its_file_is_part_of_it() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let built = |payload: &str, options: &[&str]| built(folder.path(), payload, options);
    let one = built("work 1", &[]);
    for same in [
        built("work 1", &["-g"]),
        built("work 1", &["-g", "-gz"]),
        built(
            "work 1",
            &["-Wl,--build-id=0x1234567890123456789012345678901234567890"],
        ),
        built("work 1", &["-s"]),
        built("work 1", &["-frecord-gcc-switches"]),
    ] {
        assert!(same != one && load_alike(&one, &same));
    }
    assert!(!load_alike(&one, &built("work 3", &[])));
    assert!(!load_alike(&one, &built("work 3", &["-g"])));
    let behind = |text: &str| [&one, text.as_bytes()].concat();
    assert!(!load_alike(&one, &behind("work 1")));
    assert!(!load_alike(&behind("work 1"), &behind("work 3")));
    let with_debug = [built("work 1", &["-g"]), b"work 1".to_vec()].concat();
    assert!(load_alike(&behind("work 1"), &with_debug));
    let zeros = [one.clone(), vec![0; 1 << 20]].concat();
    assert!(!load_alike(&one, &zeros));
}
