//! Places that the user names, and the certificates for those behind https.

use super::finding::{Finding, shown_bytes};
use super::machine::{Disk, write_in};
use crawlprefs::store::{Places, has_scheme};
use crawlprefs::web::shown::without_credentials;
use std::fs;
use std::io;
use std::path::Path;

/// The evidence and tables of a segment of Common Crawl take up to so much.
const LEAST_OUTPUT: u64 = 8_000_000_000;

/// Where systems keep the certificates that they trust.
const BUNDLES: [&str; 6] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/share/certs/ca-root-nss.crt",
];

/// Returns which certificates https trusts; nothing in a program that has no https.
pub fn certificates() -> Option<Finding> {
    const TOPIC: &str = "certificates";
    if !cfg!(feature = "remote") {
        return None;
    }
    if let Some(file) = std::env::var_os("SSL_CERT_FILE") {
        let shown = format!("{} (SSL_CERT_FILE)", Path::new(&file).display());
        return Some(match fs::read(&file) {
            Ok(text) if text.windows(11).any(|at| at == b"-----BEGIN ") => Finding::good(TOPIC, shown),
            Ok(_) => Finding::wrong(TOPIC, format!("{shown}: no certificates in it"), "name a PEM file"),
            Err(error) => Finding::wrong(TOPIC, format!("{shown}: {error}"), "name a file that is there"),
        });
    }
    if cfg!(target_os = "macos") {
        return Some(Finding::good(TOPIC, "those of the system"));
    }
    Some(match BUNDLES.iter().find(|file| Path::new(file).exists()) {
        Some(file) => Finding::good(TOPIC, *file),
        None => Finding::odd(
            TOPIC,
            "none where systems have them: no https",
            "install the package ca-certificates, or set SSL_CERT_FILE",
        ),
    })
}

/// Returns what each place is, and whether it can be reached.
pub fn all(named: &[String], places: &Places) -> Vec<Finding> {
    if named.is_empty() {
        return vec![folder(Path::new("."))];
    }
    let one =
        |place: &String| if has_scheme(place) { behind_url(place, places) } else { folder(Path::new(place)) };
    named.iter().map(one).collect()
}

fn folder(path: &Path) -> Finding {
    const TOPIC: &str = "folder";
    let shown = path.display();
    match fs::metadata(path) {
        Ok(found) if !found.is_dir() => {
            return Finding::good("file", format!("{shown}: {}", shown_bytes(found.len())));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Finding::odd(
                TOPIC,
                format!("{shown}: not there"),
                "a job makes its output folder itself",
            );
        }
        Err(error) => return Finding::wrong(TOPIC, format!("{shown}: {error}"), "look at its permissions"),
    }
    if let Err(error) = write_in(path) {
        let found = format!("{shown}: cannot be written: {error}");
        return Finding::odd(TOPIC, found, "it can be an input, but not the folder of tables");
    }
    let Some(disk) = Disk::of(path) else { return Finding::good(TOPIC, format!("{shown}: can be written")) };
    let found = format!("{shown}: {} free{}", shown_bytes(disk.free), disk.kind());
    if disk.free < LEAST_OUTPUT {
        let advice = format!("a segment of Common Crawl needs up to {}", shown_bytes(LEAST_OUTPUT));
        return Finding::odd(TOPIC, found, advice);
    }
    Finding::good(TOPIC, found)
}

#[cfg(feature = "remote")]
fn behind_url(place: &str, places: &Places) -> Finding {
    use std::time::Instant;
    let shown = without_credentials(place);
    let begin = Instant::now();
    match reached(place, places) {
        Ok(found) => {
            Finding::good("URL", format!("{shown}: {found} in {:.1} s", begin.elapsed().as_secs_f64()))
        }
        Err(error) => Finding::wrong(
            "URL",
            format!("{shown}: {error}"),
            "see `Servers and stores` in docs/nightly.md: proxies, certificates, credentials",
        ),
    }
}

#[cfg(not(feature = "remote"))]
fn behind_url(place: &str, _: &Places) -> Finding {
    let found = format!("{}: this program has no URLs", without_credentials(place));
    Finding::wrong("URL", found, "build it with the feature remote")
}

/// Asks for one byte of an archive or list, or for an object of a prefix that need not be there.
#[cfg(feature = "remote")]
fn reached(place: &str, places: &Places) -> io::Result<&'static str> {
    use crawlprefs::store::{RemoteUrl, local_path};
    if let Some(path) = local_path(place) {
        return fs::metadata(path).map(|_| "is there");
    }
    let url = RemoteUrl::new(place).map_err(io::Error::other)?;
    if url.scheme().is_web() {
        return places.source(&url)?.range(0, 1).map(|_| "answered");
    }
    places.input(Path::new(place))?.bytes("_crawlprefs.json").map(|found| match found {
        Some(_) => "has evidence, answered",
        None => "answered",
    })
}
