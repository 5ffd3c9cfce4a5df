//! Functions and their facts for programs.

use proofmark_code::listing::Line;
use proofmark_code::{Fact, Image, Program, Row};
use serde_json::{Map, Value, json};

use super::{CODE_SCHEMA_VERSION, InFull};

/// A table of functions, each with its callees.
#[must_use]
pub fn functions_json(program: &Program, rows: &[Row<'_>]) -> Value {
    let images: Vec<Value> = program.images().iter().map(image).collect();
    let functions: Vec<Value> = rows.iter().map(row).collect();
    json!({ "schema_version": CODE_SCHEMA_VERSION, "images": images, "functions": functions })
}

/// Functions in full, each with where it begins in its source and its disassembly if asked for.
#[must_use]
pub fn function_json(program: &Program, rows: &[InFull<'_>]) -> Value {
    let images: Vec<Value> = program.images().iter().map(image).collect();
    let functions: Vec<Value> = rows
        .iter()
        .map(|shown| {
            let r = &shown.row;
            let mut value = row(r);
            value["source"] = json!(shown.source);
            if let Some(lines) = &shown.listing {
                value["disassembly"] = lines.iter().map(|line| instruction(r, line)).collect();
            }
            value
        })
        .collect();
    json!({ "schema_version": CODE_SCHEMA_VERSION, "images": images, "functions": functions })
}

fn image(image: &Image) -> Value {
    let id: String = image
        .build_id()
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    json!({
        "path": image.path().to_string_lossy(),
        "member": image.member(),
        "architecture": image.arch(),
        "kind": image.kind(),
        "format": image.format(),
        "code_bytes": image.code_bytes(),
        "build_id": if id.is_empty() { Value::Null } else { Value::String(id) },
        "producers": image.producers(),
    })
}

fn row(row: &Row<'_>) -> Value {
    let function = row.function();
    let facts: Map<String, Value> = Fact::ALL
        .iter()
        .map(|f| (f.name().to_string(), json!(row.facts.get(*f))))
        .collect();
    json!({
        "name": function.name(),
        "symbol": if function.is_named() { Value::String(function.symbol()) } else { Value::Null },
        "aliases": function.aliases().collect::<Vec<_>>(),
        "member": row.image.member(),
        "section": row.image.section_of(function),
        "address": row.image.shown(function.address()),
        "known_from": function.origin(),
        "split": function.split(),
        "parent": function.parent().map(|p| row.image.functions()[p].name()),
        "extensions": row.facts.extensions().names().collect::<Vec<_>>(),
        "facts": facts,
        "callees": row.facts.callees(row.image),
    })
}

fn instruction(row: &Row<'_>, line: &Line) -> Value {
    let bytes: String = line.bytes.iter().map(|b| format!("{b:02x}")).collect();
    json!({
        "address": row.image.shown(line.address),
        "bytes": bytes,
        "text": line.text,
        "source": line.source,
        "is_target": line.is_target,
        "crosses": line.crosses,
    })
}
