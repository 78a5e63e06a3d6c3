//! The limits of the requests of clients. By default, every limit is finite.

use std::time::Duration;

/// The limits of the requests of clients. A request beyond a limit gets an error response that names the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of a JSON body, in bytes. The default is 1 MiB.
    pub json_bytes: usize,
    /// The maximum size of an uploaded or fetched file, in bytes. The default is 1 GiB.
    pub file_bytes: u64,
    /// The maximum size of all files together, in bytes. The default is 64 GiB.
    pub stored_bytes: u64,
    /// The maximum number of files, including files whose upload was requested but has not ended. The default is
    /// 100,000.
    pub files: usize,
    /// The maximum number of operations that wait or run at the same time. The default is 10,000.
    pub operations: usize,
    /// The maximum number of finished operations whose results are kept. The oldest operations are removed first. The
    /// default is 100,000.
    pub results: usize,
    /// The maximum number of open connections. Further connections wait. The default is 1,024.
    pub connections: usize,
    /// The maximum number of files that are fetched by address at the same time. The default is 16.
    pub fetches: usize,
    /// The maximum time that a client may take to send the headers of a request, counted from the start of the
    /// connection or from the end of the previous response. The default is 60 s.
    pub header_time: Duration,
    /// The maximum time in which no byte of a transfer is sent or received. The default is 30 s.
    pub stall_time: Duration,
    /// The maximum time for fetching one file by its address. The default is 120 s.
    pub fetch_time: Duration,
    /// The maximum time for which `Prefer: wait` can hold a request for a result. The default is 30 s.
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
