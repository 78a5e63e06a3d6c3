//! What a service and its worker say to each other: JSON in frames, over the worker's standard input and output.
//!
//! A frame is its length in four bytes, the least first, and the JSON. Documents are files in the worker's directory.
//! A password is in a frame and nowhere else; the memory that frames were in is wiped.

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

/// The most bytes of a frame to a worker: the options were a JSON body once.
pub(super) const MAX_FRAME_TO_WORKER: usize = 8 << 20;

/// The most bytes of a frame from a worker: a long validation report.
pub(super) const MAX_FRAME_FROM_WORKER: usize = 16 << 20;

/// From the service to a worker.
#[derive(Serialize, Deserialize)]
pub(super) enum Request {
    /// First of all: what the worker must do about itself.
    Sandbox(SandboxSettings),
    /// One operation.
    Run(Box<Run>),
    /// The operation that runs is no longer wanted.
    Cancel,
}

/// How a worker is shut in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SandboxSettings {
    /// The version of the service, which the worker's must be.
    pub(super) version: String,
    /// The one directory that it may write in.
    pub(super) directory: PathBuf,
    /// The most bytes of memory for data.
    pub(super) memory: u64,
    /// The most bytes a file may get.
    pub(super) file_bytes: u64,
    /// Whether it converts Office documents: then it needs programs, and files of the system.
    pub(super) programs: bool,
    /// Whether to try for namespaces of its own; not again where that went half-way.
    pub(super) namespaces: bool,
    /// Whether the worker is the first process of a namespace, with which all others in it end.
    pub(super) pid_namespace: PidNamespace,
}

/// Among which processes a worker is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum PidNamespace {
    /// Those of the system; nothing else was tried.
    #[default]
    Untried,
    /// Its own.
    Own,
    /// Those of the system, and why.
    Refused(String),
    /// It cannot start any.
    Unusable,
}

/// One operation.
#[derive(Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) operation: String,
    pub(super) options: Value,
    /// The document's own name.
    pub(super) name: String,
    pub(super) input: PathBuf,
    /// A file that is there and empty.
    pub(super) output: PathBuf,
    pub(super) limits: WireLimits,
    pub(super) cpu: Duration,
    #[cfg(feature = "test-controls")]
    pub(super) fault: Option<Fault>,
}

/// From a worker to the service.
#[derive(Serialize, Deserialize)]
pub(super) enum Reply {
    /// It is shut in and waits for work.
    Ready(SandboxReport),
    /// Pages or images done, of how many.
    Progress(usize, usize),
    /// The output file is written.
    File { extension: String, notes: Vec<String> },
    /// The outcome of a validation.
    Report(ValidationReport),
    /// The operation failed, and the worker goes on.
    Failed { code: String, detail: String },
}

/// How far a worker is shut in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SandboxReport {
    pub(super) version: String,
    /// The means that are in force, such as `landlock`.
    pub(super) by: Vec<String>,
    /// What is not kept, and why.
    pub(super) lacking: Vec<MissingProtection>,
    /// The worker is of no use; one that leaves namespaces alone will be.
    pub(super) namespaces_unusable: bool,
}

/// A protection that is not there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct MissingProtection {
    /// What is not kept: `memory limit`.
    pub(super) what: String,
    /// What the system said.
    pub(super) why: String,
}

macro_rules! wire_limits {
    ($($field:ident: $type:ty),+ $(,)?) => {
        /// [`Limits`] as a frame has them.
        #[derive(Serialize, Deserialize)]
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
    let mut size = Counted(0);
    serde_json::to_writer(&mut size, frame)?;
    let length = u32::try_from(size.0).map_err(|_| invalid("a frame is too long"))?;
    // With its room from the start, the buffer is not moved, which would leave copies that nobody wipes.
    let mut bytes = Zeroizing::new(Vec::with_capacity(4 + size.0));
    bytes.extend_from_slice(&length.to_le_bytes());
    serde_json::to_writer(&mut *bytes, frame)?;
    to.write_all(&bytes)?;
    to.flush()
}

/// Reads one frame of at most `most` bytes; `None` when there are no more.
pub(super) fn read<T: DeserializeOwned>(from: &mut impl Read, most: usize) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read(&mut length[..1])? {
        0 => return Ok(None),
        _ => from.read_exact(&mut length[1..])?,
    }
    let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > most {
        return Err(invalid("a frame is too long"));
    }
    let mut bytes = Zeroizing::new(vec![0; length]);
    from.read_exact(&mut bytes)?;
    serde_json::from_slice(&bytes).map(Some).map_err(|_| invalid("a frame cannot be read"))
}

fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Counts what is written to it.
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
    fn frames_come_back_as_they_were_written() {
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
    fn limits_come_back_as_they_were() {
        let limits = Limits { pages: 7, ..Limits::default() };
        let json = serde_json::to_string(&WireLimits::from(limits.clone())).unwrap();
        assert_eq!(Limits::from(serde_json::from_str::<WireLimits>(&json).unwrap()), limits);
    }

    #[test]
    fn what_is_no_frame_is_refused_within_its_bound() {
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
