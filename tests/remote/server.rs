//! A web server in the test's own process: files by ranges, and one fault.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What the server does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// The first answer for each path ends in its middle.
    Cut,
    /// As `Cut`, and then each object is another one.
    Change,
    /// The first request for each path is answered with this status, and with `Retry-After: 0`.
    Once(u16),
    /// All requests are answered with this status.
    Always(u16),
    /// All requests are answered with 503 and `Retry-After` of so many seconds.
    Later(u32),
    /// All requests are answered with this status and text.
    Text(u16, &'static str),
    /// Ranges are ignored: each answer is the whole file, with status 200.
    Whole,
    /// All requests are redirected to this place.
    Redirect(&'static str),
}

/// A running server.
pub struct Server {
    /// Its root.
    pub url: String,
    seen: Arc<Mutex<Vec<String>>>,
}

/// What each connection needs.
struct Site {
    files: BTreeMap<String, Vec<u8>>,
    fault: Fault,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Serves files, by paths without their first slash.
    pub fn start(files: BTreeMap<String, Vec<u8>>, fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("its address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let site = Arc::new(Site {
            files,
            fault,
            seen: Arc::clone(&seen),
        });
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let site = Arc::clone(&site);
                std::thread::spawn(move || site.serve(stream));
            }
        });
        Self { url, seen }
    }

    /// Returns the paths that were asked for.
    pub fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("no panic").clone()
    }

    /// Forgets them.
    pub fn forget(&self) {
        self.seen.lock().expect("no panic").clear();
    }
}

impl Site {
    /// Answers the requests of a connection, until one of them fails.
    fn serve(&self, mut stream: TcpStream) -> Option<()> {
        let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
        loop {
            let request = lines.next()?.ok()?;
            let place = request.split(' ').nth(1)?;
            let is_head = request.starts_with("HEAD ");
            // A proxy is asked for whole URLs.
            let below = place
                .strip_prefix("http://")
                .and_then(|place| place.split_once('/'));
            let path = below
                .map_or(place, |(_, path)| path)
                .trim_start_matches('/')
                .to_owned();
            let mut range = None;
            loop {
                let line = lines.next()?.ok()?.to_ascii_lowercase();
                if let Some(bytes) = line.strip_prefix("range: bytes=") {
                    let (first, last) = bytes.split_once('-')?;
                    range = Some((first.parse().ok(), last.parse().ok()?));
                }
                if line.is_empty() {
                    break;
                }
            }
            let is_first = {
                let mut seen = self.seen.lock().expect("no panic");
                let is_first = !seen.contains(&path);
                seen.push(path.clone());
                is_first
            };
            let range = range.filter(|_| self.fault != Fault::Whole);
            if is_head {
                let bytes = self.files.get(&path)?.len();
                write!(
                    stream,
                    "HTTP/1.1 200 Yes\r\nETag: \"1\"\r\nContent-Length: {bytes}\r\n\r\n"
                )
                .ok()?;
                continue;
            }
            self.answer(&mut stream, &path, range, is_first)?;
        }
    }

    /// Sends an answer; `None` where the connection is to end.
    fn answer(
        &self,
        stream: &mut TcpStream,
        path: &str,
        range: Option<(Option<usize>, usize)>,
        is_first: bool,
    ) -> Option<()> {
        let refused = match self.fault {
            Fault::Once(status) if is_first => Some((status, "Retry-After: 0".to_owned())),
            Fault::Always(status) => Some((status, "X-Nothing: 0".to_owned())),
            Fault::Later(seconds) => Some((503, format!("Retry-After: {seconds}"))),
            Fault::Text(status, text) => {
                let length = text.len();
                let head = format!("HTTP/1.1 {status} No\r\nContent-Length: {length}\r\n\r\n");
                return stream
                    .write_all([head.as_bytes(), text.as_bytes()].concat().as_slice())
                    .ok();
            }
            Fault::Redirect(place) => Some((302, format!("Location: {place}"))),
            Fault::Change if !is_first => Some((412, "X-Nothing: 0".to_owned())),
            Fault::None | Fault::Cut | Fault::Change | Fault::Whole | Fault::Once(_) => None,
        };
        let file = self.files.get(path);
        let refused = refused.or_else(|| file.is_none().then(|| (404, "X-Nothing: 0".to_owned())));
        if let Some((status, field)) = refused {
            return write!(
                stream,
                "HTTP/1.1 {status} No\r\n{field}\r\nContent-Length: 0\r\n\r\n"
            )
            .ok();
        }
        let file = file?;
        let (first, last) = match range {
            Some((Some(first), last)) => (first, last),
            Some((None, bytes)) => (file.len().saturating_sub(bytes), file.len() - 1),
            None => (0, file.len() - 1),
        };
        let body = &file[first..file.len().min(last + 1)];
        let status = if range.is_some() { 206 } else { 200 };
        write!(
            stream,
            "HTTP/1.1 {status} Yes\r\nETag: \"1\"\r\nContent-Length: {}\r\nContent-Range: bytes {first}-{}/{}\r\n\r\n",
            body.len(),
            first + body.len() - 1,
            file.len()
        )
        .ok()?;
        if is_first && matches!(self.fault, Fault::Cut | Fault::Change) && range.is_some() {
            stream.write_all(&body[..body.len() / 2]).ok()?;
            return None;
        }
        stream.write_all(body).ok()
    }
}
