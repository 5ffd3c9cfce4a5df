//! Which places of a build's own image the benchmark reaches.

use super::bench::{Put, SweepBench};
use super::trap::trapped;
use crate::LabError;
use crate::bench::BenchParts;
use crate::builds::Subject;
use crate::builds::held::held;
use crate::laboratory::{Laboratory, emptied};
use crate::places::{Original, Places};
use crate::prepare::set_up;
use proofmark_evidence::record::Benchmark;

/// By function, where it starts as linked, whether the benchmark runs it; `None` where that cannot
/// be told: the program does something else each time.
///
/// # Errors
///
/// When an image cannot be made, or a run cannot be started.
pub(crate) fn reached(
    laboratory: &Laboratory<'_>,
    subject: &Subject,
    benchmark: &Benchmark,
    starts: &[u64],
) -> Result<Vec<Option<bool>>, LabError> {
    let work = laboratory.folder.join("work");
    emptied(&work)?;
    let original = Original::of(benchmark, laboratory.folder)?;
    let subjects = held(std::slice::from_ref(subject), &work.join("held"))?;
    set_up(benchmark)?;
    let places = Places::of(&subjects, original)?;
    let parts = BenchParts::claim(work.join("run"), places, &laboratory.stop)?;
    let mut bench = SweepBench::new(benchmark, parts, 0);
    let Some(image) = subjects
        .first()
        .and_then(|one| one.shipped().into_iter().next())
    else {
        return Ok(vec![None; starts.len()]);
    };
    let shipped = Put {
        name: "as shipped".to_owned(),
        image: image.clone(),
    };
    bench.place(std::slice::from_ref(&shipped))?;
    let (one, other) = (bench.outcome(0)?, bench.outcome(0)?);
    if !bench.alike(&one, &other)? {
        return Ok(vec![None; starts.len()]);
    }
    let mut found = Vec::with_capacity(starts.len());
    for &start in starts {
        let put = Put {
            name: "trapped".to_owned(),
            image: trapped(&image, &[start], &work)?,
        };
        bench.place(&[shipped.clone(), put])?;
        let stopped = bench.outcome(1)?;
        found.push(Some(!bench.alike(&one, &stopped)?));
    }
    Ok(found)
}
