//! What a kill leaves, and what goes on from there.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use proofmark_evidence::Recorded;
use proofmark_evidence::record::Block;
use proofmark_terms::{ArmIndex, Digest, Layout};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{BETWEEN, all_gone, blocks, comparison, gate, recorded, text, words};
use crate::support::Project;

/// The draws of a block: all of it that does not depend on the clock.
fn draws(block: &Block) -> (u32, &Layout, &[Digest], Vec<&[ArmIndex]>) {
    let orders = block
        .rounds
        .iter()
        .map(|round| round.order.as_slice())
        .collect();
    (block.index, &block.layout, &block.images, orders)
}

/// Kills a comparison over and over until it ends by itself; how many kills it took.
fn killed_until_done(
    project: &Project,
    command: &[String],
    random: &mut ChaCha8Rng,
    at_most: u32,
) -> u32 {
    let mut kills = 0;
    let mut kept: Vec<Block> = Vec::new();
    loop {
        let mut child = project
            .command(&words(command))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        if kills < at_most {
            wait_for_a_moment(project, &mut child, kept.len(), random);
            child.kill().unwrap();
        }
        let status = child.wait().unwrap();
        all_gone(project);
        let now = blocks(project);
        assert!(
            now.len() >= kept.len() && now[..kept.len()] == kept[..],
            "after kill {kills}: {} of {} blocks",
            now.len(),
            kept.len()
        );
        if status.signal().is_none() {
            assert_eq!(status.code(), Some(0), "{}", text(&mut child));
            return kills;
        }
        kills += 1;
        kept = now;
        if recorded(project).is_some_and(|recorded| recorded.conclusion.is_some()) {
            // Killed between its conclusion and its end: the same command would begin another one.
            return kills;
        }
    }
}

/// A random moment: some blocks further on, or somewhere before the next block; and then a part of
/// a block.
fn wait_for_a_moment(project: &Project, child: &mut Child, so_far: usize, random: &mut ChaCha8Rng) {
    let further = random.random_range(0..3);
    while blocks(project).len() < so_far + further && child.try_wait().unwrap().is_none() {
        sleep(BETWEEN);
    }
    sleep(Duration::from_micros(random.random_range(0..150_000)));
}

/// One comparison, killed at most `at_most` times; its blocks are those of the undisturbed one with
/// the same seed.
fn interrupted_comparison(
    schedule: &str,
    how: &[&str],
    random: &mut ChaCha8Rng,
    at_most: u32,
) -> u32 {
    let project = gate();
    let command = comparison("12", schedule, "", how);
    let kills = killed_until_done(&project, &command, random, at_most);
    let disturbed = recorded(&project).unwrap();
    assert!(disturbed.conclusion.is_some());
    // Otherwise the images would be the same because they are the same files.
    fs::remove_dir_all(project.path(".proofmark/cache")).unwrap();
    project.done(&words(&command));
    let undisturbed = recorded(&project).unwrap();
    assert_ne!(disturbed.id, undisturbed.id);
    let of = |recorded: &Recorded| {
        format!(
            "{:#?}",
            recorded.blocks.iter().map(draws).collect::<Vec<_>>()
        )
    };
    assert_eq!(of(&disturbed), of(&undisturbed));
    kills
}

#[test]
fn twenty_kills_lose_no_finished_block_and_change_none_that_follows() {
    let mut random = ChaCha8Rng::seed_from_u64(20);
    let mut kills = 0;
    let kinds: [(&str, &[&str]); 3] = [
        ("interleaved", &[]),
        ("sliced:1ms", &[]),
        ("sliced:1ms", &["--layouts", "as-shipped"]),
    ];
    for (schedule, how) in kinds.into_iter().cycle() {
        kills += interrupted_comparison(schedule, how, &mut random, (20 - kills).min(7));
        if kills == 20 {
            break;
        }
    }
}
