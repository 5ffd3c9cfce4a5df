//! The raw samples as other programs read them.

use proofmark_evidence::record::ArmRef;
use proofmark_report::experiment::csv;
use proofmark_terms::BuildIndex;

use crate::{made, parts};

fn text(recorded: &proofmark_evidence::Recorded) -> String {
    let mut bytes = Vec::new();
    csv(recorded, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_row_for_each_run() {
    let mut recorded = made::compared(
        proofmark_stats::Verdict::Faster,
        parts::interval(0.961, 0.967, 0.973),
    );
    let arms = [
        ArmRef::Drawn {
            build: BuildIndex(1),
        },
        ArmRef::AsShipped {
            build: BuildIndex(0),
        },
        ArmRef::Taxed,
    ];
    recorded.blocks = vec![parts::block(0, &parts::PAIR, 2), parts::block(1, &arms, 2)];
    insta::assert_snapshot!(text(&recorded));
}

#[test]
fn names_are_quoted_where_they_must_be_and_come_back_whole() {
    let recorded = made::hostile();
    let text = text(&recorded);
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let mut names: Vec<String> = reader
        .records()
        .map(|row| row.unwrap()[4].to_owned())
        .collect();
    let once: Vec<&str> = recorded
        .experiment
        .builds
        .iter()
        .map(|build| build.name.as_str())
        .collect();
    // Rows are in the order of the runs, which is drawn.
    let mut expected = [once.clone(), once].concat();
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn a_writer_that_fails_is_an_error() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let error = csv(&made::unfinished(), Full).unwrap_err();
    assert!(
        error.to_string().contains("cannot write the samples"),
        "{error}"
    );
}
