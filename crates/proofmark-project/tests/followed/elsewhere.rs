//! What builds make, write and meet outside of their copies.

use std::fs;

use super::{PLAIN, bench, of_header, printed, why};
use crate::support::{Project, has};

#[test]
fn builds_that_meet_outside_are_made_again_one_at_a_time() {
    if !has("gcc") {
        return;
    }
    let build = "echo {flags} >ROOT/which; sleep 0.2; \
        echo \"#define COST $(cat ROOT/which | tr -d A-Z-)\" >cost.h; \
        {cc} -O1 {flags} main.c -o program";
    let mut bench = bench(of_header(), build);
    bench.with_flags(&[("a", "-DX10"), ("b", "-DX20")]);
    assert_eq!(bench.all_print(), ["10", "20"]);
    assert!(bench.is_there());
}

#[test]
fn what_the_build_of_another_cell_has_made_is_not_read() {
    if !has("gcc") {
        return;
    }
    // The first cell that is built fills the cache.
    let build = "[ -f ROOT/cost ] || echo {flags} | tr -d A-Z- >ROOT/cost; \
        echo \"#define COST $(cat ROOT/cost)\" >cost.h; {cc} -O1 {flags} main.c -o program";
    let mut bench = bench(of_header(), build);
    bench.with_flags(&[("a", "-DX10"), ("b", "-DX20")]);
    let built = bench.all(1);
    assert_eq!(printed(&built[0]), "10");
    let said = why(&built[1]);
    assert!(
        said.contains("which the build of `gcc a` has made"),
        "{said}"
    );
    // What the user puts there is for all of them.
    fs::remove_file(bench.path("cost")).unwrap();
    bench.project.file("cost", "30\n");
    assert_eq!(bench.all_print(), ["30", "30"]);
    assert!(bench.is_there());
}

#[test]
fn what_the_build_of_another_cell_has_left_is_not_gone_by() {
    if !has("gcc") {
        return;
    }
    let builds = [
        // One cell asks whether another one was there.
        "case '{flags}' in *X10*) : >ROOT/mark;; esac; c=2; [ -e ROOT/mark ] && c=1; \
         {cc} -O1 {flags} -DCOST=$c main.c -o program",
        // It chooses a file of the user's for all.
        "[ -e ROOT/mark ] || ln -s $(echo {flags} | tr -d A-Z-) ROOT/mark; \
         cp ROOT/mark cost.h; {cc} -O1 {flags} main.c -o program",
        // Its build is killed with who follows it.
        "[ -e ROOT/mark ] || { echo '#define COST 1' >ROOT/mark; kill -9 $PPID; sleep 1; }; \
         cp ROOT/mark cost.h; {cc} -O1 {flags} main.c -o program",
        // Its own build fails, for it reads what it makes.
        "[ -e ROOT/mark ] || echo '#define COST 1' >ROOT/mark; \
         {cc} -O1 {flags} -include ROOT/mark main.c -o program",
    ];
    for build in builds {
        let project = of_header();
        project.file("src/cost.h", "");
        for choice in ["10", "20"] {
            project.file(choice, "#define COST 1\n");
        }
        let mut bench = bench(project, build);
        bench.with_flags(&[("a", "-DX10"), ("b", "-DX20")]);
        let built = bench.all(1);
        let said = why(&built[1]);
        assert!(
            said.contains("/mark, which the build of `gcc a` has made"),
            "{said}"
        );
    }
}

#[test]
fn who_finds_something_else_each_time_is_no_build() {
    if !has("gcc") {
        return;
    }
    let build = format!(
        "if rmdir ROOT/mark; then c=1; else mkdir ROOT/mark; c=3; fi 2>/dev/null; \
         echo \"#define COST $c\" >cost.h; {PLAIN}"
    );
    let built = bench(of_header(), &build).build();
    let said = why(&built);
    assert!(said.contains("/mark, and leaves it otherwise"), "{said}");
}

#[test]
fn nothing_else_lies_beside_a_copy() {
    if !has("gcc") {
        return;
    }
    // A name that only a listing would find, and another cell's copy by a way of its own.
    let build = "for f in ../*/cost.h; do [ -f $f ] && cp $f .; done; \
        [ -f cost.h ] || echo '#define COST 1' >cost.h; {cc} -O1 {flags} main.c -o program";
    let built = bench(of_header(), build).build();
    let said = why(&built);
    assert!(
        said.contains("the build lists .., which is another folder"),
        "{said}"
    );
}

#[test]
fn what_a_build_makes_elsewhere_and_reads_is_no_input() {
    if !has("gcc") {
        return;
    }
    let project = of_header();
    fs::create_dir_all(project.root.join("scratch")).unwrap();
    let build = format!(
        "t=$(mktemp); echo '#define COST 1' >$t; cp $t ROOT/scratch/cost; cp ROOT/scratch/cost cost.h; rm $t ROOT/scratch/cost; {PLAIN}"
    );
    let bench = bench(project, &build);
    assert_eq!(bench.prints(), "1");
    assert!(bench.is_there());
}

#[test]
fn what_is_read_and_then_changed_is_no_build() {
    if !has("gcc") {
        return;
    }
    let counter = tempfile::NamedTempFile::new().unwrap();
    fs::write(counter.path(), "1\n").unwrap();
    // Among everybody's temporary files as well, and where it is added to before it is read.
    let directly = counter.path().to_str().unwrap();
    for counts in [
        "n=$(cat ROOT/count); echo $((n + 1)) >ROOT/count",
        &format!("n=$(cat {directly}); echo $((n + 1)) >{directly}"),
        "echo >>ROOT/count; n=$(wc -l <ROOT/count)",
        "n=$(cat ROOT/count); echo 3 >new; mv new ROOT/count",
    ] {
        let build = format!("{counts}; echo \"#define COST $n\" >cost.h; {PLAIN}");
        let project = of_header();
        project.file("count", "1\n");
        let built = bench(project, &build).build();
        let said = why(&built);
        assert!(
            said.contains("was read and then changed by the build"),
            "{said}"
        );
    }
}

#[test]
fn what_a_build_writes_elsewhere_is_kept_with_its_cell() {
    if !has("gcc") {
        return;
    }
    let project = Project::new();
    project.file("src/main.c", "int main(void) { return 0; }\n");
    let bench = bench(
        project,
        &format!("mkdir -p ROOT/made; echo 100 > ROOT/made/table; {PLAIN}"),
    );
    let built = bench.build();
    let made = built.made().unwrap_or_else(|| panic!("{}", why(&built)));
    let table = bench.path("made/table").canonicalize().unwrap();
    fs::write(&table, "300").unwrap();
    let beside = &made.links().unwrap()[0].companions;
    let kept = beside.iter().find(|file| file.path == table).unwrap();
    let copy = fs::read_to_string(kept.blob.as_ref().unwrap()).unwrap();
    assert_eq!(copy, "100\n");
}
