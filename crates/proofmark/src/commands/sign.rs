//! A bundle signed by a key of SSH: `ssh-keygen` does it, so that keys in agents and in hardware
//! serve as well, and no key is ever read here.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proofmark_evidence::bundle::{NAMESPACE, is_of};

/// The bundle could not be signed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignError {
    /// There is no `ssh-keygen`.
    #[error(
        "cannot start `ssh-keygen`: {0}; it comes with OpenSSH (`apt-get install \
        openssh-client`)"
    )]
    NoTool(std::io::Error),
    /// It refused.
    #[error("`ssh-keygen -Y sign -f {}` failed, and nothing was written: its words stand above", key.display())]
    Refused {
        /// The key.
        key: PathBuf,
    },
    /// The signature cannot be written.
    #[error("cannot write {}: {why}", path.display())]
    Unwritten {
        /// The file.
        path: PathBuf,
        /// The system's words.
        why: std::io::Error,
    },
}

/// The signature of a content, in the armour of `ssh-keygen`. `key` is the file of a private key,
/// or of a public one whose private key an agent has.
pub(crate) fn signature(content: &str, key: &Path) -> anyhow::Result<String> {
    let mut child = Command::new("ssh-keygen")
        .args(["-Y", "sign", "-n", NAMESPACE, "-f"])
        .arg(key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(SignError::NoTool)?;
    if let Some(mut input) = child.stdin.take() {
        // Whoever ends before it has read all says why.
        let _ = input.write_all(content.as_bytes());
    }
    let refused = || SignError::Refused {
        key: key.to_owned(),
    };
    let output = child.wait_with_output().map_err(SignError::NoTool)?;
    if !output.status.success() {
        return Err(refused().into());
    }
    let signature = String::from_utf8(output.stdout).map_err(|_| refused())?;
    is_of(content, &signature, key)?;
    Ok(signature)
}

/// Writes a signature, whole or not at all.
pub(crate) fn write(signature: &str, path: &Path) -> Result<(), SignError> {
    let partial = path.with_extension("sig.partial");
    let written = fs::write(&partial, signature).and_then(|()| fs::rename(&partial, path));
    written.map_err(|why| SignError::Unwritten {
        path: path.to_owned(),
        why,
    })
}
