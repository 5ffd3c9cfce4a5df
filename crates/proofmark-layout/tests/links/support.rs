//! Programs compiled for a test, and a recorder that turns their links into recipes.
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use proofmark_layout::{
    ArchiveMember, Captured, Input, InputKind, Linker, LinkerKind, Lto, Recipe,
};
use proofmark_terms::Digest;

/// A folder with sources and what was made of them.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

/// How a project is linked.
pub(crate) struct Link<'a> {
    /// The compiler's driver.
    pub(crate) driver: &'a str,
    pub(crate) kind: LinkerKind,
    /// Arguments of the driver: objects, libraries, flags.
    pub(crate) arguments: &'a str,
}

/// Whether all these tools are there; says which one is not, and fails when the tools are required.
pub(crate) fn tools(names: &[&str]) -> bool {
    let there = |name: &&&str| which(name).is_none();
    let Some(missing) = names.iter().find(there) else {
        return true;
    };
    assert!(
        std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none(),
        "needs {missing}"
    );
    println!("skipped: needs {missing}");
    false
}

pub(crate) fn which(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// The linker program of a kind.
pub(crate) fn linker(kind: LinkerKind) -> &'static str {
    match kind {
        LinkerKind::Lld => "ld.lld-19",
        LinkerKind::GnuLd => "ld.bfd",
        LinkerKind::Gold => "ld.gold",
        LinkerKind::Mold => "ld.mold",
    }
}

pub(crate) fn run(command: &mut Command) -> Vec<u8> {
    let done = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        done.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    done.stdout
}

/// What a program prints; fails when it does not end well.
pub(crate) fn output(program: &Path) -> String {
    String::from_utf8(run(&mut Command::new(program))).unwrap()
}

/// Symbols of functions and data, by name.
pub(crate) fn symbols(image: &Path) -> BTreeMap<String, u64> {
    let listed = String::from_utf8(run(Command::new("nm").arg(image))).unwrap();
    let symbol = |line: &str| {
        let mut words = line.split_whitespace();
        let address = u64::from_str_radix(words.next()?, 16).ok()?;
        Some((words.nth(1)?.to_string(), address))
    };
    // Handles and fillers are not the program's.
    let own = |(name, _): &(String, u64)| !name.starts_with("pm");
    listed.lines().filter_map(symbol).filter(own).collect()
}

impl Project {
    /// A project with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Project {
        let project = Project {
            folder: tempfile::tempdir().unwrap(),
        };
        for (name, text) in files {
            let path = project.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        project
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Runs a command line in the project's folder.
    pub(crate) fn sh(&self, line: &str) {
        run(Command::new("sh")
            .arg("-ec")
            .arg(line)
            .current_dir(self.folder.path()));
    }

    /// Links `app`, and records how.
    pub(crate) fn link(&self, link: &Link<'_>) -> Recipe {
        let shims = self.path("shims");
        let record = self.path("record");
        let _ = fs::remove_dir_all(&record);
        fs::create_dir_all(&shims).unwrap();
        fs::create_dir_all(record.join("lto")).unwrap();
        fs::create_dir_all(record.join("copies")).unwrap();
        let real = which(linker(link.kind)).unwrap();
        // What is deleted after the link (by rustc) is copied before; the linker's own list says
        // what that is.
        let shim = format!(
            r#"#!/bin/sh
for word; do printf '%s\0' "$word"; done > '{record}/argv'
[ "$PM_LTO" ] && set -- "$@" --save-temps=prelink
'{real}' "$@" --dependency-file='{record}/files' || exit
sed '/^$/,$d' '{record}/files' | tr -s ' \\\n' '\n' | while read -r f; do
  case $f in "${{TMPDIR:-/tmp}}"/*.o|*.rlib) [ -f "$f" ] && cp --parents "$f" '{record}/copies';; *.rcgu.o) cp --parents "$f" '{record}/copies';; esac
done
exit 0
"#,
            record = record.display(),
            real = real.display()
        );
        for name in ["ld", "ld.bfd", "ld.gold", "ld.lld"] {
            executable(&shims.join(name), &shim);
        }
        let wrapper =
            String::from_utf8(run(Command::new("gcc").arg("-print-prog-name=lto-wrapper")))
                .unwrap();
        let shim = format!(
            "#!/bin/sh\n'{}' \"$@\" > '{1}/printed' || exit\nn=0\nwhile read -r f; do cp \"$f\" '{1}/lto/'$(printf %04d $n).o; n=$((n+1)); done < '{1}/printed'\ncat '{1}/printed'\n",
            wrapper.trim(),
            record.display()
        );
        executable(&shims.join("lto-wrapper"), &shim);
        let fuse = match link.kind {
            LinkerKind::Lld => "lld",
            LinkerKind::GnuLd => "bfd",
            LinkerKind::Gold => "gold",
            LinkerKind::Mold => "mold",
        };
        let clang_lto = link.driver.starts_with("clang") && link.arguments.contains("-flto");
        let line = if link.driver == "rustc" {
            executable(
                &shims.join("cc"),
                &format!(
                    "#!/bin/sh\nexec gcc -B'{}' \"$@\" -fuse-ld={fuse}\n",
                    shims.display()
                ),
            );
            format!(
                "rustc -C linker={}/cc -o app {}",
                shims.display(),
                link.arguments
            )
        } else {
            format!(
                "{} -B{} -fuse-ld={fuse} -o app {}",
                link.driver,
                shims.display(),
                link.arguments
            )
        };
        let mut command = Command::new("sh");
        command
            .arg("-ec")
            .arg(&line)
            .current_dir(self.folder.path())
            .env("COMPILER_PATH", &shims);
        if clang_lto {
            self.clang_objects()
                .iter()
                .for_each(|path| fs::remove_file(path).unwrap());
            command.env("PM_LTO", "1");
        }
        run(&mut command);
        self.recipe(link, &record, &real, clang_lto)
    }

    /// A recipe of this project's with the image that it was just linked to.
    pub(crate) fn captured<'r>(&self, recipe: &'r Recipe) -> Captured<'r> {
        Captured {
            texts: &[],
            recipe,
            edited: None,
            image: Some(Box::leak(self.path("app").into_boxed_path())),
            own: None,
        }
    }

    fn recipe(&self, link: &Link<'_>, record: &Path, real: &Path, clang_lto: bool) -> Recipe {
        let argv = fs::read(record.join("argv")).unwrap();
        let argv = argv
            .strip_suffix(b"\0")
            .unwrap()
            .split(|byte| *byte == 0)
            .map(|word| OsString::from_vec(word.to_vec()))
            .collect();
        let files = fs::read_to_string(record.join("files")).unwrap();
        let rules = files.split("\n\n").next().unwrap().replace("\\\n", " ");
        let mut given: Vec<&str> = rules
            .split_once(':')
            .unwrap()
            .1
            .split_whitespace()
            .collect();
        given.sort_unstable();
        given.dedup();
        let store = self.path("store");
        fs::create_dir_all(&store).unwrap();
        let inputs = given
            .iter()
            .filter(|given| !given.contains(".lto.") && !given.contains(".ltrans"))
            .map(|given| self.input(&store, given))
            .collect::<Vec<_>>();
        let lto = self.lto(record, clang_lto, &store);
        let inputs: Vec<Input> = inputs
            .into_iter()
            .filter(|input| {
                input.members.is_empty()
                    || !input
                        .members
                        .iter()
                        .any(|member| member.given == input.given)
            })
            .collect();
        let thin: Vec<PathBuf> = inputs
            .iter()
            .flat_map(|input| input.members.iter().map(|member| member.given.clone()))
            .collect();
        let inputs = inputs
            .into_iter()
            .filter(|input| !thin.contains(&input.given))
            .collect();
        Recipe {
            linker: Linker {
                path: real.to_path_buf(),
                kind: link.kind,
                version: String::from_utf8(run(Command::new(real).arg("--version")))
                    .unwrap()
                    .lines()
                    .next()
                    .unwrap()
                    .to_string(),
            },
            argv,
            cwd: self.folder.path().canonicalize().unwrap(),
            env: Vec::new(),
            inputs,
            output: "app".into(),
            lto,
        }
    }

    fn lto(&self, record: &Path, clang: bool, store: &Path) -> Option<Lto> {
        let keep = |paths: Vec<PathBuf>| {
            paths
                .iter()
                .map(|path| self.keep(store, path).0)
                .collect::<Vec<_>>()
        };
        if clang {
            return Some(Lto::Clang {
                objects: keep(self.clang_objects()),
            });
        }
        let objects = keep(files(&record.join("lto")));
        (!objects.is_empty()).then_some(Lto::Gcc { objects })
    }

    /// What `--save-temps=prelink` wrote: beside the image, or beside the module that each is of.
    fn clang_objects(&self) -> Vec<PathBuf> {
        let mut found = files(&self.path(""));
        found.extend(files(&self.path("obj")));
        found.retain(|path| {
            path.file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| name.starts_with("app.lto.") && name.ends_with(".o"))
        });
        found
    }

    fn keep(&self, store: &Path, path: &Path) -> (PathBuf, Digest) {
        let hash = Digest::from(blake3::hash(&fs::read(path).unwrap()));
        let blob = store.join(&*hash);
        let _ = fs::remove_file(&blob);
        fs::copy(path, &blob).unwrap();
        (blob, hash)
    }

    fn input(&self, store: &Path, given: &str) -> Input {
        let copy = self
            .path("record/copies")
            .join(given.trim_start_matches('/'));
        let path = if copy.is_file() {
            copy
        } else {
            self.path(given)
        };
        let content = fs::read(&path).unwrap();
        let kind = match content.as_slice() {
            [0x7f, b'E', b'L', b'F', ..] if content[16] == 1 => InputKind::Object,
            [0x7f, b'E', b'L', b'F', ..] => InputKind::SharedLibrary,
            [b'B', b'C', 0xc0, 0xde, ..] => InputKind::Bitcode,
            _ if content.starts_with(b"!<arch>") => InputKind::Archive,
            _ if content.starts_with(b"!<thin>") => InputKind::ThinArchive,
            _ => InputKind::Script,
        };
        let (blob, hash) = self.keep(store, &path);
        let members = if kind == InputKind::ThinArchive {
            self.members(store, given)
        } else {
            Vec::new()
        };
        Input {
            given: given.into(),
            blob,
            hash,
            kind,
            members,
        }
    }

    fn members(&self, store: &Path, archive: &str) -> Vec<ArchiveMember> {
        let listed = String::from_utf8(run(Command::new("ar")
            .arg("t")
            .arg(archive)
            .current_dir(self.folder.path())))
        .unwrap();
        listed
            .lines()
            .map(|name| {
                let (blob, hash) = self.keep(store, &self.path(name));
                ArchiveMember {
                    given: name.into(),
                    blob,
                    hash,
                }
            })
            .collect()
    }
}

/// The files of a folder, sorted; none of a folder that is not there.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.sort();
    found
}

fn executable(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
