//! Ideas and stacks in a project's file: which builds they need, and what is refused.

use proofmark_project::{LedgerPlan, Project};

use super::{LUA, read, said};

const IDEAS: &str = r#"
[idea.raw]
hypothesis = "an array in place of a list"
patch = "raw.patch"
[idea.low]
patch = "low.patch"
on = "raw"
[idea.hot]
expected = "3%"
[idea.hot.c1]
flags = "-O3"
[idea.hot.c2]
defines = ["HOT", "N=2"]
[stack.all]
ideas = ["raw", "hot.c1", "low"]
"#;

fn project(ideas: &str) -> Project {
    read(&format!("{LUA}{ideas}")).unwrap()
}

fn plan(project: &Project, asked: &[&str]) -> LedgerPlan {
    let asked: Vec<String> = asked.iter().map(|name| (*name).to_owned()).collect();
    LedgerPlan::of(&project.ideas, &asked).unwrap()
}

/// The builds, each with its ideas.
fn builds(project: &Project, plan: &LedgerPlan) -> Vec<String> {
    let of = |build: &proofmark_project::LedgerBuild| {
        let names = build.ideas.iter().map(|at| &*project.ideas.all[*at].name);
        format!("{}: {}", build.name, names.collect::<Vec<_>>().join(" "))
    };
    plan.builds.iter().map(of).collect()
}

#[test]
fn a_stack_needs_each_build_once() {
    let project = project(IDEAS);
    let plan = plan(&project, &["all"]);
    assert_eq!(
        builds(&project, &plan),
        [
            "base: ",
            "base again: ",
            "raw: raw",
            "low: raw low",
            "hot.c1: hot.c1",
            "all: raw hot.c1 low",
            // Without raw there is no low either, and the rest is hot.c1 alone.
            "all up to hot.c1: raw hot.c1",
        ]
    );
    let at = |name: &str| plan.builds.iter().position(|one| one.name == name).unwrap();
    let low = plan.ideas.iter().find(|one| one.with == at("low")).unwrap();
    assert_eq!(low.against, at("raw"));
    let [raw, hot, low] = plan.stacks[0].places.as_slice() else {
        panic!("{plan:?}");
    };
    assert_eq!(
        [raw.with, raw.below, raw.without],
        [at("raw"), at("base"), at("hot.c1")]
    );
    assert_eq!(raw.gone_too, [1]);
    assert_eq!([hot.with, hot.below], [at("all up to hot.c1"), at("raw")]);
    // The stack without hot.c1 is low with what it stands on.
    assert_eq!([hot.without, low.with], [at("low"), at("all")]);
    assert_eq!([low.below, low.without], [at("all up to hot.c1"); 2]);
}

#[test]
fn an_idea_is_all_of_its_candidates_and_these_take_what_it_says() {
    let project = project(IDEAS);
    let plan = plan(&project, &["hot"]);
    assert_eq!(
        builds(&project, &plan),
        ["base: ", "base again: ", "hot.c1: hot.c1", "hot.c2: hot.c2"]
    );
    let second = &project.ideas.all[3];
    assert_eq!(second.flags(), ["-DHOT", "-DN=2"]);
    assert_eq!(second.definition.expected, Some(0.03));
    let cells = plan.project(&project, &project.ideas).unwrap();
    let axes = &cells.cells.all[3].axes;
    assert_eq!(axes.toolchain, "clang18");
    assert_eq!(
        *cells.definitions.flags[&axes.flags[0]].add,
        ["-DHOT", "-DN=2"]
    );
    assert_eq!(cells.baselines().collect::<Vec<_>>(), ["base"]);
}

#[test]
fn a_build_has_the_patches_of_its_ideas_in_their_order() {
    let project = project(IDEAS);
    let plan = plan(&project, &["all"]);
    let cells = plan.project(&project, &project.ideas).unwrap();
    let all = cells.cells.named("all").unwrap();
    assert_eq!(
        cells.definitions.patches(&all.axes.source),
        ["raw.patch", "low.patch"]
    );
    assert_eq!(*cells.definitions.flags[&all.axes.flags[0]].add, ["-O3"]);
}

#[test]
fn a_name_with_a_plus_is_not_that_of_two_ideas() {
    let project = project(
        "[idea.a]\npatch = \"a.patch\"\nflags = \"-DA\"\n[idea.b]\npatch = \"b.patch\"\n\
         [idea.\"a+b\"]\npatch = \"c.patch\"\nflags = \"-DC\"\n[stack.s]\nideas = [\"a\", \"b\"]\n",
    );
    let plan = plan(&project, &["s", "a+b"]);
    let cells = plan.project(&project, &project.ideas).unwrap();
    for (build, patches, flag) in [
        ("s", &["a.patch", "b.patch"][..], "-DA"),
        ("a+b", &["c.patch"], "-DC"),
    ] {
        let axes = &cells.cells.named(build).unwrap().axes;
        assert_eq!(cells.definitions.patches(&axes.source), patches);
        assert_eq!(*cells.definitions.flags[&axes.flags[0]].add, [flag]);
    }
}

#[test]
fn an_idea_may_change_what_runs_read_alone() {
    let lua = LUA.replacen("path", "tree = \"lib\"\npath", 1);
    let ideas = "[idea.other]\ntree = \"lib.new\"\n[idea.raw]\npatch = \"raw.patch\"\n\
                 [stack.all]\nideas = [\"other\", \"raw\"]\n";
    let project = read(&format!("{lua}{ideas}")).unwrap();
    let plan = plan(&project, &["all"]);
    let cells = plan.project(&project, &project.ideas).unwrap();
    for (name, folder) in [
        ("base", None),
        ("raw", None),
        ("other", Some("lib.new")),
        ("all", Some("lib.new")),
    ] {
        let source = &cells.cells.named(name).unwrap().axes.source;
        assert!(cells.definitions.has_tree(source), "{name}");
        let instead = cells.definitions.sources[source].tree_instead.as_ref();
        let instead = instead.map(|instead| instead.folder.to_str().unwrap());
        assert_eq!(instead, folder, "{name}");
    }
}

#[test]
fn what_cannot_be_meant_is_told_by_name_and_place() {
    let idea = |rest: &str| format!("{LUA}[idea.a]\n{rest}\n[idea.b]\npatch = \"b.patch\"\n");
    let lua = |key: &str| LUA.replacen("path", &format!("{key}\npath"), 1);
    let with_tree = lua("tree = \"lib\"");
    for (text, told) in [
        (idea(""), "idea `a` changes nothing"),
        (idea("patch = []"), "idea `a` changes nothing"),
        (
            idea("patsh = \"x\""),
            "unknown key `patsh`; did you mean `patch`?",
        ),
        (idea("patch = \"a\"\non = \"bb\""), "there is no idea `bb`"),
        (
            idea("patch = \"a\"\non = \"a\""),
            "ideas stand on each other in a circle: a on a",
        ),
        (
            idea("tree = \"lib\""),
            "and source `lua` has none; say which folder it is",
        ),
        (
            format!("{with_tree}[idea.a]\ntree = \"x\"\n[idea.b]\ntree = \"y\"\non = \"a\""),
            "`b` would have two folders in place of base's tree, those of `a` and `b`",
        ),
        (
            lua("tree = \"../lib\""),
            "`../lib` is no folder in the source; name one below `path`",
        ),
        (
            lua("tree_at = \"lib\""),
            "source `lua` has no tree that runs could see there",
        ),
        (
            format!("{with_tree}[source.b]\npath = \"b\"\nbuild = \"{{cc}} {{flags}}\""),
            "source `lua` has a tree and source `b` has none",
        ),
        (idea("patch = \"a\"\nexpected = 5"), "write \"5%\""),
        (
            idea("patch = \"a\"\n[idea.a.c1]\non = \"a.c2\"\n[idea.a.c2]"),
            "which is the same idea",
        ),
        (idea("link = \"-s\""), "has no {ldflags}"),
        (
            format!("{LUA}[idea.\"a.b\"]\npatch = \"x\""),
            "`a.b` is no name for an idea",
        ),
        (
            format!("{LUA}[idea.base]\npatch = \"x\""),
            "cannot be called `base`",
        ),
        (
            format!(
                "{LUA}[idea.a]\npatch = \"a\"\non = \"b\"\n[idea.b]\npatch = \"b\"\non = \"a\""
            ),
            "in a circle: a on b on a",
        ),
        (format!("{LUA}[stack.s]\nideas = []"), "stack `s` is empty"),
        (format!("{LUA}[stack.s]"), "stack `s` is empty"),
        (
            format!("{LUA}{IDEAS}[stack.s]\nideas = [\"rav\"]"),
            "did you mean `raw`?",
        ),
        (
            format!("{LUA}{IDEAS}[stack.s]\nideas = [\"hot\"]"),
            "say which: `hot.c1` or `hot.c2`",
        ),
        (
            format!("{LUA}{IDEAS}[stack.s]\nideas = [\"low\"]"),
            "put `raw` before it",
        ),
        (
            format!("{LUA}{IDEAS}[stack.s]\nideas = [\"raw\", \"raw\"]"),
            "has `raw` twice",
        ),
        (
            format!("{LUA}{IDEAS}[stack.s]\nideas = [\"hot.c1\", \"hot.c2\"]"),
            "two candidates of one idea",
        ),
        (
            format!("{LUA}{IDEAS}[stack.raw]\nideas = [\"raw\"]"),
            "names an idea and a stack",
        ),
        (
            format!(
                "{LUA}[idea.a]\nrev = \"x\"\n[idea.b]\nrev = \"y\"\n[stack.s]\nideas = [\"a\", \"b\"]"
            ),
            "two revisions of the sources, those of `a` and `b`",
        ),
        (
            format!("{LUA}[ledger]\nbase = \"gcc13\""),
            "did you mean `gcc12`?",
        ),
        (format!("{LUA}[ledger]\nrate = \"60%\""), "promises nothing"),
    ] {
        let said = said(&text);
        assert!(said.contains(told), "{told}: {said}");
    }
    let wrong = said(&format!(
        "{LUA}{IDEAS}[stack.s]\nideas = [\"raw\", \"nothing\"]"
    ));
    assert!(wrong.starts_with(":34:17"), "{wrong}");
}
