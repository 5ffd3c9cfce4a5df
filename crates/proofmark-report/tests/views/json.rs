//! What programs are given, and whether it keeps its promise.

use std::path::PathBuf;

use proofmark_report::experiment::json;
use proofmark_report::{experiments, schema, schemas};
use serde_json::Value;

use crate::made;

#[test]
fn each_state_of_an_experiment_is_valid_by_the_schema() {
    let validator = jsonschema::validator_for(&schema("experiment").unwrap()).unwrap();
    for (name, recorded) in made::all() {
        let document = json(&recorded);
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        assert_eq!(document["schema"], "experiment", "{name}");
        assert_eq!(document["schema_version"], 1, "{name}");
    }
}

#[test]
fn the_schema_refuses_what_it_should() {
    let validator = jsonschema::validator_for(&schema("experiment").unwrap()).unwrap();
    let good = json(&made::verdicts()[0].1);
    for (pointer, bad) in [
        ("/conclusion/comparisons/0/verdict", Value::from("the same")),
        ("/conclusion/comparisons/0/ratio/low", Value::Null),
        ("/state", Value::from("done")),
        ("/schema", Value::from("matrix")),
        ("/schema_version", Value::from(2)),
        ("/seed", Value::from(7)),
        ("/blocks", Value::from(-1)),
    ] {
        let mut document = good.clone();
        *document.pointer_mut(pointer).unwrap() = bad;
        assert!(!validator.is_valid(&document), "{pointer}");
    }
    let mut document = good.clone();
    document.as_object_mut().unwrap().remove("schema_version");
    assert!(!validator.is_valid(&document));
}

#[test]
fn a_document_in_full() {
    insta::assert_json_snapshot!(json(&made::verdicts()[0].1));
}

#[test]
fn experiments_at_a_glance_are_valid_by_their_schema() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = crate::parts::store(folder.path());
    made::fill(&mut store);
    let listing = experiments::json(&experiments::Listed {
        experiments: &store.list().unwrap(),
        ..experiments::Listed::default()
    });
    let validator = jsonschema::validator_for(&schema("experiments").unwrap()).unwrap();
    assert!(validator.is_valid(&listing), "{listing}");
    assert_eq!(listing["experiments"].as_array().unwrap().len(), 4);
}

/// Writes the published schemas anew when `PROOFMARK_PUBLISH_SCHEMAS` is set, and otherwise
/// compares.
#[test]
fn the_published_schemas_are_up_to_date() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    let mut published: Vec<String> = Vec::new();
    for (name, schema) in schemas() {
        published.push(format!("{name}.schema.json"));
        let path = folder.join(format!("{name}.schema.json"));
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("PROOFMARK_PUBLISH_SCHEMAS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap();
        assert!(
            published == text,
            "{} is out of date: PROOFMARK_PUBLISH_SCHEMAS=1 writes it anew",
            path.display()
        );
    }
    let there = std::fs::read_dir(folder).unwrap();
    let there = there.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    for file in there.filter(|file| file.ends_with(".schema.json")) {
        assert!(published.contains(&file), "{file} is of no document");
    }
}
