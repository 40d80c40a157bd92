//! Header fields and metas that are not a preference and are not kept. Of links and scripts only those that `html_head` names
//! are kept.
//!
//! Everything that is not listed here is kept, because the next draft may give it a meaning. The lists hold names that many
//! answers carry and no document gives a say in crawling or use: transport, caching, security policy, page looks, social
//! cards. The lists have a version, which is in the footer of `captures`; a changed list is a new version. Since version 2
//! licence links and RSL scripts are kept.

use crate::web::field::Carrier;
use crate::web::known_names::KnownNames;
use std::sync::LazyLock;

/// The version of the two lists.
pub const NOISE_VERSION: &str = "2";

/// Header fields. All names are in lower case.
const FIELDS: &str = "
    accept-ch accept-ranges access-control-allow-credentials access-control-allow-headers
    access-control-allow-methods access-control-allow-origin access-control-expose-headers
    access-control-max-age age alt-svc cache-control cf-cache-status cf-ray connection content-disposition
    content-encoding content-length content-security-policy content-security-policy-report-only
    cross-origin-embedder-policy cross-origin-opener-policy cross-origin-resource-policy date etag expect-ct
    expires feature-policy host-header keep-alive last-modified nel p3p permissions-policy pragma
    proxy-connection referrer-policy report-to reporting-endpoints server server-timing set-cookie
    strict-transport-security surrogate-control surrogate-key timing-allow-origin transfer-encoding upgrade
    vary via x-amz-cf-id x-amz-cf-pop x-aspnet-version x-aspnetmvc-version x-cache x-cache-hits x-cdn
    x-content-type-options x-crawler-content-encoding x-crawler-content-length x-crawler-transfer-encoding
    x-dns-prefetch-control x-download-options x-fastly-request-id x-frame-options x-generator
    x-permitted-cross-domain-policies x-pingback x-powered-by x-proxy-cache x-redirect-by x-request-id
    x-runtime x-served-by x-timer x-ua-compatible x-varnish x-xss-protection
";

/// Names of metas.
const METAS: &str = "
    apple-itunes-app application-name color-scheme csrf-param csrf-token description format-detection
    generator google-site-verification handheldfriendly keywords mobileoptimized msvalidate.01 next-head-count
    p:domain_verify referrer theme-color title viewport yandex-verification
";

/// Beginnings of meta names.
const META_PREFIXES: &[&str] = &[
    "apple-mobile-",
    "article:",
    "fb:",
    "msapplication-",
    "og:",
    "twitter:",
];

/// Names of `http-equiv` metas.
const HTTP_EQUIVS: &str = "
    accept-ch cache-control content-security-policy content-style-type content-type expires imagetoolbar
    origin-trial pragma refresh x-dns-prefetch-control x-ua-compatible
";

/// Names of metas by `property` or `itemprop`: those of schema.org's vocabulary that occur in heads.
const PROPERTIES: &str = "
    alternatename articlebody articlesection author availability bestrating brand contenturl copyrightyear
    datecreated datemodified datepublished description duration embedurl headline height image inlanguage
    interactioncount isfamilyfriendly itemcondition keywords logo mainentityofpage name paid position price
    pricecurrency publisher ratingcount ratingvalue reviewcount sku thumbnailurl title unlisted uploaddate url
    videoid width
";

/// Beginnings of such names: social cards and data for search engines and shops.
const PROPERTY_PREFIXES: &[&str] = &[
    "al:",
    "book:",
    "business:",
    "ia:",
    "music:",
    "op:",
    "place:",
    "product:",
    "profile:",
    "video:",
    "vk:",
];

static NOISE: LazyLock<[KnownNames; 4]> =
    LazyLock::new(|| [FIELDS, METAS, HTTP_EQUIVS, PROPERTIES].map(KnownNames::from_words));

/// Returns whether a field of this name, in lower case, is noise.
pub fn is_noise(carrier: Carrier, name: &str) -> bool {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let is_in = |names: &KnownNames| names.has(name.as_bytes());
    let [fields, metas, http_equivs, properties] = &*NOISE;
    match carrier {
        Carrier::Header => is_in(fields),
        Carrier::Meta => is_in(metas) || begins(META_PREFIXES),
        Carrier::HttpEquiv => is_in(http_equivs),
        Carrier::Property => {
            begins(META_PREFIXES) || begins(PROPERTY_PREFIXES) || is_in(properties)
        }
        Carrier::AfterHead => [Carrier::Meta, Carrier::HttpEquiv, Carrier::Property]
            .iter()
            .any(|metas| is_noise(*metas, name)),
        Carrier::Link | Carrier::Script => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Carrier, KnownNames, NOISE, is_noise};

    #[test]
    fn local_the_lists_are_in_lower_case_and_have_each_name_once() {
        NOISE.iter().for_each(KnownNames::assert_different);
    }

    #[test]
    fn local_no_carrier_of_a_preference_is_noise() {
        let fields =
            "content-usage robots-tag x-robots-tag tdm-reservation tdm-policy content-signal link";
        for name in fields
            .split(' ')
            .chain(["content-type", "location", "retry-after"])
        {
            assert!(!is_noise(Carrier::Header, name), "{name}");
            // The character set of a page is read from the head itself.
            assert_eq!(
                is_noise(Carrier::HttpEquiv, name),
                name == "content-type",
                "{name}"
            );
        }
        let metas = "robots googlebot ccbot tdm-reservation tdm-policy author rights license";
        for name in metas.split(' ') {
            assert!(!is_noise(Carrier::Meta, name), "{name}");
            assert_eq!(
                is_noise(Carrier::Property, name),
                name == "author",
                "{name}"
            );
        }
        assert!(
            [Carrier::Property, Carrier::Meta]
                .iter()
                .all(|carrier| is_noise(*carrier, "og:title"))
        );
        assert!(is_noise(Carrier::Header, "date"));
    }
}
