//! The canonical bytes of a record, and its name: the BLAKE3 of exactly those bytes.
//!
//! A record is one JSON text in the canonical form, stored as it was hashed. It names its chain and
//! the record of that chain before it, so that a record that was altered, removed or put elsewhere
//! is found when the chain is read. It names its private part too, which is kept apart from it.

use proofmark_terms::{Digest, canonical};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    Experiment,
    Pilot,
    Block,
    PartialBlock,
    Conclusion,
    NullConclusion,
    Note,
    Pin,
    Exclusion,
    Matrix,
    MatrixConclusion,
    Sweep,
    SweepBlock,
    SweepConclusion,
    Bisect,
    BisectStep,
    BisectConclusion,
    Attribution,
    AttributionBlock,
    AttributionConclusion,
    Series,
    SeriesEntry,
    Explanation,
    ExplanationBlock,
    ExplanationConclusion,
    Ledger,
    LedgerEntry,
}

impl Kind {
    /// As stored in the table's column; the same word as in the JSON.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Kind::Experiment => "experiment",
            Kind::Pilot => "pilot",
            Kind::Block => "block",
            Kind::PartialBlock => "partial-block",
            Kind::Conclusion => "conclusion",
            Kind::NullConclusion => "null-conclusion",
            Kind::Note => "note",
            Kind::Pin => "pin",
            Kind::Exclusion => "exclusion",
            Kind::Matrix => "matrix",
            Kind::MatrixConclusion => "matrix-conclusion",
            Kind::Sweep => "sweep",
            Kind::SweepBlock => "sweep-block",
            Kind::SweepConclusion => "sweep-conclusion",
            Kind::Bisect => "bisect",
            Kind::BisectStep => "bisect-step",
            Kind::BisectConclusion => "bisect-conclusion",
            Kind::Attribution => "attribution",
            Kind::AttributionBlock => "attribution-block",
            Kind::AttributionConclusion => "attribution-conclusion",
            Kind::Series => "series",
            Kind::SeriesEntry => "series-entry",
            Kind::Explanation => "explanation",
            Kind::ExplanationBlock => "explanation-block",
            Kind::ExplanationConclusion => "explanation-conclusion",
            Kind::Ledger => "ledger",
            Kind::LedgerEntry => "ledger-entry",
        }
    }

    /// All that are known here.
    pub(crate) const ALL: [Kind; 27] = [
        Kind::Experiment,
        Kind::Pilot,
        Kind::Block,
        Kind::PartialBlock,
        Kind::Conclusion,
        Kind::NullConclusion,
        Kind::Note,
        Kind::Pin,
        Kind::Exclusion,
        Kind::Matrix,
        Kind::MatrixConclusion,
        Kind::Sweep,
        Kind::SweepBlock,
        Kind::SweepConclusion,
        Kind::Bisect,
        Kind::BisectStep,
        Kind::BisectConclusion,
        Kind::Attribution,
        Kind::AttributionBlock,
        Kind::AttributionConclusion,
        Kind::Series,
        Kind::SeriesEntry,
        Kind::Explanation,
        Kind::ExplanationBlock,
        Kind::ExplanationConclusion,
        Kind::Ledger,
        Kind::LedgerEntry,
    ];

    pub(crate) fn from_column(text: &str) -> Option<Self> {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Where a record stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) kind: Kind,
    /// The chain's name, which is that of its first record; absent in that one, from which the name
    /// is made.
    pub(crate) chain: Option<String>,
    /// The name of the chain's record before this one.
    pub(crate) after: Option<String>,
    /// The name of its private part, where it has one.
    pub(crate) private: Option<String>,
}

/// A record sealed: its name and its bytes, both public.
#[derive(Debug)]
pub(crate) struct Sealed {
    pub(crate) id: Digest,
    pub(crate) body: String,
}

/// Writes a record down and names it.
///
/// # Errors
///
/// In words, why the record has no canonical form.
pub(crate) fn seal<T: Serialize>(place: &Place, record: &T) -> Result<Sealed, Flaw> {
    #[derive(Serialize)]
    struct Written<'a, T> {
        kind: Kind,
        #[serde(skip_serializing_if = "Option::is_none")]
        chain: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        after: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        private: Option<&'a str>,
        record: &'a T,
    }
    let body = canonical::text(&Written {
        kind: place.kind,
        chain: place.chain.as_deref(),
        after: place.after.as_deref(),
        private: place.private.as_deref(),
        record,
    })
    .map_err(|error| error.to_string())?;
    Ok(Sealed {
        id: name_of(&body),
        body,
    })
}

/// The name that these bytes must have.
pub(crate) fn name_of(body: &str) -> Digest {
    blake3::hash(body.as_bytes()).into()
}

/// What is wrong with a record, in words.
pub(crate) type Flaw = String;

/// Opens a record whose name is `id` and which must stand at `place`.
pub(crate) fn open<T: DeserializeOwned>(id: &str, body: &str, place: &Place) -> Result<T, Flaw> {
    #[derive(Deserialize)]
    struct Read<T> {
        kind: Kind,
        chain: Option<String>,
        after: Option<String>,
        private: Option<String>,
        record: T,
    }
    let hash = name_of(body);
    if hash != *id {
        return Err(format!("its content hashes to {hash}"));
    }
    let read: Read<T> = serde_json::from_str(body)
        .map_err(|error| format!("this version cannot read it: {error}"))?;
    let found = Place {
        kind: read.kind,
        chain: read.chain,
        after: read.after,
        private: read.private,
    };
    if found != *place {
        return Err(misplaced(&found, place));
    }
    Ok(read.record)
}

/// Checks a record of a kind that is not known here: its name, and its place in its chain.
///
/// # Errors
///
/// In words, what is wrong with it.
pub(crate) fn linked(
    id: &str,
    body: &str,
    (kind, chain, after): (&str, &str, Option<&str>),
    private: Option<&str>,
) -> Result<(), Flaw> {
    #[derive(Deserialize)]
    struct Link {
        kind: String,
        chain: Option<String>,
        after: Option<String>,
        private: Option<String>,
    }
    let hash = name_of(body);
    if hash != *id {
        return Err(format!("its content hashes to {hash}"));
    }
    let link: Link = serde_json::from_str(body)
        .map_err(|error| format!("this version cannot read it: {error}"))?;
    let of_chain = match after {
        Some(_) => link.chain.as_deref() == Some(chain),
        None => link.chain.is_none() && id == chain,
    };
    let of_part = link.private.as_deref() == private;
    if link.kind != kind || !of_chain || !of_part || link.after.as_deref() != after {
        return Err(format!(
            "it belongs elsewhere: it says that it is a {} of {:?} after {:?}, with the private \
             part {:?}",
            link.kind, link.chain, link.after, link.private
        ));
    }
    Ok(())
}

fn misplaced(found: &Place, place: &Place) -> Flaw {
    let or_none = |name: &Option<String>| name.clone().unwrap_or_else(|| "none".to_owned());
    if found.after == place.after {
        return format!("it belongs elsewhere: it says that it is {found:?}");
    }
    format!(
        "it says that it follows record {}, but follows {}",
        or_none(&found.after),
        or_none(&place.after)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place {
            kind: Kind::Note,
            chain: Some("e".into()),
            after: Some("a".into()),
            private: None,
        }
    }

    #[test]
    fn a_record_is_read_back_and_its_name_is_the_hash_of_its_bytes() {
        let sealed = seal(&place(), &1.1_f64).unwrap();
        assert_eq!(
            sealed.body,
            r#"{"after":"a","chain":"e","kind":"note","record":1.1}"#
        );
        assert_eq!(
            sealed.id,
            blake3::hash(sealed.body.as_bytes()).to_hex().as_str()
        );
        assert_eq!(open::<f64>(&sealed.id, &sealed.body, &place()), Ok(1.1));
    }

    #[test]
    fn altered_and_misplaced_records_are_refused() {
        let sealed = seal(&place(), &1.1_f64).unwrap();
        let altered = sealed.body.replace("1.1", "1.2");
        assert!(
            open::<f64>(&sealed.id, &altered, &place())
                .unwrap_err()
                .contains("hashes to")
        );
        let elsewhere = Place {
            after: Some("b".into()),
            ..place()
        };
        assert!(
            open::<f64>(&sealed.id, &sealed.body, &elsewhere)
                .unwrap_err()
                .contains("follows record a, but follows b")
        );
        let other = Place {
            chain: Some("f".into()),
            ..place()
        };
        assert!(
            open::<f64>(&sealed.id, &sealed.body, &other)
                .unwrap_err()
                .contains("belongs elsewhere")
        );
    }

    #[test]
    fn the_column_and_the_json_say_the_same_word() {
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
            assert_eq!(Kind::from_column(kind.as_str()), Some(kind));
        }
        assert_eq!(Kind::from_column("else"), None);
    }
}
