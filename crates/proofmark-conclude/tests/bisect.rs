//! The search for a commit: choices held against git's own, and whole bisections of simulated
//! blocks with known truth.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use proofmark_conclude::bisect::{
    Look, Mark, Nearer, Next, Search, Survey, ends_sign, judge_values, level,
};
use proofmark_evidence::record::Relation;
use proofmark_stats::{Better, Looks, Margin, Rule};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

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

/// The same without the older end.
fn between(parents: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let own = |own: &Vec<usize>| {
        own.iter()
            .filter(|&&one| one > 0)
            .map(|one| one - 1)
            .collect()
    };
    parents[1..].iter().map(own).collect()
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

#[test]
fn levels_are_used_up_and_never_more() {
    let all: f64 = (1..).map_while(|step| level(0.05, step)).sum();
    assert!(all < 0.05 && all > 0.0497, "{all}");
    assert!(level(0.05, 174).is_some() && level(0.05, 175).is_none());
}

/// A bisection of simulated blocks.
struct Simulated {
    /// The level of each commit, on the scale of ln; the older end's is 0.
    truth: Vec<f64>,
    /// Standard deviation of a block's difference of two builds.
    spread: f64,
}

impl Simulated {
    /// The first commit of the newer level as a bisection finds it; `None` where it finds none.
    fn bisected(&self, looks: &[Looks], rng: &mut ChaCha8Rng) -> Option<usize> {
        let commits = self.truth.len();
        let line = (0..commits).map(|commit: usize| commit.checked_sub(1).into_iter().collect());
        let mut search = Search::new(line.collect()).unwrap();
        let ends = *self.truth.last().unwrap();
        let sign = ends_sign(&proofmark_stats::Interval::exactly(
            proofmark_stats::Effect::from_ln(ends),
        ));
        for looks in looks {
            match search.next() {
                Next::Found(commit) => return Some(commit),
                Next::Among(_) => return None,
                Next::Try { commit, .. } => {
                    let mark = self.mark(self.truth[commit], looks, sign, rng);
                    search.set(commit, mark);
                }
            }
        }
        None
    }

    fn mark(&self, level: f64, looks: &Looks, sign: f64, rng: &mut ChaCha8Rng) -> Mark {
        let rule = Rule::new(looks.clone(), Margin::default(), Better::Lower);
        let rules = [rule.clone(), rule.clone(), rule];
        let ends = *self.truth.last().unwrap();
        let (mut older, mut newer) = (Vec::new(), Vec::new());
        let mut noise = || -> f64 { StandardNormal.sample(rng) };
        for _ in 0..looks.max() {
            older.push(-level + self.spread * noise());
            newer.push(ends - level + self.spread * noise());
            let judged = judge_values(&older, &newer, &rules, sign);
            match judged.and_then(|judged| judged.nearer) {
                Some(Nearer::Older) => return Mark::Older,
                Some(Nearer::Newer) => return Mark::Newer,
                None => {}
            }
        }
        Mark::Skipped
    }
}

/// Of 300 bisections of 64 commits each with a step of three times a block's spread, at
/// most as many go wrong as were allowed to.
#[test]
fn a_whole_answer_is_wrong_no_more_often_than_promised() {
    const ALPHA: f64 = 0.2;
    let looks: Vec<Looks> = (2..12)
        .map(|step| Looks::new(1.0 - level(ALPHA, step).unwrap(), 2, 20, 2).unwrap())
        .collect();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (mut wrong, mut none) = (0, 0);
    for sign in [1.0, -1.0].repeat(150) {
        let first = rng.random_range(0..64_usize);
        let truth = (0..64).map(|commit| if commit < first { 0.0 } else { 0.03 * sign });
        let simulated = Simulated {
            truth: truth.collect(),
            spread: 0.01,
        };
        match simulated.bisected(&looks, &mut rng) {
            Some(found) if found == first => {}
            Some(_) => wrong += 1,
            None => none += 1,
        }
    }
    // 60 of 300 were allowed to; three standard deviations of chance beyond that are 21.
    assert!(
        wrong <= 60,
        "{wrong} of 300 wrong, {none} without an answer"
    );
    assert!(none <= 100, "{none} of 300 without an answer");
}

/// A commit half-way between the ends is told from both, and is nearer to neither.
#[test]
fn what_lies_between_is_seen() {
    let looks = Looks::new(0.95, 8, 60, 2).unwrap();
    let rule = Rule::new(looks, Margin::default(), Better::Lower);
    let rules = [rule.clone(), rule.clone(), rule];
    let noise = |block: u32| 0.001 * f64::from(block % 3) - 0.001;
    for sign in [1.0, -1.0] {
        let older: Vec<f64> = (0..9).map(|block| -0.02 * sign + noise(block)).collect();
        let newer: Vec<f64> = (0..9).map(|block| 0.02 * sign - noise(block)).collect();
        let judged = judge_values(&older, &newer, &rules, sign).unwrap();
        assert!(judged.between && judged.nearer.is_none(), "{judged:?}");
        // Beyond the newer end is not between.
        let beyond: Vec<f64> = newer.iter().map(|one| one - 0.04 * sign).collect();
        let judged = judge_values(&older, &beyond, &rules, sign).unwrap();
        assert!(
            !judged.between && judged.nearer == Some(Nearer::Newer),
            "{judged:?}"
        );
    }
}

/// A survey of a line whose points have these levels; some cannot be judged.
fn surveyed(levels: &[i32], width: usize, broken: &[usize]) -> (Survey, usize) {
    let relation = |one: usize, other: usize| {
        if levels[one].abs_diff(levels[other]) > 1 {
            Relation::Differs
        } else {
            Relation::Alike
        }
    };
    let last = levels.len() - 1;
    let mut survey = Survey::new(last, width, relation(0, last));
    let mut looks = 0;
    while let Some(look) = survey.next() {
        looks += 1;
        assert!(looks <= levels.len(), "{survey:?}");
        let Look {
            older,
            commit,
            newer,
        } = look;
        if broken.contains(&commit) {
            survey.skip(commit);
        } else {
            survey.set(look, relation(older, commit), relation(commit, newer));
        }
    }
    (survey, looks)
}

#[test]
fn every_change_of_a_line_is_found() {
    // Three steps, of which one goes down.
    let mut levels = vec![0; 100];
    levels[20..].fill(30);
    levels[21..].fill(10);
    levels[77..].fill(50);
    let (survey, looks) = surveyed(&levels, 200, &[]);
    assert_eq!(survey.changes(), [(19, 20), (20, 21), (76, 77)]);
    assert!(looks <= 20, "{looks}");
    // A peak whose ends are alike is found where it is wider than what may stay unseen.
    let mut peak = vec![0; 100];
    peak[40..52].fill(30);
    let (survey, looks) = surveyed(&peak, 10, &[]);
    assert_eq!(survey.changes(), [(39, 40), (51, 52)]);
    assert!(survey.unseen() <= 10 && looks <= 25, "{looks}");
    let (survey, _) = surveyed(&peak, 100, &[]);
    assert_eq!((survey.changes(), survey.unseen()), (vec![], 98));
    // What cannot be judged stays within its range.
    let (survey, _) = surveyed(&peak, 10, &[38, 39, 40, 41]);
    assert_eq!(survey.changes(), [(37, 42), (51, 52)]);
    // Steps below the margin that add up are no change of one commit.
    let (survey, _) = surveyed(&[0, 1, 2], 0, &[]);
    assert_eq!((survey.changes(), survey.gradual()), (vec![], vec![(0, 2)]));
}

/// Where the halves of a difference cannot be told, it is looked for in them all the same, and is
/// not lost.
#[test]
fn what_could_not_be_told_is_pursued_where_there_must_be_a_change() {
    let mut survey = Survey::new(8, 8, Relation::Differs);
    let first = survey.next().unwrap();
    assert_eq!((first.older, first.commit, first.newer), (0, 4, 8));
    survey.set(first, Relation::Alike, Relation::Unclear);
    assert_eq!((survey.open(), survey.unclear()), (3, vec![(4, 8)]));
    let second = survey.next().unwrap();
    assert_eq!((second.older, second.commit, second.newer), (4, 6, 8));
    survey.set(second, Relation::Alike, Relation::Unclear);
    let third = survey.next().unwrap();
    survey.set(third, Relation::Differs, Relation::Alike);
    assert_eq!((survey.next(), survey.open()), (None, 0));
    assert_eq!(survey.changes(), [(6, 7)]);
    assert!(survey.gradual().is_empty() && survey.unclear().is_empty());
    // Of ends that could not be told nothing follows.
    let survey = Survey::new(8, 8, Relation::Unclear);
    assert_eq!((survey.next(), survey.unseen()), (None, 7));
}
