//! Toolchains, as views show them.

use proofmark_project::{Toolchain, ToolchainError};
use proofmark_report::toolchains::{Found, ToolEntry, ToolchainFound};

/// A toolchain as it was found.
pub(crate) fn found(name: &str, found: &Result<Toolchain, ToolchainError>) -> Found {
    Found {
        name: name.to_owned(),
        toolchain: match found {
            Ok(toolchain) => Ok(there(toolchain)),
            Err(error) => Err(error.to_string()),
        },
    }
}

fn there(toolchain: &Toolchain) -> ToolchainFound {
    let defaults = toolchain.defaults.iter();
    let tools = toolchain.tools.iter();
    ToolchainFound {
        driver: toolchain.driver.to_string_lossy().into_owned(),
        package: toolchain.package.clone(),
        version: toolchain.version.clone(),
        reported: toolchain.reported.clone(),
        target: toolchain.target.clone(),
        linker: toolchain.linker.clone(),
        defaults: defaults.map(|of| of.feature.words().to_owned()).collect(),
        hash: toolchain.hash.to_string(),
        tools: tools
            .map(|tool| ToolEntry {
                role: tool.role.to_string(),
                path: tool.path.to_string_lossy().into_owned(),
                hash: tool.hash.to_string(),
            })
            .collect(),
    }
}
