//! Debian's packages, downloaded by apt and unpacked: neither root nor a change of the system is
//! needed.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::driver::{Driver, cxx_of};

pub(super) fn driver(place: &Path, command: &str) -> Option<Driver> {
    let program = place.join("usr/bin").join(command);
    if !program.exists() {
        return None;
    }
    let cxx = cxx_of(&program, None);
    let mut libraries = OsString::new();
    for folder in library_folders(place) {
        if !libraries.is_empty() {
            libraries.push(":");
        }
        libraries.push(folder);
    }
    let mut driver = Driver::plain(program, cxx);
    if !libraries.is_empty() {
        driver.env.push(("LD_LIBRARY_PATH".into(), libraries));
    }
    Some(driver)
}

/// `usr/lib/x86_64-linux-gnu` and the like, where there are libraries.
fn library_folders(place: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(place.join("usr/lib"));
    let folders = entries.into_iter().flatten().filter_map(Result::ok);
    let mut found: Vec<PathBuf> = folders
        .map(|entry| entry.path())
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().contains("-linux-gnu"))
        })
        .collect();
    found.sort();
    found
}

/// Downloads what apt would install, without what is installed, and unpacks it.
pub(super) fn install(package: &str, place: &Path) -> Result<(), String> {
    let wanted = super::run(
        Command::new("apt-get")
            .args([
                "--print-uris",
                "-qq",
                "-y",
                "--no-install-recommends",
                "install",
            ])
            .arg(package),
    )?;
    let wanted: Vec<String> = String::from_utf8_lossy(&wanted)
        .lines()
        .filter_map(name_and_version)
        .collect();
    if wanted.is_empty() {
        return Err(format!(
            "apt has nothing to download for {package}: is it installed, and its command not in PATH?"
        ));
    }
    let downloads = place.join("downloads");
    fs::create_dir(&downloads)
        .map_err(|error| format!("cannot create {}: {error}", downloads.display()))?;
    super::run(
        Command::new("apt-get")
            .args(["-qq", "-o", "APT::Sandbox::User=root", "download"])
            .args(&wanted)
            .current_dir(&downloads),
    )?;
    let archives = fs::read_dir(&downloads).map_err(|error| error.to_string())?;
    for archive in archives.filter_map(Result::ok) {
        super::run(
            Command::new("dpkg-deb")
                .arg("-x")
                .arg(archive.path())
                .arg(place),
        )?;
    }
    fs::remove_dir_all(&downloads)
        .map_err(|error| format!("cannot remove {}: {error}", downloads.display()))
}

/// `'URI' clang-16_1%3a16.0.6_amd64.deb SIZE HASH` → `clang-16=1:16.0.6`.
fn name_and_version(line: &str) -> Option<String> {
    let file = line.split_whitespace().nth(1)?.strip_suffix(".deb")?;
    let mut parts = file.split('_');
    let (name, version) = (parts.next()?, parts.next()?);
    Some(format!("{name}={}", version.replace("%3a", ":")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apt_names_what_it_would_download() {
        let line =
            "'http://deb.debian.org/x.deb' clang-16_1%3a16.0.6-15~deb12u1_amd64.deb 128 MD5Sum:0";
        assert_eq!(
            name_and_version(line).as_deref(),
            Some("clang-16=1:16.0.6-15~deb12u1")
        );
        assert_eq!(name_and_version("Reading package lists..."), None);
    }
}
