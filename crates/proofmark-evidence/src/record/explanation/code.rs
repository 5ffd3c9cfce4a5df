//! What became of functions from one build's own image to the other's.

use serde::{Deserialize, Serialize};

use super::super::FunctionChange;
use crate::private::parts;

/// What became of functions from one build's own image to the other's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CodeBetween {
    /// Both images were read.
    Read {
        /// Functions that differ.
        functions: Vec<FunctionBetween>,
        /// Functions of one content and two names: the base's symbol and the build's.
        renamed: Vec<[String; 2]>,
        /// Functions of the base and of the build that the files name; the others go by their
        /// addresses.
        named: [u64; 2],
        /// Symbols that several functions of one of both have: static ones of several files.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        several: Vec<String>,
    },
    /// They were not, and why.
    Unread {
        /// The reason.
        reason: String,
    },
}

parts!(
    enum CodeBetween {
        Read {
            functions: inner,
            renamed: mixed,
            named: open,
            several: mixed,
        },
        Unread {
            reason: mixed,
        },
    }
);

/// A function that differs between two images.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionBetween {
    /// Its symbol; of one that is gone, the base's.
    pub symbol: String,
    /// What became of it.
    pub how: FunctionChange,
    /// Bytes in the base and in the build; 0 where it is not there.
    pub bytes: [u64; 2],
    /// Instructions, likewise.
    pub instructions: [u64; 2],
    /// Calls in its code, likewise.
    pub calls: [u64; 2],
    /// Jumps to addresses that it computes, likewise; absent where they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indirect_jumps: Option<[u64; 2]>,
}

parts!(FunctionBetween {
    symbol: mixed,
    how: open,
    bytes: open,
    instructions: open,
    calls: open,
    indirect_jumps: open,
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::private::{Class, Parts as _};

    #[test]
    fn the_names_of_renamed_functions_may_be_private() {
        let mut code = CodeBetween::Read {
            functions: Vec::new(),
            renamed: vec![["a".to_owned(), "b".to_owned()]],
            named: [1, 1],
            several: vec!["c".to_owned()],
        };
        let mut handed = Vec::new();
        code.each(&mut |class, text| handed.push((class, text.get().display().into_owned())));
        let mixed = |name: &str| (Class::Mixed, name.to_owned());
        assert_eq!(handed, [mixed("a"), mixed("b"), mixed("c")]);
    }
}
