//! Options that were asked for, held against those that reached the compiler.

use std::path::Path;
use std::process::Stdio;

use proofmark_capture::{CompiledObject, Seen};

use super::built::MissingFlag;
use crate::toolchain::Toolchain;

/// Options whose value is the next word.
const WITH_VALUE: [&str; 16] = [
    "-mllvm",
    "-Xclang",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xlinker",
    "-include",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-target",
    "--param",
    "-D",
    "-U",
    "-I",
    "-x",
    "-arch",
];

/// Of several of one family the last counts.
const FAMILIES: [&str; 5] = ["-O", "-march=", "-mcpu=", "-mtune=", "-std="];

/// Options as they are meant: each with its value, in one spelling.
fn units(words: &[String]) -> Vec<String> {
    let mut units = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let value = WITH_VALUE
            .contains(&word.as_str())
            .then(|| rest.next())
            .flatten();
        units.push(match value {
            Some(value) if matches!(word.as_str(), "-D" | "-U" | "-I") => format!("{word}{value}"),
            Some(value) => format!("{word} {value}"),
            None => by_one_name(word).to_owned(),
        });
    }
    units
}

/// clang notes options by the names that they stand for.
fn by_one_name(word: &str) -> &str {
    match word {
        "-flto=full" => "-flto",
        "-O" => "-O1",
        "-ftree-vectorize" => "-fvectorize",
        "-ftree-slp-vectorize" => "-fslp-vectorize",
        word => word,
    }
}

/// Options for the linker: a compilation does not see them.
fn is_of_the_link(unit: &str) -> bool {
    [
        "-Wl,",
        "-l",
        "-L",
        "-Xlinker",
        "-fuse-ld=",
        "--ld-path=",
        "-static",
        "-shared",
        "-rdynamic",
    ]
    .iter()
    .any(|start| unit.starts_with(start))
        || matches!(unit, "-pie" | "-no-pie" | "-s")
}

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
        if is_of_the_link(unit) {
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

/// Options of the link that did not reach it, or were taken back by a later one: `add` and `link`
/// are what was asked of compilations and of the link, `links` the words of those calls of a driver
/// that made the image.
pub(super) fn missing_in_link(
    add: &[String],
    link: &[String],
    links: &[Vec<String>],
) -> Vec<MissingFlag> {
    let given: Vec<Vec<String>> = links.iter().map(|words| units(words)).collect();
    let add = units(add).into_iter().filter(|unit| is_of_the_link(unit));
    let asked: Vec<String> = add.chain(units(link)).collect();
    let mut found = Vec::new();
    for (at, unit) in asked.iter().enumerate() {
        let taken_back = asked.iter().skip(at + 1).any(|later| undoes(later, unit));
        let in_vain = |words: &Vec<String>| {
            let Some(last) = words.iter().rposition(|word| word == unit) else {
                return Some("did not reach the link".to_owned());
            };
            let mut later = words.iter().skip(last + 1);
            let later = later.rfind(|later| undoes(later, unit) && !taken_back)?;
            Some(format!("is taken back by {later}, which stands behind it"))
        };
        let mut why: Vec<Option<String>> = given.iter().map(in_vain).collect();
        // One link of the image that takes it is enough.
        why.sort();
        let none = || Some("did not reach the link".to_owned());
        let why = why.into_iter().next().unwrap_or_else(none);
        found.extend(why.map(|why| MissingFlag {
            flag: unit.clone(),
            why,
        }));
    }
    found
}

/// Whether a later option of the link undoes an earlier one.
fn undoes(later: &str, earlier: &str) -> bool {
    const OPPOSITES: [[&str; 2]; 6] = [
        ["-Wl,-z,now", "-Wl,-z,lazy"],
        ["-Wl,-z,relro", "-Wl,-z,norelro"],
        ["-Wl,-z,execstack", "-Wl,-z,noexecstack"],
        ["-Wl,-Bstatic", "-Wl,-Bdynamic"],
        ["-Wl,--as-needed", "-Wl,--no-as-needed"],
        ["-pie", "-no-pie"],
    ];
    const FAMILIES: [&str; 4] = ["-fuse-ld=", "--ld-path=", "-Wl,-O", "-Wl,--icf="];
    let opposite = |pair: &[&str; 2]| pair.contains(&later) && pair.contains(&earlier);
    let of_one = |start: &&str| later.starts_with(*start) && earlier.starts_with(*start);
    let bare = |flag: &str| flag.replacen("-Wl,--no-", "-Wl,--", 1);
    let negated = later.starts_with("-Wl,--") && bare(later) == bare(earlier);
    later != earlier && (OPPOSITES.iter().any(opposite) || FAMILIES.iter().any(of_one) || negated)
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

/// Whether a later option undoes an earlier one.
fn takes_back(later: &str, earlier: &str) -> bool {
    if later == earlier {
        return false;
    }
    let family = |flag: &str| FAMILIES.iter().position(|start| flag.starts_with(start));
    if let (Some(one), Some(other)) = (family(later), family(earlier)) {
        return one == other;
    }
    let bare = |flag: &str| -> Option<(char, bool, String)> {
        let kind = flag.strip_prefix('-')?.chars().next()?;
        let rest = flag.get(2..)?;
        let name = rest.strip_prefix("no-").unwrap_or(rest);
        let name = name.split('=').next().unwrap_or(name);
        "fm".contains(kind)
            .then(|| (kind, rest.starts_with("no-"), name.to_owned()))
    };
    match (bare(later), bare(earlier)) {
        (Some(one), Some(other)) if one.0 == other.0 && one.2 == other.2 => {
            one.1 != other.1 || (has_one_value(later) && has_one_value(earlier))
        }
        _ => {
            let macros = (defined(later), defined(earlier));
            let parameters = (parameter(later), parameter(earlier));
            let same = |pair: (Option<&str>, Option<&str>)| pair.0.is_some() && pair.0 == pair.1;
            same(macros) || same(parameters)
        }
    }
}

/// Whether an option `-fx=VALUE` has the last of several values, and does not gather them.
fn has_one_value(flag: &str) -> bool {
    const GATHER: [&str; 7] = [
        "sanitize",
        "plugin",
        "prefix-map",
        "module",
        "opt-info",
        "instrument-functions",
        "offload",
    ];
    let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
    !value.is_empty() && !GATHER.iter().any(|gathers| name.contains(gathers))
}

/// The macro that `-D` or `-U` is about.
fn defined(flag: &str) -> Option<&str> {
    let rest = flag
        .strip_prefix("-D")
        .or_else(|| flag.strip_prefix("-U"))?;
    rest.split(['=', '(']).next()
}

/// The parameter that `--param` sets.
fn parameter(flag: &str) -> Option<&str> {
    let rest = flag.strip_prefix("--param")?;
    rest.trim_start_matches([' ', '=']).split('=').next()
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

/// What a compiler says about options by themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Tried {
    /// The first error, where it rejects them.
    pub(super) rejected: Option<String>,
    /// Options that it ignores, in its words.
    pub(super) ignored: Vec<MissingFlag>,
}

/// Compiles and links an empty program with these options.
pub(super) fn tried(toolchain: &Toolchain, words: &[String]) -> std::io::Result<Tried> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("empty.c");
    std::fs::write(&source, "int main(void) { return 0; }\n")?;
    let mut command = std::process::Command::new(&toolchain.cc);
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
        return Ok(Tried {
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
    Ok(Tried {
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
            hash: String::new().into(),
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
    fn an_option_of_the_link_is_looked_for_in_the_link() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
        let missing = |asked: &str, links: &[&str]| {
            let links: Vec<Vec<String>> = links.iter().map(|link| words(link)).collect();
            let missing = missing_in_link(&[], &words(asked), &links).into_iter();
            missing.map(|of| of.flag).collect::<Vec<String>>()
        };
        let asked = "-Wl,-z,now -Xlinker -x";
        assert!(missing(asked, &["-o p a.o -Wl,-z,now -Xlinker -x"]).is_empty());
        assert_eq!(missing(asked, &["-o p a.o -Wl,-z,now"]), ["-Xlinker -x"]);
        assert_eq!(missing("-s", &[]), ["-s"]);
        // Asked of compilations, they are the link's all the same.
        let add = words("-O2 -static");
        let links = [words("-o p a.o")];
        assert_eq!(missing_in_link(&add, &[], &links)[0].flag, "-static");
        for taken_back in [
            "-Wl,-z,now -Wl,-z,lazy",
            "-Wl,--gc-sections -Wl,--no-gc-sections",
            "-no-pie -pie",
        ] {
            let (asked, _) = taken_back.split_once(' ').unwrap();
            assert_eq!(missing(asked, &[taken_back]), [asked]);
            assert!(missing(taken_back, &[taken_back]).is_empty());
        }
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
        for (asked, later) in [
            ("-DX", "-UX"),
            ("-DX=1", "-DX=2"),
            ("-falign-functions=64", "-falign-functions=16"),
            ("-ffp-contract=fast", "-ffp-contract=off"),
        ] {
            assert_eq!(said(&[asked], &[&[asked, later]]).len(), 1, "{asked}");
        }
        assert_eq!(
            said(
                &["--param", "x=1"],
                &[&["--param", "x=1", "--param", "x=2"]]
            )
            .len(),
            1
        );
        for (asked, later) in [
            ("-DX=1", "-DXY=2"),
            ("-fsanitize=address", "-fsanitize=undefined"),
            ("-ffile-prefix-map=a=b", "-ffile-prefix-map=c=d"),
        ] {
            assert!(said(&[asked], &[&[asked, later]]).is_empty(), "{asked}");
        }
    }
}
