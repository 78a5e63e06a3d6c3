//! The limits of an operation. Normal documents stay far below the limits. The limits stop documents that would exhaust
//! memory or time, such as decompression bombs.

use std::time::Duration;

/// The limits of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of the input, in bytes.
    pub input_bytes: u64,
    /// The maximum total size of a document's streams after decompression, in bytes.
    pub decoded_bytes: u64,
    /// The maximum size of the result, in bytes.
    pub output_bytes: u64,
    /// The maximum number of pages of a document.
    pub pages: usize,
    /// The maximum number of indirect objects of a document.
    pub objects: usize,
    /// The maximum nesting of arrays, dictionaries, page trees and forms.
    pub depth: usize,
    /// The maximum number of pixels of an image or a rendered page.
    pub pixels: u64,
    /// The maximum duration of an operation.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            input_bytes: 1 << 30,
            decoded_bytes: 4 << 30,
            output_bytes: 4 << 30,
            pages: 50_000,
            objects: 5_000_000,
            depth: 200,
            pixels: 400_000_000,
            time: Duration::from_secs(600),
        }
    }
}
