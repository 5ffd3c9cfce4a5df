//! Blocks and loops of small graphs.

use super::*;

/// Branches of two bytes at these offsets, each on or not, and to where.
fn graph(size: u64, branches: &[(u64, bool, Option<u64>)]) -> Graph {
    let mut graph = Graph::default();
    graph.begin(size);
    for (at, falls, to) in branches {
        let branch = Branch::new(*at, *falls);
        graph.branch(to.map_or(branch, |to| branch.to(to)), 2);
    }
    graph
}

#[test]
fn loops_are_counted_by_their_heads() {
    // Two ways back to one head.
    let branches = [
        (10, true, Some(20)),
        (12, false, Some(0)),
        (24, true, Some(0)),
        (30, false, None),
    ];
    assert_eq!(graph(32, &branches).count(), (5, 1));
    // A way back up is no loop where nothing leads from there to where it came from.
    let cold = [(4, true, Some(20)), (8, false, None), (22, false, Some(6))];
    assert_eq!(graph(24, &cold).count(), (4, 0));
}

#[test]
fn what_fills_a_gap_belongs_to_no_block() {
    let mut graph = graph(40, &[(4, false, Some(20))]);
    assert!(graph.fill_gap(6, 5) && graph.fill_gap(11, 9));
    assert!(!graph.fill_gap(24, 1), "in the midst of a block");
    graph.branch(Branch::new(30, false).to(0), 2);
    assert!(graph.fill_gap(32, 8));
    assert_eq!(graph.count(), (2, 1));
}

#[test]
fn a_trap_in_a_gap_ends_nothing_but_itself() {
    // 0: jumps to itself; 2: a trap; 6: back to the trap, and on.
    let mut graph = graph(20, &[(0, false, Some(0))]);
    assert!(graph.fill_gap(2, 1));
    graph.trap(Branch::new(2, false));
    assert_eq!(graph.count().1, 1);
    graph.branch(Branch::new(6, true).to(2), 2);
    graph.branch(Branch::new(10, false), 2);
    assert!(graph.withdraw(12));
    // 0, the trap, what leads back to it, and behind that; a loop only at 0.
    assert_eq!(graph.count(), (4, 1));
}

#[test]
fn a_gap_that_something_jumps_into_is_a_block() {
    let mut graph = graph(40, &[(2, true, Some(6)), (4, false, None)]);
    assert!(graph.fill_gap(6, 10));
    graph.branch(Branch::new(30, false), 2);
    // 0, 4, 6 and what stands behind the padding.
    assert_eq!(graph.count().0, 4 + 1, "and the gap behind the last branch");
}

#[test]
fn what_is_left_of_a_longer_function_does_not_count() {
    let mut graph = graph(4000, &[(3000, true, Some(100)), (3500, false, Some(2000))]);
    assert_eq!(graph.count(), (5, 2));
    graph.begin(200);
    graph.branch(Branch::new(120, true).to(100), 2);
    assert_eq!(graph.count(), (3, 1));
}
