//! The protocol between the service and a worker: JSON in frames, over the standard input and output of the worker.
//!
//! A frame is the length of the JSON as four little-endian bytes, then the JSON. `handover` sends the frames and the
//! files of an operation. A password is sent only in a frame, and the memory of frames is overwritten.

#[cfg(feature = "test-controls")]
use super::faults::Fault;
use recto_engine::Limits;
use recto_interface::ValidationReport;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;
use zeroize::Zeroizing;

/// The maximum length of a frame to a worker, in bytes. A frame contains the options of an operation, which came to the
/// service in a JSON body of limited size.
pub(super) const MAX_FRAME_TO_WORKER: usize = 8 << 20;

/// The maximum length of a frame from a worker, in bytes. A long validation report must fit in one frame.
pub(super) const MAX_FRAME_FROM_WORKER: usize = 16 << 20;

/// A message from the service to a worker.
#[derive(Serialize, Deserialize)]
pub(super) enum Request {
    /// The first message: how the worker must restrict itself.
    Sandbox(SandboxSettings),
    /// Executes one operation.
    Run(Box<Run>),
    /// Cancels the running operation.
    Cancel,
    /// The only message to a process that does not become a worker: it removes this folder when its service has ended.
    Watch(PathBuf),
}

/// How a worker must restrict itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SandboxSettings {
    /// The version of the service. The worker must have the same version.
    pub(super) version: String,
    /// The only folder that the worker may use. `None` for a worker that starts no programs: such a worker needs no
    /// files except those that it is handed with an operation.
    pub(super) directory: Option<PathBuf>,
    /// The memory limit for data, in bytes.
    pub(super) memory: u64,
    /// The size of the largest file that the worker may write, in bytes.
    pub(super) file_bytes: u64,
    /// Whether the worker converts Office documents. For this the worker needs programs and system files.
    pub(super) programs: bool,
    /// Whether the worker tries to enter namespaces. `false` if an earlier worker became unusable by such an attempt.
    pub(super) namespaces: bool,
    /// In which PID namespace the worker is. If the worker is the first process of its own PID namespace, all processes
    /// in this namespace end with the worker.
    pub(super) pid_namespace: PidNamespace,
}

/// The PID namespace of a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum PidNamespace {
    /// The PID namespace of the service. No attempt to create another one was made.
    #[default]
    Untried,
    /// The worker has its own PID namespace.
    Own,
    /// The PID namespace of the service, because the system did not allow another one. The text contains the reason.
    Refused(String),
    /// A PID namespace in which no process can be started, so the worker must end.
    Unusable,
}

/// An operation that the worker executes.
#[derive(Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) operation: String,
    pub(super) options: Value,
    /// The file name of the document.
    pub(super) name: String,
    /// The paths of the files. On Unix, the service sends descriptors instead.
    #[cfg(not(unix))]
    pub(super) files: super::handover::Paths,
    pub(super) limits: WireLimits,
    pub(super) cpu: Duration,
    #[cfg(feature = "test-controls")]
    pub(super) fault: Option<Fault>,
}

/// A message from a worker to the service.
#[derive(Serialize, Deserialize)]
pub(super) enum Reply {
    /// The worker is sandboxed, and ready for operations.
    Ready(SandboxReport),
    /// The number of finished pages or images, and the total number.
    Progress(usize, usize),
    /// The worker has written the result to the output file.
    File { extension: String, notes: Vec<String> },
    /// A validation report.
    Report(ValidationReport),
    /// The operation failed. The worker can be used again.
    Failed { code: String, detail: String },
}

/// Which parts of the sandbox a worker has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SandboxReport {
    pub(super) version: String,
    /// The active mechanisms, such as `landlock`.
    pub(super) by: Vec<String>,
    /// The missing protections.
    pub(super) lacking: Vec<MissingProtection>,
    /// Whether the worker failed while it entered namespaces. If so, this worker cannot be used, and another one must
    /// be started, which does not enter namespaces.
    pub(super) namespaces_unusable: bool,
}

impl SandboxReport {
    /// The missing protections, each with its reason.
    pub(super) fn lacking_in_words(&self) -> Vec<String> {
        self.lacking.iter().map(|lack| format!("{} ({})", lack.what, lack.why)).collect()
    }
}

/// A missing protection.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct MissingProtection {
    /// The name of the missing protection, such as `memory limit`.
    pub(super) what: String,
    /// The reason: an error of the operating system.
    pub(super) why: String,
}

macro_rules! wire_limits {
    ($($field:ident: $type:ty),+ $(,)?) => {
        /// A copy of [`Limits`] that can be serialised.
        #[derive(Clone, Serialize, Deserialize)]
        pub(super) struct WireLimits { $($field: $type),+ }

        impl From<Limits> for WireLimits {
            fn from(Limits { $($field),+ }: Limits) -> Self { Self { $($field),+ } }
        }

        impl From<WireLimits> for Limits {
            fn from(WireLimits { $($field),+ }: WireLimits) -> Self { Self { $($field),+ } }
        }
    };
}

wire_limits! {
    input_bytes: u64, decoded_bytes: u64, output_bytes: u64, pages: usize, objects: usize, depth: usize,
    pixels: u64, time: Duration,
}

/// Writes one frame.
pub(super) fn write(to: &mut impl Write, frame: &impl Serialize) -> io::Result<()> {
    to.write_all(&encode(frame)?)?;
    to.flush()
}

/// The bytes of one frame.
pub(super) fn encode(frame: &impl Serialize) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut size = Counted(0);
    serde_json::to_writer(&mut size, frame)?;
    let length = u32::try_from(size.0).map_err(|_| invalid("a frame is too long"))?;
    // The buffer is allocated once: a buffer that grows leaves copies in memory that are not overwritten.
    let mut bytes = Zeroizing::new(Vec::with_capacity(4 + size.0));
    bytes.extend_from_slice(&length.to_le_bytes());
    serde_json::to_writer(&mut *bytes, frame)?;
    Ok(bytes)
}

/// Reads one frame of at most `most` bytes. `None` at the end of the stream.
pub(super) fn read<T: DeserializeOwned>(from: &mut impl Read, most: usize) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read(&mut length)? {
        0 => return Ok(None),
        read => from.read_exact(length.get_mut(read..).unwrap_or_default())?,
    }
    let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > most {
        return Err(invalid("a frame is too long"));
    }
    let mut bytes = Zeroizing::new(vec![0; length]);
    from.read_exact(&mut bytes)?;
    serde_json::from_slice(&bytes).map(Some).map_err(|_| invalid("a frame is not valid JSON of the protocol"))
}

pub(super) fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// A writer that only counts the bytes that are written to it.
struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_reply(bytes: &[u8], most: usize) -> io::Result<Option<Reply>> {
        read(&mut &*bytes, most)
    }

    #[test]
    fn frames_survive_a_round_trip() {
        let mut bytes = Vec::new();
        write(&mut bytes, &Reply::Progress(3, 10)).unwrap();
        let detail = "the password does not open the document".to_owned();
        write(&mut bytes, &Reply::Failed { code: "wrong_password".to_owned(), detail }).unwrap();
        let mut rest = &*bytes;
        assert!(matches!(read(&mut rest, 100).unwrap(), Some(Reply::Progress(3, 10))));
        assert!(matches!(read(&mut rest, 1000).unwrap(), Some(Reply::Failed { .. })));
        assert!(read::<Reply>(&mut rest, 100).unwrap().is_none());
    }

    #[test]
    fn limits_survive_a_round_trip() {
        let limits = Limits { pages: 7, ..Limits::default() };
        let json = serde_json::to_string(&WireLimits::from(limits.clone())).unwrap();
        assert_eq!(Limits::from(serde_json::from_str::<WireLimits>(&json).unwrap()), limits);
    }

    #[test]
    fn invalid_and_too_long_frames_are_rejected() {
        for bytes in [
            &b"\xff\xff\xff\xff{}"[..],
            b"\x65\0\0\0{}",
            b"\x02\0\0\0{}",
            b"\x02\0\0\0[[",
            b"\x02\0",
            b"\x09\0\0\0{",
        ] {
            assert!(read_reply(bytes, 100).is_err(), "{bytes:?}");
        }
        assert!(read_reply(b"", 100).unwrap().is_none());
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_reading_panic(bytes: Vec<u8>) {
            let _ = read_reply(&bytes, 1000);
        }
    }
}
