//! Signatures of a bundle's content, in the format of `ssh-keygen -Y` (OpenSSH's PROTOCOL.sshsig),
//! made with the SSH keys that people already have. They are of the unpacked content, so that a
//! bundle may be packed anew, and stand in a file of their own, so that equal evidence stays equal
//! bytes whoever signs it.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use ssh_key::{HashAlg, PublicKey, SshSig};

use super::allowed::{self, Signer};
use super::refused::{NAMESPACE, SignatureError};

/// Signatures and lists of signers are small; larger files are something else.
const MOST: u64 = 4 << 20;

/// A signature that was found right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// Who may sign with this key, as the list of signers has it, such as `me@example.org`.
    pub principals: String,
    /// The key's fingerprint, `SHA256:…`.
    pub fingerprint: String,
}

/// Where the signature of a bundle is, unless it is said: the bundle's name and `.sig`, as
/// `ssh-keygen` names it.
#[must_use]
pub fn signature_of(bundle: &Path) -> PathBuf {
    let mut name = OsString::from(bundle);
    name.push(".sig");
    name.into()
}

/// Whether one of the allowed signers signed this content. Nothing is run, and no agent is asked.
/// `now` is in seconds since 1970-01-01 UTC: keys may be allowed for a time.
///
/// # Errors
///
/// There is no signature; it is by somebody else, for another purpose or of something else; a file
/// cannot be read.
pub fn signed(
    content: &str,
    signature: &Path,
    signers: &Path,
    now: u64,
) -> Result<Signed, SignatureError> {
    let list = text(signers).map_err(|error| match error {
        SignatureError::NoSignature { path, what } => SignatureError::Signers {
            path,
            line: 1,
            what,
        },
        other => other,
    });
    let allowed = allowed::read(signers, &list?)?;
    let pem = match text(signature) {
        Err(SignatureError::Unread { path, .. }) if !path.exists() => {
            return Err(SignatureError::Missing { path });
        }
        other => other?,
    };
    let found = parsed(signature, &pem)?;
    let key = PublicKey::from(found.public_key().clone());
    if found.namespace() != NAMESPACE {
        return Err(SignatureError::OtherPurpose {
            path: signature.to_owned(),
            found: found.namespace().escape_default().to_string(),
        });
    }
    key.verify(NAMESPACE, content.as_bytes(), &found)
        .map_err(|_| SignatureError::OtherContent {
            path: signature.to_owned(),
        })?;
    let fingerprint = key.fingerprint(HashAlg::Sha256).to_string();
    let own: Vec<&Signer> = allowed
        .iter()
        .filter(|signer| signer.key.key_data() == key.key_data())
        .collect();
    if let Some(signer) = own.iter().find(|signer| signer.refusal(now).is_none()) {
        return Ok(Signed {
            principals: signer.principals.clone(),
            fingerprint,
        });
    }
    let refused = own.first().and_then(|signer| {
        let why = signer.refusal(now)?;
        Some((signer.line, why))
    });
    let (line, why) = refused.unwrap_or_default();
    Err(SignatureError::Stranger {
        fingerprint,
        signers: signers.to_owned(),
        line,
        why,
    })
}

/// Whether a signature that was just made is one of this content.
///
/// # Errors
///
/// It is none, for another purpose, or of something else.
pub fn is_of(content: &str, pem: &str, path: &Path) -> Result<(), SignatureError> {
    let found = parsed(path, pem)?;
    let key = PublicKey::from(found.public_key().clone());
    key.verify(NAMESPACE, content.as_bytes(), &found)
        .map_err(|_| SignatureError::OtherContent {
            path: path.to_owned(),
        })
}

fn parsed(path: &Path, pem: &str) -> Result<SshSig, SignatureError> {
    // `ssh-keygen` takes what stands round the armour for a remark; here it is none.
    SshSig::from_pem(pem.trim()).map_err(|error| SignatureError::NoSignature {
        path: path.to_owned(),
        what: error.to_string(),
    })
}

/// What a small file says.
fn text(path: &Path) -> Result<String, SignatureError> {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path)?;
        file.take(MOST + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(|error| SignatureError::Unread {
        path: path.to_owned(),
        why: error.to_string(),
    })?;
    let no_text = |what: &str| SignatureError::NoSignature {
        path: path.to_owned(),
        what: what.to_owned(),
    };
    if bytes.len() as u64 > MOST {
        return Err(no_text("it is larger than 4 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| no_text("it is no text"))
}
