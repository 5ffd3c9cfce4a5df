//! Private texts taken out of a record, kept as an object of their own, and put back.

use std::fmt;

use proofmark_terms::{Digest, OsText, canonical};
use serde::{Deserialize, Serialize};

use super::names::{MARK, Names};
use super::{Class, Parts};
use crate::envelope::{Flaw, name_of};

/// Takes private texts out of records. What it takes for private, beside fields that are private in
/// any case: absolute paths, addresses of the form `user@host:`, and names of persons and machines.
pub struct Privacy {
    names: Names,
    salt: Box<dyn FnMut() -> [u8; 32] + Send>,
    /// The last private part without a key: equal texts of one sitting are kept once.
    last: Option<(Vec<OsText>, Digest)>,
}

impl Privacy {
    /// With the names of this user and this machine, and salts from the system's generator.
    #[must_use]
    pub fn here() -> Self {
        Privacy {
            names: Names::here(),
            salt: Box::new(rand::random),
            last: None,
        }
    }

    /// With these names, and salts from elsewhere. Whoever can guess a salt can test guesses of
    /// what is private: `salt` is for tests.
    #[must_use]
    pub fn new(
        names: impl IntoIterator<Item = String>,
        salt: impl FnMut() -> [u8; 32] + Send + 'static,
    ) -> Self {
        Privacy {
            names: Names::new(names),
            salt: Box::new(salt),
            last: None,
        }
    }

    /// Takes what is private out of a record, and the key, which is a digest of it as well. `None`
    /// where there is nothing.
    ///
    /// # Errors
    ///
    /// In words, why it cannot be written down.
    pub(crate) fn take_out(
        &mut self,
        key: Option<&str>,
        record: &mut dyn Parts,
    ) -> Result<Option<TakenOut>, Flaw> {
        let mut values: Vec<OsText> = Vec::new();
        let mut failed = false;
        record.each(&mut |class, text| {
            let said = text.get();
            if let Some(public) = self.public(class, &said) {
                let public = format!("{public}{MARK}{}⟩", values.len());
                values.push(said);
                failed |= !text.set(public.into());
            }
        });
        if failed {
            return Err("a field cannot be taken out of it".to_owned());
        }
        if values.is_empty() && key.is_none() {
            return Ok(None);
        }
        if let Some((last, id)) = &self.last
            && key.is_none()
            && *last == values
        {
            return Ok(Some(TakenOut::Before(id.clone())));
        }
        let salt = blake3::Hash::from((self.salt)()).to_hex().to_string();
        let part = Part::sealed(&Written {
            key: key.map(Into::into),
            salt: salt.into(),
            values: values.clone(),
        })?;
        Ok(Some(TakenOut::New(part, values)))
    }

    /// A private part without a key is in the log now.
    pub(crate) fn kept(&mut self, taken: Option<TakenOut>) {
        if let Some(TakenOut::New(part, values)) = taken
            && part.key.is_none()
        {
            self.last = Some((values, part.id));
        }
    }

    /// How much of a text is public, where not all of it is.
    fn public<'t>(&self, class: Class, said: &'t OsText) -> Option<&'t str> {
        // Bytes that are no text are private: nobody sees what they say.
        let Some(text) = said.as_ref().to_str() else {
            return Some("");
        };
        match class {
            Class::Whole => Some(""),
            Class::Mixed => self.names.found(text).map(|at| &text[..at]),
            Class::Source => self.names.are_in(text).then_some(""),
        }
    }
}

impl fmt::Debug for Privacy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Privacy")
    }
}

/// What was taken out of a record.
#[derive(Debug)]
pub(crate) enum TakenOut {
    /// Kept before, under this name.
    Before(Digest),
    /// To be kept, and the texts in it.
    New(Part, Vec<OsText>),
}

impl TakenOut {
    /// Its name: the commitment that the public record holds.
    pub(crate) fn id(&self) -> &str {
        match self {
            TakenOut::Before(id) => id,
            TakenOut::New(part, _) => &part.id,
        }
    }
}

/// The private part of a record as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// BLAKE3 of the body. The salt in it keeps guesses from being tested.
    pub(crate) id: Digest,
    /// What the record's chain is found by; only for its first record.
    pub(crate) key: Option<String>,
    /// In the canonical form of JSON.
    pub(crate) body: String,
}

impl Part {
    fn sealed(written: &Written<'_>) -> Result<Part, Flaw> {
        let body = canonical::text(written).map_err(|error| error.to_string())?;
        Ok(Part {
            id: name_of(&body),
            key: written.key.as_deref().map(str::to_owned),
            body,
        })
    }
}

#[derive(Serialize, Deserialize)]
struct Written<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<std::borrow::Cow<'a, str>>,
    salt: std::borrow::Cow<'a, str>,
    values: Vec<OsText>,
}

/// A private part that is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Here<'a> {
    /// The key beside it.
    pub(crate) key: Option<&'a str>,
    /// What it says.
    pub(crate) body: &'a str,
}

/// Puts a private part that goes by this name back into its record.
///
/// # Errors
///
/// In words, what is wrong with it, or why it does not belong to the record.
pub(crate) fn put_back(id: &str, part: &Here<'_>, record: &mut dyn Parts) -> Result<(), Flaw> {
    let values = checked(id, part)?;
    let mut next = values.iter().zip(0_usize..);
    let mut fits = true;
    record.each(&mut |_, text| {
        let public = text.get();
        let Some((before, mark)) = public
            .as_ref()
            .to_str()
            .and_then(|one| one.split_once(MARK))
        else {
            return;
        };
        fits &= next.next().is_some_and(|(value, number)| {
            mark == format!("{number}⟩")
                && value.as_bytes().starts_with(before.as_bytes())
                && text.set(value.clone())
        });
    });
    if fits && next.next().is_none() {
        return Ok(());
    }
    Err("its private part belongs to another record".to_owned())
}

/// The texts of a private part whose name and key are found to be right.
pub(crate) fn checked(id: &str, part: &Here<'_>) -> Result<Vec<OsText>, Flaw> {
    let hash = name_of(part.body);
    if hash != *id {
        return Err(format!("its private part {id} hashes to {hash}"));
    }
    let read: Written<'_> = serde_json::from_str(part.body)
        .map_err(|error| format!("this version cannot read its private part: {error}"))?;
    if read.key.as_deref() != part.key {
        return Err(format!(
            "its private part {id} says that it is found by {:?}",
            read.key
        ));
    }
    Ok(read.values)
}

/// Whether the private parts of what was read were there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrivateParts {
    /// They were, or there are none.
    #[default]
    Here,
    /// Some were not: in the place of what names persons and places stands `⟨private N⟩`.
    NotHere {
        /// The records whose private part was not there.
        records: u32,
    },
}

impl PrivateParts {
    /// Whether those of more records were there as well.
    #[must_use]
    pub fn and(self, others: PrivateParts) -> PrivateParts {
        match (self, others) {
            (PrivateParts::Here, all) | (all, PrivateParts::Here) => all,
            (PrivateParts::NotHere { records }, PrivateParts::NotHere { records: more }) => {
                PrivateParts::NotHere {
                    records: records.saturating_add(more),
                }
            }
        }
    }
}
