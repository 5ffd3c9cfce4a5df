//! Samples with their callers, by programs of which it is known who calls whom.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that meets the unexpected stops there and then, and says what it skips"
)]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use proofmark_lab::{Callers, callers};
use proofmark_measure::{Interrupt, Launch, Unavailable};

/// Nearly all of its time is in `busy`, which `outer` calls with `inner` inlined into it, and a
/// third as much in a thread and in a child.
const SOURCE: &str = r#"
#include <unistd.h>
#include <pthread.h>
#include <sys/wait.h>
__attribute__((noinline)) long busy(long n) { volatile long i = 0; while (i < n) i++; return i; }
static inline __attribute__((always_inline)) long inner(long n) { return busy(n) + 1; }
__attribute__((noinline)) long outer(long n) { return inner(n) + 2; }
__attribute__((noinline)) void *thread(void *n) { return (void *)(outer((long)n) + 3); }
int main(void) {
    pthread_t other;
    int child = fork();
    pthread_create(&other, 0, thread, (void *)6000000);
    long n = outer(20000000);
    pthread_join(other, 0);
    if (child) wait(0);
    return n < 0;
}
"#;

/// Makes a loop of `dec %rdi; jne` in memory, and writes down what it is called where it is told
/// to.
#[cfg(target_arch = "x86_64")]
const MAKES_CODE: &str = r#"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int count, char **arguments) {
    unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0x5d, 0xc3};
    void *at = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(at, code, sizeof code);
    char name[64];
    sprintf(name, "/tmp/perf-%d.map", getpid());
    if (count > 1) {
        FILE *map = fopen(name, "w");
        fprintf(map, "%lx %x made by [u8; 4]\n", (long)at, (int)sizeof code);
        fclose(map);
    }
    ((void (*)(long))at)(60000000);
    return 0;
}
"#;

fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok();
    assert!(
        found || std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none(),
        "needs {tool}"
    );
    if !found {
        println!("skipped: needs {tool}");
    }
    found
}

fn compiled(folder: &Path, text: &str, flags: &[&str]) -> Launch {
    let (source, program) = (folder.join("a.c"), folder.join("a"));
    std::fs::write(&source, text).unwrap();
    let mut command = Command::new("gcc");
    command
        .args(flags)
        .arg("-pthread")
        .arg(&source)
        .arg("-o")
        .arg(&program);
    assert!(command.status().unwrap().success());
    Launch::new(program, Duration::from_secs(120))
}

fn sampled(launch: &Launch) -> Option<Callers> {
    match callers(launch, &Interrupt::new()) {
        Err(why @ (Unavailable::NotPermitted(_) | Unavailable::NoCounter(_))) => {
            println!("skipped: needs perf events ({why})");
            None
        }
        other => Some(other.unwrap()),
    }
}

/// How many samples have these frames, one after the other, innermost last.
fn count(told: &Callers, frames: &[&str]) -> usize {
    let samples = told.samples.iter();
    let is = |called: &&proofmark_lab::Called| {
        let names: Vec<&str> = called.frames.iter().map(String::as_str).collect();
        names.ends_with(frames)
    };
    samples.filter(is).count()
}

#[test]
fn who_called_is_known_where_functions_keep_frame_pointers() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let flags = [
        "-O1",
        "-g",
        "-fno-omit-frame-pointer",
        "-fno-optimize-sibling-calls",
    ];
    let launch = compiled(folder.path(), SOURCE, &flags);
    let Some(told) = sampled(&launch) else { return };
    let all = told.samples.len();
    println!("{all} samples, {} lost; {}", told.lost, told.depth.words());
    let outer = ["outer", "inner [inlined]", "busy"];
    let by_main = count(&told, &["main", outer[0], outer[1], outer[2]]);
    let by_thread = count(&told, &["thread", outer[0], outer[1], outer[2]]);
    assert!(all > 60, "{all}");
    // The child has both as well, with the files that its parent mapped.
    assert!(
        10 * (by_main + by_thread) > 8 * all,
        "{by_main} + {by_thread} of {all}"
    );
    assert!(
        by_thread * 10 > all && by_main > by_thread,
        "{by_main} {by_thread} of {all}"
    );
    assert!(told.depth.cut * 20 < told.depth.chains, "{:?}", told.depth);
    assert!(told.depth.deepest >= 4 && told.depth.mean() > 3.0);
    assert!(told.samples.is_sorted_by_key(|sample| sample.at));
}

#[test]
fn chains_that_end_too_early_are_counted() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // The register holds a number there.
    let text = SOURCE.replace(
        "volatile long i = 0; while (i < n) i++; return i;",
        "long i; __asm__ volatile(\"push %%rbp; mov %1, %%rbp; 1: dec %%rbp; jne 1b; pop %%rbp\" \
         : \"=r\"(i) : \"r\"(n) : \"cc\"); return 1;",
    );
    let launch = compiled(folder.path(), &text, &["-O1", "-fomit-frame-pointer"]);
    let Some(told) = sampled(&launch) else { return };
    assert!(
        told.depth.cut * 10 > told.depth.chains * 8,
        "{:?}",
        told.depth
    );
    assert!(told.depth.words().contains("-fno-omit-frame-pointer"));
    assert_eq!(count(&told, &["outer", "busy"]), 0);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn code_that_was_made_in_the_run_has_the_name_that_its_maker_wrote() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut launch = compiled(
        folder.path(),
        MAKES_CODE,
        &["-O1", "-fno-omit-frame-pointer"],
    );
    let Some(told) = sampled(&launch) else { return };
    let named = count(&told, &["main", "[code without a name]"]);
    assert!(
        named * 10 > told.samples.len() * 8,
        "{named} {:?}",
        told.depth
    );
    let why: Vec<&String> = told.unnamed.values().collect();
    assert!(
        why.len() == 1 && why[0].contains("no /tmp/perf-"),
        "{why:?}"
    );
    launch.args = vec!["map".into()];
    let told = sampled(&launch).unwrap();
    let named = count(&told, &["main", "made by [u8; 4]"]);
    assert!(
        named * 10 > told.samples.len() * 8,
        "{named} {:?}",
        told.depth
    );
    assert!(told.unnamed.is_empty());
}
