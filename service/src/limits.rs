//! The limits of what clients may request, every one finite by default.

use std::time::Duration;

/// The limits of what clients may request. A request beyond a limit gets an error response that names the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a JSON body; 1 MiB by default.
    pub json_bytes: usize,
    /// The most bytes of an uploaded or fetched file; 1 GiB by default.
    pub file_bytes: u64,
    /// The most bytes of all files together; 64 GiB by default.
    pub stored_bytes: u64,
    /// The most files and upload tickets at the same time; 100,000 by default.
    pub files: usize,
    /// The most operations waiting or running at the same time; 10,000 by default.
    pub operations: usize,
    /// The most finished operations whose results are kept; 100,000 by default. The oldest are removed first.
    pub results: usize,
    /// The most connections at the same time; further ones wait. 1,024 by default.
    pub connections: usize,
    /// The most files fetched by address at the same time; 16 by default.
    pub fetches: usize,
    /// How long a connection may take to send a request's headers, or stay idle; 60 s by default.
    pub header_time: Duration,
    /// How long a transfer may go without a byte being sent or received; 30 s by default.
    pub stall_time: Duration,
    /// How long fetching a file by its address may take in all; 120 s by default.
    pub fetch_time: Duration,
    /// The longest time that a result request is held for `Prefer: wait`; 30 s by default.
    pub wait_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            json_bytes: 1 << 20,
            file_bytes: 1 << 30,
            stored_bytes: 64 << 30,
            files: 100_000,
            operations: 10_000,
            results: 100_000,
            connections: 1024,
            fetches: 16,
            header_time: Duration::from_secs(60),
            stall_time: Duration::from_secs(30),
            fetch_time: Duration::from_secs(120),
            wait_time: Duration::from_secs(30),
        }
    }
}
