//! Signatures of a bundle's content, in the format of `ssh-keygen -Y` (OpenSSH's PROTOCOL.sshsig),
//! made with the SSH keys that people already have. They are of the unpacked content, so that a
//! bundle may be packed anew, and stand in a file of their own, so that equal evidence stays equal
//! bytes whoever signs it.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use ssh_key::public::KeyData;
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
    check(content, &key, &found, signature)?;
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
    check(content, &key, &found, path)
}

/// Whether a signature by a key is of this content.
fn check(
    content: &str,
    key: &PublicKey,
    found: &SshSig,
    path: &Path,
) -> Result<(), SignatureError> {
    let path = || path.to_owned();
    if let Some(by) = unchecked(key.key_data()) {
        return Err(SignatureError::Unchecked { path: path(), by });
    }
    key.verify(NAMESPACE, content.as_bytes(), found)
        .map_err(|_| SignatureError::OtherContent { path: path() })
}

/// The largest exponent of an RSA key that the library takes.
const MOST_EXPONENT: u64 = (1 << 33) - 1;

/// What kind of key this is, where the library cannot check what is signed by it. It says so with
/// the same words as of a signature that is wrong.
fn unchecked(key: &KeyData) -> Option<String> {
    match key {
        KeyData::Ed25519(_)
        | KeyData::SkEd25519(_)
        | KeyData::Ecdsa(_)
        | KeyData::SkEcdsaSha2NistP256(_) => None,
        KeyData::Rsa(key) => {
            let bytes = key.n.as_positive_bytes().unwrap_or_default();
            let first = bytes
                .first()
                .map_or(0, |byte| byte.leading_zeros() as usize);
            let bits = (bytes.len() * 8).saturating_sub(first);
            let exponent = key.e.as_positive_bytes().unwrap_or_default();
            let small = exponent.len() <= 8;
            let value = exponent
                .iter()
                .fold(0_u64, |all, byte| (all << 8) | u64::from(*byte));
            // A key that was asked for with 2048 bits may have one less.
            if !(2041..=4096).contains(&bits) {
                Some(format!("an RSA key of {bits} bits"))
            } else if !small || !(2..=MOST_EXPONENT).contains(&value) {
                Some("an RSA key with an unusual exponent".to_owned())
            } else {
                None
            }
        }
        other => Some(format!("a key of the kind {}", other.algorithm())),
    }
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

#[cfg(test)]
mod tests {
    use ssh_key::Mpint;
    use ssh_key::public::RsaPublicKey;

    use super::*;

    /// `echo a bundle | ssh-keygen -Y sign -n proofmark-bundle`, by a key of `-t rsa -b 1024`.
    const BY_A_SHORT_KEY: &str = "\
-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAAJcAAAAHc3NoLXJzYQAAAAMBAAEAAACBALmlM0E2zD1COh6CIexrVo
I2mhmTIfSumSZ4I2VEA+lcLuyn4VkzslvJvHETZKnj4+jZ03H9yS2eNGPNZ9hk73e+foT/
V1CiRX8UDwyj1N0wZqIfPdM2IhveU+/2hRHTWTGdoYbOe0cGk0tYurUaDEcmKH/5FBlFNc
0KzWJn/CeRAAAAEHByb29mbWFyay1idW5kbGUAAAAAAAAABnNoYTUxMgAAAJQAAAAMcnNh
LXNoYTItNTEyAAAAgDb8x4T6BDs/2MAgTpmrWWhsjvpXCheze9ll1do9JgA/V/HrW19Qos
yRjyrPWjWPzeGn1Ft39kHTOnz4wgv9bqadNH9suSUkOhUDcwlw0jT49HZU5I3pZQETai34
lq13/WPWJ5ECrhLLquvWI0KLhWM0zt4VXfpo+nA6ibytZXMB
-----END SSH SIGNATURE-----
";

    #[test]
    fn a_key_that_is_not_checked_is_no_change_of_the_content() {
        let said = is_of("a bundle\n", BY_A_SHORT_KEY, Path::new("a.sig")).unwrap_err();
        assert_eq!(
            said,
            SignatureError::Unchecked {
                path: "a.sig".into(),
                by: "an RSA key of 1024 bits".to_owned(),
            }
        );
    }

    #[test]
    fn keys_of_rsa_are_checked_within_what_the_library_takes() {
        let key = |first: u8, bytes: usize, exponent: &[u8]| {
            let mut n = vec![0xff; bytes];
            n[0] = first;
            let key = RsaPublicKey {
                n: Mpint::from_positive_bytes(&n).unwrap(),
                e: Mpint::from_positive_bytes(exponent).unwrap(),
            };
            unchecked(&KeyData::Rsa(key))
        };
        let usual = [1, 0, 1];
        for (first, bytes) in [(0xff, 256), (0x7f, 256), (0xff, 384), (0xff, 512)] {
            assert_eq!(key(first, bytes, &usual), None, "{first} {bytes}");
        }
        assert_eq!(key(0xff, 255, &usual).unwrap(), "an RSA key of 2040 bits");
        assert_eq!(key(0x01, 513, &usual).unwrap(), "an RSA key of 4097 bits");
        for exponent in [&[1][..], &[2, 0, 0, 0, 0], &[1; 9]] {
            assert!(key(0xff, 256, exponent).unwrap().contains("exponent"));
        }
    }
}
