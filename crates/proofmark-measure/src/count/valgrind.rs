//! Instruction counts by valgrind. Of its tools, cachegrind without its caches is the fastest that
//! counts (160 million instructions: 0.44 s; callgrind 0.66 s; lackey 1.86 s; no tool at all 0.28
//! s; valgrind 3.19). Where a process forks and goes on, cachegrind counts in both what was done
//! before: then callgrind counts, which can be told to begin anew there.

use super::Count;
use crate::valgrind::{APART, Ran, Tool, run};
use crate::{Interrupt, Launch, Unavailable};

pub(super) fn instructions(launch: &Launch, stop: &Interrupt) -> Result<Count, Unavailable> {
    let options = ["--tool=cachegrind", "--cache-sim=no", "--branch-sim=no"];
    let tool = Tool {
        options: options.map(str::to_owned).to_vec(),
        output: "--cachegrind-out-file=",
        wanted: false,
    };
    let counted = run(launch, &tool, stop, |ran| {
        let count = sum(ran, &ran.logs, references)?;
        Ok((!ran.forked()).then_some(count))
    })?;
    let by = "valgrind";
    if let Some(instructions) = counted {
        return Ok(Count { instructions, by });
    }
    let tool = Tool {
        options: ["--tool=callgrind"]
            .into_iter()
            .chain(APART)
            .map(str::to_owned)
            .collect(),
        output: "--callgrind-out-file=",
        wanted: true,
    };
    let instructions = run(launch, &tool, stop, |ran| sum(ran, &ran.counted, total))?;
    Ok(Count { instructions, by })
}

/// What was counted in all, where each process says it.
fn sum(
    ran: &Ran,
    texts: &[String],
    read: impl Fn(&str) -> Option<u64>,
) -> Result<u64, Unavailable> {
    let counts: Vec<u64> = texts.iter().filter_map(|text| read(text)).collect();
    if counts.is_empty() || counts.len() < texts.len() {
        return Err(ran.no_count());
    }
    Ok(counts.into_iter().sum())
}

/// The number in `==123== I   refs:      160,127,796`.
fn references(log: &str) -> Option<u64> {
    log.lines().find_map(|line| {
        let (before, number) = line.split_once("refs:")?;
        let label = before.trim_end().ends_with(" I");
        label.then(|| {
            number
                .replace(',', "")
                .split_ascii_whitespace()
                .next()?
                .parse()
                .ok()
        })?
    })
}

/// The number in `totals: 160127796`.
fn total(counted: &str) -> Option<u64> {
    let mut lines = counted.lines().rev();
    let total = lines.find_map(|line| line.strip_prefix("totals:"))?;
    total.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_the_log() {
        let log = "==1== Command: ./a refs: 5\n==1== \n==1== I   refs:      160,127,796\n==1== D   refs:  1\n";
        assert_eq!(references(log), Some(160_127_796));
        assert_eq!(references("==7== I refs:        1,000\n"), Some(1000));
        assert_eq!(references("==7== D   refs:  12\n"), None);
        assert_eq!(total("fn=f\n3 10\n\ntotals: 1234\n"), Some(1234));
        assert_eq!(total("fn=f\n3 10\n"), None);
    }
}
