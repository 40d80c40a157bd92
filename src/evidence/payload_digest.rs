//! The digest of a payload that an archive claims, and the digests of the stored bytes.
//!
//! Document: WARC 1.1, 5.8 and 5.9: `sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ`, base32 by custom. Writers also use hexadecimal
//! digits, SHA-256, and a SHA-1 without a name. RULES FRAME-4: placeholders (`sha1:`, `-`, `null`) and the digest of nothing
//! prove nothing. Left out: MD5 and others, which are not computed and so prove nothing.

use data_encoding::{BASE32_NOPAD, HEXLOWER_PERMISSIVE};
use sha1::{Digest, Sha1};
use sha2::Sha256;

const OF_NOTHING: [&str; 2] =
    ["3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ"];

/// A digest of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PayloadDigest {
    /// SHA-1.
    Sha1([u8; 20]),
    /// SHA-256.
    Sha256([u8; 32]),
}

impl PayloadDigest {
    /// Reads a claim; `None` if it proves nothing.
    pub fn read(claim: &[u8]) -> Option<Self> {
        let claim = std::str::from_utf8(claim).ok()?.trim();
        let (name, value) = claim.split_once(':').unwrap_or(("sha1", claim));
        let is = |names: [&str; 2]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
        let digest = if is(["sha1", "sha-1"]) {
            Self::Sha1(decoded(value)?)
        } else if is(["sha256", "sha-256"]) {
            Self::Sha256(decoded(value)?)
        } else {
            return None;
        };
        (!OF_NOTHING.contains(&BASE32_NOPAD.encode(digest.bytes()).as_str())).then_some(digest)
    }

    /// Returns the SHA-1 of bytes.
    pub fn sha1(bytes: &[u8]) -> Self {
        Self::Sha1(Sha1::digest(bytes).into())
    }

    /// Returns the SHA-256 of bytes.
    pub fn sha256(bytes: &[u8]) -> Self {
        Self::Sha256(Sha256::digest(bytes).into())
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Sha1(bytes) => bytes,
            Self::Sha256(bytes) => bytes,
        }
    }
}

fn decoded<const BYTES: usize>(value: &str) -> Option<[u8; BYTES]> {
    let bytes = if value.len() == 2 * BYTES {
        HEXLOWER_PERMISSIVE.decode(value.as_bytes())
    } else {
        BASE32_NOPAD.decode(value.trim_end_matches('=').to_ascii_uppercase().as_bytes())
    };
    bytes.ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::PayloadDigest;

    #[test]
    fn frame_4_claims_in_every_spelling_and_those_that_prove_nothing() {
        let body = b"User-agent: *\n";
        let sha1 = PayloadDigest::sha1(body);
        let sha256 = PayloadDigest::sha256(body);
        for claim in [
            "sha1:",
            "-",
            "null",
            "",
            "sha1:AAAA",
            "md5:5d41402abc4b2a76b9719d911017c592",
            "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ] {
            assert_eq!(PayloadDigest::read(claim.as_bytes()), None, "{claim}");
        }
        for (digest, spellings) in
            [(sha1, ["sha1:", "SHA-1:", ""]), (sha256, ["sha256:", "sha-256:", "SHA256:"])]
        {
            for spelling in spellings {
                for value in [
                    data_encoding::BASE32.encode(digest.bytes()),
                    data_encoding::BASE32.encode(digest.bytes()).to_lowercase(),
                    data_encoding::HEXLOWER.encode(digest.bytes()),
                    data_encoding::HEXUPPER.encode(digest.bytes()),
                ] {
                    let claim = format!("{spelling}{value}");
                    assert_eq!(PayloadDigest::read(claim.as_bytes()), Some(digest), "{claim}");
                }
            }
        }
    }
}
