//! Protection against server-side request forgery (SSRF): only public IP addresses may be fetched from.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether `address` is a public unicast address. An address is not public if IANA's special-purpose address registries
/// do not list it as globally reachable. An IPv6 address that embeds an IPv4 address is public if the IPv4 address is
/// public.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        [0 | 10 | 127, ..] => true,                     // this network, private, loopback
        [100, 64..=127, ..] => true,                    // carrier-grade NAT
        [169, 254, ..] => true,                         // link-local, where cloud metadata is
        [172, 16..=31, ..] => true,                     // private
        [192, 0, 0 | 2, _] | [192, 88, 99, _] => true,  // protocol assignments, documentation, 6to4 relays
        [192, 168, ..] => true,                         // private
        [198, 18 | 19, ..] | [198, 51, 100, _] => true, // benchmarks, documentation
        [203, 0, 113, _] => true,                       // documentation
        [224..=255, ..] => true,                        // multicast, reserved, broadcast
        _ => false,
    };
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // IPv4-mapped, IPv4-compatible (which includes :: and ::1), IPv4-translated and NAT64 addresses.
        [0, 0, 0, 0, 0, 0xffff | 0, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        // 6to4 addresses.
        | [0x2002, high, low, ..] => is_public_v4(v4(high, low)),
        // Teredo addresses and other protocol assignments, ORCHID addresses, and addresses for documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // 2000::/3 contains the global unicast addresses. All other addresses are not public: unique local, link-local,
        // site-local, multicast and so on.
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}

fn v4(high: u16, low: u16) -> Ipv4Addr {
    let [a, b] = high.to_be_bytes();
    let [c, d] = low.to_be_bytes();
    Ipv4Addr::new(a, b, c, d)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(address: &str) -> bool {
        is_public(address.parse().unwrap())
    }

    #[test]
    fn public_addresses_are_allowed() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.1.1",
            "223.255.255.255",
        ] {
            assert!(public(address), "{address}");
        }
        for address in
            ["2606:4700:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]
        {
            assert!(public(address), "{address}");
        }
    }

    #[test]
    fn special_addresses_are_refused() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
        ] {
            assert!(!public(address), "{address}");
            assert!(!public(&format!("::ffff:{address}")), "mapped {address}");
            assert!(!public(&format!("::{address}")), "compatible {address}");
            assert!(!public(&format!("64:ff9b::{address}")), "NAT64 {address}");
        }
        for address in [
            "::",
            "::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
            "2001::1",
            "2001:20::1",
            "100::1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a00:1::",
            "3fff::1",
            "4000::1",
            "::ffff:0:127.0.0.1",
        ] {
            assert!(!public(address), "{address}");
        }
    }
}
