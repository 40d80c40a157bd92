//! The digest that a record states of its payload, if it proves something.
//!
//! Document: WARC 1.1, 5.8; RULES FRAME-4. Example: `sha1:QYG4MVKB...`, in base32 or in hexadecimal digits. Left out: whose payload
//! it is (`referred`).

use crate::archive::Record;
use data_encoding::{BASE32_NOPAD, HEXLOWER_PERMISSIVE};

/// Returns whether a revisit says which record it has the body of: by a digest that proves something, or by its id.
pub fn names_an_original(record: &Record<'_>) -> bool {
    record.refers_to.is_some() || record.payload_digest.and_then(digest_of).is_some()
}

const OF_NOTHING: [&str; 2] = [
    "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
    "4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ",
];

const SHA1_BYTES: usize = 20;
pub const SHA256_BYTES: usize = 32;

/// Reads a digest that a record states; `None` if it proves nothing.
pub fn digest_of(claim: &[u8]) -> Option<Vec<u8>> {
    let claim = std::str::from_utf8(claim).ok()?.trim();
    let (name, value) = claim.split_once(':').unwrap_or(("sha1", claim));
    let bytes = match name.to_ascii_lowercase().as_str() {
        "sha1" | "sha-1" => SHA1_BYTES,
        "sha256" | "sha-256" => SHA256_BYTES,
        _ => return None,
    };
    let digest = if value.len() == 2 * bytes {
        HEXLOWER_PERMISSIVE.decode(value.as_bytes())
    } else {
        BASE32_NOPAD.decode(value.trim_end_matches('=').to_ascii_uppercase().as_bytes())
    };
    let proves = |digest: &Vec<u8>| !OF_NOTHING.contains(&BASE32_NOPAD.encode(digest).as_str());
    digest
        .ok()
        .filter(|digest| digest.len() == bytes)
        .filter(proves)
}

#[cfg(test)]
mod tests {
    use super::digest_of;
    use data_encoding::{BASE32, HEXLOWER};
    use sha1::{Digest, Sha1};
    use sha2::Sha256;

    #[test]
    fn frame_4_claims_in_every_spelling_and_those_that_prove_nothing() {
        let body = b"User-agent: *\n";
        let (sha1, sha256) = (Sha1::digest(body).to_vec(), Sha256::digest(body).to_vec());
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
            assert_eq!(digest_of(claim.as_bytes()), None, "{claim}");
        }
        let spelled = [
            (sha1, ["sha1:", "SHA-1:", ""]),
            (sha256, ["sha256:", "sha-256:", "SHA256:"]),
        ];
        for (digest, spellings) in spelled {
            let (base32, hex) = (BASE32.encode(&digest), HEXLOWER.encode(&digest));
            for spelling in spellings {
                for value in [&base32, &base32.to_lowercase(), &hex, &hex.to_uppercase()] {
                    let claim = format!("{spelling}{value}");
                    assert_eq!(
                        digest_of(claim.as_bytes()).as_ref(),
                        Some(&digest),
                        "{claim}"
                    );
                }
            }
        }
    }
}
