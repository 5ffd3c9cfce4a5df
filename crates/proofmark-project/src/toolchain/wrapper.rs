//! The compilers as builds start them: small scripts that add what the definition says.
//!
//! A build gets one word for its compiler, whatever options and variables stand behind it.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use proofmark_capture::hash_bytes;

use super::driver::Driver;

/// The variable that names the copy of the sources: compilers leave its name out of what they
/// write.
pub(crate) const SOURCES: &str = "PROOFMARK_SOURCES";

/// The variable that names the program which notes what a compilation reads, before the compiler
/// starts. It is told how many words the driver is.
pub(crate) const READS: &str = "PROOFMARK_READS";

/// The wrappers of one toolchain.
pub(super) struct Wrappers {
    pub(super) cc: PathBuf,
    pub(super) cxx: Option<PathBuf>,
}

/// Writes the wrappers in a folder named by their content, so that a build in progress never sees
/// one change.
pub(super) fn write(
    folder: &Path,
    name: &str,
    driver: &Driver,
    flags: &[String],
) -> io::Result<Wrappers> {
    let clang = driver.is_clang();
    let cc = script(driver, &driver.program, false, flags);
    let cxx = driver.cxx.as_ref();
    let cxx = cxx.map(|program| script(driver, program, true, flags));
    let mut both = cc.clone();
    both.extend(cxx.iter().flatten());
    let hash = hash_bytes(&both);
    let folder = folder.join(format!("{name}-{}", hash.get(..8).unwrap_or(&hash)));
    let (cc_name, cxx_name) = if clang {
        ("clang", "clang++")
    } else {
        ("gcc", "g++")
    };
    Ok(Wrappers {
        cc: program(&folder.join(cc_name), &cc)?,
        cxx: cxx
            .map(|text| program(&folder.join(cxx_name), &text))
            .transpose()?,
    })
}

fn script(driver: &Driver, program: &Path, cxx: bool, flags: &[String]) -> Vec<u8> {
    let mut text = b"#!/bin/sh\nexec".to_vec();
    let mut add = |word: &OsStr| {
        text.push(b' ');
        text.extend(quoted(word.as_bytes()));
    };
    if !driver.env.is_empty() {
        add("env".as_ref());
        for (name, value) in &driver.env {
            let mut both = name.clone();
            both.push("=");
            both.push(value);
            add(&both);
        }
    }
    // Where several drivers are in a program, the words in front of all options say which.
    let modes = driver.first.iter().take_while(|word| !is_option(word));
    let words = 1 + modes.count();
    let reads = format!(" ${{{READS}:+\"${READS}\" {words}}}");
    text.extend(reads.bytes());
    let mut add = |word: &OsStr| {
        text.push(b' ');
        text.extend(quoted(word.as_bytes()));
    };
    add(program.as_os_str());
    let first = driver.first.iter();
    let first = first.chain(driver.first_cxx.iter().filter(|_| cxx));
    first.for_each(|word| add(word));
    flags.iter().for_each(|word| add(word.as_ref()));
    let map = format!(" ${{{SOURCES}:+\"-ffile-prefix-map=${SOURCES}=.\"}} \"$@\"\n");
    text.extend(map.bytes());
    text
}

fn is_option(word: &OsStr) -> bool {
    word.as_bytes().starts_with(b"-")
}

/// A word that a shell takes as it is.
fn quoted(word: &[u8]) -> Vec<u8> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./=:,+@%".contains(byte);
    if !word.is_empty() && word.iter().all(plain) {
        return word.to_vec();
    }
    let mut out = vec![b'\''];
    for byte in word {
        match byte {
            b'\'' => out.extend(br"'\''"),
            byte => out.push(*byte),
        }
    }
    out.push(b'\'');
    out
}

fn program(place: &Path, text: &[u8]) -> io::Result<PathBuf> {
    if fs::read(place).is_ok_and(|there| there == text) {
        return Ok(place.to_owned());
    }
    let folder = place.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let beside = tempfile::NamedTempFile::new_in(folder)?;
    fs::write(beside.path(), text)?;
    fs::set_permissions(beside.path(), fs::Permissions::from_mode(0o755))?;
    // Closed for writing before anybody can start it.
    let beside = beside.into_temp_path();
    beside.persist(place).map_err(|error| error.error)?;
    Ok(place.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_choose_the_driver_are_counted_and_its_options_are_not() {
        let program = Path::new("/p/zig");
        let plain = Driver::plain(program.to_owned(), None);
        let chosen = Driver {
            first: vec!["clang".into(), "--target=x".into()],
            ..Driver::plain(program.to_owned(), None)
        };
        let of = |driver: &Driver| {
            String::from_utf8_lossy(&script(driver, program, false, &[])).into_owned()
        };
        assert!(of(&plain).contains("\"$PROOFMARK_READS\" 1} /p/zig "));
        assert!(of(&chosen).contains("\"$PROOFMARK_READS\" 2} /p/zig clang --target=x "));
    }
}
