//! The interface of the PDF processing service: everything that is sent over the network, and nothing else.
//!
//! - [`OperationKind`] and the table of operations ([`operation`]): the 19 operations, declared once.
//! - [`Options`], and a type for the options of each operation ([`options`]), with the checks that can be made
//!   without a service.
//! - The bodies of requests and responses ([`wire`]), and the paths of the endpoints ([`endpoint`]).
//! - Texts from documents, services and libraries made safe to show ([`printable`](mod@printable)).
//!
//! The client, the service and all language bindings are based on this crate. It does no I/O.
#![forbid(unsafe_code)]

pub mod endpoint;
pub mod field;
pub mod operation;
pub mod options;
pub mod printable;
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
