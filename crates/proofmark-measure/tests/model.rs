//! The model of caches and branches: by a program whose misses are known, and held against what
//! valgrind's own tools say.
use std::path::Path;
use std::process::Command;

use crate::support::LONG;
use proofmark_measure::model::{Caches, CachesFrom, Model, model};
use proofmark_measure::{Interrupt, Launch, Unavailable};
use proofmark_terms::CacheShape;

/// Whether a tool is there; where tests must not be skipped, it has to be.
fn has(tool: &str) -> bool {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .any(|folder| folder.join(tool).exists());
    assert!(
        found || std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none(),
        "needs {tool}"
    );
    if !found {
        println!("skipped: needs {tool}");
    }
    found
}

/// One function reads each line of 1 MiB twice, one reads one line again and again, one jumps by a
/// sequence that no history of some bits foretells, and twelve lie at one offset in their pages.
const SOURCE: &str = r#"
#include <unistd.h>
#include <sys/wait.h>
static char room[1 << 20] __attribute__((aligned(4096)));
#define FAR(n) __attribute__((noinline, section(".text.far"), aligned(4096))) long far##n(long x) { return x + n; }
FAR(0) FAR(1) FAR(2) FAR(3) FAR(4) FAR(5) FAR(6) FAR(7) FAR(8) FAR(9) FAR(10) FAR(11)
__attribute__((noinline)) long misses(void) {
    long sum = 0;
    for (int round = 0; round < 2; round++)
        for (long i = 0; i < sizeof room; i += 64) sum += *(volatile char *)(room + i);
    return sum;
}
__attribute__((noinline)) long hits(void) {
    long sum = 0;
    for (long i = 0; i < 10000; i++) sum += *(volatile char *)room;
    return sum;
}
__attribute__((noinline)) long guesses(void) {
    long sum = 0;
    unsigned state = 1;
    for (long i = 0; i < 10000; i++) {
        state = state * 1103515245u + 12345u;
        if (state >> 30 & 1) __asm__ volatile("" : "+r"(sum)); else { __asm__ volatile("nop" : "+r"(sum)); }
    }
    return sum;
}
int main(int n, char **a) {
    long sum = misses() + hits() + guesses();
    for (int i = 0; i < 1000; i++)
        sum = far11(far10(far9(far8(far7(far6(far5(far4(far3(far2(far1(far0(sum))))))))))));
    if (n > 1 && fork() == 0) { hits(); _exit(0); }
    if (n > 1) wait(0);
    return sum == 42;
}
"#;

fn compiled(compiler: &str, folder: &Path, flags: &[&str]) -> Launch {
    let (file, program) = (
        folder.join("program.c"),
        folder.join(format!("{compiler}{}", flags.len())),
    );
    std::fs::write(&file, SOURCE).unwrap();
    let mut command = Command::new(compiler);
    command
        .args(["-O1"])
        .args(flags)
        .arg(&file)
        .arg("-o")
        .arg(&program);
    assert!(command.status().unwrap().success());
    Launch::new(program, LONG)
}

fn caches() -> Caches {
    let shape = |bytes, ways| CacheShape::new(bytes, ways, 64).unwrap();
    Caches::given(shape(32 << 10, 8), shape(32 << 10, 8), shape(4 << 20, 16))
}

fn of(launch: &Launch) -> Model {
    model(launch, &launch.program, &caches(), &Interrupt::new()).unwrap()
}

#[test]
fn known_misses_are_told_of_the_functions_that_have_them() {
    if !has("valgrind") || !has("gcc") || !has("nm") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for flags in [&["-pie", "-fPIE"][..], &["-no-pie"]] {
        let mut launch = compiled("gcc", folder.path(), flags);
        let told = of(&launch);
        assert_eq!(
            (told.caches.from, told.caches.cut),
            (CachesFrom::Given, false)
        );
        // 1 MiB has 16,384 lines, and the first level holds none of them for the second round.
        let misses = told.functions["misses"];
        // Its way back is read as well.
        assert!((32_768..32_772).contains(&misses.d1_reads), "{misses:?}");
        // The last level holds them.
        assert!((16_384..16_400).contains(&misses.ll_reads), "{misses:?}");
        let hits = told.functions["hits"];
        assert!(hits.reads >= 10_000 && hits.d1() <= 2, "{hits:?}");
        // Of 10,000 drawn jumps half are missed; those of the loop are not.
        let guesses = told.functions["guesses"];
        let missed = guesses.conditional_missed;
        assert!((4_000..6_000).contains(&missed), "{guesses:?}");
        assert!(hits.branches_missed() < 20, "{hits:?}");
        // Twelve lines in one set of eight, in turn: each is gone when it is wanted again.
        for n in 0..12 {
            assert_eq!(told.functions[&format!("far{n}")].i1, 1000, "far{n}");
        }
        // All is of some address of some function, as linked.
        let listed = Command::new("nm")
            .arg("-S")
            .arg(&launch.program)
            .output()
            .unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        let line = listed
            .lines()
            .find(|line| line.ends_with(" misses"))
            .unwrap();
        let numbers: Vec<u64> = line
            .split(' ')
            .take(2)
            .map(|number| u64::from_str_radix(number, 16).unwrap())
            .collect();
        let places = told.places.range(numbers[0]..numbers[0] + numbers[1]);
        let there: u64 = places.map(|(_, m)| m.d1_reads).sum();
        assert_eq!(there, misses.d1_reads);
        // A process that it starts counts as well, with what it does itself.
        launch.args = vec!["x".into()];
        let more = of(&launch).functions["hits"].reads;
        assert_eq!(more, 2 * hits.reads);
    }
}

/// Cachegrind runs the same simulation: what it says of the same run differs by what each of them
/// does to begin and end it.
#[test]
fn totals_are_those_of_valgrinds_own_tools() {
    if !has("valgrind") || !has("gcc") || !has("setarch") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let launch = compiled("gcc", folder.path(), &[]);
    let told = of(&launch);
    let out = folder.path().join("out");
    let mut command = Command::new("setarch");
    command.args(["-R", "valgrind", "--tool=cachegrind", "--branch-sim=yes"]);
    command.args(["--I1=32768,8,64", "--D1=32768,8,64", "--LL=4194304,16,64"]);
    command.arg(format!("--cachegrind-out-file={}", out.display()));
    command
        .arg(&launch.program)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap());
    assert!(command.output().unwrap().status.success());
    let text = std::fs::read_to_string(out).unwrap();
    let row = |name: &str| {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap();
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (events, sums) = (row("events:"), row("summary:"));
    let expected = |name: &str| {
        let at = events.iter().position(|event| event == name).unwrap();
        sums[at].parse::<u64>().unwrap()
    };
    let total = told.total;
    for (name, got) in [
        ("Ir", total.instructions),
        ("I1mr", total.i1),
        ("D1mr", total.d1_reads),
        ("DLmr", total.ll_reads),
        ("Bc", total.conditional),
        ("Bcm", total.conditional_missed),
    ] {
        let expected = expected(name);
        let apart = got.abs_diff(expected);
        println!("{name}: {got}, cachegrind {expected}");
        assert!(
            apart <= 100 + expected / 50,
            "{name}: {got}, cachegrind {expected}"
        );
    }
}

/// What 3.19 reads of debug information ends with a complaint, and in some programs with its end.
#[test]
fn debug_information_that_is_not_understood_does_not_stand_in_the_way() {
    if !has("valgrind") || !has("clang-19") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let launch = compiled("clang-19", folder.path(), &["-g", "-gdwarf-5"]);
    let told = of(&launch);
    println!("without it: {}", told.without_debug);
    assert!(told.functions["misses"].d1_reads >= 32_768);
}

#[test]
fn what_cannot_be_run_has_a_reason() {
    if !has("valgrind") {
        return;
    }
    let missing = Launch::new("/no/such/program", LONG);
    let told = model(&missing, &missing.program, &caches(), &Interrupt::new());
    assert!(matches!(told, Err(Unavailable::Failed { .. })), "{told:?}");
    let stop = Interrupt::new();
    stop.request();
    let told = model(&missing, &missing.program, &caches(), &stop);
    assert_eq!(told, Err(Unavailable::Interrupted));
}
