//! The plan of the house, held against the sources: crates import down the list of
//! `docs/design.md`, and the files of a folder never in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};
use syn::visit::Visit;

/// A module by its path in its crate: `["store", "lock"]`.
type Module = Vec<String>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn metadata() -> Metadata {
    let mut command = MetadataCommand::new();
    command.current_dir(root()).no_deps();
    command.exec().expect("cargo knows its workspace")
}

/// The crates of the workspace that each crate is made with, tests apart.
fn imports(metadata: &Metadata) -> BTreeMap<String, BTreeSet<String>> {
    let names: BTreeSet<String> = metadata
        .packages
        .iter()
        .map(|package| package.name.to_string())
        .collect();
    let of = |package: &cargo_metadata::Package| {
        let used = package.dependencies.iter();
        let used = used.filter(|one| one.kind != DependencyKind::Development);
        used.map(|one| one.name.clone())
            .filter(|name| names.contains(name))
            .collect()
    };
    let packages = metadata.packages.iter();
    packages
        .map(|package| (package.name.to_string(), of(package)))
        .collect()
}

/// All crates of the workspace that a crate stands on.
fn below(imports: &BTreeMap<String, BTreeSet<String>>, name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        for used in imports.get(&name).into_iter().flatten() {
            if found.insert(used.clone()) {
                open.push(used.clone());
            }
        }
    }
    found
}

/// The crates in the order in which the map lists them.
fn listed() -> Vec<String> {
    let design = fs::read_to_string(root().join("docs/design.md")).expect("the map can be read");
    let rooms = design.split("## 2. Rooms").nth(1).unwrap_or_default();
    let list = rooms.split("```").nth(1).unwrap_or_default();
    let words = list.lines().filter_map(|line| {
        line.split_whitespace()
            .find(|word| word.starts_with("proofmark"))
            .filter(|_| !line.starts_with('│'))
    });
    words.map(str::to_owned).collect()
}

#[test]
fn crates_import_down_the_list_only() {
    let imports = imports(&metadata());
    let listed = listed();
    let all: BTreeSet<&String> = imports.keys().collect();
    assert_eq!(
        listed.iter().collect::<BTreeSet<_>>(),
        all,
        "docs/design.md lists every crate"
    );
    let place = |name: &String| listed.iter().position(|known| known == name);
    for (name, used) in &imports {
        for one in used {
            assert!(
                place(name) < place(one),
                "{name} imports {one}, which stands above it"
            );
        }
    }
}

#[test]
fn what_concludes_and_what_shows_start_no_process() {
    let metadata = metadata();
    let imports = imports(&metadata);
    for (name, never) in [
        (
            "proofmark-conclude",
            &[
                "capture", "code", "lab", "layout", "measure", "project", "report",
            ][..],
        ),
        (
            "proofmark-report",
            &["capture", "lab", "layout", "measure", "project"],
        ),
    ] {
        let mut stands_on = below(&imports, name);
        for one in never {
            let one = format!("proofmark-{one}");
            assert!(!stands_on.contains(&one), "{name} stands on {one}");
        }
        stands_on.insert(name.to_owned());
        for package in &metadata.packages {
            if !stands_on.contains(package.name.as_str()) {
                continue;
            }
            let sources = package.manifest_path.with_file_name("src");
            for (module, path) in files(sources.as_std_path()) {
                let text = fs::read_to_string(&path).expect("a source can be read");
                let text = text.split("#[cfg(test)]").next().unwrap_or_default();
                let lines = text.lines().map(str::trim_start);
                let mut code = lines.filter(|line| !line.starts_with("//"));
                let starts = ["process::Command", "process::{Command", "posix_spawn"];
                assert!(
                    !code.any(|line| starts.iter().any(|start| line.contains(start))),
                    "{name} stands on {}, where {} starts processes",
                    package.name,
                    module.join("::")
                );
            }
        }
    }
}

#[test]
fn no_imports_go_in_a_circle() {
    let mut circles = Vec::new();
    for package in &metadata().packages {
        let sources = package.manifest_path.with_file_name("src");
        for (folder, arrows) in Crate::read(sources.as_std_path()).arrows() {
            for (from, to, why) in circle(&arrows) {
                let folder = folder.join("::");
                circles.push(format!("{} {folder}: {from} → {to}: {why}", package.name));
            }
        }
    }
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn a_circle_is_found() {
    let arrow = |from: &str, to: &str| ((from.to_owned(), to.to_owned()), "why".to_owned());
    let straight = [arrow("a", "b"), arrow("b", "c"), arrow("a", "c")];
    assert!(circle(&BTreeMap::from(straight.clone())).is_empty());
    let mut round = BTreeMap::from(straight);
    round.extend([arrow("c", "b")]);
    let found = circle(&round);
    let found: Vec<(&str, &str)> = found.iter().map(|(a, b, _)| (&**a, &**b)).collect();
    assert_eq!(found, [("b", "c"), ("c", "b")]);
}

#[test]
fn a_circle_of_sources_is_found_however_it_is_written() {
    let circle_of = |one: &str, other: &str| {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("can be made");
            fs::write(path, text).expect("can be written");
        };
        write("lib.rs", "mod one; mod other; pub use other::Other;");
        write("one/mod.rs", "pub mod inner; pub struct One;");
        write("one/inner.rs", one);
        write("other.rs", &format!("pub struct Other; {other}"));
        let arrows = Crate::read(folder.path()).arrows();
        !circle(arrows.get(&Module::new()).unwrap_or(&Arrows::new())).is_empty()
    };
    let down = "use crate::other::Other;";
    assert!(!circle_of(down, ""));
    for up in [
        "use crate::one::One;",
        "use crate::{one::{One as Two}};",
        "fn f() { let _ = crate::one::One; }",
        "fn f() { println!(\"{:?}\", [crate::one::One]); }",
        "use super::one::inner;",
    ] {
        assert!(circle_of(down, up), "{up}");
        assert!(circle_of("use crate::Other;", up), "{up}");
    }
    let of_tests = "#[cfg(test)] mod tests { use crate::one::One; }";
    assert!(!circle_of(down, of_tests));
}

/// Imports between the parts of one folder, each with one of its causes.
type Arrows = BTreeMap<(String, String), String>;

/// The arrows that are part of a circle.
fn circle(arrows: &Arrows) -> Vec<(String, String, String)> {
    let reaches = |from: &String, to: &String| {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            for (_, next) in arrows.keys().filter(|(start, _)| start == at) {
                if next == to {
                    return true;
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    };
    let back = arrows.iter().filter(|((from, to), _)| reaches(to, from));
    back.map(|((from, to), why)| (from.clone(), to.clone(), why.clone()))
        .collect()
}

/// The modules of a crate and what each names.
struct Crate {
    named: BTreeMap<Module, Vec<Module>>,
    /// What a module hands on, by its name there.
    handed_on: BTreeMap<Module, BTreeMap<String, Module>>,
}

impl Crate {
    fn read(sources: &Path) -> Crate {
        let mut found = Crate {
            named: BTreeMap::new(),
            handed_on: BTreeMap::new(),
        };
        for (module, path) in files(sources) {
            let text = fs::read_to_string(&path).expect("a source can be read");
            let file = syn::parse_file(&text).map_err(|error| (path, error));
            let file = file.expect("a source can be parsed");
            let mut names = Names::default();
            names.visit_file(&file);
            found.named.insert(module.clone(), names.all);
            found.handed_on.insert(module, names.handed_on);
        }
        found
    }

    /// The imports between the parts of each folder.
    fn arrows(&self) -> BTreeMap<Module, Arrows> {
        let mut all: BTreeMap<Module, Arrows> = BTreeMap::new();
        for (module, named) in &self.named {
            for path in named {
                let Some(target) = self.resolve(module, path, 0) else {
                    continue;
                };
                let same = module.iter().zip(&target).take_while(|(a, b)| a == b);
                let same = same.count();
                if let (Some(from), Some(to)) = (module.get(same), target.get(same)) {
                    let why = format!("{} names {}", module.join("::"), path.join("::"));
                    all.entry(module.iter().take(same).cloned().collect())
                        .or_default()
                        .entry((from.clone(), to.clone()))
                        .or_insert(why);
                }
            }
        }
        all
    }

    /// The module that holds what a path names.
    fn resolve(&self, module: &Module, path: &[String], depth: u32) -> Option<Module> {
        const DEEPEST: u32 = 8;
        let mut at: Module = Vec::new();
        let mut rest = path.iter().peekable();
        match rest.peek()?.as_str() {
            "crate" => drop(rest.next()),
            "self" => {
                rest.next();
                at.clone_from(module);
            }
            "super" => {
                at.clone_from(module);
                while rest.next_if(|part| *part == "super").is_some() {
                    at.pop();
                }
            }
            _ => at.clone_from(module),
        }
        let start = at.len();
        while let Some(part) = rest.peek() {
            let inner: Module = at.iter().chain([*part]).cloned().collect();
            if !self.named.contains_key(&inner) {
                break;
            }
            at = inner;
            rest.next();
        }
        let outside = !matches!(path.first()?.as_str(), "crate" | "self" | "super");
        if outside && at.len() == start {
            return None;
        }
        let handed_on = rest
            .peek()
            .and_then(|name| self.handed_on.get(&at)?.get(*name));
        match handed_on.filter(|_| depth < DEEPEST) {
            Some(path) => self.resolve(&at, path, depth + 1).or(Some(at)),
            None => Some(at),
        }
    }
}

/// The paths that a file names, its tests apart.
#[derive(Default)]
struct Names {
    all: Vec<Module>,
    handed_on: BTreeMap<String, Module>,
}

impl<'a> Visit<'a> for Names {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        let test = |one: &syn::Attribute| one.path().is_ident("cfg");
        if !item.attrs.iter().any(test) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        let mut paths = Vec::new();
        spread(&item.tree, &mut Vec::new(), &mut paths);
        if !matches!(item.vis, syn::Visibility::Inherited) {
            self.handed_on.extend(paths.iter().cloned());
        }
        self.all.extend(paths.into_iter().map(|(_, path)| path));
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.segments.len() > 1 && path.leading_colon.is_none() {
            let parts = path.segments.iter();
            self.all
                .push(parts.map(|part| part.ident.to_string()).collect());
        }
        syn::visit::visit_path(self, path);
    }

    /// What a macro is given is not parsed: the paths in it are those of its text.
    fn visit_macro(&mut self, given: &'a syn::Macro) {
        let text = given.tokens.to_string().replace(" :: ", "::");
        let words = text.split(|letter: char| !letter.is_alphanumeric() && !"_:".contains(letter));
        let paths = words.filter(|word| word.contains("::"));
        self.all.extend(paths.map(|word| {
            let parts = word.split("::").filter(|part| !part.is_empty());
            parts.map(str::to_owned).collect()
        }));
        syn::visit::visit_macro(self, given);
    }
}

/// Every path of a tree of imports, with the name that it gets.
fn spread(tree: &syn::UseTree, before: &mut Module, found: &mut Vec<(String, Module)>) {
    let mut whole = |name: &syn::Ident, called: &syn::Ident| {
        let mut path = before.clone();
        path.extend((name != "self").then(|| name.to_string()));
        found.push((called.to_string(), path));
    };
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            spread(&path.tree, before, found);
            before.pop();
        }
        syn::UseTree::Name(name) => whole(&name.ident, &name.ident),
        syn::UseTree::Rename(name) => whole(&name.ident, &name.rename),
        syn::UseTree::Glob(_) => found.push(("*".to_owned(), before.clone())),
        syn::UseTree::Group(group) => {
            for tree in &group.items {
                spread(tree, before, found);
            }
        }
    }
}

/// The files of a crate by their modules, those of tests apart.
fn files(sources: &Path) -> Vec<(Module, PathBuf)> {
    let mut found = Vec::new();
    let mut open = vec![(Module::new(), sources.to_owned())];
    while let Some((module, folder)) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources can be read") {
            let path = entry.expect("a folder of sources can be read").path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let inner = module.iter().cloned().chain([name.to_string()]).collect();
            if path.is_dir() {
                open.push((inner, path));
            } else if path.extension().is_some_and(|end| end == "rs") && name != "tests" {
                let whole = ["mod", "lib", "main"].contains(&&*name);
                found.push((if whole { module.clone() } else { inner }, path));
            }
        }
    }
    found
}
