//! Disassembly of one function, annotated with what matters for speed and with its source.

use serde::Serialize;

use crate::address::Address;
use crate::arch::Arch;
use crate::decode::{Aarch64, Decode, Flow, Op, Traits, X86};
use crate::image::Image;
use crate::source::{SourceLine, Sources};

/// One instruction of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Where it stands.
    pub address: Address,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its text, in the assembler's usual syntax (AT&T's for x86-64), with names for the addresses
    /// that it refers to.
    pub text: String,
    /// The source line, where it is known and is not that of the line before.
    pub source: Option<SourceLine>,
    /// Whether a branch of this function leads here.
    pub is_target: bool,
    /// The widest boundary that a branch crosses or ends on: 64 or 32 bytes, or 0 for none.
    pub crosses: u8,
    /// Whether a 64-byte line begins at or inside this instruction.
    pub begins_line: bool,
}

/// Disassembles a function.
#[must_use]
pub fn listing(image: &Image, index: usize, sources: Option<&Sources>) -> Vec<Line> {
    let Some(function) = image.functions.get(index) else {
        return Vec::new();
    };
    let code = image.code(function);
    let mut lines = match image.space.arch {
        Arch::X86_64 => lines(
            image,
            X86::new(code, function.address, &image.space),
            sources,
        ),
        Arch::Aarch64 => lines(
            image,
            Aarch64::new(code, function.address, &image.space),
            sources,
        ),
    };
    let mut targets: Vec<u64> = lines.iter().filter_map(|(_, to)| *to).collect();
    targets.sort_unstable();
    for (line, _) in &mut lines {
        line.is_target = targets.binary_search(&line.address.get()).is_ok();
    }
    lines.into_iter().map(|(line, _)| line).collect()
}

fn lines(
    image: &Image,
    mut decoder: impl Decode,
    sources: Option<&Sources>,
) -> Vec<(Line, Option<u64>)> {
    let mut lines = Vec::new();
    let mut last = None;
    let mut op = Op::default();
    while decoder.next(&mut op) {
        let text = decoder.text(image);
        let source = sources.and_then(|s| s.line(Address::new(op.address)));
        let shown = source.clone().filter(|s| Some(s) != last.as_ref());
        last = source.or(last);
        let branches = !matches!(op.flow, Flow::Next | Flow::Stop);
        let crosses = match (
            branches,
            op.address >> 5 != op.end() >> 5,
            op.address >> 6 != op.end() >> 6,
        ) {
            (true, _, true) => 64,
            (true, true, _) => 32,
            _ => 0,
        };
        let bytes = image.bytes_at(op.address, u64::from(op.len)).to_vec();
        let text = if op.traits.has(Traits::DATA) {
            format!(".data  # {} bytes", op.len)
        } else {
            text
        };
        let begins_line = op.address % 64 == 0 || op.address >> 6 != (op.end() - 1) >> 6;
        let target = matches!(op.flow, Flow::Jump | Flow::Conditional).then_some(op.target);
        let line = Line {
            address: Address::new(op.address),
            bytes,
            text,
            source: shown,
            is_target: false,
            crosses,
            begins_line,
        };
        lines.push((line, target));
    }
    lines
}
