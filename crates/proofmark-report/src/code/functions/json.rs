//! Functions and their facts for programs.

use std::collections::BTreeMap;

use proofmark_code::listing::Line;
use proofmark_code::{Fact, FunctionFacts, Origin, Program, Split};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::InFull;
use crate::code::words::{AddressView, ImageView, SourceView, hexadecimal};
use crate::document::{Document, enveloped};

/// Functions of a program, each with its facts.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FunctionsDocument {
    /// The images that were read; of an archive its members.
    images: Vec<ImageView>,
    /// The functions, as they were asked for.
    functions: Vec<FunctionView>,
}

/// A function, or a part of one that the compiler split off.
#[derive(Serialize, JsonSchema)]
struct FunctionView {
    /// Its name, demangled.
    name: String,
    /// Its symbol; null where nothing names it.
    symbol: Option<String>,
    /// Other symbols at the same place.
    aliases: Vec<String>,
    /// The member of an archive that it is in.
    member: Option<String>,
    /// The section that it is in.
    section: String,
    /// Where it begins.
    address: AddressView,
    /// Where it became known.
    known_from: OriginWord,
    /// How a compiler made it from another function.
    split: Option<SplitWord>,
    /// That other function.
    parent: Option<String>,
    /// Extensions of the instruction set that it needs.
    extensions: Vec<&'static str>,
    /// Every fact by its name.
    facts: BTreeMap<&'static str, u64>,
    /// The number of call sites by the callee's name.
    callees: BTreeMap<String, u64>,
    /// Where it begins in its source; absent where that is not known or was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceView>,
    /// Its instructions; absent where they were not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    disassembly: Option<Vec<InstructionView>>,
}

/// Where a function became known.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OriginWord {
    /// The symbol table, of the file itself or of its separate debug file.
    Symbols,
    /// The dynamic symbol table, the other being stripped.
    DynamicSymbols,
    /// The unwind table: it has an extent and no name.
    Unwind,
    /// Nothing names any code in this section: the whole section stands as one.
    Section,
}

/// How a compiler made a function from another.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SplitWord {
    /// The unlikely part of the function, jumped to from it.
    Cold,
    /// A part outlined so that the rest can be inlined.
    Part,
    /// A clone for constant arguments.
    Constprop,
    /// A clone with changed parameters.
    Isra,
    /// A local function promoted by `ThinLTO`.
    Llvm,
    /// A local function renamed by gcc's LTO.
    LtoPrivate,
}

/// An instruction.
#[derive(Serialize, JsonSchema)]
struct InstructionView {
    address: AddressView,
    /// In hexadecimal.
    bytes: String,
    /// As an assembler would have it.
    text: String,
    /// Its line in the source, where another begins.
    source: Option<SourceView>,
    /// A branch leads here.
    is_target: bool,
    /// A branch that crosses, or ends on, a line of so many bytes: 64 or 32; else 0.
    crosses: u8,
}

impl Document for FunctionsDocument {
    const SCHEMA: &'static str = "functions";
}

/// A table of functions for programs.
#[must_use]
pub fn json(program: &Program, rows: &[FunctionFacts<'_>]) -> Value {
    document(program, rows.iter().map(function).collect())
}

/// Functions in full for programs: each with where it begins in its source, and its disassembly if
/// asked for.
#[must_use]
pub fn in_full_json(program: &Program, shown: &[InFull<'_>]) -> Value {
    let in_full = |shown: &InFull<'_>| {
        let row = &shown.row;
        let lines = shown.listing.as_ref();
        FunctionView {
            source: shown.source.as_ref().map(SourceView::from),
            disassembly: lines
                .map(|lines| lines.iter().map(|line| instruction(row, line)).collect()),
            ..function(row)
        }
    };
    document(program, shown.iter().map(in_full).collect())
}

fn document(program: &Program, functions: Vec<FunctionView>) -> Value {
    enveloped(&FunctionsDocument {
        images: program.images().iter().map(ImageView::from).collect(),
        functions,
    })
}

fn function(row: &FunctionFacts<'_>) -> FunctionView {
    let function = row.function();
    let parent = function
        .parent()
        .map(|parent| &row.image.functions()[parent]);
    FunctionView {
        name: function.name(),
        symbol: function.is_named().then(|| function.symbol()),
        aliases: function.aliases().map(str::to_owned).collect(),
        member: row.image.member().map(str::to_owned),
        section: row.image.section_of(function).to_owned(),
        address: row.image.shown(function.address()).into(),
        known_from: match function.origin() {
            Origin::Symbols => OriginWord::Symbols,
            Origin::DynamicSymbols => OriginWord::DynamicSymbols,
            Origin::Unwind => OriginWord::Unwind,
            Origin::Section => OriginWord::Section,
        },
        split: function.split().map(|split| match split {
            Split::Cold => SplitWord::Cold,
            Split::Part => SplitWord::Part,
            Split::Constprop => SplitWord::Constprop,
            Split::Isra => SplitWord::Isra,
            Split::Llvm => SplitWord::Llvm,
            Split::LtoPrivate => SplitWord::LtoPrivate,
        }),
        parent: parent.map(proofmark_code::Function::name),
        extensions: row.facts.extensions().names().collect(),
        facts: Fact::ALL
            .iter()
            .map(|fact| (fact.name(), row.facts.get(*fact)))
            .collect(),
        callees: row.facts.callees(row.image),
        source: None,
        disassembly: None,
    }
}

fn instruction(row: &FunctionFacts<'_>, line: &Line) -> InstructionView {
    InstructionView {
        address: row.image.shown(line.address).into(),
        bytes: hexadecimal(&line.bytes),
        text: line.text.clone(),
        source: line.source.as_ref().map(SourceView::from),
        is_target: line.is_target,
        crosses: line.crosses,
    }
}
