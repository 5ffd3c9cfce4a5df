//! Which cells a file has, and what they are called.

use super::{LUA, names, read, said};

#[test]
fn a_matrix_is_the_product_of_what_fits() {
    let project = read(LUA).unwrap();
    assert_eq!(
        names(&project),
        ["gcc12", "clang18", "clang19", "clang19 taildup"]
    );
    let baselines: Vec<&str> = project.baselines().collect();
    assert_eq!(baselines, ["clang18", "gcc12", "clang19"]);
    let add = &project.definitions.flags["taildup"].add;
    assert_eq!(add[..], ["-mllvm", "-tail-dup-pred-size=5000"]);
    assert_eq!(
        project
            .definitions
            .toolchain("gcc12")
            .unwrap()
            .command
            .unwrap(),
        "gcc-12"
    );
}

#[test]
fn definitions_may_stand_on_one_line() {
    let project = read(
        r#"source.lua = { path = "lua", build = "make CC={cc}", image = "src/lua" }
toolchain = { clang19 = { command = "clang-19", version = "19.1" } }
claim = { new = "clang19", at_least = "5%" }
benchmark = { command = "{} fib.lua {N}", scale = "N", values = [20, 30] }
"#,
    )
    .unwrap();
    assert_eq!(names(&project), ["clang19"]);
    assert!((project.claims["claim"].at_least - 0.05).abs() < 1e-12);
    assert_eq!(project.benchmarks["benchmark"].values, [20, 30]);
}

#[test]
fn cells_are_excluded_and_included_by_words() {
    let more = LUA.replace(
        "flags = [",
        "exclude = [\"clang18\"]\ninclude = [\"clang18 lua taildup\"]\nflags = [",
    );
    let more = more.replace("[\"clang18\", \"gcc12\", \"clang19\"]\n\"#", "[\"gcc12\"]");
    let more = more.replace("baselines = [\"clang18\", ", "baselines = [");
    let allowed = more.replace("only = \"clang19\"", "except = \"gcc12\"");
    let project = read(&allowed).unwrap();
    assert_eq!(
        names(&project),
        ["gcc12", "clang19", "clang19 taildup", "clang18 taildup"]
    );
    // What a flag set is not for, it is not for in an included cell either.
    let refused = said(&more);
    assert!(
        refused.starts_with(":17:12: flag set `taildup` is not for toolchain `clang18`"),
        "{refused}"
    );
}

#[test]
fn a_flag_set_may_be_for_a_toolchain_that_only_include_names() {
    let text = LUA.replace("flags = [", "include = [\"clang20 taildup\"]\nflags = [");
    let text = text.replace("only = \"clang19\"", "only = [\"clang19\", \"clang20\"]");
    let project = read(&text).unwrap();
    assert_eq!(names(&project).last(), Some(&"clang20 taildup"));
}

#[test]
fn a_name_means_one_cell() {
    let text = LUA.replace("[\"\", \"taildup\"]", "[\"\", \"x y\", \"y x\", \"x z\"]");
    let sets = ["x", "y", "z"].map(|set| format!("[flags.{set}]\nadd = \"-D{set}\"\n"));
    let text = text.replace("[matrix]", &format!("{}[matrix]", sets.concat()));
    let baselines = "baselines = [\"clang18\", \"gcc12\", \"clang19\"]";
    let with = |names: &str| text.replace(baselines, &format!("baselines = [{names}]"));
    let project = read(&with("\"gcc12 y x\", \"z gcc12 x\"")).unwrap();
    assert_eq!(
        project.baselines().collect::<Vec<_>>(),
        ["gcc12 y x", "gcc12 x z"]
    );
    for name in ["gcc12 x y", "gcc12 y x"] {
        assert_eq!(project.cells.find(name).unwrap().name, name);
    }
    assert!(project.cells.find("x gcc12 y").is_none());
    let refused = said(&with("\"x gcc12 y\""));
    assert!(
        refused.contains("`x gcc12 y` could be `gcc12 x y` or `gcc12 y x`"),
        "{refused}"
    );
    let claim =
        "[benchmark]\ncommand = \"{}\"\n[claim]\nnew = \"gcc12 x z\"\nbase = \"y gcc12 x\"\n";
    let refused = said(&format!("{text}{claim}"));
    assert!(refused.contains("could be"), "{refused}");
    let itself = claim.replace("y gcc12 x", "z x gcc12");
    let refused = said(&format!("{text}{itself}"));
    assert!(refused.contains("against itself"), "{refused}");
}

#[test]
fn a_claim_names_each_benchmark_once() {
    let claim = "[benchmark.b]\ncommand = \"{}\"\n[claim]\nnew = \"clang19\"\nbase = \"gcc12\"\n";
    let with = |names: &str| format!("{LUA}\n{claim}benchmarks = {names}\n");
    assert!(read(&with("[\"b\"]")).is_ok());
    let refused = said(&with("[\"b\", \"b\"]"));
    assert!(refused.contains("`b` is named twice"), "{refused}");
}

#[test]
fn several_sources_are_said_in_the_names() {
    let text = format!("{LUA}\n[source.mended]\nfrom = \"lua\"\npatch = \"a.patch\"\n");
    let error = said(&text);
    assert!(
        error.contains("`clang18` could be `clang18 lua` or `clang18 mended`"),
        "{error}"
    );
    let text = text.replace(
        "[\"clang18\", \"gcc12\", \"clang19\"]\n\n",
        "[\"lua clang18\"]\n",
    );
    let project = read(&text).unwrap();
    assert_eq!(project.cells.all.len(), 8);
    assert_eq!(project.baselines().collect::<Vec<_>>(), ["clang18 lua"]);
}
