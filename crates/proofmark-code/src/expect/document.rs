//! The shape of a file of expectations, as TOML has it.

use std::collections::BTreeMap;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The version of the file's shape that is read here.
pub(super) const VERSION: u32 = 1;

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    #[serde(default = "present")]
    pub(super) version: u32,
    #[serde(default, rename = "let")]
    pub(super) names: BTreeMap<String, toml::Spanned<u64>>,
    #[serde(default)]
    pub(super) expect: Vec<toml::Spanned<Entry>>,
}

fn present() -> u32 {
    VERSION
}

/// One `[[expect]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) function: String,
    pub(super) holds: Placed,
    pub(super) because: Option<String>,
    #[serde(default, alias = "arch")]
    pub(super) architecture: Many,
    #[serde(default)]
    pub(super) build: Many,
    #[serde(default = "yes")]
    pub(super) pieces: bool,
    #[serde(default)]
    pub(super) together: bool,
}

fn yes() -> bool {
    true
}

/// One text or a list of them.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Many {
    One(String),
    List(Vec<String>),
}

impl Default for Many {
    fn default() -> Self {
        Many::List(Vec::new())
    }
}

impl Many {
    pub(super) fn all(&self) -> &[String] {
        match self {
            Many::One(text) => std::slice::from_ref(text),
            Many::List(list) => list,
        }
    }
}

/// One text or a list of them, each with the place where it stands in the file.
pub(super) struct Placed(pub(super) Vec<toml::Spanned<String>>);

impl<'de> Deserialize<'de> for Placed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let texts = toml::Spanned::<Texts>::deserialize(deserializer)?;
        let span = texts.span();
        Ok(Placed(match texts.into_inner() {
            Texts::One(text) => vec![toml::Spanned::new(span, text)],
            Texts::List(list) => list,
        }))
    }
}

/// One text, whose place only its surroundings know, or a list. An untagged enum would lose the
/// places of the list.
enum Texts {
    One(String),
    List(Vec<toml::Spanned<String>>),
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextsVisitor)
    }
}

struct TextsVisitor;

impl<'de> Visitor<'de> for TextsVisitor {
    type Value = Texts;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a condition or a list of conditions")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Texts, E> {
        Ok(Texts::One(text.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Texts, A::Error> {
        let mut list = Vec::new();
        while let Some(text) = items.next_element()? {
            list.push(text);
        }
        Ok(Texts::List(list))
    }
}
