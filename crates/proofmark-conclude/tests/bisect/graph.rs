//! The search in graphs of commits, held against that of git.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use proofmark_conclude::bisect::{Mark, Next, Search};
use proofmark_terms::Commit;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::between;

/// A graph of so many commits with some merges; commit 0 is the older end, the last one the newer.
fn graph(commits: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
    let mut parents: Vec<Vec<usize>> = vec![Vec::new()];
    for commit in 1..commits {
        let mut own = BTreeSet::new();
        let back = if rng.random_bool(0.7) {
            1
        } else {
            1 + rng.random_range(0..6)
        };
        own.insert(commit.saturating_sub(back));
        if rng.random_bool(0.2) {
            own.insert(rng.random_range(0..commit));
        }
        parents.push(own.into_iter().collect());
    }
    // What nobody has for a parent ends in the newest one.
    let followed: BTreeSet<usize> = parents.iter().flatten().copied().collect();
    let loose = (0..commits - 1).filter(|commit| !followed.contains(commit));
    let mut newest: BTreeSet<usize> = parents[commits - 1].iter().copied().collect();
    newest.extend(loose);
    parents[commits - 1] = newest.into_iter().collect();
    parents
}

/// A search whose first new commit is known: what came of it, and how many commits it tried.
fn searched(parents: &[Vec<usize>], first: usize, broken: &dyn Fn(usize) -> bool) -> (Next, usize) {
    let mut search = Search::new(between(parents)).unwrap();
    let mut is_newer = vec![false; parents.len() - 1];
    for commit in 0..is_newer.len() {
        let inherits = search
            .history()
            .parents(commit)
            .iter()
            .any(|&one| is_newer[one]);
        is_newer[commit] = commit == first || inherits;
    }
    for tried in 0.. {
        match search.next() {
            Next::Try { commit, .. } if broken(commit) => search.set(commit, Mark::Skipped),
            Next::Try { commit, .. } => {
                let mark = if is_newer[commit] {
                    Mark::Newer
                } else {
                    Mark::Older
                };
                search.set(commit, mark);
            }
            end => return (end, tried),
        }
    }
    unreachable!()
}

#[test]
fn every_commit_is_found_and_in_a_line_in_few_steps() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for commits in [2, 3, 10, 60] {
        let parents = graph(commits, &mut rng);
        for first in 0..commits - 1 {
            let (end, tried) = searched(&parents, first, &|_| false);
            assert_eq!(end, Next::Found(first), "{parents:?}");
            assert!(tried < commits, "{tried} for {commits}");
        }
    }
    let line: Vec<Vec<usize>> = (0..1001_usize)
        .map(|commit| commit.checked_sub(1).into_iter().collect())
        .collect();
    for first in [0, 1, 499, 700, 999] {
        let (end, tried) = searched(&line, first, &|_| false);
        assert_eq!(end, Next::Found(first));
        assert!(tried <= 10, "{tried}");
    }
}

#[test]
fn what_cannot_be_judged_is_left_as_a_range() {
    let line: Vec<Vec<usize>> = (0..201_usize)
        .map(|commit| commit.checked_sub(1).into_iter().collect())
        .collect();
    // Sixty broken commits in the middle, the wanted one outside of them.
    let broken = |commit: usize| (70..130).contains(&commit);
    let (end, tried) = searched(&line, 40, &broken);
    assert_eq!(end, Next::Found(40));
    assert!(tried <= 20, "{tried} steps around broken commits");
    // The wanted one among them: the broken ones, and the first that can be judged.
    let (end, _) = searched(&line, 100, &broken);
    assert_eq!(end, Next::Among((70..=130).collect()));
    // None but the end can be judged.
    let (end, tried) = searched(&line, 3, &|_| true);
    assert_eq!(end, Next::Among((0..200).collect()));
    assert_eq!(tried, 199);
}

#[test]
fn a_graph_that_is_none_is_refused() {
    for parents in [vec![], vec![vec![], vec![1]], vec![vec![], vec![]]] {
        assert!(Search::new(parents).is_err());
    }
}

/// Commits by their names, each with its parents.
fn commits(all: &[(&str, &[&str])]) -> Vec<Commit> {
    let commit = |(name, parents): &(&str, &[&str])| Commit {
        id: (*name).into(),
        parents: parents.iter().map(|&one| one.into()).collect(),
        tree: (*name).into(),
        author: String::new(),
        date: String::new(),
        subject: String::new(),
    };
    all.iter().map(commit).collect()
}

/// A history with a side that was forked off before the older end, and lacks what made that another
/// one.
fn forked() -> Vec<Commit> {
    commits(&[
        ("fork", &[]),
        ("side1", &["fork"]),
        ("side2", &["side1"]),
        ("main1", &["older"]),
        ("merge", &["main1", "side2"]),
        ("main2", &["merge"]),
        ("main3", &["main2"]),
    ])
}

/// What a search ends with where these have the newer level and these cannot be judged, and how many
/// commits it leaves out.
fn ended(all: &[Commit], newer: &[&str], skipped: &[&str]) -> (Vec<String>, usize) {
    let mut search = Search::of(&"older".into(), all).unwrap();
    let mut tried = Vec::new();
    let end = loop {
        match search.next() {
            Next::Try { commit, .. } => {
                assert!(!tried.contains(&commit), "{commit} again");
                tried.push(commit);
                let is_in = |names: &[&str]| names.contains(&all[commit].id.as_str());
                let mark = match (is_in(skipped), is_in(newer)) {
                    (true, _) => Mark::Skipped,
                    (false, true) => Mark::Newer,
                    (false, false) => Mark::Older,
                };
                search.set(commit, mark);
            }
            Next::Found(commit) => break vec![commit],
            Next::Among(commits) => break commits,
        }
    };
    let names = end.into_iter().map(|commit| all[commit].id.to_string());
    (names.collect(), search.sides_left_out().len())
}

/// Where the fork could not be judged, nobody knows whether the side had the newer level already.
#[test]
fn a_side_whose_fork_cannot_be_judged_is_in_doubt() {
    let all = forked();
    let since_merge = ["merge", "main2", "main3"];
    for (newer, skipped, expected) in [
        // What is found without the side stands for itself.
        (
            &["side1", "side2", "main3"][..],
            &["fork"][..],
            &["main3"][..],
        ),
        (&["side1", "side2", "main2", "main3"], &["fork"], &["main2"]),
        // The merge, or what it brings in.
        (
            &[&["side1", "side2"], &since_merge[..]].concat(),
            &["fork"],
            &["fork", "side1", "merge"],
        ),
        (
            &[&["side2"], &since_merge[..]].concat(),
            &["fork", "side1"],
            &["fork", "side1", "side2", "merge"],
        ),
        // A commit of the side that has the older level is as good as its fork.
        (
            &[&["side2"], &since_merge[..]].concat(),
            &["fork"],
            &["side2"],
        ),
        (&since_merge, &["fork"], &["merge"]),
    ] {
        let (found, out) = ended(&all, newer, skipped);
        assert_eq!(found, expected, "{newer:?}, {skipped:?}");
        assert_eq!(out, 0);
    }
}

#[test]
fn a_side_is_believed_where_its_fork_has_the_older_level() {
    let all = forked();
    let found = |newer: &[&str]| {
        let (mut found, out) = ended(&all, newer, &[]);
        assert_eq!(found.len(), 1);
        (found.swap_remove(0), out)
    };
    // Slow where it was forked, as long as it is not merged: it is no regression.
    assert_eq!(found(&["fork", "side1", "side2", "main3"]).0, "main3");
    assert_eq!(
        found(&["fork", "side1", "side2", "main2", "main3"]).0,
        "main2"
    );
    // Or the merge brings it in.
    let since_merge = ["merge", "main2", "main3"];
    let slow_side = [&["fork", "side1", "side2"][..], &since_merge].concat();
    assert_eq!(found(&slow_side), ("merge".to_owned(), 3));
    // A commit of the side is to blame where its fork was as fast as the older end.
    let blamed = [&["side2"][..], &since_merge].concat();
    assert_eq!(found(&blamed), ("side2".to_owned(), 0));
    let blamed = [&["side1", "side2"][..], &since_merge].concat();
    assert_eq!(found(&blamed), ("side1".to_owned(), 0));
    // Nothing of it comes from an end that is not there.
    assert!(Search::of(&"elsewhere".into(), &all).is_err());
}

/// A line of so many commits behind one, called by a word and a number.
fn line(all: &mut Vec<(String, Vec<String>)>, word: &str, many: usize, behind: &str) -> String {
    let mut last = behind.to_owned();
    for number in 0..many {
        let name = format!("{word}{number}");
        all.push((name.clone(), vec![std::mem::replace(&mut last, name)]));
    }
    last
}

/// What a search finds in a history; these words begin the names of what has the newer level.
fn found_in(all: &[(String, Vec<String>)], newer: &[&str]) -> Vec<String> {
    let parents: Vec<Vec<&str>> = all
        .iter()
        .map(|(_, of)| of.iter().map(String::as_str).collect())
        .collect();
    let names = all.iter().map(|(name, _)| name.as_str());
    let whole: Vec<(&str, &[&str])> = names
        .clone()
        .zip(parents.iter().map(Vec::as_slice))
        .collect();
    let is_newer = |name: &&str| newer.iter().any(|word| name.starts_with(word));
    let newer: Vec<&str> = names.filter(is_newer).collect();
    ended(&commits(&whole), &newer, &[]).0
}

/// The older level comes to a side by a merge, and the side is to blame for what it does behind
/// that, wherever the search begins.
#[test]
fn a_side_that_took_in_the_older_level_is_believed_from_there_on() {
    let newer = ["slow", "early", "culprit", "late", "merge", "end"];
    for (before, behind) in (0..6).flat_map(|one| (0..6).map(move |other| (one, other))) {
        let mut all = vec![("slow".to_owned(), vec![]), ("fix".to_owned(), vec![])];
        let early = line(&mut all, "early", 1, "slow");
        all.push(("takes".to_owned(), vec![early, "fix".to_owned()]));
        let side = line(&mut all, "side", before, "takes");
        all.push(("culprit".to_owned(), vec![side]));
        let late = line(&mut all, "late", behind, "culprit");
        let main = line(&mut all, "main", 2, "older");
        all.push(("merge".to_owned(), vec![main, late]));
        line(&mut all, "end", 1, "merge");
        let found = found_in(&all, &newer);
        assert_eq!(found, ["culprit"], "{before}, {behind}");
    }
}

/// One of two sides of a fork was merged with the older level: the fork has the newer one all the
/// same, and so has the other side from the first.
#[test]
fn the_fork_of_a_second_side_is_tried_too() {
    let newer = ["slow", "one", "two", "culprit", "end"];
    for (length, behind) in (1..7).flat_map(|one| (0..4).map(move |other| (one, other))) {
        let mut all = vec![("slow".to_owned(), vec![])];
        let one = line(&mut all, "one", 1, "slow");
        let main = line(&mut all, "main", 1, "older");
        all.push(("first".to_owned(), vec![main, one]));
        let two = line(&mut all, "two", length, "slow");
        all.push(("second".to_owned(), vec!["first".to_owned(), two]));
        let more = line(&mut all, "more", 1, "second");
        all.push(("culprit".to_owned(), vec![more]));
        line(&mut all, "end", behind, "culprit");
        let found = found_in(&all, &newer);
        assert_eq!(found, ["culprit"], "{length}, {behind}");
    }
}

fn git(folder: &Path, arguments: &[&str], input: Option<&str>) -> String {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"] {
        command.env_remove(name);
    }
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all(input.unwrap_or_default().as_bytes())
        .unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "git {arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Each choice rules out as many commits as the one that git would make.
#[test]
fn choices_are_as_good_as_those_of_git() {
    if Command::new("git").arg("--version").output().is_err() {
        assert!(
            std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none_or(|value| value != "1"),
            "this test needs git"
        );
        println!("skipped: needs git");
        return;
    }
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for commits in [5, 40, 90] {
        let parents = graph(commits, &mut rng);
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "--quiet", "--bare", "."], None);
        let mut stream = String::new();
        for (commit, own) in parents.iter().enumerate() {
            writeln!(stream, "commit refs/heads/c{commit}\nmark :{}", commit + 1).unwrap();
            writeln!(
                stream,
                "committer T <t@e.org> {} +0000\ndata 0",
                1000 + commit
            )
            .unwrap();
            for (place, parent) in own.iter().enumerate() {
                let word = if place == 0 { "from" } else { "merge" };
                writeln!(stream, "{word} :{}", parent + 1).unwrap();
            }
        }
        git(folder.path(), &["fast-import", "--quiet"], Some(&stream));
        for _ in 0..6 {
            let mut search = Search::new(between(&parents)).unwrap();
            let (mut newer, mut older) = (commits - 1, vec![0]);
            while let Next::Try { commit, left } = search.next() {
                let mut asked = vec!["rev-list".to_owned(), "--bisect-all".to_owned()];
                asked.push(format!("c{newer}"));
                asked.extend(older.iter().map(|commit| format!("^c{commit}")));
                let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
                let said = git(folder.path(), &asked, None);
                let (_, best) = said.split_once("dist=").unwrap();
                let best: String = best.chars().take_while(char::is_ascii_digit).collect();
                let count = search.candidates().len();
                assert_eq!(said.lines().count(), count);
                assert_eq!(count - left, best.parse::<usize>().unwrap());
                if rng.random_bool(0.5) {
                    search.set(commit, Mark::Newer);
                    newer = commit + 1;
                } else {
                    search.set(commit, Mark::Older);
                    older.push(commit + 1);
                }
            }
        }
    }
}
