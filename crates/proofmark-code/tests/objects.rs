//! Object files, which have no addresses: what is shown of them counts from the beginning of a
//! section.

use crate::support::{compile, has};
use proofmark_code::{Program, listing};

/// The operand of a branch is the offset that the line has to which it leads, as objdump prints
/// both.
#[test]
fn branches_lead_to_the_offsets_that_are_shown() {
    let targets = [
        ("gcc", &[][..]),
        ("clang-19", &["-target", "aarch64-linux-gnu"][..]),
    ];
    for (compiler, target) in targets {
        if !has(compiler) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let options = [&["-O2", "-c"], target].concat();
        let path = compile(compiler, &options, &["facts.c"], folder.path(), "facts.o");
        let program = Program::open(&path).unwrap();
        let image = &program.images()[0];
        let (mut inside, mut elsewhere) = (0, 0);
        for index in 0..image.functions().len() {
            let lines = listing::listing(image, index, None);
            let shown: Vec<u64> = lines.iter().map(|l| image.shown(l.address).get()).collect();
            let own = image.functions()[index].name();
            for line in &lines {
                let Some((operation, name)) = line.text.split_once(" <") else {
                    continue;
                };
                let Some((_, to)) = operation.split_once(" 0x") else {
                    continue;
                };
                let Ok(to) = u64::from_str_radix(to, 16) else {
                    continue;
                };
                if name.starts_with(&format!("{own}+")) {
                    assert!(shown.contains(&to), "{own}: {}", line.text);
                    inside += 1;
                } else {
                    assert!(to < 1 << 16, "{own}: {}", line.text);
                    elsewhere += 1;
                }
            }
        }
        assert!(inside > 5 && elsewhere > 0, "{inside} {elsewhere}");
    }
}
