//! Benchmarks of a file, checked and made records of.

use std::path::Path;

use proofmark_project::Expected;

use super::{LUA, read, said};

#[test]
fn benchmarks_are_checked() {
    let with = |text: &str| said(&format!("{LUA}\n[benchmark.fib]\n{text}"));
    assert!(with("command = \"true\"").starts_with(":20:1: the command does not run the image"));
    assert!(
        with("command = \"{} x\"\nscale = \"N\"\nvalues = [1]")
            .starts_with(":21:1: the scale `N` is not used")
    );
    let set_up = "command = \"{} in\"\nsetup = \"seq {N} >in\"\nscale = \"N\"\nvalues = [1]";
    assert!(read(&format!("{LUA}\n[benchmark.fib]\n{set_up}")).is_ok());
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

/// A gate that runs without them judges another command than the one that is timed.
#[test]
fn the_arguments_of_options_go_into_a_gate_as_into_a_benchmark() {
    let words = |command: &str, option: &str| {
        let text = format!(
            "{LUA}\n[options.half]\nargs = \"--half 'a b'\"\n[benchmark]\ncommand = \"{{}}\"\n[gate.right]\ncommand = {command}\n"
        );
        let project = read(&text).unwrap();
        let options = project.definitions.options.get(option);
        let record = project.gates["right"].record(&project.folder, options, Path::new("f"));
        let argv = record.argv.iter();
        argv.map(|word| word.as_ref().to_string_lossy().into_owned())
            .collect::<Vec<String>>()
    };
    let shell = "[\"sh\", \"-c\", \"{} {args} | grep -q right\"]";
    let all = "{} --half 'a b' | grep -q right";
    assert_eq!(words(shell, "half"), ["sh", "-c", all]);
    assert_eq!(words(shell, ""), ["sh", "-c", "{}  | grep -q right"]);
    // No cell has any; where one has, the file is refused.
    let lacks = format!(
        "{LUA}\n[options.half]\nargs = \"--half\"\n[benchmark]\ncommand = \"{{}}\"\n[gate.right]\ncommand = \"check {{}}\"\n"
    );
    assert!(read(&lacks).is_ok());
    let used = lacks.replace("[matrix]\n", "[matrix]\noptions = [\"\", \"half\"]\n");
    // Nor does a variable hold words.
    let in_variable = format!("{used}env = {{ ARGS = \"{{args}}\" }}\n");
    for text in [used, in_variable] {
        let why = read(&text).unwrap_err().to_string();
        assert!(why.contains("options `half` have no place"), "{why}");
    }
    let apart = "\"check {} {args}\"";
    assert_eq!(words(apart, "half"), ["check", "{}", "--half", "a b"]);
    assert_eq!(words(apart, ""), ["check", "{}"]);
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
    let expected = fib.expected(&project.folder, Some(20)).unwrap();
    assert_eq!(expected, Some(Expected::File("/p/fib-20.out".into())));
}

#[test]
fn an_expected_digest_is_one() {
    let expected = |digest: &str| {
        let text =
            format!("{LUA}[benchmark]\ncommand = \"{{}}\"\nexpected = \"blake3:{digest}\"\n");
        let project = read(&text).unwrap();
        project.benchmarks["benchmark"].expected(&project.folder, None)
    };
    let digest = "5e".repeat(32);
    let read = Expected::Digest(digest.parse().unwrap());
    assert_eq!(expected(&digest), Ok(Some(read)));
    let said = expected("5e5e").unwrap_err().to_string();
    assert!(said.contains("`5e5e` is no digest"), "{said}");
}

#[test]
fn outputs_that_may_differ_are_not_filtered() {
    let text = format!(
        "{LUA}[benchmark]\ncommand = \"{{}}\"\noutput_filter = \"sort\"\nallow_output_difference = true\n"
    );
    let told = said(&text);
    assert!(told.contains("leave out `output_filter`"), "{told}");
}
