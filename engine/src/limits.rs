//! The bounds within which every operation works: a normal document never meets them, a bomb does.

use std::time::Duration;

/// The bounds of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes an input may have.
    pub input_bytes: u64,
    /// The most bytes all streams of a document together may inflate to.
    pub decoded_bytes: u64,
    /// The most bytes a result may have.
    pub output_bytes: u64,
    /// The most pages a document may have.
    pub pages: usize,
    /// The most indirect objects a document may have.
    pub objects: usize,
    /// The deepest that arrays, dictionaries, page trees and forms may nest.
    pub depth: usize,
    /// The most pixels an image or a rendered page may have.
    pub pixels: u64,
    /// The longest an operation may take.
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
