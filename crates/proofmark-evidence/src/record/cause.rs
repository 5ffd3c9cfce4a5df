//! The first cause of a change, as an explanation names it.

use serde::{Deserialize, Serialize};

use crate::private::parts;

/// The first cause of a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Cause {
    /// There is no difference to be explained.
    NoDifference,
    /// Whether there is a difference is not decided: too few blocks, or too much noise.
    Undecided,
    /// The builds differ as they are shipped, and not over layouts.
    Placement,
    /// It does more, or less: instructions.
    Work {
        /// The function, or the file of the library, whose instructions differ and whose time does
        /// so most; absent where none is known.
        function: Option<String>,
    },
    /// It asks more, or less, of the system.
    SystemCalls {
        /// The call that differs most.
        call: Option<String>,
    },
    /// A function that was part of another one stands by itself.
    NoLongerInlined {
        /// It.
        function: String,
        /// The function that it was a part of.
        of: String,
    },
    /// A function whose machine code changed takes another time for the same work.
    ChangedCode {
        /// It.
        function: String,
    },
    /// A library takes another time, or is used otherwise.
    Library {
        /// Its file's name.
        file: String,
    },
    /// Memory is provided: page faults.
    PageFaults,
    /// More bytes, or fewer, are read or written.
    BytesMoved {
        /// They are written; otherwise read.
        written: bool,
    },
    /// Time in the kernel, of which no count tells why.
    Kernel,
    /// It waits: wall time differs, and CPU time does not explain it.
    Waiting,
    /// The data cache, by a model.
    DataCache,
    /// The instruction cache, by a model.
    InstructionCache,
    /// Branches that are predicted wrongly, by a model.
    Branches,
    /// Nothing that can be seen here explains it.
    Unexplained {
        /// Functions whose time differs beyond noise, that with the largest difference first.
        suspects: Vec<String>,
    },
}

parts!(
    enum Cause {
        NoDifference,
        Undecided,
        Placement,
        Work { function: mixed },
        SystemCalls { call: open },
        NoLongerInlined { function: mixed, of: mixed },
        ChangedCode { function: mixed },
        Library { file: mixed },
        PageFaults,
        BytesMoved { written: open },
        Kernel,
        Waiting,
        DataCache,
        InstructionCache,
        Branches,
        Unexplained { suspects: mixed },
    }
);
