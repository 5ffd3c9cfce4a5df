//! The tables of a matrix as rows of text, for every format.

use proofmark_terms::{CellIndex, MemberIndex};

use super::MatrixView;
use super::factor;
use crate::number;

/// Rows under a header and a title.
pub(crate) struct Grid {
    /// What the table is of; heads its first column where there is no width to keep to.
    pub(crate) title: String,
    /// Heads of the columns after the first.
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// Most columns beside the first of one table by benchmark.
const ABREAST: usize = 3;

fn none() -> String {
    "—".to_owned()
}

/// The geometric mean of the suite: a row for each cell, a column for each baseline.
pub(crate) fn suite(matrix: &MatrixView<'_>) -> Grid {
    let baselines = &matrix.run.baselines;
    let against = baselines
        .iter()
        .map(|&base| format!("vs {}", matrix.cell(base)));
    let row = |cell: CellIndex| {
        let column = |&base: &CellIndex| match matrix.suite(cell, base) {
            _ if cell == base => "(ref)".to_owned(),
            Some(effect) => {
                factor::of_suite(effect, matrix.wording(&effect.over), matrix.benchmarks())
            }
            None => none(),
        };
        let name = matrix.cell(cell);
        std::iter::once(name)
            .chain(baselines.iter().map(column))
            .collect()
    };
    Grid {
        title: matrix.heading(),
        header: against.collect(),
        rows: matrix.cells().map(row).collect(),
    }
}

/// Each benchmark at each size against the main baseline: a row for each, a column for each cell, a
/// few cells abreast. Benchmarks that the main baseline is out of stand below, against the first
/// baseline that is not.
pub(crate) fn by_benchmark(matrix: &MatrixView<'_>) -> Vec<Grid> {
    let main = matrix
        .run
        .baselines
        .first()
        .copied()
        .unwrap_or(CellIndex(0));
    let mut groups: Vec<(CellIndex, Vec<MemberIndex>)> = Vec::new();
    for member in matrix.members() {
        let mut able = matrix.run.baselines.iter();
        let base = able.find(|&&base| !matrix.is_out(member, base));
        let base = base.copied().unwrap_or(main);
        match groups.iter_mut().find(|(known, _)| *known == base) {
            Some((_, members)) => members.push(member),
            None => groups.push((base, vec![member])),
        }
    }
    groups.sort_by_key(|(base, _)| *base != main);
    let grids = groups.iter();
    grids
        .flat_map(|(base, members)| against(matrix, *base, members, main))
        .collect()
}

/// Some benchmarks against one baseline.
fn against(
    matrix: &MatrixView<'_>,
    baseline: CellIndex,
    members: &[MemberIndex],
    main: CellIndex,
) -> Vec<Grid> {
    let cells: Vec<CellIndex> = matrix.cells().filter(|&cell| cell != baseline).collect();
    let mut title = format!("each benchmark vs {}", matrix.cell(baseline));
    if baseline != main {
        title.push_str(&format!(", where {} is out", matrix.cell(main)));
    }
    let grid = |cells: &[CellIndex]| {
        let row = |member: MemberIndex| {
            let column = |&cell: &CellIndex| match matrix.effect(member, cell, baseline) {
                Some(effect) => factor::of_member(effect, matrix.wording(&[member])),
                None => none(),
            };
            let name = matrix.member(member);
            std::iter::once(name)
                .chain(cells.iter().map(column))
                .collect()
        };
        Grid {
            title: title.clone(),
            header: cells.iter().map(|&cell| matrix.cell(cell)).collect(),
            rows: members.iter().copied().map(row).collect(),
        }
    };
    cells.chunks(ABREAST).map(grid).collect()
}

/// Everything against one baseline with its intervals: for each cell the suite, then each
/// benchmark.
pub(crate) fn in_full(matrix: &MatrixView<'_>, baseline: CellIndex) -> Grid {
    let mut rows = Vec::new();
    for cell in matrix.cells().filter(|&cell| cell != baseline) {
        let mut first = matrix.cell(cell);
        let mut push = |what: String, said: String, interval: String, blocks: u32| {
            let name = std::mem::take(&mut first);
            rows.push(vec![name, what, said, interval, blocks.to_string()]);
        };
        if let Some(effect) = matrix
            .suite(cell, baseline)
            .filter(|_| matrix.benchmarks() > 1)
        {
            let wording = matrix.wording(&effect.over);
            let said = factor::brief(&effect.interval, effect.verdict, wording);
            let interval = number::interval(&effect.interval);
            let all = matrix.benchmarks();
            let what = match effect.over.len() {
                over if over < all => format!("mean of {over}"),
                _ => format!("mean of all {all}"),
            };
            push(what, said, interval, effect.blocks);
        }
        for member in matrix.members() {
            match matrix.effect(member, cell, baseline) {
                Some(effect) => push(
                    matrix.member(member),
                    factor::brief(&effect.interval, effect.verdict, matrix.wording(&[member])),
                    number::interval(&effect.interval),
                    effect.blocks,
                ),
                None => push(matrix.member(member), none(), String::new(), 0),
            }
        }
    }
    Grid {
        title: format!("vs {}", matrix.cell(baseline)),
        header: ["", "", "new/base", "blocks"].map(str::to_owned).into(),
        rows,
    }
}
