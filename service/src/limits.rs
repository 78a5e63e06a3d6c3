//! The limits of the requests of clients. By default, every limit is finite.

use std::time::Duration;

/// The limits of the requests of clients. A request beyond a limit gets an error response that names the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of a JSON body, in bytes. The default is 1 MiB.
    pub json_bytes: usize,
    /// The maximum size of the options of one operation, in bytes of JSON. The default is 256 KiB.
    pub options_bytes: usize,
    /// The maximum length of one text in the options of an operation, in bytes of UTF-8. The default is 64 KiB.
    pub text_bytes: usize,
    /// The maximum size of the options of all operations that wait or run, in bytes. The default is 64 MiB.
    pub queued_bytes: u64,
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
    /// The maximum size of all kept results, in bytes. This counts validation reports, notes and errors, not result
    /// files. The oldest operations are removed first. The default is 256 MiB.
    pub results_bytes: u64,
    /// The maximum number of open connections. When all are open, the oldest idle connection is closed for a new one;
    /// if none is idle, the new one waits. Fewer are allowed if the process may not open enough files. The default is
    /// 1,024.
    pub connections: usize,
    /// The maximum number of open connections from one IPv4 address, or from one IPv6 network of 64 bits. All clients
    /// behind one proxy share this number. The default is three quarters of `connections`.
    pub connections_per_peer: Option<usize>,
    /// The maximum number of files that are fetched by address at the same time. The default is 16.
    pub fetches: usize,
    /// The maximum time that a client may take to send the headers of its first request, counted from the start of the
    /// connection. The default is 5 s.
    pub first_header_time: Duration,
    /// The maximum time that a client may take to send the headers of a later request, counted from the end of the
    /// previous response. The default is 60 s.
    pub header_time: Duration,
    /// The maximum time in which no byte of a transfer is sent or received. The default is 30 s.
    pub stall_time: Duration,
    /// The least number of bytes of an upload that must arrive in each second, averaged over
    /// [`stall_time`](Self::stall_time). The default is 1 KiB.
    pub upload_rate: u64,
    /// The maximum time of one upload. The default is 6 hours.
    pub upload_time: Duration,
    /// The maximum time for fetching one file by its address. The default is 120 s.
    pub fetch_time: Duration,
    /// The maximum time for which `Prefer: wait` can hold a request for a result. The default is 30 s.
    pub wait_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            json_bytes: 1 << 20,
            options_bytes: 256 << 10,
            text_bytes: 64 << 10,
            queued_bytes: 64 << 20,
            file_bytes: 1 << 30,
            stored_bytes: 64 << 30,
            files: 100_000,
            operations: 10_000,
            results: 100_000,
            results_bytes: 256 << 20,
            connections: 1024,
            connections_per_peer: None,
            fetches: 16,
            first_header_time: Duration::from_secs(5),
            header_time: Duration::from_secs(60),
            stall_time: Duration::from_secs(30),
            upload_rate: 1 << 10,
            upload_time: Duration::from_secs(6 * 60 * 60),
            fetch_time: Duration::from_secs(120),
            wait_time: Duration::from_secs(30),
        }
    }
}
