//! The content of a function: its instructions with everything left out that only says where things
//! are.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::canonical::canonical;
use super::constant::Constant;
use super::idle::{Idle, NoOps};
use crate::arch::Arch;
use crate::decode::{Aarch64, Content, Decode, Flow, Op, Reference, Use, X86};
use crate::elf;
use crate::image::{Function, Image, LinkKind};
use crate::names;

/// The longest text constant whose letters are compared, in bytes.
const LONGEST_TEXT: u64 = 4096;
/// A run of letters shorter than this may as well be an entry of a table.
const SHORTEST_TEXT: usize = 4;
/// The widest constant that an instruction reads at once, in bytes.
const WIDEST: u64 = 64;
/// Start-up code that each program has from gcc (libgcc's crtstuff.c). It refers to `__TMC_END__`,
/// the end of a section, where whatever begins `.bss` may stand.
const USERS_OF_ENDS: [&str; 2] = ["register_tm_clones", "deregister_tm_clones"];

/// What a function refers to, besides places in itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Target {
    /// A function of the image, by index, and the distance into it.
    Function { index: usize, within: u64 },
    /// Something with a name or with a constant value: the hash of that.
    Known(u64),
    /// Something that has neither.
    Nameless,
    /// A number that may be the address of something that has neither.
    Number(u64),
}

/// One instruction's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) address: u64,
    /// The hash of operation and operands.
    pub(super) shape: u64,
    /// For a branch inside the function: which instruction it leads to, by number.
    pub(super) leads: u32,
    pub(super) target: Option<Target>,
    /// The address in the image that it refers to.
    pub(super) reference: Option<Reference>,
}

/// A function's content.
#[derive(Debug, Clone)]
pub(super) struct Fingerprint {
    /// The hash of all instructions and of where their branches lead.
    pub(super) shape: u64,
    /// What they refer to, in order.
    pub(super) targets: Vec<Target>,
    /// For each of those, the address where it is certain that it is one.
    pub(super) certain: Vec<Option<u64>>,
    /// Number of instructions, padding left out.
    pub(super) len: usize,
}

impl Fingerprint {
    /// What it refers to that has a name or a value of its own, in one hash.
    pub(super) fn known(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for target in &self.targets {
            match target {
                Target::Known(hash) => hash.hash(&mut hasher),
                Target::Function { .. } | Target::Nameless | Target::Number(_) => {
                    0u64.hash(&mut hasher);
                }
            }
        }
        hasher.finish()
    }
}

/// The content of a function in one hash and its references.
pub(super) fn fingerprint(image: &Image, index: usize, no_ops: NoOps) -> Fingerprint {
    let pieces = pieces(image, index, no_ops);
    let mut hasher = DefaultHasher::new();
    for piece in &pieces {
        (piece.shape, piece.leads).hash(&mut hasher);
    }
    let certain = |piece: &Piece| {
        let reference = piece.reference.filter(|reference| reference.certain);
        piece
            .target
            .map(|_| reference.map(|reference| reference.address))
    };
    Fingerprint {
        shape: hasher.finish(),
        targets: pieces.iter().filter_map(|p| p.target).collect(),
        certain: pieces.iter().filter_map(certain).collect(),
        len: pieces.len(),
    }
}

/// The content of a function, instruction by instruction, padding left out. No-ops that are none
/// are one piece as long as they follow one another.
pub(super) fn pieces(image: &Image, index: usize, no_ops: NoOps) -> Vec<Piece> {
    let Some(function) = image.functions.get(index) else {
        return Vec::new();
    };
    let code = image.code(function);
    let reader = Reader::new(image, index, no_ops);
    match image.space.arch {
        Arch::X86_64 => reader.read(X86::new(code, function.address, &image.space)),
        Arch::Aarch64 => reader.read(Aarch64::new(code, function.address, &image.space)),
    }
}

/// Where the instructions of a function start and end, padding left out.
pub(super) fn instructions(image: &Image, index: usize) -> Vec<[u64; 2]> {
    let Some(function) = image.functions.get(index) else {
        return Vec::new();
    };
    let (code, space) = (image.code(function), &image.space);
    match space.arch {
        Arch::X86_64 => ends(X86::new(code, function.address, space), image),
        Arch::Aarch64 => ends(Aarch64::new(code, function.address, space), image),
    }
}

fn ends(mut decoder: impl Decode, image: &Image) -> Vec<[u64; 2]> {
    let (mut found, mut op) = (Vec::new(), Op::default());
    while decoder.next(&mut op) {
        if !decoder.content(&image.space).silent {
            found.push([op.address, op.end()]);
        }
    }
    found
}

struct Reader<'a> {
    image: &'a Image,
    index: usize,
    start: u64,
    end: u64,
    /// Whether text constants end with a zero byte.
    texts: bool,
    /// Whether data are only meant as the ends of sections.
    ends: bool,
    no_ops: NoOps,
}

impl<'a> Reader<'a> {
    fn new(image: &'a Image, index: usize, no_ops: NoOps) -> Self {
        let function = &image.functions[index];
        let symbol = function.symbol.as_deref();
        Reader {
            image,
            index,
            start: function.address,
            end: function.end(),
            texts: has_ends(image, function),
            ends: symbol.is_some_and(|s| USERS_OF_ENDS.contains(&s)),
            no_ops,
        }
    }

    fn read(&self, mut decoder: impl Decode) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        // Branches inside the function: the piece's number, and the address that it leads to.
        let mut branches: Vec<(usize, u64)> = Vec::new();
        let (mut op, mut idle) = (Op::default(), Idle::default());
        while decoder.next(&mut op) {
            let content = decoder.content(&self.image.space);
            if content.silent {
                idle.skip(&op);
                continue;
            }
            pieces.extend(idle.end(op.flow, self.no_ops).map(idling));
            let mut target = content.reference.and_then(|r| self.reference(r));
            if matches!(op.flow, Flow::Jump | Flow::Conditional | Flow::Call) {
                if (self.start..self.end).contains(&op.target) && op.flow != Flow::Call {
                    branches.push((pieces.len(), op.target));
                } else {
                    target = Some(self.code(op.target));
                }
            }
            let number = |name: &str| hashed(&canonical(name));
            let len = u64::from(op.len);
            if let Some(filled) = elf::filled_at(self.image, op.address, len, number) {
                target = Some(Target::Known(hashed(&("filled", filled))));
            }
            pieces.push(Piece {
                address: op.address,
                shape: shape(&content),
                leads: 0,
                target,
                reference: content.reference,
            });
        }
        pieces.extend(idle.end_of_function(self.no_ops).map(idling));
        for (from, to) in branches {
            // A branch to padding leads to what comes behind it.
            let number = pieces.partition_point(|p| p.address < to);
            pieces[from].leads = u32::try_from(number + 1).unwrap_or(u32::MAX);
        }
        pieces
    }

    /// What a direct branch out of the function, or a call, leads to.
    fn code(&self, address: u64) -> Target {
        if let Some(link) = self.image.link_at(address) {
            return match self.image.own_function(link) {
                Some(index) => Target::Function { index, within: 0 },
                None => named(&link.name, 0),
            };
        }
        match self.image.function_at(address) {
            // Between the pieces of one function distances are as free as inside.
            Some(to) if self.image.same_function(to, self.index) => Target::Function {
                index: to,
                within: 0,
            },
            Some(to) => Target::Function {
                index: to,
                within: address - self.image.functions[to].address,
            },
            None => Target::Nameless,
        }
    }

    fn reference(&self, reference: Reference) -> Option<Target> {
        let at = reference.address;
        let outside = !(self.start..self.end).contains(&at);
        let known = outside.then(|| self.datum(at, reference.how, 0));
        match known {
            None | Some(Target::Nameless) if !reference.certain && !self.ends => {
                Some(Target::Number(at))
            }
            known => known,
        }
    }

    fn datum(&self, at: u64, how: Use, depth: u32) -> Target {
        let image = self.image;
        if let Some(link) = image
            .link_at(at)
            .filter(|l| l.kind != LinkKind::Slot || image.pointer_at(at).is_none())
        {
            return named(&link.name, 0);
        }
        if image.function_at(at).is_some() {
            return self.code(at);
        }
        if let Some(datum) = image.datum_at(at) {
            if self.ends {
                return Target::Nameless;
            }
            return named(&datum.name, at - datum.address);
        }
        let Some(section) = image.section_at(at) else {
            return Target::Nameless;
        };
        // A slot of the global offset table that is filled from inside: what it points to is meant.
        if depth == 0 && (section.name.starts_with(".got") || image.link_at(at).is_some()) {
            return image
                .pointer_at(at)
                .map_or(Target::Nameless, |to| self.datum(to, Use::Address, 1));
        }
        self.constant(at, how)
            .map_or(Target::Nameless, |known| Target::Known(hashed(&known)))
    }

    /// What stands at an address that has no name, as far as it counts.
    fn constant(&self, at: u64, how: Use) -> Option<Constant<'a>> {
        let image = self.image;
        let section = image.section_at(at)?;
        if section.writable || image.space.pointers.at(at).is_some() {
            return None;
        }
        match how {
            Use::Data(width) if (1..=WIDEST).contains(&width) => {
                Some(Constant::Value(image.bytes_at(at, width)))
            }
            Use::Address if self.texts => {
                text(image.bytes_at(at, LONGEST_TEXT)).map(Constant::Text)
            }
            _ => None,
        }
    }
}

/// The constant without a name that an instruction of a function uses.
pub(super) fn constant(image: &Image, index: usize, piece: Piece) -> Option<Constant<'_>> {
    let (reference, Target::Known(known)) = (piece.reference?, piece.target?) else {
        return None;
    };
    let constant =
        Reader::new(image, index, NoOps::LeftOut).constant(reference.address, reference.how)?;
    // What has a name goes by that.
    (hashed(&constant) == known).then_some(constant)
}

/// What is known by its name, and a place in it. Whether it is in this image or in another is left
/// out, and so is the version that some linkers write behind the name of what they copy from
/// another.
fn named(name: &str, within: u64) -> Target {
    let name = match name.split_once('@') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    };
    Target::Known(hashed(&("named", canonical(name), within)))
}

/// Whether the text constants of a function end with a zero byte: Rust's and Go's do not, and would
/// be read into their neighbours. In a program by Go the functions of other compilers are known by
/// names that have no package's dot.
fn has_ends(image: &Image, function: &Function) -> bool {
    let symbol = function.symbol.as_deref();
    let dotted = |symbol: &str| names::base(symbol).contains('.');
    let go = image.space.has_go && symbol.is_none_or(dotted);
    !go && !symbol.is_some_and(names::is_rust)
}

fn shape(content: &Content) -> u64 {
    hashed(&content.shape)
}

/// No-ops that a function runs through: at this address, and so many bytes.
fn idling((address, bytes): (u64, u64)) -> Piece {
    Piece {
        address,
        shape: hashed(&("no-ops", bytes)),
        leads: 0,
        target: None,
        reference: None,
    }
}

fn hashed(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A text constant: letters up to a zero byte.
fn text(bytes: &[u8]) -> Option<&str> {
    let end = bytes.iter().position(|b| *b == 0)?;
    let letter = |b: &u8| matches!(b, b' '..=b'~' | b'\t' | b'\n' | b'\r' | 0x1b) || *b >= 0x80;
    let text = &bytes[..end];
    let plain = text.len() >= SHORTEST_TEXT && text.iter().all(letter);
    std::str::from_utf8(text).ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_readable_texts_count() {
        assert_eq!(text(b"hello\0x"), Some("hello"));
        assert_eq!(text(b"abc\0"), None);
        assert_eq!(text(b"hello"), None);
        assert_eq!(text(b"he\x01lo\0"), None);
    }
}
