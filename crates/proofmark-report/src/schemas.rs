//! The schemas of all documents for programs, as they are published under `docs/schema`.

use serde_json::Value;

use crate::attribute::AttributionDocument;
use crate::bisect::BisectDocument;
use crate::builds::{BuildView, BuildsDocument, RemovedDocument};
use crate::built::{BuiltView, LogDocument};
use crate::bundle::BundleView;
use crate::code::difference::DifferenceDocument;
use crate::code::expectations::ExpectationsDocument;
use crate::code::functions::FunctionsDocument;
use crate::document::{Document, schema_of};
use crate::equal::EqualDocument;
use crate::experiment::ExperimentDocument;
use crate::experiments::ExperimentsDocument;
use crate::explain::ExplanationDocument;
use crate::garbage::Collection;
use crate::gates::GatesDocument;
use crate::history::HistoryDocument;
use crate::ledger::LedgerDocument;
use crate::machine::MachineDocument;
use crate::matrix::MatrixDocument;
use crate::plan::PlanDocument;
use crate::replay::{ReplayPlanView, ReplayView, WholePlanView, WholeReplayView};
use crate::series::SeriesDocument;
use crate::sweep::SweepDocument;
use crate::toolchains::ToolchainsDocument;
use crate::tune::Tuning;
use crate::verification::VerificationDocument;

/// Every schema by its name, which is the `schema` of its documents.
#[must_use]
pub fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        named::<AttributionDocument>(),
        named::<BisectDocument>(),
        named::<BuildView>(),
        named::<BuildsDocument>(),
        named::<BundleView>(),
        named::<DifferenceDocument>(),
        named::<EqualDocument>(),
        named::<ExpectationsDocument>(),
        named::<ExperimentDocument>(),
        named::<ExperimentsDocument>(),
        named::<ExplanationDocument>(),
        named::<FunctionsDocument>(),
        named::<GatesDocument>(),
        named::<HistoryDocument>(),
        named::<LedgerDocument>(),
        named::<LogDocument>(),
        named::<MachineDocument>(),
        named::<MatrixDocument>(),
        named::<BuiltView>(),
        named::<PlanDocument>(),
        named::<RemovedDocument>(),
        named::<Collection>(),
        named::<ReplayPlanView>(),
        named::<ReplayView>(),
        named::<WholePlanView>(),
        named::<WholeReplayView>(),
        named::<SeriesDocument>(),
        named::<SweepDocument>(),
        named::<ToolchainsDocument>(),
        named::<VerificationDocument>(),
        named::<Tuning>(),
    ]
}

/// The schema of this name.
#[must_use]
pub fn schema(name: &str) -> Option<Value> {
    let mut all = schemas().into_iter();
    all.find_map(|(known, schema)| (known == name).then_some(schema))
}

fn named<D: Document>() -> (&'static str, Value) {
    (D::SCHEMA, schema_of::<D>())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_schema_has_a_name_of_its_own_and_holds_its_documents_to_it() {
        let all = schemas();
        let names: BTreeSet<&str> = all.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), all.len());
        for (name, schema) in all {
            assert_eq!(schema["properties"]["schema"]["const"], name);
            let required = schema["required"].as_array().unwrap();
            for key in ["schema", "schema_version"] {
                assert!(required.iter().any(|one| one == key), "{name}: {key}");
            }
        }
    }
}
