//! Stores a body that arrives in chunks. The size of the body, its pace and its total time are limited.

use super::{Content, Storage};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use std::io;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Why a body could not be stored.
pub(crate) enum ReceiveError<E> {
    /// The body is larger than the limit.
    TooLarge,
    /// Too few bytes arrived within the time limit.
    TooSlow,
    /// The whole body did not arrive within the time limit.
    TooLong,
    /// Receiving the next bytes of the body failed.
    Source(E),
    /// The storage failed.
    Storage(io::Error),
}

/// How fast a body must arrive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// The maximum time without any byte. The rate is averaged over this time.
    pub(crate) stall: Duration,
    /// The least number of bytes in a second. Zero allows any rate.
    pub(crate) rate: u64,
    /// The maximum time of the whole body.
    pub(crate) total: Duration,
}

/// When the next bytes of a body must arrive at the latest.
///
/// The client has a credit of time, at most `stall`. Time uses up the credit, and each byte adds the time that it takes
/// at the least rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Deadline {
    pace_until: Instant,
    total_until: Instant,
}

impl Deadline {
    fn new(pace: &Pace, now: Instant) -> Self {
        Self { pace_until: later(now, pace.stall), total_until: later(now, pace.total) }
    }

    fn received(&mut self, pace: &Pace, now: Instant, bytes: u64) {
        let full = later(now, pace.stall);
        let micros = bytes.saturating_mul(1_000_000).checked_div(pace.rate);
        let credit = micros.map_or(pace.stall, Duration::from_micros);
        self.pace_until = later(self.pace_until, credit).min(full);
    }

    /// The storage was busy for the time `busy`, in which the client could not send.
    fn pause(&mut self, busy: Duration) {
        self.pace_until = later(self.pace_until, busy);
    }

    fn next(&self) -> Instant {
        self.pace_until.min(self.total_until)
    }
}

/// The time `by` after `from`, but at most a century after it, because the clock cannot represent every time.
fn later(from: Instant, by: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 86_400);
    from + by.min(CENTURY)
}

/// Stores the bytes of `chunks`, at most `limit` bytes. Only one chunk at a time is kept in memory.
pub(crate) async fn receive<E>(
    storage: &dyn Storage,
    mut chunks: impl Stream<Item = Result<Bytes, E>> + Unpin,
    limit: u64,
    pace: &Pace,
) -> Result<Content, ReceiveError<E>> {
    let mut writer = storage.create().await.map_err(ReceiveError::Storage)?;
    let mut deadline = Deadline::new(pace, Instant::now());
    let mut size = 0_u64;
    loop {
        let next = timeout_at(deadline.next(), chunks.next()).await;
        let next = next.map_err(|_| {
            if deadline.total_until <= deadline.pace_until {
                ReceiveError::TooLong
            } else {
                ReceiveError::TooSlow
            }
        })?;
        let Some(chunk) = next else { break };
        let chunk = chunk.map_err(ReceiveError::Source)?;
        let arrived = Instant::now();
        deadline.received(pace, arrived, chunk.len() as u64);
        size += chunk.len() as u64;
        if size > limit {
            return Err(ReceiveError::TooLarge);
        }
        writer.write(chunk).await.map_err(ReceiveError::Storage)?;
        deadline.pause(arrived.elapsed());
    }
    writer.finish().await.map_err(ReceiveError::Storage)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const PACE: Pace = Pace { stall: Duration::from_secs(30), rate: 1000, total: Duration::from_secs(600) };

    /// Sends `bytes` each time when `every` has passed. Returns the time after which the upload fails.
    fn fails_after(pace: &Pace, bytes: u64, every: Duration) -> Duration {
        let began = Instant::now();
        let (mut deadline, mut now) = (Deadline::new(pace, began), began);
        while now + every < deadline.next() {
            now += every;
            deadline.received(pace, now, bytes);
        }
        deadline.next() - began
    }

    #[test]
    fn one_byte_within_each_stall_time_does_not_hold_an_upload() {
        let failed = fails_after(&PACE, 1, 29 * SECOND);
        assert!(failed < 31 * SECOND, "{failed:?}");
        assert!(fails_after(&PACE, 400, SECOND) < 51 * SECOND);
    }

    #[test]
    fn a_client_that_keeps_the_rate_may_pause_and_has_the_total_time() {
        assert_eq!(fails_after(&PACE, 1000, SECOND), PACE.total);
        assert_eq!(fails_after(&PACE, 25_000, 20 * SECOND), PACE.total);
        // Even after a fast start, a client must not pause for longer than the stall time.
        let mut deadline = Deadline::new(&PACE, Instant::now());
        let now = Instant::now();
        deadline.received(&PACE, now, u64::MAX);
        assert_eq!(deadline.next(), now + PACE.stall);
    }

    #[test]
    fn a_slow_storage_does_not_count_against_the_client() {
        let now = Instant::now();
        let mut deadline = Deadline::new(&PACE, now);
        deadline.pause(5 * SECOND);
        assert_eq!(deadline.next(), now + 35 * SECOND);
    }

    #[test]
    fn without_a_rate_only_a_stall_and_the_total_time_end_an_upload() {
        let any = Pace { rate: 0, ..PACE };
        assert_eq!(fails_after(&any, 1, 29 * SECOND), PACE.total);
        assert_eq!(fails_after(&any, 1, 31 * SECOND), any.stall);
        let endless = Pace { stall: Duration::MAX, rate: 0, total: Duration::MAX };
        Deadline::new(&endless, Instant::now()).received(&endless, Instant::now(), u64::MAX);
    }
}
