//! The interface of the PDF processing service: what is sent over the network, and nothing else.
//!
//! - [`OperationKind`] and its table ([`operation`]): the 19 operations, declared once.
//! - [`Options`] and a type for each operation's options ([`options`]), with the checks that need no service.
//! - The bodies of requests and responses ([`wire`]), and the paths of the endpoints ([`endpoint`]).
//!
//! The client, the service and all language bindings derive from these. This crate does no I/O.
#![forbid(unsafe_code)]

pub mod endpoint;
pub mod field;
pub mod operation;
pub mod options;
pub mod secret;
pub mod wire;

mod closed_set;

pub use field::{ClosedSet, Field, FieldKind, Need, Object};
pub use operation::{OperationKind, Options, Yields};
pub use options::{InvalidOption, OperationOptions};
pub use secret::Secret;
pub use wire::{
    Failure, FileList, FileRecord, FromUrlRequest, FromUrlResponse, Input, OperationHandle, OperationResult,
    OperationStatus, OperationType, OutputFile, Problem, StartRequest, UploadRequest, UploadTicket,
    ValidationReport,
};
