//! What is measured is what was asked, all of it and nothing else: programs that go about it in an
//! unusual way.

mod inputs;

use crate::support::{Project, Said};

/// Compares two executables in a few short blocks.
fn compare(project: &Project, how: &[&str]) -> Said {
    project.run(&comparison(how))
}

fn comparison<'a>(how: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["compare", "./base", "./new", "--json"];
    if !how.contains(&"--blocks") {
        words.extend(["--blocks", "2"]);
    }
    words.extend(["--rounds", "2", "--skip", "instructions", "--measure-equal"]);
    words.extend(how);
    if !how.contains(&"--") {
        words.extend(["--", "{}"]);
    }
    words
}

/// Compiles the same source twice, with and without `NEW`.
fn two_builds(source: &str) -> Project {
    let project = Project::new();
    project.write("base.c", source);
    project.write("new.c", &format!("#define NEW 1\n{source}"));
    project.compile("base.c", "base");
    project.compile("new.c", "new");
    project
}

#[test]
fn work_left_to_a_process_that_nobody_waits_for_is_refused_whatever_the_exit_code() {
    let project = two_builds(
        "#include <unistd.h>\n\
         int main(void) {\n\
         #ifdef NEW\n    if (fork() == 0) { setsid(); for (;;) pause(); }\n#endif\n\
             return 3;\n}\n",
    );
    let said = compare(&project, &["--ignore-exit"]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("left 1 process behind"), "{}", said.err);
    assert!(said.err.contains("new (as shipped)"), "{}", said.err);
}

/// The ratio that a comparison found, and its interval.
fn ratio(said: &Said) -> [f64; 3] {
    assert_eq!(said.code, Some(0), "{said:#?}");
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let ratio = &report["conclusion"]["comparisons"][0]["ratio"];
    ["low", "estimate", "high"].map(|name| (ratio[name].as_f64().unwrap() * 1e9).round() / 1e9)
}

/// A number that the program prints: exact, so that whole comparisons have known answers.
const NUMBER: [&str; 2] = ["--metric", "stdout[n,lower]:n=([0-9]+)"];

#[test]
fn an_executable_that_is_replaced_while_it_is_measured_is_not_measured() {
    let program =
        |number: u32| format!("#include <stdio.h>\nint main(void) {{ puts(\"n={number}\"); }}\n");
    let project = two_builds(&program(100));
    project.write("other.c", &program(200));
    project.compile("other.c", "other");
    let mut how = NUMBER.to_vec();
    // Replaced before the first run, and so before every block.
    how.extend(["--prepare", "cp other new"]);
    assert_eq!(ratio(&compare(&project, &how)), [1.0; 3]);
    // What comes after is another comparison.
    let again = compare(&project, &NUMBER);
    assert_eq!(ratio(&again), [2.0; 3]);
}

#[test]
fn numbers_in_two_units_are_not_held_against_each_other() {
    let project = two_builds(
        "#include <stdio.h>\n#ifdef NEW\n#define TOOK \"1.10 ms\"\n#else\n\
         #define TOOK \"985 us\"\n#endif\n\
         int main(void) { puts(\"took \" TOOK); }\n",
    );
    for also in [&[][..], &["--allow-output-difference"]] {
        let metric = ["--metric", "stdout[us,lower]:took ([0-9.]+) [mu]s"];
        let said = compare(&project, &[&metric[..], also].concat());
        assert_eq!(said.code, Some(3), "{said:#?}");
        let both = "the number is `1.10 ms` in this run and `985 us` in one before it";
        assert!(said.err.contains(both), "{said:#?}");
    }
}

/// The first run after the preparation prints 100 in both builds; a later one far less, and not
/// alike.
#[test]
fn every_run_finds_what_was_prepared() {
    let project = two_builds(
        "#include <stdio.h>\n#include <unistd.h>\n#ifdef NEW\n#define WARM 3\n#else\n#define WARM 7\n#endif\n\
         int main(void) {\n\
             int cold = access(\"state\", F_OK) != 0;\n\
             fclose(fopen(\"state\", \"w\"));\n\
             printf(\"n=%d\\n\", cold ? 100 : WARM);\n}\n",
    );
    let mut how = NUMBER.to_vec();
    how.extend(["--prepare", "rm -f state"]);
    assert_eq!(ratio(&compare(&project, &how)), [1.0; 3]);
}

#[test]
fn what_is_set_up_once_is_there_for_all_runs() {
    let project = two_builds(
        "#include <stdio.h>\nint main(void) {\n\
             FILE *file = fopen(\"state\", \"r\");\n    int number = -1;\n\
             if (!file || fscanf(file, \"%d\", &number) != 1) return 1;\n\
         #ifdef NEW\n    number *= 2;\n#endif\n\
             printf(\"n=%d\\n\", number);\n}\n",
    );
    let mut how = NUMBER.to_vec();
    how.extend(["--setup", "echo 21 >> set-up; cp set-up state"]);
    assert_eq!(ratio(&compare(&project, &how)), [2.0; 3]);
    let times = std::fs::read_to_string(project.path("set-up")).unwrap();
    assert_eq!(times, "21\n");
}

#[test]
fn slices_and_preparation_contradict_each_other() {
    let project = two_builds("int main(void) { return 0; }\n");
    let said = compare(&project, &["--prepare", "true", "--schedule", "sliced"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(said.err.contains("--setup"), "{}", said.err);
}

/// The text of the warning of this code, if there is one.
fn warned(said: &Said, code: &str) -> Option<String> {
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let warnings = report["warnings"].as_array().unwrap();
    let found = warnings.iter().find(|each| each["code"] == code)?;
    Some(found["found"].as_str().unwrap().to_owned())
}

#[test]
fn a_cache_that_each_image_makes_for_itself_is_named() {
    let project = two_builds(
        "#include <fcntl.h>\n#include <stdio.h>\n#include <sys/stat.h>\n\
         int main(void) {\n\
             struct stat self;\n    char name[64];\n\
             stat(\"/proc/self/exe\", &self);\n\
             snprintf(name, sizeof name, \"cache-%ld\", (long)self.st_ino);\n\
             if (open(name, O_RDONLY) < 0) open(name, O_WRONLY | O_CREAT, 0644);\n\
             puts(\"n=7\");\n}\n",
    );
    let found = warned(&compare(&project, &NUMBER), "state");
    assert!(found.is_some_and(|found| found.contains("cache-")));
}

#[test]
fn what_one_build_makes_and_another_looks_for_is_named() {
    let project = two_builds(
        "#include <fcntl.h>\n#include <stdio.h>\n#include <unistd.h>\n\
         int main(void) {\n\
         #ifdef NEW\n    close(open(\"setting\", O_WRONLY | O_CREAT, 0644));\n\
         #else\n    close(open(\"setting\", O_RDONLY));\n#endif\n\
             puts(\"n=7\");\n}\n",
    );
    let found = warned(&compare(&project, &NUMBER), "state");
    assert!(found.is_some_and(|found| found.contains("setting")));
}

#[test]
fn a_variable_that_the_program_reads_and_runs_do_not_get_is_named() {
    let project = two_builds(
        "#include <stdio.h>\n#include <stdlib.h>\n\
         int main(void) { puts(getenv(\"ENGINE_MODE\") ? \"n=9\" : \"n=7\"); }\n",
    );
    let mut words = vec!["compare", "./base", "./new", "--json", "--blocks", "2"];
    words.extend(["--rounds", "2", "--skip", "instructions", "--measure-equal"]);
    words.extend(NUMBER);
    words.extend(["--", "{}"]);
    let code = "environment-left-out";
    // Two letters are somewhere in every library.
    let read = ("ENGINE_MODE", "careful");
    let set = [read, ("UNREAD_HERE", "1"), ("CI", "true"), ("GE", "1")];
    let found = warned(&project.run_with(&set, &words), code).unwrap();
    assert!(found.contains("get ENGINE_MODE, which"), "{found}");
    assert_eq!(warned(&project.run_with(&set[1..], &words), code), None);
    let at = words.iter().position(|word| *word == "--").unwrap();
    words.splice(at..at, ["--env", "ENGINE_MODE=careful"]);
    assert_eq!(warned(&project.run_with(&set, &words), code), None);
}

/// `base` and `new` once more, by these names, in folders of their own.
fn in_folders(project: &Project, names: [&str; 2]) -> [String; 2] {
    let [base, new] = ["base", "new"];
    let place = |(build, name): (&str, &str)| {
        std::fs::create_dir_all(project.path(&format!("{build}.d"))).unwrap();
        let file = format!("{build}.d/{name}");
        std::fs::copy(project.path(build), project.path(&file)).unwrap();
        format!("{build}=./{file}")
    };
    [(base, names[0]), (new, names[1])].map(place)
}

/// Compares two files by what they print.
fn by_number(project: &Project, builds: &[String]) -> Said {
    let mut words: Vec<&str> = vec!["compare"];
    words.extend(builds.iter().map(String::as_str));
    words.extend(["--json", "--blocks", "2", "--rounds", "2"]);
    words.extend(["--skip", "instructions"]);
    words.extend(NUMBER);
    words.extend(["--", "{}"]);
    project.run(&words)
}

#[test]
fn a_program_does_what_its_name_says() {
    let project = two_builds(
        "#include <stdio.h>\n#include <string.h>\n\
         int main(int count, char **words) {\n\
             const char *name = count > 0 ? strrchr(words[0], '/') : 0;\n\
             puts(name && strcmp(name, \"/slow\") == 0 ? \"n=200\" : \"n=100\");\n}\n",
    );
    // The same bytes.
    std::fs::copy(project.path("base"), project.path("new")).unwrap();
    let builds = in_folders(&project, ["fast", "slow"]);
    assert_eq!(ratio(&by_number(&project, &builds)), [2.0; 3]);
}

#[test]
fn a_program_finds_what_lies_beside_it() {
    for own_place in [
        "snprintf(self, sizeof self, \"%s\", words[0]);",
        "self[readlink(\"/proc/self/exe\", self, sizeof self - 1)] = 0;",
    ] {
        let project = two_builds(&format!(
            "#include <libgen.h>\n#include <stdio.h>\n#include <unistd.h>\n\
             int main(int count, char **words) {{\n\
                 char self[4096] = {{0}}, beside[5000];\n    int number = count;\n\
                 {own_place}\n\
                 snprintf(beside, sizeof beside, \"%s/number\", dirname(self));\n\
                 FILE *file = fopen(beside, \"r\");\n\
                 if (!file || fscanf(file, \"%d\", &number) != 1) return 1;\n\
                 printf(\"n=%d\\n\", number);\n}}\n"
        ));
        std::fs::copy(project.path("base"), project.path("new")).unwrap();
        let builds = in_folders(&project, ["prog", "prog"]);
        project.write("base.d/number", "100\n");
        project.write("new.d/number", "200\n");
        let said = by_number(&project, &builds);
        assert_eq!(ratio(&said), [2.0; 3], "{own_place}");
    }
}

#[test]
fn a_file_that_grows_by_each_run_is_named() {
    let project = two_builds(
        "#include <stdio.h>\nint main(void) {\n\
             FILE *log = fopen(\"log\", \"a+\");\n    int lines = 0;\n\
             if (!log) return 1;\n    rewind(log);\n\
             for (int byte; (byte = getc(log)) != EOF;) lines += byte == '\\n';\n\
             fputs(\"a line\\n\", log);\n\
             printf(\"n=%d\\n\", lines < 0 ? 1 : 7);\n}\n",
    );
    project.write("log", "");
    let said = compare(&project, &NUMBER);
    assert_eq!(ratio(&said), [1.0; 3]);
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let warnings = report["warnings"].as_array().unwrap();
    let state = warnings.iter().find(|each| each["code"] == "state");
    let found = state.unwrap()["found"].as_str().unwrap();
    assert!(found.contains("log otherwise than they find it"), "{found}");
}

#[test]
fn each_of_eight_builds_is_told_from_the_base() {
    let project = Project::new();
    let mut builds = Vec::new();
    for number in 0..8 {
        let source = format!(
            "#include <stdio.h>\nint main(void) {{ puts(\"n={}\"); }}\n",
            100 + number * 25
        );
        let (file, name) = (format!("b{number}.c"), format!("b{number}"));
        project.write(&file, &source);
        project.compile(&file, &name);
        builds.push(format!("{name}=./{name}"));
    }
    let said = by_number(&project, &builds);
    assert_eq!(said.code, Some(0), "{said:#?}");
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let comparisons = report["conclusion"]["comparisons"].as_array().unwrap();
    let estimates: Vec<f64> = comparisons
        .iter()
        .map(|each| (each["ratio"]["estimate"].as_f64().unwrap() * 100.0).round())
        .collect();
    assert_eq!(estimates, [125.0, 150.0, 175.0, 200.0, 225.0, 250.0, 275.0]);
}

/// Another store, another user: whoever measures holds the folder of the core.
#[test]
fn cores_on_which_others_measure_are_told() {
    let Ok(folders) = std::fs::read_dir("/sys/devices/system/cpu") else {
        return;
    };
    let cores: Vec<std::fs::File> = folders
        .filter_map(Result::ok)
        .filter(|folder| {
            let name = folder.file_name().to_string_lossy().into_owned();
            let number = name.strip_prefix("cpu");
            number.is_some_and(|number| number.parse::<u32>().is_ok())
        })
        .filter_map(|folder| std::fs::File::open(folder.path()).ok())
        .collect();
    // Other tests that measure at this moment end.
    for core in &cores {
        rustix::fs::flock(core, rustix::fs::FlockOperation::LockExclusive).unwrap();
    }
    let project =
        two_builds("#include <stdio.h>\nint main(void) {\n    puts(\"n=7\");\n    return 0;\n}\n");
    let said = compare(&project, &NUMBER);
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let warnings = report["warnings"].as_array().unwrap();
    let found = warnings
        .iter()
        .find(|each| each["code"] == "no-idle-core")
        .unwrap();
    let words = found["found"].as_str().unwrap();
    assert!(
        words.contains("other measurements are under way"),
        "{words}"
    );
}
