//! A project's file: what it means, and how it says what is wrong with it.

use std::path::Path;

use proofmark_project::{Expected, Part, Project, ProjectError, Purpose, Selection};

const FILE: &str = "/p/proofmark.toml";

/// The definitions that the documentation begins with.
const LUA: &str = r#"
[source.lua]
path = "lua"
build = "make CC={cc} MYCFLAGS='{flags}' linux"
image = "src/lua"
[toolchain.clang18]
provider = "pypi:ziglang==0.13.0.post1"
[toolchain.clang19]
command = "clang-19"
version = "19.1"
[flags.taildup]
add = "-mllvm -tail-dup-pred-size=5000"
only = "clang19"
[matrix]
toolchains = ["gcc12", "clang18", "clang19"]
flags = ["", "taildup"]
baselines = ["clang18", "gcc12", "clang19"]
"#;

fn read(text: &str) -> Result<Project, ProjectError> {
    Project::of_text(text, Path::new(FILE))
}

fn names(project: &Project) -> Vec<&str> {
    project
        .cells
        .all
        .iter()
        .map(|cell| cell.name.as_str())
        .collect()
}

/// What is said about a file that is wrong, without its name.
fn said(text: &str) -> String {
    let error = read(text).expect_err("the file is wrong").to_string();
    error
        .strip_prefix(FILE)
        .expect("it begins with the file")
        .to_owned()
}

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
fn a_claim_may_be_of_twice_as_fast_and_more() {
    let claim = |gain: &str| format!("{LUA}\n[claim]\nnew = \"clang19\"\nat_least = {gain}");
    for (gain, expected) in [
        ("\"5%\"", 0.05),
        ("0.05", 0.05),
        ("\"99.9%\"", 0.999),
        ("\"100%\"", 1.0),
        ("\"150 %\"", 1.5),
    ] {
        let project = read(&claim(gain)).unwrap();
        assert!(
            (project.claims["claim"].at_least - expected).abs() < 1e-12,
            "{gain}"
        );
    }
    for (gain, told) in [
        ("1.5", "write \"150%\""),
        ("5", "write \"5%\""),
        ("\"-5%\"", "no sign"),
        ("\"inf%\"", "no more than"),
        ("\"nan%\"", "`nan%`"),
    ] {
        let refused = said(&claim(gain));
        assert!(refused.contains(told), "{gain}: {refused}");
    }
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

#[test]
fn what_is_wrong_is_named_with_its_place_and_the_nearest_name() {
    let with = |from: &str, to: &str| said(&LUA.replace(from, to));
    let cases = [
        (
            "version =",
            "verson =",
            ":10:1: unknown key `verson`; did you mean `version`?",
        ),
        (
            "[toolchain.clang19]",
            "[toolchains.clang19]",
            ":8:2: unknown key `toolchains`; did you mean `toolchain`?",
        ),
        (
            "\"clang18\", \"gcc12\", \"clang19\"]\n",
            "\"clang17\"]\n",
            ":17:14: the baseline `clang17` is not in the matrix; did you mean",
        ),
        (
            "[\"\", \"taildup\"]",
            "[\"\", \"tailup\"]",
            ":16:14: there is no flag set `tailup`; did you mean `taildup`?",
        ),
        (
            "only = \"clang19\"",
            "only = \"clan19\"",
            ":13:1: there is no toolchain `clan19`; did you mean `clang19`?",
        ),
        // It means a compiler by itself, and none of this matrix.
        (
            "only = \"clang19\"",
            "only = \"clang-19\"",
            ":13:1: there is no toolchain `clang-19`; did you mean `clang19`?",
        ),
        (
            "only = \"clang19\"",
            "only = 19",
            ":13:8: invalid type: integer `19`, expected a name or a list of names",
        ),
        ("add = \"-mllvm", "add = \"'-mllvm", ":12:7: a quote in"),
        (
            "[flags.taildup]",
            "[flags.lua]",
            ":11:8: `lua` names a source and a flag set",
        ),
        (
            "[\"\", \"taildup\"]",
            "[\"\", \"\"]",
            ":14:2: the cell `gcc12` is in the matrix twice",
        ),
        ("path = \"lua\"", "path = \"lua", ":3:"),
        (
            "[flags.taildup]",
            "[flags.\"*\"]",
            ":11:8: `*` is no name for a flag set",
        ),
        (
            "[flags.taildup]",
            "[flags.--all]",
            ":11:8: `--all` is no name for a flag set",
        ),
        (
            "[flags.taildup]",
            "[flags.\"a/b\"]",
            ":11:8: `a/b` is no name for a flag set; `/` makes a path of a name in `compare`",
        ),
        (
            "[flags.taildup]",
            "[flags.\"march=native\"]",
            ":11:8: `march=native` is no name for a flag set; `=` ends a label in `compare`",
        ),
        // Compared as they are written: these would leave out nothing, and everything.
        (
            "only = \"clang19\"",
            "except = \"gcc-12\"",
            ":13:1: there is no toolchain `gcc-12`; did you mean `gcc12`?",
        ),
        (
            "only = \"clang19\"",
            "only = \"clang-19\"",
            ":13:1: there is no toolchain `clang-19`; did you mean `clang19`?",
        ),
        (
            "toolchains = [\"gcc12\", \"clang18\", \"clang19\"]\nflags",
            "toolchains = [\"gcc12\", \"clang18\"]\nflags",
            ":16:14: flag set `taildup` is for no toolchain of the matrix",
        ),
    ];
    for (from, to, expected) in cases {
        let said = with(from, to);
        assert!(said.starts_with(expected), "{to}: {said}");
    }
}

#[test]
fn benchmarks_are_checked() {
    let with = |text: &str| said(&format!("{LUA}\n[benchmark.fib]\n{text}"));
    assert!(with("command = \"true\"").starts_with(":20:1: the command does not run the image"));
    assert!(
        with("command = \"{} x\"\nscale = \"N\"\nvalues = [1]")
            .starts_with(":21:1: the scale `N` is not used")
    );
    assert!(
        with("command = \"{} {N}\"\nscale = \"N\"").starts_with(":21:1: the scale has no values")
    );
    assert!(with("command = \"{} 1\"\nvalues = [1]").starts_with(":21:1: there are values"));
    assert!(
        with("command = \"{} {N}\"\nscale = \"N\"\nvalues = [5, 5, 5]")
            .starts_with(":22:1: the value 5 stands there twice")
    );
    assert!(
        with("command = \"{} {args}\"\nscale = \"args\"\nvalues = [10, 20]")
            .starts_with(":21:1: a scale cannot be called `args`")
    );
    for beyond in ["9007199254740992", "9223372036854775807"] {
        let values = format!("values = [1, {beyond}]");
        let said = with(&format!(
            "command = \"{{}} {{N}}\"\nscale = \"N\"\n{values}"
        ));
        let why = format!(":22:1: the value {beyond} is beyond 9007199254740991");
        assert!(said.starts_with(&why), "{said}");
    }
    let said = with("command = \"{}\"\ntimeout = \"300000 years\"");
    assert!(
        said.starts_with(":21:11: a time limit is a year at most"),
        "{said}"
    );
    for cwd in ["fresh", "fresh:runs"] {
        let said = with(&format!("command = \"{{}}\"\ncwd = \"{cwd}\""));
        let why = format!(":21:1: `{cwd}` would be a copy of the folder for each run");
        assert!(said.starts_with(&why), "{said}");
    }
    assert!(with("command = \"{} 1\"\nmetric = \"speed\"").starts_with(":21:10: "));
    assert!(
        with("comand = \"{} 1\"")
            .starts_with(":20:1: unknown key `comand`; did you mean `command`?")
    );
    assert!(
        with("command = \"{}\"\n[claim]\nnew = \"clang17\"")
            .starts_with(":22:1: there is no cell `clang17`")
    );
}

#[test]
fn the_arguments_of_options_go_to_the_image_or_are_refused() {
    let with = |command: &str| {
        let options = "options = [\"\", \"half\"]\n";
        let text = LUA.replace("[matrix]\n", &format!("[matrix]\n{options}"));
        format!(
            "{text}\n[options.half]\nargs = \"--half 'a b'\"\n[benchmark]\ncommand = {command}\nenv = {{ MODE = \"a\", IMAGE = \"{{}}\" }}\n"
        )
    };
    for lost in ["\"sh -c '{} x'\"", "\"run x\""] {
        let refused = said(&with(lost));
        assert!(
            refused.contains("program options `half` have no place in the command"),
            "{refused}"
        );
        assert!(refused.contains("write {args}"), "{refused}");
    }
    let words = |command: &str, options: Option<&str>| {
        let project = read(&with(command)).unwrap();
        let options = options.and_then(|name| project.definitions.options.get(name));
        let record = project.benchmarks["benchmark"].record(&project.folder, options, None);
        let argv = record.argv.iter();
        argv.map(|word| word.as_ref().to_string_lossy().into_owned())
            .collect::<Vec<String>>()
    };
    let shell = "\"sh -c '{} {args} x'\"";
    assert_eq!(
        words(shell, Some("half")),
        ["sh", "-c", "{} --half 'a b' x"]
    );
    assert_eq!(words(shell, None), ["sh", "-c", "{}  x"]);
    let apart = "\"{} x {args} y\"";
    assert_eq!(
        words(apart, Some("half")),
        ["{}", "x", "--half", "a b", "y"]
    );
    assert_eq!(words(apart, None), ["{}", "x", "y"]);
}

#[test]
fn a_variable_of_options_comes_after_the_benchmark_s() {
    let text = format!(
        "{LUA}\n[options.b]\nenv = {{ MODE = \"b\" }}\n[benchmark]\ncommand = \"{{}}\"\nenv = {{ MODE = \"a\", OTHER = \"1\" }}\n"
    );
    let project = read(&text).unwrap();
    let mode = |options: Option<&str>| {
        let options = options.and_then(|name| project.definitions.options.get(name));
        let record = project.benchmarks["benchmark"].record(&project.folder, options, None);
        let modes = record
            .env
            .iter()
            .filter(|(name, _)| name.as_ref() == "MODE");
        modes
            .map(|(_, value)| value.as_ref().to_string_lossy().into_owned())
            .collect::<Vec<String>>()
    };
    assert_eq!(mode(None), ["a"]);
    assert_eq!(mode(Some("b")), ["b"]);
}

#[test]
fn a_compiler_s_path_counts_from_the_file_s_folder() {
    let text = LUA.replace(
        "command = \"clang-19\"",
        "command = \"./tools/cc\"\ncxx = \"/x/c++\"",
    );
    let project = read(&text).unwrap();
    let toolchain = project.definitions.toolchain("clang19").unwrap();
    assert_eq!(toolchain.command.as_deref(), Some("/p/./tools/cc"));
    assert_eq!(toolchain.cxx.as_deref(), Some("/x/c++"));
    let gcc = project.definitions.toolchain("gcc12").unwrap();
    assert_eq!(gcc.command.as_deref(), Some("gcc-12"));
}

#[test]
fn a_benchmark_becomes_a_record() {
    let text = format!(
        "{LUA}\n[options.jit]\nargs = \"--jit 'a b' {{N}}\"\n[benchmark.fib]\ncommand = \"nice {{}} fib.lua {{N}}\"\nscale = \"N\"\nvalues = [20]\nexpected = \"fib-{{N}}.out\"\ncwd = \"bench\"\n"
    );
    let project = read(&text).unwrap();
    let fib = &project.benchmarks["fib"];
    let record = fib.record(
        &project.folder,
        project.definitions.options.get("jit"),
        Some(20),
    );
    let argv: Vec<String> = record
        .argv
        .iter()
        .map(|w| w.as_ref().to_string_lossy().into_owned())
        .collect();
    assert_eq!(argv, ["nice", "{}", "--jit", "a b", "20", "fib.lua", "20"]);
    assert_eq!(record.cwd.as_ref(), "/p/bench");
    let expected = fib.expected(&project.folder, Some(20));
    assert_eq!(expected, Some(Expected::File("/p/fib-20.out".into())));
}

/// What is left of a project of which these cells and benchmarks are asked for.
fn part(text: &str, cells: &[&str], benchmarks: &[&str]) -> Result<Part, String> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let selection = Selection {
        cells: words(cells),
        benchmarks: words(benchmarks),
    };
    let part = read(text)
        .expect("the file is right")
        .part(&selection, Purpose::Measure);
    part.map_err(|problem| problem.to_string())
}

#[test]
fn some_cells_are_asked_for_by_their_names_or_words() {
    let of = |cells: &[&str]| part(LUA, cells, &[]).unwrap();
    let taildup = of(&["taildup clang19", "gcc12"]);
    assert_eq!(names(&taildup.project), ["gcc12", "clang19 taildup"]);
    assert_eq!(taildup.project.baselines().collect::<Vec<_>>(), ["gcc12"]);
    assert_eq!(taildup.notes, [""; 0]);
    let clang19 = of(&["clang19 *"]);
    assert_eq!(names(&clang19.project), ["clang19", "clang19 taildup"]);
    // All that is asked for is all that there is.
    assert_eq!(names(&of(&["*"]).project), names(&read(LUA).unwrap()));
    assert_eq!(names(&of(&[]).project), names(&read(LUA).unwrap()));
    for (asked, told) in [
        ("clang", "did you mean `clang19`?"),
        ("gcc13 *", "did you mean `gcc12`?"),
        ("gcc12 taildup *", "no cell has all of these words"),
    ] {
        let said = part(LUA, &[asked], &[]).err().unwrap();
        assert!(said.contains(told), "{said}");
    }
}

#[test]
fn the_main_baseline_comes_along_where_none_is_named() {
    let with = part(LUA, &["clang19 taildup"], &[]).unwrap();
    assert_eq!(names(&with.project), ["clang18", "clang19 taildup"]);
    assert_eq!(with.project.baselines().collect::<Vec<_>>(), ["clang18"]);
    assert!(
        with.notes[0].starts_with("`clang18` is measured too"),
        "{:?}",
        with.notes
    );
    // Where the file names none, it is the first cell, and stays it.
    let without = LUA.replace("baselines = [\"clang18\", \"gcc12\", \"clang19\"]", "");
    let with = part(&without, &["clang18", "clang19"], &[]).unwrap();
    assert_eq!(names(&with.project), ["gcc12", "clang18", "clang19"]);
    // What is only built needs none.
    let selection = Selection {
        cells: vec!["clang19 taildup".to_owned()],
        benchmarks: Vec::new(),
    };
    let built = read(LUA).unwrap().part(&selection, Purpose::Build).unwrap();
    assert_eq!(names(&built.project), ["clang19 taildup"]);
}

#[test]
fn a_claim_stays_where_all_is_measured_that_it_is_about() {
    let text = format!(
        "{LUA}[benchmark.a]\ncommand = \"{{}} a\"\n[benchmark.b]\ncommand = \"{{}} b\"\n\
         [claim.all]\nnew = \"clang19\"\n[claim.one]\nnew = \"gcc12\"\nbenchmarks = \"a\"\n"
    );
    let of = |cells: &[&str], benchmarks: &[&str]| {
        let part = part(&text, cells, benchmarks).unwrap();
        let claims: Vec<String> = part.project.claims.keys().cloned().collect();
        (claims, part.notes)
    };
    assert_eq!(of(&["clang18", "gcc12", "clang19"], &[]).0, ["all", "one"]);
    let (claims, notes) = of(&["gcc12", "clang18"], &[]);
    assert_eq!(claims, [""; 0]);
    assert!(
        notes[0].contains("claim all is not judged: it is about `clang19` too"),
        "{notes:?}"
    );
    assert_eq!(notes.len(), 2, "{notes:?}");
    let (claims, notes) = of(&[], &["a"]);
    assert_eq!(claims, ["one"]);
    assert!(
        notes[0].contains("claim all is not judged: it is about b too"),
        "{notes:?}"
    );
    let said = part(&text, &[], &["c"]).err().unwrap();
    assert!(said.contains("there is no benchmark `c`"), "{said}");
}

#[test]
fn outputs_that_may_differ_are_not_filtered() {
    let text = format!(
        "{LUA}[benchmark]\ncommand = \"{{}}\"\noutput_filter = \"sort\"\nallow_output_difference = true\n"
    );
    let told = said(&text);
    assert!(told.contains("leave out `output_filter`"), "{told}");
}
