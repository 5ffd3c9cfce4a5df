//! Values that a project's file may write as one string or as a list.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Names: `"a"` is one, `["a", "b"]` are two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Names(pub Vec<String>);

/// Words for a command line: `"-a 'b c'"` are two, split as a shell would; a list is taken word by
/// word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct ShellWords(pub Vec<String>);

impl Deref for Names {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.0
    }
}

impl Deref for ShellWords {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.0
    }
}

/// What one string stands for.
trait OfOneString: Sized {
    const EXPECTED: &'static str;

    fn of_string(text: &str) -> Result<Self, String>;
    fn of_list(list: Vec<String>) -> Self;
}

impl OfOneString for Names {
    const EXPECTED: &'static str = "a name or a list of names";

    fn of_string(text: &str) -> Result<Self, String> {
        Ok(Names(vec![text.to_owned()]))
    }

    fn of_list(list: Vec<String>) -> Self {
        Names(list)
    }
}

impl OfOneString for ShellWords {
    const EXPECTED: &'static str = "words in one string, or a list of words";

    fn of_string(text: &str) -> Result<Self, String> {
        shlex::split(text)
            .map(ShellWords)
            .ok_or_else(|| format!("a quote in `{text}` is never closed"))
    }

    fn of_list(list: Vec<String>) -> Self {
        ShellWords(list)
    }
}

struct StringOrList<T>(PhantomData<T>);

impl<'de, T: OfOneString> Visitor<'de> for StringOrList<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::of_string(text).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<T, A::Error> {
        let mut words = Vec::new();
        while let Some(word) = list.next_element()? {
            words.push(word);
        }
        Ok(T::of_list(words))
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StringOrList(PhantomData))
    }
}

impl<'de> Deserialize<'de> for ShellWords {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StringOrList(PhantomData))
    }
}
