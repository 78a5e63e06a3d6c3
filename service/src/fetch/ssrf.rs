//! Protection against server-side request forgery (SSRF): which IP addresses and ports may be fetched from.
//!
//! The tables follow IANA's registries of special-purpose addresses (RFC 6890):
//! <https://www.iana.org/assignments/iana-ipv4-special-registry> and
//! <https://www.iana.org/assignments/iana-ipv6-special-registry>.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Ranges of IPv4 addresses that are not fetched from: those that the registry does not list as globally reachable,
/// multicast, and the addresses of cloud platforms that only their own machines can reach.
const SPECIAL_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),        // "this network" (RFC 791)
    (Ipv4Addr::new(10, 0, 0, 0), 8),       // private use (RFC 1918)
    (Ipv4Addr::new(100, 64, 0, 0), 10), // shared address space (RFC 6598); Alibaba Cloud's metadata is 100.100.100.200
    (Ipv4Addr::new(127, 0, 0, 0), 8),   // loopback (RFC 1122)
    (Ipv4Addr::new(169, 254, 0, 0), 16), // link-local (RFC 3927); the metadata of most clouds is 169.254.169.254
    (Ipv4Addr::new(172, 16, 0, 0), 12),  // private use (RFC 1918)
    (Ipv4Addr::new(192, 0, 0, 0), 24), // IETF protocol assignments (RFC 6890); Oracle Cloud's metadata was 192.0.0.192
    (Ipv4Addr::new(192, 0, 2, 0), 24), // documentation (RFC 5737)
    (Ipv4Addr::new(192, 88, 99, 0), 24), // deprecated 6to4 relays (RFC 7526)
    (Ipv4Addr::new(192, 168, 0, 0), 16), // private use (RFC 1918)
    (Ipv4Addr::new(198, 18, 0, 0), 15), // benchmarking (RFC 2544)
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation (RFC 5737)
    (Ipv4Addr::new(203, 0, 113, 0), 24), // documentation (RFC 5737)
    (Ipv4Addr::new(224, 0, 0, 0), 4),  // multicast (RFC 5771)
    (Ipv4Addr::new(240, 0, 0, 0), 4),  // reserved (RFC 1112), with the limited broadcast (RFC 8190)
    (Ipv4Addr::new(168, 63, 129, 16), 32), // Azure: the platform's own services in each virtual network
    (Ipv4Addr::new(161, 26, 0, 0), 16), // IBM Cloud: the platform's own services
    (Ipv4Addr::new(166, 8, 0, 0), 14), // IBM Cloud: service endpoints
];

/// Ranges of IPv6 addresses inside 2000::/3 that are not fetched from. Addresses outside 2000::/3 are never fetched
/// from, unless they embed a public IPv4 address. So the metadata addresses fd00:ec2::254 (Amazon) and fd20:ce::254
/// (Google), which are unique local addresses, need no entry.
const SPECIAL_V6: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // IETF protocol assignments (RFC 2928), with Teredo (RFC 4380)
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation (RFC 3849)
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation (RFC 9637)
];

/// The ports that are fetched from, unless the service is configured otherwise.
const DEFAULT_PORTS: &[u16] = &[80, 443];

/// Returns the IP addresses of this machine's network interfaces.
pub(super) type OwnAddresses = fn() -> io::Result<Vec<IpAddr>>;

/// Which IP addresses and ports the fetcher may connect to.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// Whether an IP address is public; `None` if every address is allowed.
    public: Option<fn(IpAddr) -> bool>,
    /// The allowed ports; `None` if every port is allowed.
    ports: Option<Vec<u16>>,
    own: OwnAddresses,
}

impl Rules {
    /// `ports` are the ports that the service is configured to fetch from. Without such a setting, these are 80 and
    /// 443, or every port if private addresses are allowed.
    pub(crate) fn new(allow_private: bool, ports: Option<&[u16]>) -> Self {
        let ports = ports.or((!allow_private).then_some(DEFAULT_PORTS)).map(<[u16]>::to_vec);
        Self { public: (!allow_private).then_some(is_public), ports, own: own_addresses }
    }

    /// Whether every IP address is allowed. If so, errors may show whether a host name resolves.
    pub(super) fn allow_any_address(&self) -> bool {
        self.public.is_none()
    }

    pub(super) fn allow_port(&self, port: u16) -> bool {
        self.ports.as_ref().is_none_or(|ports| ports.contains(&port))
    }

    /// The allowed ports for a message, such as `80, 443`.
    pub(super) fn ports(&self) -> String {
        let ports = self.ports.as_deref().unwrap_or_default().iter();
        ports.map(u16::to_string).collect::<Vec<_>>().join(", ")
    }

    /// Whether all of `addresses` are allowed: public, and not addresses of this machine.
    ///
    /// A service on this machine may trust connections from the machine itself, also to its public address. The
    /// interfaces are read each time, because their addresses change.
    ///
    /// # Errors
    /// The addresses of this machine cannot be read.
    pub(super) fn allow(&self, addresses: impl IntoIterator<Item = IpAddr>) -> io::Result<bool> {
        let Some(public) = self.public else { return Ok(true) };
        let own = (self.own)()?;
        Ok(addresses.into_iter().all(|address| public(address) && !own.contains(&canonical(address))))
    }

    /// Rules that allow every port, and the addresses for which `public` returns `true`.
    #[cfg(test)]
    pub(super) fn for_test(public: fn(IpAddr) -> bool, own: OwnAddresses) -> Self {
        Self { public: Some(public), ports: None, own }
    }
}

/// Whether `address` is a public unicast address. An IPv6 address that embeds an IPv4 address is public if the IPv4
/// address is public.
fn is_public(address: IpAddr) -> bool {
    match (address, embedded_v4(address)) {
        (_, Some(embedded)) => is_public_v4(embedded),
        (IpAddr::V4(address), None) => is_public_v4(address),
        (IpAddr::V6(address), None) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let in_range = |(network, prefix): &(Ipv4Addr, u32)| {
        (address.to_bits() ^ network.to_bits()).checked_shr(32 - prefix).unwrap_or_default() == 0
    };
    !SPECIAL_V4.iter().any(in_range)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let in_range = |network: Ipv6Addr, prefix: u32| {
        (address.to_bits() ^ network.to_bits()).checked_shr(128 - prefix).unwrap_or_default() == 0
    };
    in_range(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3)
        && !SPECIAL_V6.iter().any(|(network, prefix)| in_range(*network, *prefix))
}

/// The IPv4 address that a connection to an IPv6 address may reach.
fn embedded_v4(address: IpAddr) -> Option<Ipv4Addr> {
    let IpAddr::V6(address) = address else { return None };
    match address.segments() {
        // IPv4-mapped (RFC 4291, 2.5.5.2), IPv4-compatible (2.5.5.1; this includes :: and ::1), IPv4-translated
        // (RFC 2765) and NAT64 (RFC 6052) addresses.
        [0, 0, 0, 0, 0, 0xffff | 0, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        // 6to4 (RFC 3056) and ISATAP (RFC 5214) addresses.
        | [0x2002, high, low, ..]
        | [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => Some(v4(high, low)),
        _ => None,
    }
}

fn v4(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))
}

/// The address in the form in which the interfaces list it.
fn canonical(address: IpAddr) -> IpAddr {
    embedded_v4(address).map_or(address, IpAddr::V4)
}

#[cfg(unix)]
fn own_addresses() -> io::Result<Vec<IpAddr>> {
    let interfaces = nix::ifaddrs::getifaddrs()?;
    let addresses = interfaces.filter_map(|interface| interface.address);
    Ok(addresses
        .filter_map(|address| {
            let v4 = address.as_sockaddr_in().map(|address| IpAddr::V4(address.ip()));
            v4.or_else(|| address.as_sockaddr_in6().map(|address| IpAddr::V6(address.ip())))
        })
        .collect())
}

/// On Windows, the standard library cannot list the interfaces. The public ranges are still checked.
#[cfg(not(unix))]
fn own_addresses() -> io::Result<Vec<IpAddr>> {
    Ok(Vec::new())
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
            "192.0.1.1",
            "198.17.255.255",
            "198.20.0.0",
            "168.63.129.15",
            "223.255.255.255",
        ] {
            assert!(public(address), "{address}");
        }
        for address in [
            "2606:4700:4700::1111",
            "2a00:1450::1",
            "2001:200::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
            "2a00:1450::5efe:808:808",
        ] {
            assert!(public(address), "{address}");
        }
    }

    #[test]
    fn special_addresses_are_refused_in_every_form() {
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
            // The addresses of cloud platforms.
            "168.63.129.16",
            "100.100.100.200",
            "192.0.0.192",
            "161.26.0.6",
            "166.9.14.5",
        ] {
            assert!(!public(address), "{address}");
            assert!(!public(&format!("::ffff:{address}")), "mapped {address}");
            assert!(!public(&format!("::{address}")), "compatible {address}");
            assert!(!public(&format!("::ffff:0:{address}")), "translated {address}");
            assert!(!public(&format!("64:ff9b::{address}")), "NAT64 {address}");
            assert!(!public(&format!("2a00:1450::5efe:{address}")), "ISATAP {address}");
            let [a, b, c, d] = address.parse::<Ipv4Addr>().unwrap().octets();
            assert!(!public(&format!("2002:{a:02x}{b:02x}:{c:02x}{d:02x}::1")), "6to4 {address}");
            assert!(!public(&format!("2001:0:{a:02x}{b:02x}:{c:02x}{d:02x}::1")), "Teredo {address}");
        }
    }

    #[test]
    fn special_ipv6_addresses_are_refused() {
        for address in [
            "::",
            "::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "fe80::a9fe:a9fe",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
            "2001::1",
            "2001:20::1",
            "2001:1ff:ffff::1",
            "100::1",
            "100:0:0:1::1",
            "64:ff9b:1::1",
            "64:ff9b:1::808:808",
            "3fff::1",
            "4000::1",
            "5f00::1",
            // The metadata of Amazon's and Google's clouds.
            "fd00:ec2::254",
            "fd20:ce::254",
        ] {
            assert!(!public(address), "{address}");
        }
    }

    fn one_public() -> io::Result<Vec<IpAddr>> {
        Ok(vec!["1.2.3.4".parse().unwrap(), "2a00:1450::7".parse().unwrap()])
    }

    #[test]
    fn the_public_addresses_of_this_machine_are_refused() {
        let rules = Rules::for_test(is_public, one_public);
        let allow = |address: &str| rules.allow([address.parse().unwrap()]).unwrap();
        assert!(allow("1.2.3.5") && allow("2a00:1450::8"));
        for own in ["1.2.3.4", "::ffff:1.2.3.4", "64:ff9b::1.2.3.4", "2002:102:304::", "2a00:1450::7"] {
            assert!(!allow(own), "{own}");
        }
        assert!(!rules.allow(["1.2.3.5".parse().unwrap(), "1.2.3.4".parse().unwrap()]).unwrap());
        let any = Rules { public: None, ..rules };
        assert!(any.allow(["1.2.3.4".parse().unwrap()]).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn the_interfaces_of_this_machine_are_listed() {
        let own = own_addresses().unwrap();
        // A network namespace whose loopback interface is down has no addresses.
        let loopback = std::net::TcpListener::bind("127.0.0.1:0").is_ok();
        assert!(!loopback || own.contains(&IpAddr::from([127, 0, 0, 1])), "{own:?}");
    }

    #[test]
    fn an_unreadable_list_of_interfaces_allows_nothing() {
        let rules = Rules::for_test(is_public, || Err(io::Error::other("no interfaces")));
        assert!(rules.allow(["8.8.8.8".parse().unwrap()]).is_err());
    }

    #[test]
    fn only_the_ports_of_the_web_are_allowed_unless_others_are_configured() {
        let allowed = |private, ports: Option<&[u16]>, port| Rules::new(private, ports).allow_port(port);
        assert!(allowed(false, None, 80) && allowed(false, None, 443));
        for port in [0, 22, 25, 79, 444, 8080, 6379] {
            assert!(!allowed(false, None, port), "{port}");
            assert!(allowed(true, None, port), "{port}");
        }
        assert!(allowed(false, Some(&[8080]), 8080) && !allowed(false, Some(&[8080]), 80));
        assert!(!allowed(true, Some(&[8080]), 80));
    }
}
