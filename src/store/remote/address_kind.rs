//! What kind of place an address is: this machine, its network, or anywhere.
//!
//! Documents: RFC 6890 and its registries (special-purpose addresses), RFC 4291 2.5.5 (IPv4 in IPv6), RFC 6052
//! (`64:ff9b::/96`), RFC 3056 (`2002::/16`). Example: `::ffff:169.254.169.254` is link-local, like the address in it. Left out:
//! addresses for documentation, which lead nowhere.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Where an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressKind {
    /// Anywhere.
    Public,
    /// In the network of an organisation or a provider, or nowhere.
    Private,
    /// On the same link, where clouds have their services for credentials.
    LinkLocal,
    /// On this machine.
    Loopback,
}

impl AddressKind {
    pub fn from_address(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => Self::of_v4(address),
            IpAddr::V6(address) => Self::of_v6(address),
        }
    }

    fn of_v4(address: Ipv4Addr) -> Self {
        match address.octets() {
            // 0.0.0.0 is this machine, whatever network it is in.
            [0 | 127, ..] => Self::Loopback,
            [169, 254, ..] => Self::LinkLocal,
            // Networks, also of providers; addresses for protocols and measurements; multicast and reserved ones.
            [10 | 224..=255, ..]
            | [172, 16..=31, ..]
            | [192, 168, ..]
            | [192, 0, 0, _]
            | [100, 64..=127, ..]
            | [198, 18..=19, ..] => Self::Private,
            _ => Self::Public,
        }
    }

    fn of_v6(address: Ipv6Addr) -> Self {
        let inner = |high: u16, low: u16| {
            let ([one, two], [three, four]) = (high.to_be_bytes(), low.to_be_bytes());
            Self::of_v4(Ipv4Addr::new(one, two, three, four))
        };
        match address.segments() {
            [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Self::Loopback,
            // IPv4 in IPv6: mapped, compatible, behind a translator, in 6to4.
            [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
                inner(high, low)
            }
            [0, 0, 0, 0, 0xffff, 0, high, low] | [0x2002, high, low, ..] => inner(high, low),
            [0xfe80..=0xfebf, ..] => Self::LinkLocal,
            // Unique local, site-local, multicast, local translators, Teredo; the next one is the prefix to discard.
            [0xfc00..=0xfdff | 0xfec0..=0xffff, ..] | [0x64, 0xff9b, 1, ..] | [0x2001, 0, ..] => {
                Self::Private
            }
            [0x100, 0, 0, 0, ..] => Self::Private,
            _ => Self::Public,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
            Self::LinkLocal => "link-local",
            Self::Loopback => "loopback",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AddressKind;

    #[test]
    fn rfc6890_addresses_for_special_purposes_are_not_public_however_they_are_written() {
        for (kind, addresses) in [
            (
                AddressKind::Public,
                "8.8.8.8 172.32.0.1 100.128.0.1 2606:4700::1 64:ff9b::808:808",
            ),
            (
                AddressKind::Private,
                "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 198.18.0.1",
            ),
            (
                AddressKind::Private,
                "255.255.255.255 fc00::1 fd12::1 fec0::1 ff02::1 ::ffff:10.0.0.1 ::10.0.0.1",
            ),
            (
                AddressKind::Private,
                "64:ff9b::10.1.2.3 2002:a00:1:: 2001:0:1:: 64:ff9b:1::1",
            ),
            (
                AddressKind::LinkLocal,
                "169.254.169.254 fe80::1 ::ffff:169.254.169.254 2002:a9fe:a9fe::",
            ),
            (
                AddressKind::Loopback,
                "127.0.0.1 127.255.0.1 0.0.0.0 0.1.2.3 ::1 :: ::ffff:127.0.0.1 64:ff9b::7f00:1",
            ),
        ] {
            for address in addresses.split(' ') {
                assert_eq!(
                    AddressKind::from_address(address.parse().unwrap()),
                    kind,
                    "{address}"
                );
            }
        }
    }
}
