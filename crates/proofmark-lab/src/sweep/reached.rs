//! Which places of a build's own image the benchmark reaches.

use proofmark_conclude::RoundAt;
use proofmark_evidence::record::Benchmark;

use super::trap::trapped;
use crate::LabError;
use crate::alone::{Put, Setting};
use crate::builds::Subject;
use crate::laboratory::Laboratory;

/// By function, where it starts as linked, whether the benchmark runs it; `None` where that cannot
/// be told.
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
    let setting = Setting::new(laboratory, subject, benchmark)?;
    let mut bench = setting.bench()?;
    let Some(image) = setting.shipped() else {
        return Ok(vec![None; starts.len()]);
    };
    let shipped = Put {
        name: "as shipped".to_owned(),
        image: image.clone(),
    };
    let mut found = Vec::with_capacity(starts.len());
    for &start in starts {
        let put = Put {
            name: "trapped".to_owned(),
            image: trapped(&image, &[start], &setting.work)?,
        };
        bench.place(RoundAt::FIRST, &[shipped.clone(), put])?;
        found.push(bench.comes_to_a_trap(&setting.stop)?);
    }
    Ok(found)
}
