//! The places for connections: how many connections may be open, and which idle connection is closed for a new one.
//!
//! A connection is idle while the service handles no request on it. When all places are taken, the oldest idle
//! connection is closed: first a connection that has never sent a request, then one that waits for its next request.
//! Connections from one address may take only a share of the places.

use std::collections::{BTreeSet, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The address that a share is counted for. An IPv6 client has a whole network of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Peer(IpAddr);

impl Peer {
    fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self(address.into()),
            IpAddr::V6(address) => Self(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into()),
        }
    }
}

/// The order in which idle connections are closed: connections that have never sent a request first, then by the time
/// since when they are idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct IdleOrder {
    has_sent_request: bool,
    since: u64,
}

/// The decision about a new connection.
#[derive(Debug, PartialEq, Eq)]
enum Admission {
    Enter(u64),
    /// This idle connection must be closed first.
    Close(u64),
    /// No connection is idle: wait until one of them is idle or ends.
    Wait,
    /// The address of the client has used up its share, and none of its connections is idle.
    Refuse,
}

/// The state of all places, and the decisions about them. It uses neither sockets nor a clock.
struct Table {
    most: usize,
    per_peer: usize,
    next: u64,
    open: HashMap<u64, Open>,
    idle: BTreeSet<(IdleOrder, u64)>,
}

struct Open {
    peer: Peer,
    /// `None` while the service handles a request.
    idle: Option<IdleOrder>,
    /// Whether the connection must close.
    closing: bool,
}

impl Table {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn admit(&mut self, peer: Peer) -> Admission {
        let of_peer = self.open.values().filter(|open| open.peer == peer);
        let (taken, closing) =
            of_peer.fold((0, 0), |(taken, closing), open| (taken + 1, closing + usize::from(open.closing)));
        if taken >= self.per_peer {
            return match self.oldest_idle(|open| open.peer == peer) {
                _ if closing > 0 => Admission::Wait,
                Some(id) => self.close(id),
                None => Admission::Refuse,
            };
        }
        if self.open.len() >= self.most {
            return match self.oldest_idle(|_| true) {
                Some(id) if !self.open.values().any(|open| open.closing) => self.close(id),
                _ => Admission::Wait,
            };
        }
        let id = self.number();
        let idle = IdleOrder { has_sent_request: false, since: id };
        self.idle.insert((idle, id));
        self.open.insert(id, Open { peer, idle: Some(idle), closing: false });
        Admission::Enter(id)
    }

    fn oldest_idle(&self, eligible: impl Fn(&Open) -> bool) -> Option<u64> {
        let is_eligible = |id: &u64| self.open.get(id).is_some_and(&eligible);
        self.idle.iter().map(|(_, id)| *id).find(is_eligible)
    }

    fn close(&mut self, id: u64) -> Admission {
        self.set_idle(id, None);
        if let Some(open) = self.open.get_mut(&id) {
            open.closing = true;
        }
        Admission::Close(id)
    }

    /// A request begins.
    fn begin(&mut self, id: u64) {
        self.set_idle(id, None);
    }

    /// The response to a request ends.
    fn end(&mut self, id: u64) {
        let since = self.number();
        if self.open.get(&id).is_some_and(|open| !open.closing) {
            self.set_idle(id, Some(IdleOrder { has_sent_request: true, since }));
        }
    }

    fn leave(&mut self, id: u64) {
        self.set_idle(id, None);
        self.open.remove(&id);
    }

    fn set_idle(&mut self, id: u64, idle: Option<IdleOrder>) {
        let Some(open) = self.open.get_mut(&id) else { return };
        if let Some(before) = std::mem::replace(&mut open.idle, idle) {
            self.idle.remove(&(before, id));
        }
        if let Some(idle) = idle {
            self.idle.insert((idle, id));
        }
    }
}

/// The places for the connections of a service.
pub(super) struct Places {
    table: Mutex<Table>,
    /// Notified when a connection must close, by the number of the connection.
    closers: Mutex<HashMap<u64, Arc<Notify>>>,
    /// Notified when a connection ends or becomes idle.
    changed: Notify,
}

/// The address of the client has used up its share of the places.
pub(super) struct ShareUsedUp;

impl Places {
    /// Places for `most` connections, of which `per_peer` may be from one address.
    pub(super) fn new(most: usize, per_peer: usize) -> Arc<Self> {
        let table = Table {
            most: most.max(1),
            per_peer: per_peer.max(1),
            next: 0,
            open: HashMap::new(),
            idle: BTreeSet::new(),
        };
        Arc::new(Self { table: Mutex::new(table), closers: Mutex::default(), changed: Notify::new() })
    }

    /// Takes a place for a connection from `address`. If all places are taken, closes the oldest idle connection. If no
    /// connection is idle, waits.
    pub(super) async fn take(self: &Arc<Self>, address: IpAddr) -> Result<Place, ShareUsedUp> {
        let peer = Peer::of(address);
        loop {
            // Subscribed before the table is read, so that no change is missed.
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            let admission = self.table().admit(peer);
            match admission {
                Admission::Enter(id) => {
                    let close = Arc::<Notify>::default();
                    lock(&self.closers).insert(id, Arc::clone(&close));
                    return Ok(Place { places: Arc::clone(self), id, close });
                }
                Admission::Close(id) => {
                    if let Some(close) = lock(&self.closers).get(&id) {
                        close.notify_one();
                    }
                    changed.await;
                }
                Admission::Wait => changed.await,
                Admission::Refuse => return Err(ShareUsedUp),
            }
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        lock(&self.table)
    }
}

/// The place of one connection. It is free again when this value is dropped.
pub(super) struct Place {
    places: Arc<Places>,
    id: u64,
    close: Arc<Notify>,
}

impl Place {
    /// Resolves when the connection must close, because another connection needs its place.
    pub(super) async fn needed_by_another(&self) {
        self.close.notified().await;
    }

    /// To be called when a request begins. The request ends when the returned value is dropped.
    pub(super) fn begin_request(&self) -> BusyPlace {
        self.places.table().begin(self.id);
        BusyPlace { places: Arc::clone(&self.places), id: self.id }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.table().leave(self.id);
        lock(&self.places.closers).remove(&self.id);
        self.places.changed.notify_waiters();
    }
}

/// A request that is being handled.
pub(super) struct BusyPlace {
    places: Arc<Places>,
    id: u64,
}

impl Drop for BusyPlace {
    fn drop(&mut self) {
        self.places.table().end(self.id);
        self.places.changed.notify_waiters();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(most: usize, per_peer: usize) -> Table {
        Table { most, per_peer, next: 0, open: HashMap::new(), idle: BTreeSet::new() }
    }

    fn peer(last: u8) -> Peer {
        Peer::of(IpAddr::from([192, 0, 2, last]))
    }

    fn enter(table: &mut Table, last: u8) -> u64 {
        match table.admit(peer(last)) {
            Admission::Enter(id) => id,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_oldest_connection_without_a_request_is_closed_first() {
        let mut table = table(3, 3);
        let [kept_alive, first, second] = [1, 2, 3].map(|last| enter(&mut table, last));
        table.begin(kept_alive);
        table.end(kept_alive);
        for closed in [first, second, kept_alive] {
            assert_eq!(table.admit(peer(4)), Admission::Close(closed));
            assert_eq!(table.admit(peer(4)), Admission::Wait, "one connection is closing already");
            table.leave(closed);
            let busy = enter(&mut table, 4);
            table.begin(busy);
        }
    }

    #[test]
    fn a_connection_that_handles_a_request_is_never_closed() {
        let mut table = table(2, 2);
        let busy = [1, 2].map(|last| enter(&mut table, last));
        busy.iter().for_each(|id| table.begin(*id));
        assert_eq!(table.admit(peer(3)), Admission::Wait);
        table.end(busy[1]);
        assert_eq!(table.admit(peer(3)), Admission::Close(busy[1]));
        // If a request began when the connection already had to close, its end does not make the connection idle again.
        table.end(busy[1]);
        assert!(table.idle.is_empty());
    }

    #[test]
    fn an_address_takes_only_its_share() {
        let mut table = table(4, 2);
        let [one, two] = [1, 1].map(|last| enter(&mut table, last));
        table.begin(one);
        assert_eq!(table.admit(peer(1)), Admission::Close(two));
        assert_eq!(table.admit(peer(1)), Admission::Wait);
        table.leave(two);
        let three = enter(&mut table, 1);
        table.begin(three);
        assert_eq!(table.admit(peer(1)), Admission::Refuse);
        enter(&mut table, 2);
    }

    #[test]
    fn a_network_of_ipv6_is_one_address_and_a_mapped_address_is_ipv4() {
        let of = |text: &str| Peer::of(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.7"), of("192.0.2.7"));
        assert_ne!(of("192.0.2.7"), of("192.0.2.8"));
    }
}
