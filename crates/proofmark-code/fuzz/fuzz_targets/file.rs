//! A file read as an executable or an archive, and all that is done with it.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use proofmark_code::listing::listing;
use proofmark_code::{Facts, Program, Sources, diff};

fuzz_target!(|bytes: &[u8]| {
    let Ok(program) = Program::parse(Path::new("fuzz"), bytes.to_vec()) else { return };
    for image in program.images() {
        let sources = Sources::open(image);
        for (index, facts) in Facts::all(image).iter().enumerate() {
            let _ = facts.callees(image);
            if index < 4 {
                let _ = listing(image, index, sources.as_ref());
            }
        }
        let _ = diff::compare(image, image);
    }
});
