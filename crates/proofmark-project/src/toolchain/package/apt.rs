//! Debian's packages, downloaded by apt and unpacked: neither root nor a change of the system is
//! needed.
//!
//! Packages of the machine's own release are completed by what is installed. Those of another one
//! come with everything that they depend on, its C library and loader too, and run with these.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::driver::{Driver, cxx_of};
use super::relocate::{self, Moved};

/// Packages that together are one compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::toolchain) struct Apt {
    /// The first one is called like its command.
    names: Vec<String>,
    /// The release that they are of; the machine's own when absent.
    suite: Option<String>,
}

impl Apt {
    /// `clang-19`, `clang-19,llvm-19`, `clang-18,llvm-18@trixie`.
    pub(super) fn of(words: &str) -> Option<Apt> {
        let (names, suite) = match words.split_once('@') {
            None => (words, None),
            Some((names, suite)) => (names, Some(suite)),
        };
        let names: Vec<&str> = names.split(',').collect();
        let plain = |name: &&str| is_plain(name);
        (names.iter().all(plain) && suite.as_ref().is_none_or(plain)).then(|| Apt {
            names: names.into_iter().map(str::to_owned).collect(),
            suite: suite.map(str::to_owned),
        })
    }

    /// As it is written in a definition.
    pub(super) fn shown(&self) -> String {
        let suite = self.suite.as_ref().map(|suite| format!("@{suite}"));
        self.names.join(",") + &suite.unwrap_or_default()
    }

    /// The command that they bring.
    pub(super) fn command(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// Whether the distribution has installed all of them where it puts them.
    pub(super) fn is_installed(&self) -> bool {
        let all = |names: &[String]| {
            let mut asked = Command::new("dpkg-query");
            asked.args(["--show", "--showformat=${db:Status-Abbrev}\n"]);
            let said = super::run(asked.args(names)).unwrap_or_default();
            let said = String::from_utf8_lossy(&said);
            said.lines().filter(|line| line.starts_with("ii")).count() >= names.len()
        };
        // One package is known by its command, which others than Debian install too.
        self.suite.is_none() && (self.names.len() == 1 || all(&self.names))
    }

    /// The compiler in the folder where they were unpacked.
    pub(super) fn driver(&self, place: &Path, command: &str) -> Option<Driver> {
        let program = place.join("usr/bin").join(command);
        let cxx = cxx_of(&program, None);
        if self.suite.is_none() {
            return program.exists().then(|| Driver::plain(program, cxx));
        }
        // clang looks for its tools beside the file behind the link, so that it takes its own
        // llvm-profdata and the machine's linker, as every clang does.
        let program = program.canonicalize().ok()?;
        let cxx = cxx_of(&program, None).or(cxx);
        let mut driver = Driver::plain(program, cxx);
        if !driver.is_clang() {
            // gcc's plug-in for the linker wants the C library of its own release, so gcc has the
            // assembler and the linker of that release.
            driver.first = vec![format!("-B{}/usr/bin/", place.display()).into()];
        }
        Some(driver)
    }

    /// Downloads what apt would install, without what is installed, and unpacks it into `fresh`,
    /// from where it will be moved to `place`.
    pub(super) fn install(&self, fresh: &Path, place: &Path) -> Result<(), String> {
        let downloads = fresh.join("downloads");
        create(&downloads)?;
        let client = match &self.suite {
            None => Client::of_the_machine(),
            Some(suite) => Client::of_a_suite(suite, &downloads.join("apt"))?,
        };
        let wanted = client.wanted(&self.names)?;
        if wanted.is_empty() {
            return Err(format!(
                "apt has nothing to download for {}: is it installed, and its command not in PATH?",
                self.shown()
            ));
        }
        client.download(&wanted, &downloads)?;
        for archive in archives(&downloads)? {
            unpack(&archive, fresh)?;
        }
        relocate::programs(&Moved {
            from: fresh,
            to: place,
            with_loader: self.suite.is_some(),
            patchelf: &patchelf(&downloads)?,
        })?;
        fs::remove_dir_all(&downloads)
            .map_err(|error| format!("cannot remove {}: {error}", downloads.display()))
    }
}

fn is_plain(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.+~:".contains(c);
    !word.is_empty() && !word.starts_with('-') && word.chars().all(plain)
}

/// apt-get with what it goes by.
struct Client {
    options: Vec<String>,
}

impl Client {
    fn of_the_machine() -> Client {
        Client {
            options: vec!["-o".to_owned(), "APT::Sandbox::User=root".to_owned()],
        }
    }

    /// One that knows this release alone, from where the machine's own packages come, and nothing
    /// as installed. What it keeps lies in this folder.
    fn of_a_suite(suite: &str, folder: &Path) -> Result<Client, String> {
        for part in ["lists", "state/partial", "cache/archives/partial"] {
            create(&folder.join(part))?;
        }
        let write = |name: &str, text: &str| {
            let place = folder.join(name);
            fs::write(&place, text)
                .map_err(|error| format!("cannot write {}: {error}", place.display()))
        };
        write("status", "")?;
        let from = repository()?;
        write(
            "lists/suite.sources",
            &format!("Types: deb\nURIs: {from}\nSuites: {suite}\nComponents: main\n"),
        )?;
        let folder = folder.display();
        let settings = [
            "Dir::Etc::SourceList=/dev/null".to_owned(),
            format!("Dir::Etc::SourceParts={folder}/lists"),
            format!("Dir::State={folder}/state"),
            format!("Dir::State::Lists={folder}/state"),
            format!("Dir::State::status={folder}/status"),
            format!("Dir::Cache={folder}/cache"),
            "Acquire::Languages=none".to_owned(),
            "Debug::NoLocking=true".to_owned(),
        ];
        let mut client = Client::of_the_machine();
        for setting in settings {
            client.options.extend(["-o".to_owned(), setting]);
        }
        super::run(client.command().args(["--error-on=any", "update"]))
            .map_err(|said| format!("{from} has no packages of `{suite}` for apt: {said}"))?;
        Ok(client)
    }

    fn command(&self) -> Command {
        let mut command = Command::new("apt-get");
        command.arg("-qq").args(&self.options);
        command
    }

    /// What would be installed, by name and version.
    fn wanted(&self, names: &[String]) -> Result<Vec<String>, String> {
        let asked = ["--print-uris", "-y", "--no-install-recommends", "install"];
        let said = super::run(self.command().args(asked).args(names))?;
        let said = String::from_utf8_lossy(&said);
        Ok(said.lines().filter_map(name_and_version).collect())
    }

    fn download(&self, wanted: &[String], folder: &Path) -> Result<(), String> {
        let mut command = self.command();
        super::run(command.arg("download").args(wanted).current_dir(folder)).map(drop)
    }
}

/// Where packages of the machine's own release come from, which has those of other releases too.
fn repository() -> Result<String, String> {
    let asked = "$(CODENAME) $(COMPONENT) $(REPO_URI)";
    let said = super::run(Command::new("apt-get").args(["indextargets", "--format", asked]))?;
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let codename = release
        .lines()
        .find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let wanted = format!("{} main ", codename.unwrap_or_default().trim_matches('"'));
    let said = String::from_utf8_lossy(&said);
    let mut found = said.lines().filter_map(|line| line.strip_prefix(&wanted));
    let found = found.next().map(str::trim).filter(|uri| !uri.contains('$'));
    found.map(str::to_owned).ok_or_else(|| {
        "apt does not say where the packages of this machine's release come from: \
         run apt-get update"
            .to_owned()
    })
}

/// The tool that writes other paths into a program: the machine's, or Debian's package of it.
fn patchelf(downloads: &Path) -> Result<PathBuf, String> {
    if let Some(there) = super::super::driver::on_path("patchelf") {
        return Ok(there);
    }
    let folder = downloads.join("patchelf");
    create(&folder)?;
    Client::of_the_machine().download(&["patchelf".to_owned()], &folder)?;
    for archive in archives(&folder)? {
        unpack(&archive, &folder)?;
    }
    Ok(folder.join("usr/bin/patchelf"))
}

fn create(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder)
        .map_err(|error| format!("cannot create {}: {error}", folder.display()))
}

fn archives(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder)
        .map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut found: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|is| is == "deb"))
        .collect();
    found.sort();
    Ok(found)
}

fn unpack(archive: &Path, into: &Path) -> Result<(), String> {
    super::run(Command::new("dpkg-deb").arg("-x").arg(archive).arg(into)).map(drop)
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

    #[test]
    fn packages_and_their_release_are_told_apart() {
        let of = |words| {
            let apt = Apt::of(words)?;
            assert_eq!(apt.shown(), words);
            Some((apt.command().to_owned(), apt.names.len(), apt.suite))
        };
        assert_eq!(of("g++-12"), Some(("g++-12".to_owned(), 1, None)));
        assert_eq!(
            of("clang-18,llvm-18@trixie"),
            Some(("clang-18".to_owned(), 2, Some("trixie".to_owned())))
        );
        for wrong in [
            "", "@trixie", "a,", "a,-o", "a@", "a@-o", "a@b@c", "a b", "a/b",
        ] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
