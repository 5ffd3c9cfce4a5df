//! `[store]`: how much is kept of what can be made again.

use std::time::Duration;

use bytesize::ByteSize;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// How much `proofmark gc` leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreDefinition {
    /// Most that the project's `.proofmark` may take: `"20 GB"`, `"500 MiB"`.
    #[serde(deserialize_with = "size")]
    pub max_size: Option<ByteSize>,
    /// How long a build that can be made again stays after its capture and the last experiment on
    /// it: `"30 days"`.
    #[serde(deserialize_with = "time")]
    pub keep: Option<Duration>,
}

fn size<'de, D: Deserializer<'de>>(from: D) -> Result<Option<ByteSize>, D::Error> {
    let text = String::deserialize(from)?;
    let read = text.parse().map_err(|error| {
        D::Error::custom(format!("`{text}` is no size such as \"20 GB\": {error}"))
    })?;
    Ok(Some(read))
}

fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(from)?;
    let read = humantime::parse_duration(&text).map_err(|error| {
        D::Error::custom(format!("`{text}` is no time such as \"30 days\": {error}"))
    })?;
    Ok(Some(read))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<StoreDefinition, toml::de::Error> {
        toml::from_str(text)
    }

    #[test]
    fn sizes_and_times_are_read_and_nonsense_is_told() {
        let both = read("max_size = \"20 GB\"\nkeep = \"7 days\"").unwrap();
        assert_eq!(both.max_size, Some(ByteSize::gb(20)));
        assert_eq!(both.keep, Some(Duration::from_secs(7 * 24 * 3600)));
        assert_eq!(read("").unwrap(), StoreDefinition::default());
        assert_eq!(
            read("max_size = \"512MiB\"").unwrap().max_size,
            Some(ByteSize::mib(512))
        );
        for wrong in [
            "max_size = \"much\"",
            "max_size = \"-1 GB\"",
            "max_size = 20",
            "keep = \"a while\"",
            "sizes = \"1 GB\"",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
