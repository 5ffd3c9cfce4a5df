//! Texts from outside: names to demangle, patterns, expectations, profiles.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use proofmark_code::diff::hot::HotSet;
use proofmark_code::expect::Expectations;
use proofmark_code::{Pattern, demangle};

fuzz_target!(|bytes: &[u8]| {
    let _ = HotSet::parse(bytes, 0.01);
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let name = demangle(text);
    if let Ok(pattern) = Pattern::parse(text.get(..64).unwrap_or(text)) {
        let _ = pattern.matches_symbol(&name);
    }
    let _ = Expectations::parse(Path::new("fuzz"), text);
});
