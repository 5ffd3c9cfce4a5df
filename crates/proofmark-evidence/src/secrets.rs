//! A look for what nobody wants to publish: keys, tokens, passwords.
//!
//! The shapes are those that the issuers document, and assignments to names that say what they
//! hold. What is found is never repeated in a message.

use std::fmt;
use std::io::{self, Read};
use std::sync::LazyLock;

use proofmark_terms::Digest;
use regex::RegexSet;

/// Something that looks like a secret, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// What it looks like.
    pub looks_like: SecretKind,
    /// The record, or the file, that it stands in.
    pub record: Digest,
    /// What that is: `experiment`, `build` and so on; `private part` where it is one; a file by
    /// its name.
    pub of: String,
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = self.record.as_str().get(..12).unwrap_or_default();
        write!(
            formatter,
            "{} in {} {short}",
            self.looks_like.words(),
            self.of
        )
    }
}

/// What a secret looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    /// `-----BEGIN … PRIVATE KEY-----` (RFC 7468).
    PrivateKey,
    /// An access key of AWS: `AKIA` or `ASIA` and 16 capitals and digits.
    AwsKey,
    /// A token of GitHub: `ghp_`, `gho_`, `ghu_`, `ghs_`, `ghr_`, `github_pat_`.
    GithubToken,
    /// A token of GitLab: `glpat-`.
    GitlabToken,
    /// A token of Slack: `xoxb-` and its like.
    SlackToken,
    /// A key of Google's interfaces: `AIza` and 35 characters.
    GoogleKey,
    /// A signed token of JSON (RFC 7519).
    WebToken,
    /// A user and a password in an address: `https://user:password@host`.
    InAddress,
    /// A token of npm (`npm_`), PyPI (`pypi-`), Hugging Face (`hf_`), OpenAI or Anthropic (`sk-`).
    ServiceToken,
    /// What a header of HTTP says of who asks (RFC 9110, section 11.6.2).
    Authorization,
    /// A value that is given to a name such as `token` or `password`.
    Assigned,
    /// The word behind an option such as `--password`.
    Option,
}

/// Each with its shape. Texts stand in JSON, where a quotation mark has a backslash before it.
const SHAPES: [(SecretKind, &str); 13] = [
    (
        SecretKind::PrivateKey,
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    ),
    (SecretKind::AwsKey, r"\b(AKIA|ASIA)[0-9A-Z]{16}\b"),
    (
        SecretKind::GithubToken,
        r"\b(gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})",
    ),
    (SecretKind::GitlabToken, r"\bglpat-[A-Za-z0-9_-]{20,}"),
    (SecretKind::SlackToken, r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    (SecretKind::GoogleKey, r"\bAIza[0-9A-Za-z_-]{35}\b"),
    (
        SecretKind::WebToken,
        r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    ),
    (
        SecretKind::InAddress,
        r#"[a-z][a-z0-9+.-]*://[^/\s:@"\\]+:[^/\s@"\\]+@"#,
    ),
    (
        SecretKind::ServiceToken,
        r"(?x)\b(npm_[A-Za-z0-9]{36} | pypi-[A-Za-z0-9_-]{50,} | hf_[A-Za-z0-9]{30,}
            | sk-[A-Za-z0-9_-]{20,})",
    ),
    (
        SecretKind::Authorization,
        r#"(?xi)\bauthorization["\\']* [=:]\s* ["\\']* (bearer|basic|token)\s+
            [^\s"'\\⟨]{6,}"#,
    ),
    (
        SecretKind::Assigned,
        r#"(?xi)\b([a-z0-9_-]* (token
                | (secret|passw(or)?d|passphrase|(api|private|access|account)[_-]?key)[a-z0-9_-]*)
            | [a-z0-9_-]*[_-](pass|pwd))
            ["\\']* [=:] ["\\']* [^\s"'\\&,;⟨:] [^\s"'\\&,;⟨]{5,}"#,
    ),
    (
        SecretKind::Option,
        r#"(?xi)--?(token|secret|pass|pwd|passw(or)?d|passphrase|api-?key|auth-token|access-token)
            ["\\']* [,\s] ["\\'\s]* [^-\s"'\\⟨] [^\s"'\\⟨]{5,}"#,
    ),
    // `-u user:password`, as curl has it. A group behind the colon is a word, or a number alone.
    (
        SecretKind::Option,
        r#"(?x)[\s"'](-u|--user(name)?) ["\\']* [,=\s] ["\\'\s]* [A-Za-z][^\s"'\\⟨:/]* :
            ([^\s"'\\⟨:/]* [0-9!@$%^*+=.] [^\s"'\\⟨:/]{3,}
                | [^\s"'\\⟨:/]{3,} [0-9!@$%^*+=.])"#,
    ),
];

impl SecretKind {
    /// What it is called in a message.
    const fn words(self) -> &'static str {
        match self {
            SecretKind::PrivateKey => "a private key",
            SecretKind::AwsKey => "an access key of AWS",
            SecretKind::GithubToken => "a token of GitHub",
            SecretKind::GitlabToken => "a token of GitLab",
            SecretKind::SlackToken => "a token of Slack",
            SecretKind::GoogleKey => "a key of Google's interfaces",
            SecretKind::WebToken => "a signed token (JWT)",
            SecretKind::InAddress => "a password in an address",
            SecretKind::ServiceToken => "a token of a service",
            SecretKind::Authorization => "a header that authorizes",
            SecretKind::Assigned | SecretKind::Option => "a value of a token, a key or a password",
        }
    }
}

/// What in a line looks like a secret.
pub(crate) fn secrets(line: &str, record: &Digest, of: &str) -> Vec<Secret> {
    static SET: LazyLock<Option<RegexSet>> =
        LazyLock::new(|| RegexSet::new(SHAPES.map(|(_, shape)| shape)).ok());
    let matches = SET.as_ref().map(|set| set.matches(line));
    matches
        .into_iter()
        .flatten()
        .filter_map(|at| SHAPES.get(at))
        .map(|&(looks_like, _)| Secret {
            looks_like,
            record: record.clone(),
            of: of.to_owned(),
        })
        .collect()
}

/// The longest text of a file that is looked at in one piece, in bytes.
const PIECE: usize = 1 << 20;

/// Shorter texts are no secret: `a://b:c@` is the shortest that looks like one.
const SHORTEST: usize = 8;

/// As much of a piece is looked at again with the next one: no shape is longer.
const AGAIN: usize = 1 << 12;

/// What in the texts of a file looks like a secret: in its runs of printable characters, as
/// `strings` prints them. Each kind is told once.
pub(crate) fn secrets_in(
    mut file: impl Read,
    digest: &Digest,
    of: &str,
) -> io::Result<Vec<Secret>> {
    let mut found: Vec<Secret> = Vec::new();
    let mut look = |text: &str| {
        if text.len() < SHORTEST {
            return;
        }
        for secret in secrets(text, digest, of) {
            // A program's own help says what stands behind its options.
            if secret.looks_like != SecretKind::Option && !found.contains(&secret) {
                found.push(secret);
            }
        }
    };
    let (mut buffer, mut text) = (vec![0; 1 << 17], String::new());
    loop {
        let read = file.read(&mut buffer)?;
        let part = buffer.get(..read).unwrap_or_default();
        for &byte in part {
            if byte == b' ' || byte == b'\t' || byte.is_ascii_graphic() {
                text.push(char::from(byte));
                if text.len() == PIECE {
                    look(&text);
                    text.drain(..PIECE - AGAIN);
                }
            } else if !text.is_empty() {
                look(&text);
                text.clear();
            }
        }
        if part.is_empty() {
            look(&text);
            return Ok(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envelope::name_of;

    fn found(line: &str) -> Vec<SecretKind> {
        let secrets = secrets(line, &name_of(line), "experiment");
        secrets
            .into_iter()
            .map(|secret| secret.looks_like)
            .collect()
    }

    #[test]
    fn each_shape_is_found_and_never_repeated() {
        let key = "a".repeat(40);
        let cases = [
            (
                SecretKind::PrivateKey,
                "-----BEGIN OPENSSH PRIVATE KEY-----".to_owned(),
            ),
            (SecretKind::AwsKey, "AKIAIOSFODNN7EXAMPLE".to_owned()),
            (SecretKind::GithubToken, format!("ghp_{key}")),
            (SecretKind::GitlabToken, format!("glpat-{key}")),
            (
                SecretKind::SlackToken,
                "xoxb-123456789012-abcdef".to_owned(),
            ),
            (SecretKind::GoogleKey, format!("AIza{}", "b".repeat(35))),
            (SecretKind::WebToken, format!("eyJ{key}.eyJ{key}.{key}")),
            (
                SecretKind::InAddress,
                "https://me:hunter2@host/x".to_owned(),
            ),
            (SecretKind::Assigned, "--api-key=0123456789".to_owned()),
            (SecretKind::Assigned, format!("AWS_SECRET_ACCESS_KEY={key}")),
            (SecretKind::Assigned, "DB_PASS=hunter22".to_owned()),
            (SecretKind::ServiceToken, format!("npm_{}", "a".repeat(36))),
            (SecretKind::ServiceToken, format!("hf_{key}")),
            (SecretKind::ServiceToken, format!("sk-{key}")),
            (
                SecretKind::Authorization,
                format!("Authorization: Bearer {key}"),
            ),
            (SecretKind::Option, "login --password hunter22".to_owned()),
            (SecretKind::Option, r#"--password","hunter22"#.to_owned()),
            (SecretKind::Option, r#"--pass","hunter22"#.to_owned()),
            (SecretKind::Option, "curl -u admin:hunter22 x".to_owned()),
            (SecretKind::Option, r#"--user","admin:2hunter"#.to_owned()),
            (SecretKind::Assigned, format!("AccountKey={key}==")),
        ];
        for (kind, text) in cases {
            let line = format!(r#"{{"arguments":["{text}"]}}"#);
            assert!(found(&line).contains(&kind), "{kind:?}: {line}");
            let said = secrets(&line, &name_of(&line), "experiment")[0].to_string();
            assert!(!said.contains(&text), "{said}");
        }
    }

    /// What records are full of: digests, names of functions, flags, times.
    #[test]
    fn what_evidence_is_made_of_is_no_secret() {
        for text in [
            r#"{"digest":"0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"}"#,
            r#"{"arguments":["--tokens","12","--token-count=8","fib.lua"]}"#,
            r#"{"arguments":["--token-count=123456","--token","--verbose","compass=northwest"]}"#,
            r#"{"arguments":["-u","www-data:www-data","-u","1000:1000","--passes","123456"]}"#,
            r#"{"function":"parse_token(std::string const&)","at_ms":1766000000000}"#,
            r#"{"path":"⟨private 0⟩","url":"https://example.org:8080/x"}"#,
            r#"{"environment":[["API_TOKEN","⟨private 3⟩"]]}"#,
            "core::option::Option<syn::token::Comma>",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn a_secret_among_the_bytes_of_a_program_is_found() {
        let secret = "glpat-abcdefghijklmnopqrstuv";
        let mut program = vec![0; (1 << 17) - 10];
        program.extend(secret.bytes());
        program.extend([0, 0xff, b'\n']);
        let digest = name_of("x");
        let found = secrets_in(&*program, &digest, "the image of base").unwrap();
        let [one] = found.as_slice() else {
            unreachable!("{found:?}");
        };
        assert_eq!(one.looks_like, SecretKind::GitlabToken);
        assert!(one.to_string().contains("the image of base"), "{one}");
        // Also where one text is longer than what is looked at in one piece.
        let long = format!("{}{secret}", "a ".repeat(PIECE / 2 - 5));
        let found = secrets_in(long.as_bytes(), &digest, "x").unwrap();
        assert_eq!(found.len(), 1);
        let harmless = b"token=\0\0\0\0\0\0\0\0password: %s\0";
        assert_eq!(secrets_in(&harmless[..], &digest, "x").unwrap(), []);
    }
}
