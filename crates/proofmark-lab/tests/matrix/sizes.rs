//! A benchmark with several sizes: the largest stands for it, and all of them have to run.

use proofmark_conclude::ledger::{conclude_race, conclude_run, confirmed};
use proofmark_evidence::record::{Asked, LedgerBenchmark, Missing};
use proofmark_stats::Standing;
use proofmark_terms::{CellIndex, Metric};

use super::claims::claim;
use super::ledger::asked_of;
use super::worlds::{Suite, World, Worlds};

/// c takes half of the time at the larger size, and fails at the smaller one or runs there too.
#[test]
fn what_fails_at_a_small_size_is_no_gain_on_its_benchmark() {
    for fails in [false, true] {
        let sizes = [("x", Some(10)), ("x", Some(40))];
        let mut matrix = Suite::new(3, &[0], &sizes);
        let mut worlds = Worlds(vec![
            World::new(1, &[6.0, 6.0, 3.0]),
            World::new(2, &[60.0, 60.0, 30.0]),
        ]);
        worlds.0[0].fails = fails.then_some((None, 2));
        let claims = Asked {
            claims: vec![claim(2, 0.5)],
            ..Asked::default()
        };
        let conclusion = matrix.conduct(&mut worlds, &claims).unwrap();
        let [judged] = conclusion.claims.as_slice() else {
            panic!("one claim: {:?}", conclusion.claims);
        };
        let out = Missing {
            cell: "c".to_owned(),
            why: "is out of x N=10".to_owned(),
        };
        assert_eq!(judged.missing, if fails { vec![out] } else { Vec::new() });
        assert_eq!(judged.standing == Standing::Robust, !fails, "{judged:?}");
        // Nor is it in a mean.
        let averaged = |cell| {
            conclusion
                .suite
                .iter()
                .any(|mean| mean.cell == CellIndex(cell))
        };
        assert!(averaged(1));
        assert_eq!(averaged(2), !fails, "{:?}", conclusion.suite);

        let loaded = matrix.load();
        let evidence = loaded.evidence();
        let id = loaded.id.clone();
        let runner = |place: u32| ("idea".to_owned(), Some(CellIndex(place)), None);
        let race = conclude_race(&evidence, id.clone(), vec![runner(1), runner(2)]).unwrap();
        let stay: Vec<bool> = race.runners.iter().map(|runner| runner.stays).collect();
        assert_eq!(stay, [fails, !fails], "{race:?}");
        let benchmarks = vec![LedgerBenchmark {
            name: "x".to_owned(),
            metric: Metric::CpuTime,
            guard: None,
        }];
        let run = conclude_run(&evidence, id, asked_of(benchmarks), &[], 0.05, Vec::new()).unwrap();
        assert_eq!(run.tests.is_empty(), fails, "{:?}", run.tests);
        // Who is out is no gain of anybody.
        assert_eq!(confirmed(&evidence).unwrap().is_none(), fails);
    }
}
