//! The rows of a layer of site files in its file: a capture, or a body. Only the process that wrote them reads them.

use super::bodies::{BodyKey, BodyPlace};
use crate::robots::Extent;
use crate::verdict::timeline::{BodyState, FetchOutcome, Validator};
use crate::verdict::{SiteBody, SiteCapture};
use crate::web::capture_kind::CaptureKind;
use crate::web::timestamp::Timestamp;
use crate::web::u32_of;
use crate::web::url::PageUrl;
use std::io;

/// A capture of a site file, or of a page to which one redirects.
pub struct LayerRow<'r> {
    pub site: u64,
    /// Its place among the captures of all layers.
    pub order: u64,
    /// The capture; its body has its number in the layer.
    pub capture: SiteCapture<'r>,
}

/// What decides whether a row is wanted.
pub struct RowHead {
    pub site: u64,
    pub fetched_us: Option<i64>,
    pub kind: CaptureKind,
}

const STATUS_UNREADABLE: u32 = 1 << 16;
const NETWORK_ERROR: u32 = STATUS_UNREADABLE + 1;
const STORED: u32 = NETWORK_ERROR + 1;

impl LayerRow<'_> {
    pub fn write(&self, rows: &mut Vec<u8>) {
        let SiteCapture {
            kind,
            url,
            fetched_at,
            answer,
            redirect,
            body,
            validator,
            segment,
        } = &self.capture;
        let answer = match answer {
            FetchOutcome::Status(status) => u32::from(*status),
            FetchOutcome::StatusUnreadable => STATUS_UNREADABLE,
            FetchOutcome::NetworkError => NETWORK_ERROR,
            FetchOutcome::Stored => STORED,
        };
        let (sent, number) = match body {
            BodyState::Missing => (0, 0),
            BodyState::Unreadable => (1, 0),
            BodyState::Html => (2, 0),
            BodyState::Body(SiteBody {
                number,
                extent: Extent::Whole,
            }) => (3, *number),
            BodyState::Body(SiteBody {
                number,
                extent: Extent::CutOff,
            }) => (4, *number),
        };
        let start = rows.len();
        rows.extend([0; 4]);
        rows.extend(self.site.to_le_bytes());
        rows.extend(
            fetched_at
                .map_or(i64::MIN, Timestamp::unix_micros)
                .to_le_bytes(),
        );
        rows.push(kind_number(*kind));
        rows.extend(self.order.to_le_bytes());
        rows.extend(segment.to_le_bytes());
        rows.extend(answer.to_le_bytes());
        rows.push(sent);
        rows.extend(number.to_le_bytes());
        rows.extend(validator.map_or(0, Validator::number).to_le_bytes());
        rows.extend(u32_of(url.as_str().len()).to_le_bytes());
        rows.extend(url.as_str().as_bytes());
        rows.push(u8::from(redirect.is_some()));
        rows.extend(redirect.unwrap_or_default().as_bytes());
        let length = u32_of(rows.len() - start - 4).to_le_bytes();
        if let Some(place) = rows.get_mut(start..start + 4) {
            place.copy_from_slice(&length);
        }
    }
}

impl<'r> LayerRow<'r> {
    /// Returns the wanted ones of some rows.
    pub fn wanted(rows: &'r [u8], is_wanted: impl Fn(&RowHead) -> bool) -> io::Result<Vec<Self>> {
        let (mut left, mut found) = (LeftBytes(rows), Vec::new());
        while !left.0.is_empty() {
            let length = left.u32()?;
            let mut row = LeftBytes(left.bytes(length as usize)?);
            let (site, at) = (row.u64()?, i64::from_le_bytes(row.array()?));
            let fetched_us = (at != i64::MIN).then_some(at);
            let kind = kind_of(row.u8()?)?;
            if is_wanted(&RowHead {
                site,
                fetched_us,
                kind,
            }) {
                let fetched_at = fetched_us.and_then(Timestamp::from_unix_micros);
                found.push(row.rest(site, kind, fetched_at)?);
            }
        }
        Ok(found)
    }
}

impl BodyPlace {
    pub fn write(&self, places: &mut Vec<u8>) {
        let legibility = match self.legibility {
            BodyState::Missing => 0,
            BodyState::Unreadable => 1,
            BodyState::Html => 2,
            BodyState::Body(()) => 3,
        };
        places.extend(self.number.to_le_bytes());
        places.extend([
            kind_number(self.key.kind),
            u8::from(self.extent == Extent::Whole),
            legibility,
        ]);
        places.extend(self.key.sha1);
        places.extend(self.order.to_le_bytes());
        places.extend(self.at.to_le_bytes());
        places.extend(self.bytes.to_le_bytes());
    }

    pub fn read_all(places: &[u8]) -> io::Result<Vec<Self>> {
        let (mut left, mut found) = (LeftBytes(places), Vec::new());
        while !left.0.is_empty() {
            let (number, kind) = (left.u32()?, kind_of(left.u8()?)?);
            let extent = if left.u8()? == 1 {
                Extent::Whole
            } else {
                Extent::CutOff
            };
            let legibility = match left.u8()? {
                0 => BodyState::Missing,
                1 => BodyState::Unreadable,
                2 => BodyState::Html,
                _ => BodyState::Body(()),
            };
            let key = BodyKey {
                kind,
                sha1: left.array()?,
            };
            let (order, at, bytes) = (left.u64()?, left.u64()?, left.u32()?);
            found.push(Self {
                number,
                key,
                extent,
                order,
                at,
                bytes,
                legibility,
            });
        }
        Ok(found)
    }
}

fn kind_number(kind: CaptureKind) -> u8 {
    let place = CaptureKind::ALL.iter().position(|known| *known == kind);
    place
        .and_then(|place| u8::try_from(place).ok())
        .unwrap_or_default()
}

fn kind_of(number: u8) -> io::Result<CaptureKind> {
    CaptureKind::ALL
        .get(usize::from(number))
        .copied()
        .ok_or_else(damaged)
}

fn damaged() -> io::Error {
    io::Error::other("the file for temporary data has other bytes than were written")
}

/// The bytes that are left.
struct LeftBytes<'b>(&'b [u8]);

impl<'b> LeftBytes<'b> {
    fn bytes(&mut self, count: usize) -> io::Result<&'b [u8]> {
        let (bytes, left) = self.0.split_at_checked(count).ok_or_else(damaged)?;
        self.0 = left;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        self.bytes(N)?.try_into().map_err(io::Error::other)
    }

    fn u8(&mut self) -> io::Result<u8> {
        self.array().map(u8::from_le_bytes)
    }

    fn u32(&mut self) -> io::Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> io::Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn text(&mut self, count: usize) -> io::Result<&'b str> {
        std::str::from_utf8(self.bytes(count)?).map_err(|_| damaged())
    }

    fn rest(
        mut self,
        site: u64,
        kind: CaptureKind,
        fetched_at: Option<Timestamp>,
    ) -> io::Result<LayerRow<'b>> {
        let (order, segment) = (self.u64()?, self.u32()?);
        let answer = match self.u32()? {
            STATUS_UNREADABLE => FetchOutcome::StatusUnreadable,
            NETWORK_ERROR => FetchOutcome::NetworkError,
            STORED => FetchOutcome::Stored,
            status => FetchOutcome::Status(u16::try_from(status).map_err(|_| damaged())?),
        };
        let (sent, number) = (self.u8()?, self.u32()?);
        let body = match sent {
            0 => BodyState::Missing,
            1 => BodyState::Unreadable,
            2 => BodyState::Html,
            3 => BodyState::Body(SiteBody {
                number,
                extent: Extent::Whole,
            }),
            _ => BodyState::Body(SiteBody {
                number,
                extent: Extent::CutOff,
            }),
        };
        let validator = Validator::from_number(self.u64()?);
        let url_bytes = self.u32()?;
        let url = PageUrl::new(self.text(url_bytes as usize)?.as_bytes()).map_err(|_| damaged())?;
        let has_redirect = self.u8()? == 1;
        let redirect = self.text(self.0.len())?;
        let redirect = has_redirect.then_some(redirect);
        let capture = SiteCapture {
            kind,
            url,
            fetched_at,
            answer,
            redirect,
            body,
            validator,
            segment,
        };
        Ok(LayerRow {
            site,
            order,
            capture,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{BodyPlace, LayerRow};
    use crate::robots::Extent;
    use crate::runs::BodyKey;
    use crate::verdict::timeline::{BodyState, FetchOutcome, Validator};
    use crate::verdict::{SiteBody, SiteCapture};
    use crate::web::capture_kind::CaptureKind;
    use crate::web::timestamp::Timestamp;
    use crate::web::url::PageUrl;

    #[test]
    fn local_rows_and_bodies_of_a_layer_are_read_as_they_were_written() {
        let (status, no_status) = (
            [301, 999].map(FetchOutcome::Status),
            [FetchOutcome::StatusUnreadable, FetchOutcome::Stored],
        );
        let answers = [
            status[0],
            no_status[0],
            FetchOutcome::NetworkError,
            status[1],
            no_status[1],
        ];
        let extents = [Extent::Whole, Extent::CutOff];
        let sent = extents.map(|extent| BodyState::Body(SiteBody { number: 7, extent }));
        let sent =
            sent.into_iter()
                .chain([BodyState::Missing, BodyState::Unreadable, BodyState::Html]);
        let (mut rows, mut written) = (Vec::new(), Vec::new());
        for ((place, body), kind) in sent.enumerate().zip(CaptureKind::ALL) {
            let site = place as u64;
            let url = PageUrl::new(b"https://a.example/robots.txt?x").expect("a URL");
            let answer = answers[place % answers.len()];
            let fetched_at = (site != 1)
                .then(|| Timestamp::from_unix_micros(5))
                .flatten();
            let redirect = [None, Some(""), Some("/x")][place % 3];
            let (validator, segment) = ([None, Validator::new("\"5f\"")][place % 2], 3);
            let capture = SiteCapture {
                kind,
                url,
                fetched_at,
                answer,
                redirect,
                body,
                validator,
                segment,
            };
            let row = LayerRow {
                site,
                order: 1 << 63 | 9,
                capture,
            };
            row.write(&mut rows);
            written.push(row);
        }
        let shown = |row: &LayerRow<'_>| format!("{} {} {:?}", row.site, row.order, row.capture);
        let read = LayerRow::wanted(&rows, |_| true).expect("rows");
        assert!(read.iter().map(shown).eq(written.iter().map(shown)));
        let one = LayerRow::wanted(&rows, |head| head.fetched_us.is_none()).expect("rows");
        assert_eq!(one.iter().map(|row| row.site).collect::<Vec<_>>(), [1]);
        assert!(LayerRow::wanted(&rows[..rows.len() - 1], |_| true).is_err());

        let key = BodyKey {
            kind: CaptureKind::AiTxt,
            sha1: [5; 20],
        };
        let place = |legibility, extent| BodyPlace {
            number: 1,
            key,
            extent,
            order: 2,
            at: 3,
            bytes: 4,
            legibility,
        };
        let places = [
            place(BodyState::Body(()), Extent::Whole),
            place(BodyState::Html, Extent::CutOff),
        ];
        let mut bytes = Vec::new();
        for place in &places {
            place.write(&mut bytes);
        }
        assert_eq!(BodyPlace::read_all(&bytes).expect("places"), places);
    }
}
