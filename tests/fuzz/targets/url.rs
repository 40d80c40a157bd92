//! URLs of pages, held against the parser of the URL Standard. The second line is a redirect.

#![no_main]

use crawlprefs::web::host::HostParts;
use crawlprefs::web::url::{NotWeb, PageUrl, resolve};
use fuzzing::first_line;
use libfuzzer_sys::fuzz_target;
use url::Url;

/// The URL as it would be written anew; the fragment keeps controls at its end from being trimmed.
fn written(url: &PageUrl<'_>) -> String {
    let query = url
        .query()
        .map_or(String::new(), |query| format!("?{query}"));
    format!("{}{}{query}#", url.origin(), url.path())
}

fuzz_target!(|input: &[u8]| {
    let (text, location) = first_line(input);
    let page = PageUrl::new(text);
    let _ = resolve(page.as_ref().ok(), location);
    let Ok(page) = page else {
        assert!(page != Err(NotWeb::NotHttp) || !text.starts_with(b"http:"));
        return;
    };
    assert!(
        page.path().starts_with('/') && page.origin().is_of(&page) && !page.as_str().contains('\0')
    );
    assert_eq!(PageUrl::new(page.as_str().as_bytes()).as_ref(), Ok(&page));
    let parts = HostParts::split(page.host_name());
    let host = page.host_name().trim_end_matches('.');
    assert!(
        parts
            .registered_domain
            .as_deref()
            .is_none_or(|domain| host.ends_with(domain))
    );

    let mut parsed = Url::parse(page.as_str()).expect("what we read, the parser reads");
    parsed.set_fragment(Some(""));
    let _ = (parsed.set_username(""), parsed.set_password(None));
    let again = Url::parse(&written(&page)).expect("our parts are those of a URL");
    assert_eq!(again, parsed);
});
