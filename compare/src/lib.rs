//! Compares the pages of two documents as pictures: the share of each page that differs, and a picture of both pages
//! side by side with the differences marked.
//!
//! [`compare()`] is the entry point. The service renders the documents with two ordinary operations (`pdf-to-png`,
//! after `decrypt` if a password is given), so this process never parses a document: it decodes PNG files only.
//! [`difference()`](difference::difference) is the comparison itself, a pure function of two pictures.
//!
//! Memory stays bounded: the results of the service are temporary files, and only one page of each document is in
//! memory.
#![forbid(unsafe_code)]

mod color;
mod compare;
pub mod difference;
mod error;
pub mod html;
mod marked;
mod picture;
mod rendered;
pub mod report;
mod settings;

pub use compare::{ComparedPage, Comparison, Summary, compare};
pub use error::Error;
pub use picture::Picture;
pub use settings::{DEFAULT_PAGES, DEFAULT_TOLERANCE, Settings};
