//! Options that were asked for, held against those that reached the compiler.

use std::path::Path;
use std::process::Stdio;

use proofmark_capture::{CompiledObject, Seen};

use super::built::MissingFlag;
use super::option::{is_of_the_driver, is_of_the_link, takes_back, units};
use crate::toolchain::Toolchain;

/// A compilation with its options.
type Compiled<'a> = (&'a CompiledObject, Vec<String>);

/// Options that did not reach every compilation, or were taken back by a later one.
pub(super) fn missing(asked: &[String], objects: &[&CompiledObject]) -> Vec<MissingFlag> {
    let compiled: Vec<Compiled<'_>> = objects
        .iter()
        .filter(|object| matches!(object.seen, Seen::Compiled | Seen::Earlier { .. }))
        .filter(|object| !object.flags.is_empty() && !is_assembly(object))
        .map(|object| {
            let words = object
                .flags
                .iter()
                .map(|word| word.to_string_lossy().into_owned());
            (*object, units(&words.collect::<Vec<String>>()))
        })
        .collect();
    let asked = units(asked);
    let mut found = Vec::new();
    for (at, unit) in asked.iter().enumerate() {
        if is_of_the_link(unit) || is_of_the_driver(unit) {
            continue;
        }
        // What the flag sets take back themselves is no surprise.
        let mut later = asked.iter().skip(at + 1);
        let taken_back = later.any(|later| takes_back(later, unit));
        let overridden = || overridden(unit, &compiled).filter(|_| !taken_back);
        let why = absent(unit, &compiled).or_else(overridden);
        found.extend(why.map(|why| MissingFlag {
            flag: unit.clone(),
            why,
        }));
    }
    found
}

fn absent(unit: &String, compiled: &[Compiled<'_>]) -> Option<String> {
    let without = compiled.iter().filter(|(_, flags)| !flags.contains(unit));
    let without: Vec<&CompiledObject> = without.map(|(object, _)| *object).collect();
    (!without.is_empty()).then(|| format!("did not reach {}", of_all(&without, compiled.len())))
}

fn overridden(unit: &String, compiled: &[Compiled<'_>]) -> Option<String> {
    let behind = compiled.iter().filter_map(|(object, flags)| {
        let last = flags.iter().rposition(|flag| flag == unit)?;
        let mut later = flags.iter().skip(last + 1);
        Some((*object, later.rfind(|flag| takes_back(flag, unit))?))
    });
    let (objects, later): (Vec<&CompiledObject>, Vec<&String>) = behind.unzip();
    let later = later.first()?;
    let objects = of_all(&objects, compiled.len());
    Some(format!(
        "is taken back by {later}, which stands behind it: {objects}"
    ))
}

fn is_assembly(object: &CompiledObject) -> bool {
    let ending = object.source.as_deref().and_then(Path::extension);
    ending.is_some_and(|ending| ["s", "S", "asm"].iter().any(|known| ending == *known))
}

/// `3 of 34 objects (a.c, b.c, …)`.
fn of_all(objects: &[&CompiledObject], all: usize) -> String {
    const MOST: usize = 3;
    let name = |object: &&CompiledObject| {
        let place = object.source.as_ref().unwrap_or(&object.file);
        place
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let mut names: Vec<String> = objects.iter().take(MOST).map(name).collect();
    if objects.len() > MOST {
        names.push("…".to_owned());
    }
    if objects.len() == all {
        return if all == 1 {
            "the only object".to_owned()
        } else {
            format!("any of the {all} objects")
        };
    }
    format!("{} of {all} objects ({})", objects.len(), names.join(", "))
}

/// What a toolchain says about options by themselves, in each language that it compiles.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Tried {
    c: Trial,
    cxx: Option<Trial>,
}

/// What one compiler says.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Trial {
    /// The first error, where it rejects them.
    rejected: Option<String>,
    /// Options that it ignores, in its words.
    ignored: Vec<MissingFlag>,
}

impl Tried {
    /// Why the toolchain rejects the options, where that is why a build failed: the build's own
    /// output says so, or they are taken in no language. They were tried in an empty folder: a file
    /// that they name may be missing there alone.
    pub(super) fn rejected_in(&self, log: impl FnOnce() -> String) -> Option<&str> {
        const OF_FILES: [&str; 4] = ["No such file", "no such file", "cannot open", "not found"];
        let all = || std::iter::once(&self.c).chain(&self.cxx);
        let mut rejected = all().filter_map(|trial| trial.rejected.as_deref());
        let first = rejected.clone().next()?;
        let log = log();
        if let Some(said) = rejected.find(|rejected| log.contains(rejected)) {
            return Some(said);
        }
        let of_a_file = OF_FILES.iter().any(|mark| first.contains(mark));
        (!of_a_file && all().all(|trial| trial.rejected.is_some())).then_some(first)
    }

    /// Options that are ignored in every language of these objects.
    pub(super) fn ignored(&self, objects: &[&CompiledObject]) -> Vec<MissingFlag> {
        let cxx = |object: &&&CompiledObject| is_cxx(object);
        let in_cxx = objects.iter().filter(cxx).count();
        let other = self.cxx.as_ref().filter(|_| in_cxx > 0);
        match other {
            None => self.c.ignored.clone(),
            Some(other) if in_cxx == objects.len() => other.ignored.clone(),
            Some(other) => {
                let both = |one: &&MissingFlag| other.ignored.iter().any(|of| of.flag == one.flag);
                self.c.ignored.iter().filter(both).cloned().collect()
            }
        }
    }
}

fn is_cxx(object: &CompiledObject) -> bool {
    const ENDINGS: [&str; 8] = ["cc", "cpp", "cxx", "c++", "C", "CPP", "cp", "ii"];
    let ending = object.source.as_deref().and_then(Path::extension);
    ending.is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
}

/// Compiles and links an empty program with these options, in C and in C++.
pub(super) fn tried(toolchain: &Toolchain, words: &[String]) -> std::io::Result<Tried> {
    let cxx = toolchain.cxx.as_ref();
    Ok(Tried {
        c: trial(&toolchain.cc, "empty.c", words)?,
        cxx: cxx.map(|cxx| trial(cxx, "empty.cc", words)).transpose()?,
    })
}

fn trial(compiler: &Path, name: &str, words: &[String]) -> std::io::Result<Trial> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join(name);
    std::fs::write(&source, "int main(void) { return 0; }\n")?;
    let mut command = std::process::Command::new(compiler);
    for variable in crate::toolchain::CLEARED {
        command.env_remove(variable);
    }
    let output = command
        .args(words)
        .arg("-o")
        .arg(folder.path().join("empty"))
        .arg(&source)
        .current_dir(folder.path())
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let error = said
            .lines()
            .find(|line| line.contains("error") || line.contains("nknown"));
        let error = error
            .or_else(|| said.lines().next())
            .unwrap_or("it fails and says nothing");
        return Ok(Trial {
            rejected: Some(error.trim().to_owned()),
            ignored: Vec::new(),
        });
    }
    let units = units(words);
    let ignored = said
        .lines()
        .filter(|line| is_about_ignoring(line))
        .filter_map(|line| {
            let flag = units
                .iter()
                .find(|unit| unit.split(' ').any(|word| line.contains(word)))?;
            Some(MissingFlag {
                flag: flag.clone(),
                why: format!("is ignored: {}", line.trim()),
            })
        });
    Ok(Trial {
        rejected: None,
        ignored: ignored.collect(),
    })
}

fn is_about_ignoring(line: &str) -> bool {
    [
        "unused",
        "ignor",
        "not supported",
        "unknown",
        "unrecognized",
        "no effect",
    ]
    .iter()
    .any(|word| line.contains(word))
        && line.contains("warning")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(flags: &[&str]) -> CompiledObject {
        CompiledObject {
            sections_added: false,
            second: None,
            file: "a.o".into(),
            member: None,
            hash: blake3::hash(b"").into(),
            seen: Seen::Compiled,
            compiler: None,
            flags: flags.iter().map(Into::into).collect(),
            source: Some("/x/a.c".into()),
        }
    }

    fn said(asked: &[&str], objects: &[&[&str]]) -> Vec<String> {
        let objects: Vec<CompiledObject> = objects.iter().map(|flags| object(flags)).collect();
        let asked: Vec<String> = asked.iter().map(|word| (*word).to_owned()).collect();
        let missing = missing(&asked, &objects.iter().collect::<Vec<_>>());
        missing
            .into_iter()
            .map(|of| format!("{} {}", of.flag, of.why))
            .collect()
    }

    #[test]
    fn a_file_that_only_the_trial_lacks_rejects_no_options() {
        let trial = |text: Option<&str>| Trial {
            rejected: text.map(str::to_owned),
            ignored: Vec::new(),
        };
        let rejected = |text: &str, log: &str| {
            let tried = Tried {
                c: trial(Some(text)),
                cxx: None,
            };
            tried.rejected_in(|| log.to_owned()).is_some()
        };
        let missing = "<command-line>: fatal error: config.h: No such file or directory";
        assert!(!rejected(missing, "main.c:1:1: error: 'undeclared'"));
        assert!(rejected(missing, &format!("+ cc\n{missing}\n")));
        assert!(rejected("unrecognized command-line option '-fx'", ""));
        // What C++ takes is rejected where the build says so.
        let tried = Tried {
            c: trial(Some("'-std=c++17' not allowed with 'C'")),
            cxx: Some(trial(None)),
        };
        let of_cxx = || "main.cpp:1:1: error: undeclared".to_owned();
        assert_eq!(tried.rejected_in(of_cxx), None);
        let of_c = || "error: '-std=c++17' not allowed with 'C'".to_owned();
        assert!(tried.rejected_in(of_c).is_some());
    }

    #[test]
    fn an_option_is_ignored_where_the_language_of_the_program_ignores_it() {
        let ignored = || Trial {
            rejected: None,
            ignored: vec![MissingFlag {
                flag: "-fno-cxx-exceptions".to_owned(),
                why: "is ignored".to_owned(),
            }],
        };
        let tried = Tried {
            c: ignored(),
            cxx: Some(Trial::default()),
        };
        let c = object(&[]);
        let cxx = CompiledObject {
            source: Some("/x/a.cpp".into()),
            ..object(&[])
        };
        assert_eq!(tried.ignored(&[&c]).len(), 1);
        assert_eq!(tried.ignored(&[&cxx]).len(), 0);
        assert_eq!(tried.ignored(&[&c, &cxx]).len(), 0);
    }

    #[test]
    fn an_option_that_gcc_notes_in_other_words_arrives() {
        let asked = [
            "--param",
            "a=50",
            "--coverage",
            "-xc",
            "-Wp,-DQ",
            "-flto=auto",
        ];
        let noted = [
            "--param=a=50",
            "-fprofile-arcs",
            "-ftest-coverage",
            "-DQ",
            "-flto",
        ];
        assert_eq!(said(&asked, &[&noted]), [""; 0]);
        assert_eq!(
            said(&asked[..2], &[&["-O1"]]),
            ["--param=a=50 did not reach the only object"]
        );
    }

    #[test]
    fn an_option_is_looked_for_with_its_value() {
        let asked = ["-mllvm", "-x=1", "-DA=1", "-Wl,-z,now"];
        assert!(said(&asked, &[&["-O2", "-mllvm", "-x=1", "-D", "A=1", "-c"]]).is_empty());
        assert_eq!(
            said(
                &asked,
                &[
                    &["-mllvm", "-y", "-mllvm", "-x=1", "-DA=1"],
                    &["-x=1", "-DA=1"]
                ]
            ),
            ["-mllvm -x=1 did not reach 1 of 2 objects (a.c)"]
        );
    }

    #[test]
    fn an_option_has_one_name() {
        assert!(said(&["-flto", "-O"], &[&["-flto=full", "-O1"]]).is_empty());
        assert!(
            said(
                &["-ftree-vectorize"],
                &[&["-ftree-vectorize"], &["-fvectorize"]]
            )
            .is_empty()
        );
    }

    #[test]
    fn an_option_that_a_later_one_takes_back_is_missing() {
        assert_eq!(
            said(&["-O3"], &[&["-O3", "-O2"]]),
            ["-O3 is taken back by -O2, which stands behind it: the only object"]
        );
        assert!(said(&["-O3"], &[&["-O2", "-O3"]]).is_empty());
        assert!(said(&["-O3", "-O1"], &[&["-O3", "-O1"]]).is_empty());
        // What never came is missing, also where the flag sets would take it back.
        assert_eq!(
            said(&["-O3", "-O2"], &[&["-O2"]]),
            ["-O3 did not reach the only object"]
        );
        assert_eq!(said(&["-fx"], &[&["-fx", "-fno-x"]]).len(), 1);
        assert!(said(&["-fx=2"], &[&["-fx=2", "-fy"]]).is_empty());
        assert_eq!(
            said(&["-DNDEBUG"], &[&["-DNDEBUG", "-UNDEBUG"]]),
            ["-DNDEBUG is taken back by -UNDEBUG, which stands behind it: the only object"]
        );
    }
}
